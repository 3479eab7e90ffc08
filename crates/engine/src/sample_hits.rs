//! A passage as a search gives it, for tests: what matters to one is said there.

use ::search::types::{About, Hit};
use model::source::Source;

/// A passage of a note, of which nothing else is known.
pub(crate) fn hit(path: &str, snippet: &str) -> Hit {
    Hit {
        path: path.to_owned(),
        start_line: 1,
        end_line: 2,
        score: 0.5,
        snippet: snippet.to_owned(),
        source: Source::Memory,
        vector_score: None,
        text_score: None,
        excerpt: None,
        by_meaning: false,
        about: About::default(),
        explain: None,
    }
}
