//! What was said, as lines of the index: one a message, long ones wrapped, without secrets and injected blocks.

use super::record::Role;
use text::{envelope, recall_block, recent_block, redact::redact, speaker::Speaker};

/// Longest line without its label, in UTF-16 units, as in memory-core.
const WRAP_UNITS: usize = 800;

impl From<Role> for Speaker {
    fn from(role: Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Assistant => Self::Assistant,
        }
    }
}

/// The lines of a message; none when nothing of it is worth remembering.
#[must_use]
pub fn lines(speaker: impl Into<Speaker>, text: &str) -> Vec<String> {
    let speaker = speaker.into();
    let text = envelope::beginning(text);
    let words = match speaker {
        Speaker::User | Speaker::Other => envelope::strip(text),
        Speaker::Assistant | Speaker::AssistantAfterOthers => recall_block::strip(&recent_block::strip(text)),
    };
    if envelope::is_noise(&words) {
        return Vec::new();
    }
    // Before the lines are joined: some secrets end where their line ends.
    let words = redact(&words);
    let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
    // A comment in a note can carry importance; what somebody says in a chat cannot.
    let flat = flat.replace("<!--", "<! --");
    wrap(&flat).map(|part| format!("{}{part}", speaker.label())).collect()
}

/// Cuts at spaces where there are some.
fn wrap(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut units = 0;
        let over = rest.char_indices().find(|(_, c)| {
            units += c.len_utf16();
            units > WRAP_UNITS
        });
        let end = over.map_or(rest.len(), |(limit, next)| {
            let head = rest.get(..limit).unwrap_or_default();
            if next == ' ' { limit } else { head.rfind(' ').filter(|at| *at > 0).unwrap_or(limit) }
        });
        let (part, left) = rest.split_at(end);
        rest = left;
        Some(part.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_is_one_line_with_its_speaker() {
        assert_eq!(lines(Role::User, " My sister\n\nlives in  Porto. "), ["User: My sister lives in Porto."]);
        assert_eq!(lines(Role::Assistant, "Noted."), ["Assistant: Noted."]);
        for speaker in Speaker::ALL {
            let line = lines(speaker, "Lena: lives in Porto").remove(0);
            assert_eq!(text::speaker::of_line(&line), Some(speaker), "{line}");
        }
    }

    #[test]
    fn what_machines_put_there_is_left_out() {
        for text in [
            "NO_REPLY",
            "/new",
            "[cron:backup] run it",
            "System: [2026-11-20] Model switched",
            "Read HEARTBEAT.md if it exists",
            "A new session was started via /new or /reset. Execute your startup sequence now.",
            "Memory flush before compaction: save what should be remembered",
            "<relevant-memories>\n1. [a.md] Lena lives in Porto\n</relevant-memories>",
            "## Recent Memory\n- 2026-11-20 user: hi | assistant: hello\n<!-- end of recent memory -->",
        ] {
            assert!(lines(Role::User, text).is_empty(), "{text}");
        }
        let recalled = "<relevant-memories>\nold\n</relevant-memories>\nWhere does Lena live?";
        assert_eq!(lines(Role::User, recalled), ["User: Where does Lena live?"]);
        assert!(lines(Role::Assistant, "HEARTBEAT_OK").is_empty());
    }

    #[test]
    fn secrets_never_get_into_a_line() {
        let key = ["sk-proj-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"].concat();
        let said =
            lines(Role::User, &format!("the key is {key}\nauthorization: Bearer abcdef0123456789abcd\nand more"));
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("[redacted:") && said[0].ends_with("and more"), "{said:?}");
        assert!(!said[0].contains(&key) && !said[0].contains("abcdef0123456789abcd"));
    }

    proptest! {
        #[test]
        fn wrapping_loses_no_word(words in prop::collection::vec("[a-zé日]{1,900}", 1..20)) {
            let text = words.join(" ");
            let parts: Vec<&str> = wrap(&text).collect();
            prop_assert!(parts.iter().all(|part| part.encode_utf16().count() <= WRAP_UNITS && !part.is_empty()));
            prop_assert_eq!(parts.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
