//! The `## Recent Memory` block (J1) inside a prompt: what marks it, and its removal.

use super::blocks;

/// Heading of the block.
pub const HEADING: &str = "## Recent Memory";
/// What ends the original plugin's block.
const LEGACY_END: &str = "\n\n";
/// Last line of the block, so that stripping knows where the user's own text begins.
pub const END: &str = "<!-- end of recent memory -->";

/// Takes injected blocks out of a text, ours and the original plugin's (a heading, list lines, an empty line).
#[must_use]
pub fn strip(text: &str) -> String {
    if !text.contains(HEADING) {
        return text.to_owned();
    }
    blocks::without(text, |text| {
        let last_end = text.rfind(END);
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(start) = find_heading(text, from) {
            // Only where there is one: each of many headings would look through all that follows.
            let end = if last_end.is_some_and(|at| at >= start) { END } else { LEGACY_END };
            from = blocks::find_from(text, start, end).map_or(text.len(), |mark| mark.end);
            found.push(start..from);
        }
        found
    })
}

/// The heading counts only at the start of a line; where a block has ended, a line starts when it is gone.
fn find_heading(text: &str, from: usize) -> Option<usize> {
    let mut headings = text.get(from..)?.match_indices(HEADING).map(|(at, _)| from + at);
    headings.find(|at| *at == from || text.as_bytes().get(at - 1) == Some(&b'\n'))
}
