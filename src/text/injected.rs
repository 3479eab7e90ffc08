//! Blocks that a memory plugin put into a prompt. Hosts before 2026.6 keep them in the transcript, and their session
//! notes copy them into the memory, where they would be found again, shown again and copied again.

use std::{borrow::Cow, ops::Range};

use super::{
    recall_block::{INJECTED_TAGS, find_tag},
    recent_block::{END, HEADING},
};

/// A note as it is indexed: complete blocks become empty lines, so that every other line keeps its number. A block
/// without an end stays, because what follows it may be the user's.
#[must_use]
pub fn blanked(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for tag in INJECTED_TAGS {
        let mut from = 0;
        while let Some(open) = out.get(from..).and_then(|rest| find_tag(rest, tag, false)) {
            let (start, body) = (from + open.start, from + open.end);
            let Some(close) = out.get(body..).and_then(|rest| find_tag(rest, tag, true)) else { break };
            from = blank(&mut out, start..body + close.end);
        }
    }
    let mut from = 0;
    while let Some(start) = out.get(from..).and_then(|rest| rest.find(HEADING)).map(|at| from + at) {
        let Some(end) = out.get(start..).and_then(|rest| rest.find(END)) else { break };
        from = blank(&mut out, start..start + end + END.len());
    }
    out
}

/// Replaces a range by its line feeds; gives where they end.
fn blank(text: &mut Cow<'_, str>, range: Range<usize>) -> usize {
    let lines = text.get(range.clone()).unwrap_or_default().matches('\n').count();
    let start = range.start;
    text.to_mut().replace_range(range, &"\n".repeat(lines));
    start + lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_blocks_are_not_indexed_and_lines_keep_their_numbers() {
        let note = "user: <relevant-memories>\n1. old\n</relevant-memories>\n\nWhich database?\nassistant: HELLO\n\
                    user: ## Recent Memory\n- said before\n<!-- end of recent memory -->\n\nAnd now?\n";
        let indexed = blanked(note);
        assert_eq!(indexed, "user: \n\n\n\nWhich database?\nassistant: HELLO\nuser: \n\n\n\nAnd now?\n");
        assert_eq!(indexed.lines().count(), note.lines().count());
    }

    #[test]
    fn what_is_no_complete_block_stays() {
        for text in ["a < b", "<relevant-memories> is our tag\nwords", "## Recent Memory\n- mine", "</active-memory>"] {
            assert!(matches!(blanked(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
