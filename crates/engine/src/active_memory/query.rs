//! What of a conversation a model is shown: the newest message, and turns before it. The words of people only, never
//! what the host or a memory plugin put around them, and never more than a request has room for.

use text::{
    cut::{head, utf16_len},
    envelope, recall_block,
};

use crate::capture::queue::{Message, Role};
use model::config::active_memory::{ActiveMemory, QueryMode};

/// What stands where the middle of a message was left out.
const GAP: &str = " … ";
/// Share of a message that is too long which is its beginning, in tenths; the end holds what was asked.
const HEAD_TENTHS: usize = 7;
/// Most turns of a conversation that are looked at.
const MOST_TURNS: usize = 60;

/// How lines of memory plugins begin that stood in a reply: a status that was shown is nothing that was said.
const OWN_LINES: &[&str] =
    &["🧩", "🔎", "🧠 memory search:", "memory search:", "active memory debug:", "active memory:"];

/// Beginning and end of the newest message in at most `most` UTF-16 units.
#[must_use]
pub fn newest(message: &str, most: usize) -> String {
    let text = one_line(message);
    if utf16_len(&text) <= most {
        return text;
    }
    let room = most.saturating_sub(utf16_len(GAP));
    let begin = head(&text, room * HEAD_TENTHS / 10);
    let end = tail(&text, room - utf16_len(begin));
    format!("{begin}{GAP}{end}")
}

/// The turns before the newest message, oldest first, as `user: …` and `assistant: …`, in at most `most` UTF-16 units.
#[must_use]
pub fn before(messages: &[Message], settings: &ActiveMemory, most: usize) -> Vec<String> {
    let (mut users, mut assistants) = match settings.query_mode {
        QueryMode::Message => return Vec::new(),
        QueryMode::Recent => (settings.recent_user_turns, settings.recent_assistant_turns),
        QueryMode::Full => (MOST_TURNS, MOST_TURNS),
    };
    let mut left = most;
    let mut turns = Vec::new();
    for message in messages.iter().rev().take(MOST_TURNS) {
        let (name, count, chars) = match message.role {
            Role::User => ("user", &mut users, settings.recent_user_chars),
            Role::Assistant => ("assistant", &mut assistants, settings.recent_assistant_chars),
        };
        if *count == 0 {
            continue;
        }
        let said = said(message.role, &message.text);
        if said.is_empty() {
            continue;
        }
        *count -= 1;
        let chars = if settings.query_mode == QueryMode::Full { most } else { chars };
        let turn = format!("{name}: {}", head(&said, chars));
        let length = utf16_len(&turn) + 1;
        if length > left {
            break;
        }
        left -= length;
        turns.push(turn);
    }
    turns.reverse();
    turns
}

/// What somebody said, on one line, without what memory plugins put in.
#[must_use]
pub fn said(role: Role, text: &str) -> String {
    match role {
        Role::User => one_line(&envelope::strip(text)),
        Role::Assistant => {
            let text = recall_block::strip(envelope::beginning(text));
            let is_own = |line: &str| {
                let line = line.trim_start().to_lowercase();
                OWN_LINES.iter().any(|own| line.starts_with(own))
            };
            one_line(&text.lines().filter(|line| !is_own(line)).collect::<Vec<_>>().join(" "))
        }
    }
}

fn one_line(text: &str) -> String {
    envelope::beginning(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The longest end of at most `units` UTF-16 units.
fn tail(text: &str, units: usize) -> &str {
    let mut used = 0;
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        used += c.len_utf16();
        if used > units {
            break;
        }
        from = at;
    }
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(role: Role, text: &str) -> Message {
        Message { role, text: text.to_owned(), at: None }
    }

    #[test]
    fn the_tail_is_counted_and_capped_by_role() {
        let messages = [
            message(Role::User, "first"),
            message(Role::User, "second"),
            message(Role::Assistant, "reply one"),
            message(Role::User, "third"),
            message(
                Role::Assistant,
                "🧩 Active Memory: status=ok\n<active_memory_plugin>x</active_memory_plugin>reply two",
            ),
        ];
        let of = |settings: &ActiveMemory, most| before(&messages, settings, most);
        let recent = ActiveMemory::default();
        assert_eq!(of(&recent, 500), ["user: second", "user: third", "assistant: reply two"]);
        assert_eq!(of(&recent, 25), ["assistant: reply two"]);
        let short = ActiveMemory { recent_user_chars: 3, ..ActiveMemory::default() };
        assert_eq!(of(&short, 500), ["user: sec", "user: thi", "assistant: reply two"]);
        let full = ActiveMemory { query_mode: QueryMode::Full, ..ActiveMemory::default() };
        assert_eq!(of(&full, 500).len(), 5);
        let only = ActiveMemory { query_mode: QueryMode::Message, ..ActiveMemory::default() };
        assert!(of(&only, 500).is_empty());
    }

    #[test]
    fn of_a_long_message_the_beginning_and_the_end_stay() {
        let text = format!("begin {} what is my size?", "x ".repeat(60_000));
        let cut = newest(&text, 1000);
        assert!(utf16_len(&cut) <= 1000 && cut.starts_with("begin ") && cut.ends_with("what is my size?"));
    }

    proptest! {
        #[test]
        fn a_message_never_takes_more_than_its_room(text in "\\PC{0,400}", most in 50_usize..200) {
            prop_assert!(utf16_len(&newest(&text, most)) <= most);
        }
    }
}
