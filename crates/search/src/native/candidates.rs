//! Which chunks are looked at: the best by words, the best by meaning, those of the asked days. Their number is fixed,
//! so that the order of results does not depend on how many are asked for.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use jiff::ToSpan;

use super::{
    own_notes::{OWN, OwnNotes},
    plan::{Concept, Form, FormKind, Plan},
};
use crate::{types::Request, vector::VectorQuery};
use model::{error::Result, source::Source};
use store::{
    Reader,
    candidates::Wanted,
    chunks::ChunkRow,
    generations::GenerationId,
    ids::{ChunkId, FileId, SpaceId},
    lexical::Term,
    order::{ChunkOrder, Place},
    within::Within,
};
use text::{
    analyze::{OWN_NOTE, context_term},
    query::TermKind,
    time::{DateRange, note_date},
    translations::Speech,
    transliteration::Alphabet,
};

/// Chunks by words. More bring in what shares common words only: with 12,000 chunks of other text around them, 81.5 % of
/// the development questions show their answer, with 128 it is 80.7 % (docs/ranking.md).
const BY_WORDS: usize = 64;
/// Chunks by meaning, and chunks of the asked days.
const LEG: usize = 128;
/// Candidates whose cosine is computed from the stored vector where the one in memory is nearly exact.
const EXACT: usize = 24;
/// Days after the asked ones whose notes may still tell of them.
const TOLD_LATER: i64 = 10;
/// Files of the asked days that are looked at, the newest first.
const DATED_FILES: usize = 40;
/// What a word of the title, the headings or the path above a chunk counts more there than in its text: what a page is about
/// is said there.
const ABOVE: f64 = 1.0;
/// A term in more chunks than this says little: where rarer words are asked, too, it is only looked for among theirs.
/// Few in tests, so that there are such terms.
const MOST_CHUNKS: usize = if cfg!(test) { 40 } else { 20_000 };
/// Rows looked at for one leg when only some sources are asked for.
const MOST_ROWS: usize = 2_000;

/// How similar the query is to the chunks of the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Similarities {
    /// Exact cosine per candidate chunk, −1 to 1.
    pub cosines: HashMap<ChunkId, f64, RandomState>,
    /// Mean over all chunks.
    pub mean: f64,
    /// Rank of the candidate by similarity, from 1.
    pub ranks: HashMap<ChunkId, usize, RandomState>,
}

/// The chunks to be ranked, and what is known of the whole index.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// In the order of source, path, first line and id.
    pub rows: Vec<ChunkRow>,
    /// Inverse document frequency of each concept, over all chunks.
    pub idf: Vec<f64>,
    /// In how many chunks each concept occurs, similar words aside.
    pub frequency: Vec<usize>,
    /// Chunks in the index.
    pub total: u64,
    /// Rank of a chunk by words, from 1.
    pub lexical_ranks: HashMap<ChunkId, usize, RandomState>,
    /// The vector leg; none when it does not take part.
    pub similarities: Option<Similarities>,
    /// The user's own notes, where they are few beside other files.
    pub own: OwnNotes,
}

/// Inverse document frequency with the usual smoothing (Robertson and Spärck Jones, as in Lucene).
#[must_use]
pub(crate) fn idf(total: u64, frequency: usize) -> f64 {
    let (total, frequency) = (total as f64, (frequency as f64).min(total as f64));
    ((total - frequency + 0.5) / (frequency + 0.5)).ln_1p()
}

/// What is searched in.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// A snapshot of the store.
    pub reader: &'a Reader<'a>,
    /// The index that answers.
    pub generation: GenerationId,
    /// The vector leg.
    pub vector: Option<VectorQuery<'a>>,
    /// Whether words take part.
    pub lexical: bool,
    /// The only chunks that can be found; none = all.
    pub within: Option<&'a Within>,
    /// The space of the lines; none where they take no part.
    pub lines: Option<SpaceId>,
}

impl Scope<'_> {
    /// Whether a chunk can be found.
    pub(super) fn has(&self, id: ChunkId) -> bool {
        self.within.is_none_or(|within| within.has(id))
    }
}

/// Says which terms will be looked for, those of misspelt words aside. `speech` is the query, where something tells its language.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn expect(scope: &Scope<'_>, plan: &Plan, speech: Option<&Speech<'_>>) -> Result<()> {
    scope.reader.expect_terms(scope.generation, || {
        let forms = plan.concepts.iter().flat_map(looked_for).map(|form| form.term.clone());
        let above = plan.concepts.iter().flat_map(own_forms).map(|form| context_term(&form.term));
        let told = speech.into_iter().flat_map(Speech::function_words).map(str::to_owned);
        let scripts = Alphabet::ASKED_FOR.into_iter().flat_map(Alphabet::common_terms).map(|term| (*term).to_owned());
        forms.chain(above).chain(told).chain(scripts).chain([OWN_NOTE.to_owned()]).collect()
    })
}

/// Collects the candidates of a query.
///
/// # Errors
/// When the database cannot be read, the call was cancelled, or the query vector is not of the index's length.
pub(super) fn collect(scope: &Scope<'_>, plan: &Plan, request: &Request) -> Result<Candidates> {
    let mut found = Candidates { total: scope.reader.chunk_count(scope.generation)?, ..Candidates::default() };
    let order = scope.reader.chunk_order()?;
    let wanted = if request.sources.is_empty() { BY_WORDS } else { MOST_ROWS };
    let scores = lexical_leg(scope, plan, wanted, &mut found)?;
    found.own = OwnNotes::of(scope, found.total, request)?;
    let mut also = best(found.own.scored(&scores), OWN, &order);
    let by_words = best(scores, wanted, &order);
    let nearest = match scope.vector {
        Some(query) => scope.reader.nearest(query.index, query.vector, &request.sources, scope.within)?,
        None => None,
    };
    if let Some(nearest) = &nearest {
        also.extend(nearest.top_of(scope.reader, found.own.chunks(), OWN)?);
    }
    let store::candidates::Found { rows, by_words, cosines } = scope.reader.candidates(&Wanted {
        by_words: &by_words,
        most_by_words: BY_WORDS,
        sources: &request.sources,
        nearest: nearest.as_ref(),
        most_nearest: LEG,
        exact: EXACT,
        files: &dated_files(scope, plan, &request.sources)?,
        most_of_files: LEG,
        also: &also,
        lines: scope.lines,
    })?;
    found.rows = rows;
    found.lexical_ranks = by_words.into_iter().zip(1..).collect();
    found.similarities = nearest.map(|nearest| Similarities {
        ranks: (1..).zip(&cosines).map(|(rank, (id, _))| (*id, rank)).collect(),
        cosines: cosines.into_iter().collect(),
        mean: nearest.mean(),
    });
    Ok(found)
}

/// The sum of the inverse document frequencies of the concepts that each chunk holds, by ascending id, of `wanted` chunks
/// at least. Fills in what is known of the concepts.
fn lexical_leg(scope: &Scope<'_>, plan: &Plan, wanted: usize, found: &mut Candidates) -> Result<Vec<(ChunkId, f64)>> {
    let terms: Vec<Vec<Term<'_>>> = match scope.lexical {
        true => plan.concepts.iter().map(|concept| looked_for(concept).map(term_of).collect()).collect(),
        false => vec![Vec::new(); plan.concepts.len()],
    };
    let postings = scope.reader.postings(scope.generation, &terms, MOST_CHUNKS)?;
    let mut scores: Vec<(ChunkId, f64)> = Vec::new();
    let mut rare: Vec<&str> = Vec::new();
    let mut common: Vec<(&Concept, f64)> = Vec::new();
    for ((concept, terms), postings) in plan.concepts.iter().zip(&terms).zip(postings) {
        let all = postings.map(|postings| holding(concept, postings));
        let frequency = all.as_ref().map_or(MOST_CHUNKS, |(_, frequency)| *frequency);
        let gain = concept.weight * idf(found.total, frequency);
        found.idf.push(idf(found.total, frequency));
        found.frequency.push(frequency);
        if let Some((weights, _)) = all {
            rare.extend(terms.iter().map(|term| term.text));
            scores = add(scores, scope, weights, gain);
        } else {
            common.push((concept, gain));
        }
    }
    // All that hold the common ones, or those that hold a rare one too.
    let among = (scores.len() >= wanted).then_some(rare.as_slice());
    let terms: Vec<&str> =
        common.iter().flat_map(|(concept, _)| looked_for(concept)).map(|form| form.term.as_str()).collect();
    let mut postings = scope.reader.postings_among(scope.generation, &terms, among)?.into_iter();
    for (concept, gain) in common {
        let (weights, _) = holding(concept, postings.by_ref().take(looked_for(concept).count()));
        scores = add(scores, scope, weights, gain);
    }
    if scope.lexical {
        scores = add_above(scores, scope, plan, found)?;
    }
    Ok(scores)
}

/// Adds what stands above chunks. A word that stands above too many says nothing of any of them.
fn add_above(
    mut scores: Vec<(ChunkId, f64)>,
    scope: &Scope<'_>,
    plan: &Plan,
    found: &Candidates,
) -> Result<Vec<(ChunkId, f64)>> {
    let above: Vec<Vec<String>> =
        plan.concepts.iter().map(|concept| own_forms(concept).map(|form| context_term(&form.term)).collect()).collect();
    let terms: Vec<Vec<Term<'_>>> =
        above.iter().map(|terms| terms.iter().map(|text| Term { text, is_required: false }).collect()).collect();
    let postings = scope.reader.postings(scope.generation, &terms, MOST_CHUNKS)?;
    for ((concept, idf), postings) in plan.concepts.iter().zip(&found.idf).zip(postings) {
        let mut weights: Weights = Vec::new();
        for (form, ids) in own_forms(concept).zip(postings.unwrap_or_default()) {
            weights = merge(weights, ids.into_iter().map(|id| (id, form.weight)), f32::max);
        }
        scores = add(scores, scope, weights, ABOVE * concept.weight * idf);
    }
    Ok(scores)
}

/// Adds a concept to the scores of the chunks that hold it and can be found.
fn add(scores: Vec<(ChunkId, f64)>, scope: &Scope<'_>, weights: Weights, gain: f64) -> Vec<(ChunkId, f64)> {
    if weights.is_empty() {
        return scores;
    }
    let weights = weights.into_iter().filter(|(id, _)| scope.has(*id));
    merge(scores, weights.map(|(id, weight)| (id, gain * f64::from(weight))), |sum, gain| sum + gain)
}

/// The `n` best of scores by ascending id, best first. Thousands of chunks that hold the same words score the same: of
/// equals, those that come first in the order of content.
fn best(scores: Vec<(ChunkId, f64)>, n: usize, order: &ChunkOrder) -> Vec<ChunkId> {
    let mut values: Vec<f64> = scores.iter().map(|(_, score)| *score).collect();
    let border = if values.len() > n {
        *values.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a)).1
    } else {
        f64::NEG_INFINITY
    };
    let reach = || scores.iter().filter(|(_, score)| *score >= border);
    let places = order.places(reach().map(|(id, _)| *id));
    let mut best: Vec<(f64, Place)> = reach().map(|(_, score)| *score).zip(places).collect();
    let better = |a: &(f64, Place), b: &(f64, Place)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if best.len() > n {
        best.select_nth_unstable_by(n - 1, better);
        best.truncate(n);
    }
    best.sort_unstable_by(better);
    best.into_iter().map(|(_, (_, id))| id).collect()
}

/// Chunks by ascending id, each with the weight of the surest form that it holds.
type Weights = Vec<(ChunkId, f32)>;

/// The forms of a concept that are the word itself.
fn own_forms(concept: &Concept) -> impl Iterator<Item = &Form> {
    concept.forms.iter().filter(|form| form.kind != FormKind::Similar)
}

/// The forms of a concept that bring in chunks.
fn looked_for(concept: &Concept) -> impl Iterator<Item = &Form> {
    let similar = concept.forms.iter().filter(|form| form.kind == FormKind::Similar);
    own_forms(concept).chain(similar.take(concept.similar_forms))
}

/// What the index is asked for a form. What the word itself does not say, a common one in its place says even less.
fn term_of(form: &Form) -> Term<'_> {
    Term { text: &form.term, is_required: form.kind != FormKind::Similar }
}

/// The chunks that hold a concept, and how many hold it in its own words, from those that hold its forms.
fn holding(concept: &Concept, postings: impl IntoIterator<Item = Vec<ChunkId>>) -> (Weights, usize) {
    let mut weights: Weights = Vec::new();
    let mut frequency = 0;
    for (form, ids) in looked_for(concept).zip(postings) {
        weights = merge(weights, ids.into_iter().map(|id| (id, form.weight)), f32::max);
        if form.kind != FormKind::Similar {
            frequency = weights.len();
        }
    }
    (weights, frequency)
}

/// Merges two lists of ascending ids: several times faster than hashing tens of thousands of them.
fn merge<T>(
    a: Vec<(ChunkId, T)>,
    b: impl Iterator<Item = (ChunkId, T)>,
    both: impl Fn(T, T) -> T,
) -> Vec<(ChunkId, T)> {
    if a.is_empty() {
        return b.collect();
    }
    let mut merged = Vec::with_capacity(a.len() + b.size_hint().1.unwrap_or_default());
    let mut a = a.into_iter().peekable();
    for (id, of_b) in b {
        merged.extend(std::iter::from_fn(|| a.next_if(|(before, _)| *before < id)));
        let value = match a.next_if(|(same, _)| *same == id) {
            Some((_, of_a)) => both(of_a, of_b),
            None => of_b,
        };
        merged.push((id, value));
    }
    merged.extend(a);
    merged
}

/// The notes of the days that the query asks about, the newest first.
fn dated_files(scope: &Scope<'_>, plan: &Plan, sources: &[Source]) -> Result<Vec<FileId>> {
    let Some(range) = plan.query.time.range else { return Ok(Vec::new()) };
    let told = DateRange { end: range.end.checked_add(TOLD_LATER.days()).unwrap_or(range.end), ..range };
    let mut files: Vec<_> = scope
        .reader
        .file_paths(scope.generation)?
        .into_iter()
        .filter(|(id, source, _)| {
            (sources.is_empty() || sources.iter().any(|s| s.as_str() == source))
                && scope.within.is_none_or(|within| within.has_file(*id))
        })
        .filter_map(|(id, source, path)| Some((note_date(&path).filter(|day| told.contains(*day))?, path, source, id)))
        .collect();
    // What was told later comes after the days themselves.
    files.sort_by(|a, b| {
        let later = |day| day > range.end;
        (later(a.0), b.0).cmp(&(later(b.0), a.0)).then_with(|| (&a.1, &a.2).cmp(&(&b.1, &b.2)))
    });
    Ok(files.into_iter().take(DATED_FILES).map(|(_, _, _, id)| id).collect())
}

/// Whether a concept that stands for a file occurs in a path: the whole path, its end, or its file name.
#[must_use]
pub(crate) fn names_path(plan: &Plan, concept: usize, path: &str) -> bool {
    let Some(term) = plan.query.terms.get(concept) else { return false };
    if term.kind != TermKind::File {
        return false;
    }
    let (asked, path) = (term.surface.replace('\\', "/").to_lowercase(), path.to_lowercase());
    let asked = asked.trim_start_matches("./");
    path == asked || path.strip_suffix(asked).is_some_and(|rest| rest.ends_with('/'))
}
