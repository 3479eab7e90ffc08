//! When a run by itself is due, and whose it is.

use jiff::tz::TimeZone;

use super::Runs;
use crate::consolidation::schedule::Schedule;
use model::error::Result;
use store::consolidation::Clock;

/// Nobody else runs by itself for this long after somebody began, in milliseconds.
const TURN_MS: i64 = 10 * 60_000;

impl Runs {
    /// Whether a run by itself is due, and this holder's. After a time in which nobody looked it is due once. The first
    /// look only notes when the first run is.
    ///
    /// # Errors
    /// [`Code::Config`] when the schedule cannot be read, and when the store cannot be written.
    pub fn take_due(&self, holder: &str) -> Result<bool> {
        let schedule = Schedule::parse(&self.settings.schedule)?;
        let zone = TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC);
        let Some(next) = schedule.next_after(self.now_ms, &zone) else { return Ok(false) };
        // Later than that it was noted while the clock was ahead: until then nothing would run. A clock that is set back a little
        // makes no second run.
        let latest = schedule.next_after(self.now_ms.saturating_add(TURN_MS), &zone).unwrap_or(next);
        let (now, text, holder) = (self.now_ms, self.clock_text(), holder.to_owned());
        self.store.write(move |tx| {
            let fresh = |holder: String, until_ms| Clock { schedule: text.clone(), due_ms: next, holder, until_ms };
            match tx.consolidation_clock()? {
                Some(clock) if clock.schedule == text && clock.due_ms <= latest => {
                    let is_held = clock.until_ms > now && clock.until_ms <= now + TURN_MS && clock.holder != holder;
                    if clock.due_ms > now || is_held {
                        return Ok(false);
                    }
                    tx.set_consolidation_clock(&fresh(holder, now + TURN_MS))?;
                    Ok(true)
                }
                _ => tx.set_consolidation_clock(&fresh(String::new(), 0)).map(|()| false),
            }
        })
    }

    /// By which settings a clock goes.
    pub(super) fn clock_text(&self) -> String {
        format!("{} {}", self.settings.schedule, self.zone)
    }
}
