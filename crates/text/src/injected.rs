//! Blocks that a memory plugin put into a prompt. Hosts before 2026.6 keep them in the transcript, and their session
//! notes copy them into the memory, where they would be found again, shown again and copied again.

use std::{borrow::Cow, ops::Range};

use super::{
    blocks::{delimited, replaced},
    recall_block::{INJECTED_TAGS, complete_blocks, told_of_turn},
    recent_block::{END, HEADING},
};

/// A note as it is indexed: complete blocks become empty lines, so that every other line keeps its number, and what active
/// memory tells of a turn is left out. A block without an end stays, because what follows it may be the user's.
#[must_use]
pub fn blanked(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for tag in INJECTED_TAGS {
        blank(&mut out, |text| complete_blocks(text, tag).0);
    }
    blank(&mut out, |text| {
        let mut blocks = delimited(text, HEADING, END);
        // One without an end reaches to that of the text.
        blocks.pop_if(|last| !text.get(last.clone()).is_some_and(|block| block.ends_with(END)));
        blocks
    });
    blank(&mut out, told_of_turn);
    out
}

/// Replaces blocks by their line feeds.
fn blank(text: &mut Cow<'_, str>, find: impl Fn(&str) -> Vec<Range<usize>>) {
    let blocks = find(text);
    if !blocks.is_empty() {
        *text = Cow::Owned(replaced(text, &blocks, |block| "\n".repeat(block.matches('\n').count())));
    }
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

    // Session notes that hold an answer of `/status` bring back what was forgotten elsewhere.
    #[test]
    fn what_was_told_of_a_turn_is_not_indexed() {
        let note = "assistant: 🦞 OpenClaw\n🧩 🔎 Active Memory Debug: # Salary - We decided …\nuser: Thanks\n";
        assert_eq!(blanked(note), "assistant: 🦞 OpenClaw\n\nuser: Thanks\n");
    }

    #[test]
    fn what_is_no_complete_block_stays() {
        for text in ["a < b", "<relevant-memories> is our tag\nwords", "## Recent Memory\n- mine", "</active-memory>"] {
            assert!(matches!(blanked(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
