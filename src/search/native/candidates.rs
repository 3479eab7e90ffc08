//! Which chunks are looked at: the best by words, the best by meaning, those of the asked days. Their number is fixed,
//! so that the order of results does not depend on how many are asked for.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use itertools::Itertools;

use super::plan::{Concept, Plan};
use crate::{
    error::Result,
    search::{
        arena::{Precision, Scan},
        types::{Request, Source},
        vector::VectorQuery,
    },
    store::{Reader, chunks::ChunkRow, generations::GenerationId},
    text::{query::TermKind, time::note_date},
};

/// Chunks by words. More bring in what shares common words only: with 12,000 chunks of other text around them, 81.5 % of
/// the development questions show their answer, with 128 it is 80.7 % (docs/ranking.md).
const BY_WORDS: usize = 64;
/// Chunks by meaning, and chunks of the asked days.
const LEG: usize = 128;
/// Candidates whose cosine is computed from the stored vector where the one in memory is nearly exact.
const EXACT: usize = 48;
/// Files of the asked days that are looked at, the newest first.
const DATED_FILES: usize = 40;
/// Words of similar meaning per concept that may bring in chunks of their own.
const SIMILAR_FORMS: usize = 3;
/// Chunks read of one term: a term in more of them says next to nothing.
const MOST_CHUNKS: usize = 20_000;
/// Rows looked at for one leg when only some sources are asked for.
const MOST_ROWS: usize = 2_000;

/// How similar the query is to the chunks of the index.
#[derive(Debug, Clone, Default)]
pub struct Similarities {
    /// Exact cosine per candidate chunk, −1 to 1.
    pub cosines: HashMap<i64, f64, RandomState>,
    /// Mean over all chunks.
    pub mean: f64,
    /// Rank of the candidate by similarity, from 1.
    pub ranks: HashMap<i64, usize, RandomState>,
}

/// The chunks to be ranked, and what is known of the whole index.
#[derive(Debug, Default)]
pub struct Candidates {
    /// In the order of source, path, first line and id.
    pub rows: Vec<ChunkRow>,
    /// Inverse document frequency of each concept, over all chunks.
    pub idf: Vec<f64>,
    /// In how many chunks each concept occurs, similar words aside.
    pub frequency: Vec<usize>,
    /// Chunks in the index.
    pub total: u64,
    /// Rank of a chunk by words, from 1.
    pub lexical_ranks: HashMap<i64, usize, RandomState>,
    /// The vector leg; none when it does not take part.
    pub similarities: Option<Similarities>,
}

/// Inverse document frequency with the usual smoothing (Robertson and Spärck Jones, as in Lucene).
#[must_use]
pub fn idf(total: u64, frequency: usize) -> f64 {
    let (total, frequency) = (total as f64, (frequency as f64).min(total as f64));
    ((total - frequency + 0.5) / (frequency + 0.5)).ln_1p()
}

/// What is searched in.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// A snapshot of the store.
    pub reader: &'a Reader<'a>,
    /// The index that answers.
    pub generation: GenerationId,
    /// The vector leg.
    pub vector: Option<VectorQuery<'a>>,
    /// Whether words take part.
    pub lexical: bool,
}

/// Collects the candidates of a query.
///
/// # Errors
/// When the database cannot be read, the call was cancelled, or the query vector is not of the index's length.
pub fn collect(scope: &Scope<'_>, plan: &Plan, request: &Request) -> Result<Candidates> {
    let mut found = Candidates { total: scope.reader.chunk_count(scope.generation)?, ..Candidates::default() };
    let mut ids: HashSet<i64, RandomState> = HashSet::default();
    let mut rows: Vec<ChunkRow> = Vec::new();

    let lexical = lexical_leg(scope, plan, &mut found)?;
    let lexical_rows = rows_of(scope.reader, &lexical, &request.sources)?;
    found.lexical_ranks = (1..).zip(&lexical_rows).map(|(rank, row)| (row.id, rank)).collect();
    for row in lexical_rows {
        ids.insert(row.id);
        rows.push(row);
    }

    let scan = scope.vector.as_ref().and_then(|v| Some((v, v.arena.scan(v.vector, &request.sources)?)));
    if let Some((_, scan)) = &scan {
        let nearest: Vec<i64> =
            scan.top(LEG).iter().map(|candidate| candidate.chunk_id).filter(|id| ids.insert(*id)).collect();
        rows.extend(scope.reader.chunks(&nearest)?);
    }

    for row in dated_chunks(scope, plan, &request.sources)? {
        if ids.insert(row.id) {
            rows.push(row);
        }
    }

    if let Some((vector, scan)) = scan {
        let all: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut order = cosines(scope.reader, vector, &scan, &all)?;
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.similarities = Some(Similarities {
            ranks: (1..).zip(&order).map(|(rank, (id, _))| (*id, rank)).collect(),
            cosines: order.into_iter().collect(),
            mean: scan.mean(),
        });
    }
    rows.sort_by(|a, b| (&a.source, &a.path, a.start_line, a.id).cmp(&(&b.source, &b.path, b.start_line, b.id)));
    found.rows = rows;
    Ok(found)
}

/// Cosines of chunks with the query. Exact where bits estimated them, and for the best of those compared by bytes; of
/// the others, bytes know the cosine to a thousandth, and reading whole vectors would take half of a search.
fn cosines(reader: &Reader<'_>, vector: &VectorQuery<'_>, scan: &Scan<'_>, ids: &[i64]) -> Result<Vec<(i64, f64)>> {
    let (exact, rest) = match vector.arena.precision() {
        Precision::Bits => (ids.to_vec(), Vec::new()),
        Precision::Int8 => {
            let estimate = |id: &i64| Some((*id, f64::from(scan.similarity(*id)?)));
            let mut estimated: Vec<(i64, f64)> = ids.iter().filter_map(estimate).collect();
            estimated.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let rest = estimated.split_off(EXACT.min(estimated.len()));
            (estimated.into_iter().map(|(id, _)| id).collect(), rest)
        }
    };
    Ok(vector.exact_cosines(reader, &exact)?.into_iter().chain(rest).collect())
}

/// Ids by the sum of the inverse document frequencies of the concepts they hold, best first. Fills in what is known
/// of the concepts.
fn lexical_leg(scope: &Scope<'_>, plan: &Plan, found: &mut Candidates) -> Result<Vec<i64>> {
    let mut scores: Vec<(i64, f64)> = Vec::new();
    for concept in &plan.concepts {
        let (weights, frequency) = if scope.lexical { stream(scope, concept)? } else { (Vec::new(), 0) };
        let idf = idf(found.total, frequency);
        found.idf.push(idf);
        found.frequency.push(frequency);
        let gains = weights.into_iter().map(|(id, weight)| (id, concept.weight * idf * f64::from(weight)));
        scores = merge(scores, gains, |sum, gain| sum + gain);
    }
    let better = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scores.len() > MOST_ROWS {
        scores.select_nth_unstable_by(MOST_ROWS, better);
        scores.truncate(MOST_ROWS);
    }
    scores.sort_unstable_by(better);
    Ok(scores.into_iter().map(|(id, _)| id).collect())
}

/// The chunks that hold a concept with the weight of the surest form in each, by ascending id, and how many hold it in
/// its own words.
fn stream(scope: &Scope<'_>, concept: &Concept) -> Result<(Vec<(i64, f32)>, usize)> {
    let mut weights: Vec<(i64, f32)> = Vec::new();
    let own = concept.forms.iter().filter(|form| !form.is_similar);
    let similar = concept.forms.iter().filter(|form| form.is_similar).take(SIMILAR_FORMS);
    let mut frequency = 0;
    for form in own.chain(similar) {
        let mut ids: Vec<i64> = Vec::new();
        scope.reader.for_each_rowid(scope.generation, &form.term, |id| {
            ids.push(id);
            ids.len() < MOST_CHUNKS
        })?;
        weights = merge(weights, ids.into_iter().map(|id| (id, form.weight)), f32::max);
        if !form.is_similar {
            frequency = weights.len();
        }
    }
    Ok((weights, frequency))
}

/// Merges two lists of ascending ids: several times faster than hashing tens of thousands of them.
fn merge<T>(a: Vec<(i64, T)>, b: impl Iterator<Item = (i64, T)>, both: impl Fn(T, T) -> T) -> Vec<(i64, T)> {
    let merged = a.into_iter().merge_join_by(b, |(a, _), (b, _)| a.cmp(b));
    merged.map(|one| one.reduce(|(id, a), (_, b)| (id, both(a, b)))).collect()
}

/// The first [`BY_WORDS`] rows of the asked sources.
fn rows_of(reader: &Reader<'_>, ids: &[i64], sources: &[Source]) -> Result<Vec<ChunkRow>> {
    if sources.is_empty() {
        return reader.chunks(&ids[..ids.len().min(BY_WORDS)]);
    }
    let mut rows = Vec::new();
    for part in ids.chunks(BY_WORDS) {
        let read = reader.chunks(part)?;
        rows.extend(read.into_iter().filter(|row| sources.iter().any(|source| source.as_str() == row.source)));
        if rows.len() >= BY_WORDS {
            break;
        }
    }
    rows.truncate(BY_WORDS);
    Ok(rows)
}

/// Chunks of the notes of the days that the query asks about.
fn dated_chunks(scope: &Scope<'_>, plan: &Plan, sources: &[Source]) -> Result<Vec<ChunkRow>> {
    let Some(range) = plan.query.time.range else { return Ok(Vec::new()) };
    let mut files: Vec<_> = scope
        .reader
        .file_paths(scope.generation)?
        .into_iter()
        .filter(|(_, source, _)| sources.is_empty() || sources.iter().any(|s| s.as_str() == source))
        .filter_map(|(id, _, path)| Some((note_date(&path).filter(|day| range.contains(*day))?, path, id)))
        .collect();
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut rows = Vec::new();
    for (_, _, id) in files.into_iter().take(DATED_FILES) {
        rows.extend(scope.reader.chunks_of_file(id)?);
        if rows.len() >= LEG {
            break;
        }
    }
    rows.truncate(LEG);
    Ok(rows)
}

/// Whether a concept that stands for a file occurs in a path: the whole path, its end, or its file name.
#[must_use]
pub fn names_path(plan: &Plan, concept: usize, path: &str) -> bool {
    let Some(term) = plan.query.terms.get(concept) else { return false };
    if term.kind != TermKind::File {
        return false;
    }
    let (asked, path) = (term.surface.replace('\\', "/").to_lowercase(), path.to_lowercase());
    let asked = asked.trim_start_matches("./");
    path == asked || path.strip_suffix(asked).is_some_and(|rest| rest.ends_with('/'))
}
