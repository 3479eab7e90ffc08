//! The head of the note of a conversation, ours or the host's: when it was, its key, its id. Nobody looks for that, and
//! its words stand in every such note.

use std::borrow::Cow;

/// First line of such a note.
const TITLE: &str = "# Session:";
/// What tells it from a heading of the user's own.
const KEY: &str = "- **Session Key**:";
const ID: &str = "- **Session ID**:";
/// Its other lines.
const MORE: [&str; 3] = [ID, "- **Source**:", "- **Reason**:"];
/// Heading of what was said.
const SUMMARY: &str = "## Conversation Summary";

/// Whether a note is the note of this conversation, by its key or its id.
#[must_use]
pub fn names(text: &str, session: &str) -> bool {
    let is_mark = |line: &str| {
        let value = [KEY, ID].iter().find_map(|start| line.strip_prefix(start));
        value.is_some_and(|value| value.trim() == session)
    };
    text.lines().any(is_mark)
}

/// Key and id of the conversation that this is the note of, as far as its head names them; none for a note of anything else.
#[must_use]
pub fn conversation(text: &str) -> Option<(Option<&str>, Option<&str>)> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if !lines.next()?.starts_with(TITLE) {
        return None;
    }
    let head: Vec<&str> = lines.take_while(|line| line.trim() != SUMMARY).take(1 + MORE.len()).collect();
    let value = |start| head.iter().find_map(|line| line.strip_prefix(start)).map(str::trim).filter(|v| !v.is_empty());
    let found = (value(KEY), value(ID));
    (found != (None, None)).then_some(found)
}

/// A note as it is indexed: the lines of such a head become empty ones, so that every other line keeps its number.
#[must_use]
pub fn blanked(text: &str) -> Cow<'_, str> {
    let mut lines = text.split_inclusive('\n');
    let begins = lines.by_ref().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with(TITLE));
    let is_note = begins && lines.find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with(KEY));
    if !is_note {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(line) = rest.split_inclusive('\n').next() {
        let words = line.trim();
        let known =
            words.starts_with(TITLE) || words.starts_with(KEY) || MORE.iter().any(|start| words.starts_with(start));
        if !known && !words.is_empty() && words != SUMMARY {
            break;
        }
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
        rest = rest.get(line.len()..).unwrap_or_default();
        if words == SUMMARY {
            break;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    // "telegram" and "session" found the heads of all conversations.
    #[test]
    fn the_head_is_not_indexed_and_lines_keep_their_numbers() {
        let note = "# Session: 2026-11-21 02:30:00 UTC\n\n- **Session Key**: agent:main:main\n- **Session ID**: s1\n\
                    - **Source**: telegram\n\n## Conversation Summary\n\nuser: - **Source**: mine\nassistant: # Session: x\n";
        let indexed = blanked(note);
        assert_eq!(indexed, "\n\n\n\n\n\n\n\nuser: - **Source**: mine\nassistant: # Session: x\n");
        assert_eq!(indexed.lines().count(), note.lines().count());
        for text in
            ["# Session: the talk about keys\n\nwords", "- **Session Key**: x\n# Session: y\n", "", "# Session:"]
        {
            assert!(matches!(blanked(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn the_conversation_of_a_note_is_read_from_its_head_only() {
        let note = "# Session: now\n\n- **Session Key**: agent:main:main\n- **Session ID**: s1\n- **Source**: x\n\n## Conversation Summary\n";
        assert_eq!(conversation(note), Some((Some("agent:main:main"), Some("s1"))));
        assert_eq!(conversation("# Session: now\n- **Session ID**: s2\nwords"), Some((None, Some("s2"))));
        for text in ["", "# Session: keys\n\nwords", "words\n# Session: x\n- **Session ID**: s1\n"] {
            assert_eq!(conversation(text), None, "{text}");
        }
    }
}
