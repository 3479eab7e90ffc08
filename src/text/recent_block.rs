//! The `## Recent Memory` block (J1) inside a prompt: what marks it, and its removal.

/// Heading of the block.
pub const HEADING: &str = "## Recent Memory";
/// Last line of the block, so that stripping knows where the user's own text begins.
pub const END: &str = "<!-- end of recent memory -->";

/// Takes injected blocks out of a text, ours and the original plugin's (a heading, list lines, an empty line).
#[must_use]
pub fn strip(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(at) = find_heading(&rest) {
        let after = rest.get(at..).unwrap_or_default();
        let end = after.find(END).map_or_else(|| legacy_end(after), |i| i + END.len());
        rest.replace_range(at..at + end, "");
    }
    rest
}

/// The heading counts only at the start of a line.
fn find_heading(text: &str) -> Option<usize> {
    text.match_indices(HEADING).map(|(i, _)| i).find(|i| *i == 0 || text.as_bytes().get(i - 1) == Some(&b'\n'))
}

fn legacy_end(block: &str) -> usize {
    block.find("\n\n").map_or(block.len(), |i| i + 2)
}
