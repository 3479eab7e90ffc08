//! What only tests of other crates ask for.

use super::*;
use store::{
    chunks::ChunkRow,
    ids::{ChunkId, FileId},
};
use text::{analyze::Analyzer, outline::Outline};

/// What a result shows of a file of one line, of the lines of a text, and all that is read of them before.
///
/// # Errors
/// When the lines cannot be read.
pub fn shown_of(text: &str, is_one_line: bool) -> Result<Vec<String>> {
    let plan = Plan::of(text::query::understand("boiler word item 2026", 0, "UTC").into(), None);
    let line = text.replace(['\n', '\r'], " ");
    let text = if is_one_line { &line } else { text };
    let numbered: Vec<(u32, &str)> = (1..).zip(text.split('\n')).collect();
    let terms = Analyzer::new().chunk("memory/a.md", &Outline::of(text), &numbered);
    let rows = [ChunkRow {
        id: ChunkId::new(1),
        file_id: FileId::new(1),
        source: "memory".to_owned(),
        path: "memory/a.md".to_owned(),
        mtime_ns: 0,
        start_line: 1,
        end_line: u32::try_from(numbered.len()).unwrap_or(u32::MAX),
        // As if more followed: the parts of a longer note.
        file_lines: u32::MAX,
        hash: None,
        text: text.to_owned(),
        line_terms: terms.lines,
    }];
    let lines = Lines::read(&rows, &plan, SNIPPET_UNITS)?;
    let idf = vec![1.0; plan.concepts.len()];
    let passage = |lines: Vec<usize>| Passage { best: lines[0], lines, score: 1.0 };
    let all: Vec<usize> = (0..lines.lines.len()).collect();
    Ok(all.chunks(8).map(|at| snippet::of(&passage(at.to_vec()), &lines, &plan, &idf).text).collect())
}
