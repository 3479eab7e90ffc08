//! A few notes of the user beside much else, such as the documentation of a product. What is said in them once is rare there,
//! and common around them: asked where the key is, a thousand pages know of keys. So they are looked through for themselves,
//! and the best of them has a place among the first results, if it is sure enough by how rare its words are in the notes.

use super::{
    candidates::{Candidates, Scope},
    confidence::{self, Evidence},
    coverage::QueryWords,
    lines::Lines,
    passages::{Passage, Passages},
    plan::Plan,
};
use crate::types::Request;
use model::error::Result;
use store::{ids::ChunkId, lexical::Term};
use text::analyze::OWN_NOTE;

/// Chunks of own notes that are looked at, by words and by meaning.
pub(super) const OWN: usize = 16;
/// Own notes are few where they are at most this share of all chunks …
const FEW_SHARE: u64 = 8;
/// … and no more than these.
const FEW: usize = 4_096;
/// Results among which one is to be of an own note …
const FIRST: usize = 6;
/// … and the place that it gets where none is.
pub(super) const PLACE: usize = 2;

/// The chunks of the user's own notes.
#[derive(Debug, Default)]
pub(crate) struct OwnNotes(Vec<ChunkId>);

impl OwnNotes {
    /// Of an index of so many chunks; nothing where they are not few, or only some sources are asked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn of(scope: &Scope<'_>, total: u64, request: &Request) -> Result<Self> {
        if !scope.lexical || !request.sources.is_empty() {
            return Ok(Self::default());
        }
        let most = usize::try_from(total / FEW_SHARE).unwrap_or(FEW).min(FEW);
        let marked = [vec![Term { text: OWN_NOTE, is_required: false }]];
        let ids = scope.reader.postings(scope.generation, &marked, most)?.into_iter().flatten().flatten().flatten();
        Ok(Self(ids.filter(|id| scope.has(*id)).collect()))
    }

    /// Ascending.
    pub(super) fn chunks(&self) -> &[ChunkId] {
        &self.0
    }

    /// Those of some scores by ascending id that are of own notes.
    pub(super) fn scored(&self, scores: &[(ChunkId, f64)]) -> Vec<(ChunkId, f64)> {
        let scored = |id: &ChunkId| scores.binary_search_by(|(other, _)| other.cmp(id)).ok().map(|at| scores[at]);
        self.0.iter().filter_map(scored).collect()
    }

    /// The lines of own notes.
    fn lines(&self, lines: &Lines<'_>) -> Vec<usize> {
        let is_own: Vec<bool> = lines.chunks.iter().map(|chunk| self.0.binary_search(&chunk.id).is_ok()).collect();
        (0..lines.lines.len()).filter(|at| is_own[lines.lines[*at].chunks.0]).collect()
    }
}

/// The passage of an own note that is to be among the first results, how sure it is, and its place; none where there is one
/// already, or none is sure enough. `found` says of each result its best line.
pub(super) fn place(
    (plan, candidates, lines): (&Plan, &Candidates, &Lines<'_>),
    found: &[usize],
    passages: &mut Passages<'_>,
    evidence: &impl Fn(usize) -> Evidence,
    least: f64,
) -> Option<Placed> {
    let own = if candidates.own.0.is_empty() { Vec::new() } else { candidates.own.lines(lines) };
    let is_own = |best: &usize| own.binary_search(best).is_ok();
    if own.is_empty() || found.iter().take(FIRST).any(is_own) {
        return None;
    }
    let words = QueryWords::alike(plan, candidates);
    let owners = plan.owners();
    let weights: Vec<f64> = plan.forms().map(|(_, form)| f64::from(form.weight)).collect();
    let sureness = |at: usize| {
        let line = &lines.lines[at];
        let mut held = vec![0.0_f64; plan.concepts.len()];
        for (form, _) in line.counts.iter().chain(&lines.contexts[line.context].counts) {
            let (owner, weight) = (owners[usize::from(*form)], weights[usize::from(*form)]);
            held[owner] = held[owner].max(weight);
        }
        let mut evidence = evidence(at);
        evidence.coverage = evidence.coverage.max(words.coverage(&held));
        confidence::score(&evidence)
    };
    let sure: Vec<(usize, f64)> = own.iter().map(|at| (*at, sureness(*at))).collect();
    let score_of = |members: &[usize]| {
        let members = sure.iter().filter(|(at, _)| members.contains(at));
        members.map(|(_, sure)| *sure).fold(0.0, f64::max)
    };
    let later = found.iter().position(is_own);
    let best = sure.iter().filter(|(at, sure)| *sure >= least && !passages.has_taken(*at));
    let best = best.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).copied();
    // A result further below that is as sure comes up.
    let below = later.map(|at| (at, sure.iter().find(|(line, _)| *line == found[at]).map_or(0.0, |(_, sure)| *sure)));
    match (best, below) {
        (best, Some((at, sure))) if sure >= least && best.is_none_or(|(_, best)| best <= sure) => {
            Some(Placed { origin: Origin::Below(at), score: sure, place: PLACE })
        }
        (Some((seed, _)), _) => {
            let passage = passages.around(seed);
            let score = score_of(&passage.lines);
            Some(Placed { origin: Origin::New(passage), score, place: PLACE.min(found.len()) })
        }
        _ => None,
    }
}

/// A result of an own note.
pub(super) struct Placed {
    pub origin: Origin,
    pub score: f64,
    pub place: usize,
}

/// Where it comes from.
pub(super) enum Origin {
    /// The results, at this place.
    Below(usize),
    New(Passage),
}
