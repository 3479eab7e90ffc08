//! Text: from Markdown to chunks, terms, lines, headings and dates. Pure functions, no I/O.

pub mod analyze;
pub mod annotations;
mod blocks;
pub mod chunk;
pub mod cut;
pub mod envelope;
pub mod fold;
mod hangul;
pub mod injected;
pub mod label;
pub mod language;
pub mod lexicon;
pub mod lines;
pub mod marks;
pub mod outline;
pub mod pattern;
pub mod query;
pub mod recall_block;
pub mod recent_block;
pub mod redact;
mod script;
pub mod session_header;
pub mod shown;
pub mod statement;
pub mod thesaurus;
pub mod time;
mod token;
