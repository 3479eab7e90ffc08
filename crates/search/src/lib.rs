//! Search: candidates, ranking, passages, explanations.
//!
//! ```
//! use std::sync::Arc;
//!
//! use model::{cancel::Cancel, config::resolve::{ResolveInput, resolve}};
//! use search::{Vectors, search, types::Request};
//! use store::{OpenOptions, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let input = ResolveInput {
//!     config: &serde_json::json!({}),
//!     agent_id: "main",
//!     state_dir: folder.path(),
//!     home_dir: folder.path(),
//!     workspace_dir: None,
//!     default_workspace_dir: None,
//! };
//! let settings = resolve(&input)?.expect("memory search is on by default").settings;
//! let store = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default())?;
//! let request = Request {
//!     query: "who repaired the boiler".to_owned(),
//!     understood: None,
//!     max_results: 6,
//!     after: 0,
//!     budget: Some(4_200),
//!     excerpt: None,
//!     min_score: None,
//!     sources: Vec::new(),
//!     confine: None,
//!     lexical_only: true,
//!     explain: false,
//!     curated: Arc::default(),
//!     now_ms: 1_800_000_000_000,
//! };
//! // Nothing is indexed yet.
//! assert!(search(&store, Vectors::default(), &settings, &request, &Cancel::new())?.hits.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod confine;
pub mod days;
pub mod factors;
pub(crate) mod memory_core;
pub mod native;
pub mod provenance;
pub mod types;
pub mod vector;

use confine::Confine;
use memory_core::Scope;
use types::{Answer, LineQuery, Request};
use vector::VectorQuery;

use embed::pieces::PieceQuestion;
use model::{
    cancel::Cancel,
    config::settings::{Ranking, Settings},
    error::Result,
};
use store::{Reader, Store, within::Within};
use text::language::Language;

/// What the query is as vectors; none of it for keyword search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Vectors<'a> {
    /// The vectors of the index.
    pub index: Option<&'a store::vectors::Vectors>,
    /// The query in their space.
    pub query: Option<QueryVector<'a>>,
    /// The query in the space of the line vectors, with the key of that space.
    pub line: Option<(&'a str, QueryVector<'a>)>,
}

/// A query as one model understands it.
#[derive(Debug, Clone, Copy)]
pub struct QueryVector<'a> {
    /// The query.
    pub vector: &'a [f32],
    /// The same piece by piece, from a model that hands that out.
    pub pieces: Option<&'a PieceQuestion>,
    /// The only language that the model knows; none when it may know any.
    pub language: Option<Language>,
}

/// Answers one search from the live index. Blocks.
///
/// # Errors
/// When the database cannot be read, when cancelled, or when the vector is not of the index's length.
pub fn search(
    store: &Store,
    vectors: Vectors<'_>,
    settings: &Settings,
    request: &Request,
    cancel: &Cancel,
) -> Result<Answer> {
    store.read_with(cancel, |reader| search_in(reader, vectors, settings, request))
}

/// The same on a snapshot.
///
/// # Errors
/// As [`search`].
pub fn search_in(reader: &Reader<'_>, vectors: Vectors<'_>, settings: &Settings, request: &Request) -> Result<Answer> {
    let Some(live) = reader.live()? else {
        return Ok(Answer::nothing());
    };
    let confine = request.confine.as_deref();
    let within = confine.map(|confine| confine.within(reader, live.id)).transpose()?;
    if within.as_ref().is_some_and(Within::is_empty) {
        return Ok(Answer::nothing().beside(confine.and_then(Confine::nothing_left)));
    }
    let vector = match (vectors.index, vectors.query) {
        (Some(index), Some(QueryVector { vector, language, .. })) => Some(VectorQuery { index, vector, language }),
        _ => None,
    };
    match settings.query.ranking {
        Ranking::Native => {
            let line = match vectors.line {
                Some((key, QueryVector { vector, pieces, language })) => {
                    reader.space(key)?.map(|space| LineQuery { space: space.id, vector, pieces, language })
                }
                None => None,
            };
            let scope = (live.id, within.as_ref());
            native::search(reader, scope, (vector, line), &settings.query, request, &settings.zone_name())
        }
        Ranking::MemoryCore => {
            let tokenizer = settings.fts_tokenizer;
            let scope = Scope { generation: live.id, tokenizer, vector, within: within.as_ref() };
            memory_core::search(reader, &scope, &settings.query, request)
        }
    }
}
