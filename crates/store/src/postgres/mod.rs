//! The store on PostgreSQL, in the making: nothing can be opened yet.
//!
//! - [`blocks`] – which chunks hold a term, in sorted blocks that the engine reads by itself. A text search of the
//!   database would cut words and score in its own way, and row-level security keeps it from using its index.

pub mod blocks;
