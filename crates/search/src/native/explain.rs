//! Why a result is there, as JSON: legs with ranks and scores, boosts, and the words that matched.

use itertools::Itertools;
use serde_json::{Value, json};

use super::{
    candidates::Candidates,
    confidence::Evidence,
    lines::Lines,
    passages::Passage,
    plan::{FormKind, Plan},
};
use store::ids::ChunkId;

/// Explains a passage.
#[must_use]
pub(super) fn of(
    passage: &Passage,
    plan: &Plan,
    candidates: &Candidates,
    lines: &Lines<'_>,
    evidence: &Evidence,
) -> Value {
    let best = &lines.lines[passage.best];
    let chunks = [best.chunks.0, best.chunks.1].map(|at| lines.chunks[at].id);
    let parts = &evidence.parts;
    let rank = |ranks: &dyn Fn(&ChunkId) -> Option<usize>| chunks.iter().filter_map(ranks).min();
    let vector = candidates.similarities.as_ref().map(|similarities| {
        json!({
            "rank": rank(&|id| similarities.ranks.get(id).copied()),
            "cosine": chunks.iter().filter_map(|id| similarities.cosines.get(id)).copied().reduce(f64::max),
            "mean": similarities.mean,
            "rise": evidence.rise,
            "part": parts.meaning,
            "lineRise": evidence.line_rise,
            "linePart": parts.line_cosine,
            "pieceRise": evidence.piece_rise,
            "piecePart": parts.pieces,
        })
    });
    json!({
        "ranking": "native",
        "bestLine": best.number,
        "legs": {
            "words": {
                "rank": rank(&|id| candidates.lexical_ranks.get(id).copied()),
                "coverage": evidence.coverage,
                "line": parts.line,
                "neighbours": parts.window,
                "chunk": parts.chunk,
            },
            "meaning": vector,
        },
        "boosts": {
            "exact": parts.exact,
            "label": parts.label,
            "time": parts.time,
            "recent": parts.recent,
            "importance": parts.importance,
            "curated": parts.curated,
        },
        "rankScore": passage.score,
        "matched": matched(passage, plan, lines),
    })
}

/// The words of the query that the passage holds, in query order, with the other word that stands for one.
fn matched(passage: &Passage, plan: &Plan, lines: &Lines<'_>) -> Vec<Value> {
    let owners = plan.owners();
    let forms: Vec<_> = plan.forms().map(|(_, form)| form).collect();
    let members = passage.lines.iter().map(|at| &lines.lines[*at]);
    let counts: Vec<usize> = members
        .flat_map(|line| line.counts.iter().chain(&lines.contexts[line.context].counts))
        .map(|(form, _)| usize::from(*form))
        .collect();
    let found = (0..plan.concepts.len()).filter_map(|concept| {
        let held = counts.iter().copied().filter(|form| owners[*form] == concept);
        let best = held.max_by(|a, b| forms[*a].weight.total_cmp(&forms[*b].weight).then(b.cmp(a)))?;
        let mut entry = json!({ "word": plan.concepts[concept].surface });
        if forms[best].kind != FormKind::Own {
            entry["as"] = json!(forms[best].term);
        }
        Some(entry)
    });
    // "PostgreSQL" is looked for whole and in its parts, which follow it.
    found.dedup_by(|entry, next| entry["word"] == next["word"]).collect()
}
