//! Search without vectors (F10): all words, else each keyword; scores boosted by what the text and path share with
//! the query.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use serde::Serialize;

use super::{
    Scope,
    explain::Explain,
    fuse::{Scored, identity},
    keywords::keywords,
    lexical::{self, KeywordHit},
    words::words,
};
use model::error::Result;
use store::{Reader, chunks::ChunkRow, ids::ChunkId};

/// What was added to the score of a keyword hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Boost {
    /// The words that were asked together.
    pub(super) asked: String,
    /// 0.45 · share of the asked words that are words of the text.
    pub(super) overlap: f64,
    /// 0.2 · share of the text's words that were asked.
    pub(super) density: f64,
    /// 0.18 for each asked word in the path.
    pub(super) path: f64,
    /// UTF-16 units of the text / 160, at most 0.18.
    pub(super) length: f64,
}

impl Boost {
    fn sum(&self) -> f64 {
        self.overlap + self.density + self.path + self.length
    }
}

/// What each query that was tried found.
pub(super) struct Found(Vec<(String, Vec<KeywordHit>)>);

/// Asks for all words of the query, and for its keywords one by one when no chunk has them all.
pub(super) fn search(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    sources: &[&str],
    query: &str,
    limit: usize,
) -> Result<Found> {
    let whole = lexical::search(reader, scope, sources, query, limit)?;
    if !whole.is_empty() {
        return Ok(Found(vec![(query.to_owned(), whole)]));
    }
    let keywords = keywords(query, scope.tokenizer).into_iter();
    let found = keywords.map(|keyword| {
        let hits = lexical::search(reader, scope, sources, &keyword, limit)?;
        Ok((keyword, hits))
    });
    Ok(Found(found.collect::<Result<_>>()?))
}

impl Found {
    /// All chunks that were found.
    pub(super) fn chunk_ids(&self) -> impl Iterator<Item = ChunkId> {
        self.0.iter().flat_map(|(_, hits)| hits).map(|hit| hit.chunk_id)
    }

    /// Each chunk once, with the best score that any query gave it, in the order in which they were found.
    pub(super) fn score<'r>(&self, rows: &'r HashMap<ChunkId, ChunkRow>) -> Vec<Scored<'r>> {
        let mut texts = TextWords::default();
        let mut best: Vec<Scored<'r>> = Vec::new();
        let mut known = HashMap::new();
        for (asked, hits) in &self.0 {
            let query = QueryWords::new(asked);
            for (rank, hit) in (1..).zip(hits) {
                let Some(row) = rows.get(&hit.chunk_id) else { continue };
                let boost = query.boost(asked, row, texts.of(row));
                let score = boost.as_ref().map_or(hit.score, |boost| (hit.score + boost.sum()).min(1.0));
                let explain = Explain { boost, ..Explain::default() }.text(rank, hit.rank, hit.score);
                let scored = Scored { row, score, explain };
                match known.entry(identity(row)) {
                    Entry::Vacant(entry) => {
                        entry.insert(best.len());
                        best.push(scored);
                    }
                    Entry::Occupied(entry) => {
                        if let Some(before) = best.get_mut(*entry.get()).filter(|before| score > before.score) {
                            *before = scored;
                        }
                    }
                }
            }
        }
        best
    }
}

/// The distinct lower-case words of each text, made once however many keywords found it.
#[derive(Default)]
struct TextWords(HashMap<ChunkId, HashSet<String>>);

impl TextWords {
    fn of(&mut self, row: &ChunkRow) -> &HashSet<String> {
        self.0.entry(row.id).or_insert_with(|| words(&row.text).map(str::to_lowercase).collect())
    }
}

/// The distinct lower-case words that were asked.
struct QueryWords(Vec<String>);

impl QueryWords {
    fn new(asked: &str) -> Self {
        let mut seen = HashSet::new();
        Self(words(asked).map(str::to_lowercase).filter(|word| seen.insert(word.clone())).collect())
    }

    fn boost(&self, asked: &str, row: &ChunkRow, text: &HashSet<String>) -> Option<Boost> {
        if self.0.is_empty() {
            return None;
        }
        let overlap = self.0.iter().filter(|word| text.contains(*word)).count() as f64;
        let path = row.path.to_lowercase();
        let in_path = self.0.iter().filter(|word| path.contains(word.as_str())).count() as f64;
        let units = row.text.chars().map(char::len_utf16).sum::<usize>() as f64;
        Some(Boost {
            asked: asked.to_owned(),
            overlap: 0.45 * overlap / self.0.len() as f64,
            density: 0.2 * overlap / text.len().max(1) as f64,
            path: 0.18 * in_path,
            length: (units / 160.0).min(0.18),
        })
    }
}
