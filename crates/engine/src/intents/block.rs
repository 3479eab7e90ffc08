//! The block that shows intents to the model, as memory-core writes it.

use jiff::{Timestamp, tz::TimeZone};

use super::intent::StandingIntent;
use text::shown::as_line;

/// The tag around the intents of a turn.
pub const TAG: &str = "standing_intents";
/// Intents shown in one turn, at most.
pub const MOST_SHOWN: usize = 3;
/// Characters of the block, at most.
const MOST_CHARS: usize = 1200;

/// The block of some intents, with days of the user's zone. A description can end no block and begin no line.
pub(super) fn rendered(intents: &[&StandingIntent], zone: &TimeZone) -> String {
    let mut block = format!("<{TAG}>\n");
    for intent in intents {
        let made = Timestamp::from_millisecond(intent.created_at).unwrap_or_default().to_zoned(zone.clone()).date();
        block.push_str(&format!("Standing intent (created {made}): {}\n", as_line(&intent.description)));
    }
    block.push_str(&format!("</{TAG}>"));
    block
}

/// Whether a turn can show some intents together.
pub(super) fn fits(intents: &[&StandingIntent], zone: &TimeZone) -> bool {
    intents.len() <= MOST_SHOWN && rendered(intents, zone).chars().count() <= MOST_CHARS
}
