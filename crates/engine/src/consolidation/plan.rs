//! A plan: which claims become entries, which entries go to the archive, and why everything else stays out. Pure: the same
//! evidence and the same files give the same plan.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::{
    claim::{MARK_CHARS, claim_id, fingerprint},
    evidence::kind,
    gates::{Refusal, Strength, admit, strength},
    section::{Document, Entry, chars_of, entry_line},
};
use crate::capture::similar::{Comparer, Fingerprint};
use model::{config::consolidation::Consolidation, error::Result};
use store::consolidation::{Claim, Evidence};

mod draft;
mod held;

pub use draft::{Addition, Moved, Plan, Refused, SourceRef, Strengthened};
pub(crate) use held::Embed;
use held::{Held, Meaning, Place};

/// Refusals listed one by one; the counts are of all.
const LISTED: usize = 200;
/// Rare terms by which claims that may be alike are found.
const RARE_TERMS: usize = 3;
/// Longest trigger phrases that are taken over, in characters.
const MAX_TRIGGER_CHARS: usize = 120;

/// What a plan is made from.
pub(super) struct Input<'a> {
    pub run_id: String,
    pub evidence: Vec<Evidence>,
    pub path: &'a str,
    /// MEMORY.md; none when there is none.
    pub memory: Option<&'a str>,
    /// USER.md.
    pub user: &'a str,
    pub archive: &'a str,
    pub settings: &'a Consolidation,
    pub max_chars: usize,
    pub today: Date,
    pub zone: &'a str,
    /// Whether a claim still stands where it was read.
    pub stands: &'a dyn Fn(&Claim) -> bool,
    /// The marks of the entries that runs have written of claims.
    pub written: HashMap<String, String>,
    /// Makes vectors of sentences.
    pub embed: &'a Embed<'a>,
}

/// A claim, or several that say the same.
struct Candidate {
    evidence: Evidence,
    claims: Vec<String>,
    print: Fingerprint,
    strength: Strength,
}

/// Makes a plan.
///
/// # Errors
/// When the marks of our section are damaged.
pub(super) fn plan(input: Input<'_>) -> Result<Plan> {
    let text = input.memory.unwrap_or_default();
    let document = Document::parse(text)?;
    let entries = document.entries();
    let mut comparer = Comparer::default();
    let held = Held::of(&input, &document, &entries, &mut comparer);
    let mut planner = Planner {
        plan: Plan {
            run_id: input.run_id.clone(),
            path: input.path.to_owned(),
            file_hash: fingerprint(text),
            max_chars: input.max_chars,
            ..Plan::default()
        },
        uses_of_entry: uses_of_entries(&entries, &input.evidence),
        most_moves: share_of(entries.len(), input.settings.max_loss),
        moved: HashSet::new(),
        document,
        entries,
        input: &input,
    };
    let candidates = grouped(&input.evidence, &mut comparer);
    let admitted = planner.admitted(candidates, &held);
    planner.shrink();
    planner.fill(admitted, &held);
    Ok(planner.plan)
}

fn share_of(count: usize, share: f64) -> usize {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small count"
    )]
    let part = (count as f64 * share) as usize;
    part
}

/// How often each entry was used: by its own words, whoever wrote them.
fn uses_of_entries(entries: &[Entry], evidence: &[Evidence]) -> Vec<usize> {
    let by_claim: HashMap<&str, usize> = evidence.iter().map(|e| (e.claim.id.as_str(), e.uses.len())).collect();
    let uses = |entry: &Entry| claim_id(&entry.text).and_then(|id| by_claim.get(id.as_str()).copied());
    entries.iter().map(|entry| uses(entry).unwrap_or_default()).collect()
}

/// Claims that say the same are one, led by the one that was met most.
fn grouped(evidence: &[Evidence], comparer: &mut Comparer) -> Vec<Candidate> {
    let mut found: Vec<(&Evidence, Strength, Fingerprint)> = evidence
        .iter()
        .filter(|e| e.uses.iter().any(|used| used.kind != kind::KEPT) || e.claim.requested)
        .map(|e| (e, strength(e), comparer.fingerprint(&e.claim.text)))
        .collect();
    found.sort_by(|a, b| {
        (b.0.claim.requested, b.1.uses, b.1.days, b.0.claim.last_ms)
            .cmp(&(a.0.claim.requested, a.1.uses, a.1.days, a.0.claim.last_ms))
            .then_with(|| a.0.claim.id.cmp(&b.0.claim.id))
    });
    let mut frequency: HashMap<String, usize> = HashMap::new();
    for term in found.iter().flat_map(|(.., print)| print.terms()) {
        *frequency.entry(term.to_owned()).or_default() += 1;
    }
    let mut groups: Vec<Candidate> = Vec::new();
    let mut by_term: HashMap<String, Vec<usize>> = HashMap::new();
    for (evidence, strength, print) in found {
        let mut rare: Vec<&str> = print.terms().collect();
        rare.sort_by_key(|term| frequency.get(*term).copied().unwrap_or_default());
        rare.truncate(RARE_TERMS);
        // Words of strangers say nothing for anybody else's, and cannot stand for them.
        let may_join = |group: &Candidate| {
            group.evidence.claim.origin == evidence.claim.origin
                || is_ours(&group.evidence.claim) && is_ours(&evidence.claim)
        };
        let same = rare
            .iter()
            .flat_map(|term| by_term.get(*term).into_iter().flatten())
            .copied()
            .find(|at| groups.get(*at).is_some_and(|group| may_join(group) && group.print.is_near(&print)));
        if let Some(group) = same.and_then(|at| groups.get_mut(at)) {
            group.join(evidence);
            continue;
        }
        for term in rare {
            by_term.entry(term.to_owned()).or_default().push(groups.len());
        }
        groups.push(Candidate { evidence: evidence.clone(), claims: vec![evidence.claim.id.clone()], print, strength });
    }
    groups
}

fn is_ours(claim: &Claim) -> bool {
    matches!(claim.origin.as_str(), "owner" | "agent")
}

impl Candidate {
    fn join(&mut self, other: &Evidence) {
        self.claims.push(other.claim.id.clone());
        for used in &other.uses {
            if !self.evidence.uses.contains(used) {
                self.evidence.uses.push(used.clone());
            }
        }
        let (own, claim) = (&mut self.evidence.claim, &other.claim);
        own.requested |= claim.requested;
        own.withdrawn |= claim.withdrawn;
        own.importance = own.importance.max(claim.importance);
        own.last_ms = own.last_ms.max(claim.last_ms);
        own.triggers = own.triggers.take().or_else(|| claim.triggers.clone());
        self.strength = strength(&self.evidence);
    }
}

struct Planner<'a> {
    input: &'a Input<'a>,
    document: Document<'a>,
    entries: Vec<Entry>,
    uses_of_entry: Vec<usize>,
    most_moves: usize,
    moved: HashSet<usize>,
    plan: Plan,
}

impl Planner<'_> {
    fn refuse(&mut self, candidate: &Candidate, refusal: Refusal) {
        let code = refusal.code().to_owned();
        if self.plan.refused.len() < LISTED {
            let Claim { id, text, .. } = &candidate.evidence.claim;
            // What is refused for what it says is not said again here.
            let text =
                if matches!(refusal, Refusal::Secret | Refusal::Injection) { String::new() } else { text.clone() };
            self.plan.refused.push(Refused { id: id.clone(), text, code: code.clone() });
        }
        *self.plan.refused_counts.entry(code).or_default() += 1;
    }

    /// The candidates that pass every gate but that of room, best first.
    fn admitted(&mut self, candidates: Vec<Candidate>, held: &Held) -> Vec<Candidate> {
        let Input { settings, today, zone, embed, .. } = self.input;
        let judged: Vec<(Candidate, Result<(), Refusal>)> = candidates
            .into_iter()
            .map(|candidate| {
                let verdict = admit(&candidate.evidence, candidate.strength, settings, *today, zone);
                (candidate, verdict)
            })
            .collect();
        let passed = judged.iter().filter(|(_, verdict)| verdict.is_ok());
        let asked = passed.map(|(candidate, _)| (candidate.evidence.claim.text.as_str(), &candidate.print));
        let meaning = held.meaning(asked, embed);
        let mut admitted: Vec<Candidate> = Vec::new();
        for (candidate, verdict) in judged {
            let verdict = verdict.and_then(|()| self.is_new(&candidate, held, &meaning)).and_then(|()| {
                if (self.input.stands)(&candidate.evidence.claim) { Ok(()) } else { Err(Refusal::Gone) }
            });
            match verdict {
                Ok(()) => admitted.push(candidate),
                Err(refusal) => self.refuse(&candidate, refusal),
            }
        }
        // Of two that say otherwise, what was said later is true now.
        let mut outdated: Vec<usize> = Vec::new();
        for (at, one) in admitted.iter().enumerate() {
            let is_outdated = admitted.iter().any(|other| {
                other.evidence.claim.last_ms > one.evidence.claim.last_ms && other.print.says_otherwise(&one.print)
            });
            if is_outdated {
                outdated.push(at);
            }
        }
        for at in outdated.into_iter().rev() {
            let old = admitted.remove(at);
            self.refuse(&old, Refusal::Superseded);
        }
        admitted
    }

    fn is_new(&mut self, candidate: &Candidate, held: &Held, meaning: &Meaning) -> Result<(), Refusal> {
        let Candidate { print, evidence, .. } = candidate;
        let place = held.place_of(&evidence.claim.text, print, meaning);
        if let Some(place) = place.or_else(|| held.written_of(&candidate.claims)) {
            match place {
                Place::Entry(at) => {
                    if let (Some(entry), Some(uses)) = (self.entries.get(at), self.uses_of_entry.get_mut(at)) {
                        let claim = evidence.claim.id.clone();
                        *uses = (*uses).max(evidence.uses.len());
                        self.plan.strengthen.push(Strengthened { id: entry.id.clone(), claim });
                    }
                    return Err(Refusal::Known);
                }
                Place::User | Place::Archive => return Err(Refusal::Known),
                Place::Withdrawn => return Err(Refusal::Withdrawn),
            }
        }
        if held.user().any(|line| line.says_otherwise(print)) {
            return Err(Refusal::Contradicts);
        }
        Ok(())
    }

    /// A file above its limit loses what is least used, as far as a run may.
    fn shrink(&mut self) {
        while self.size(&[]) > self.input.max_chars {
            if self.move_least(usize::MAX, "room").is_none() {
                break;
            }
        }
        if self.size(&[]) > self.input.max_chars && self.entries.len() == self.moved.len() {
            self.plan.notes.push(format!(
                "{} is longer than {} characters without our section: nothing is added",
                self.input.path, self.input.max_chars
            ));
        }
    }

    fn fill(&mut self, admitted: Vec<Candidate>, held: &Held) {
        for candidate in admitted {
            if self.plan.add.len() >= self.input.settings.max_new {
                self.refuse(&candidate, Refusal::Limit);
                continue;
            }
            let moves_before = (self.plan.moved.len(), self.moved.clone());
            let replaces = self.replaced_by(&candidate, held);
            let addition = self.addition(&candidate, replaces);
            let mut fits = self.size(std::slice::from_ref(&addition.line)) <= self.input.max_chars;
            while !fits && self.move_least(addition.uses, "room").is_some() {
                fits = self.size(std::slice::from_ref(&addition.line)) <= self.input.max_chars;
            }
            if fits {
                self.plan.add.push(addition);
            } else {
                self.plan.moved.truncate(moves_before.0);
                self.moved = moves_before.1;
                self.refuse(&candidate, Refusal::Budget);
            }
        }
    }

    /// Entries that say otherwise than a newer claim go.
    fn replaced_by(&mut self, candidate: &Candidate, held: &Held) -> Vec<String> {
        let day = day_of(candidate.evidence.claim.last_ms, self.input.zone);
        let outdated: Vec<usize> = held
            .entries()
            .filter(|(_, print)| print.says_otherwise(&candidate.print))
            .map(|(at, _)| at)
            .filter(|at| self.entries.get(*at).is_some_and(|entry| entry.date <= day))
            .collect();
        outdated.into_iter().filter_map(|at| self.move_entry(at, "replaced")).collect()
    }

    /// Moves the entry that is used least, if it is used less than `below`.
    fn move_least(&mut self, below: usize, reason: &str) -> Option<String> {
        let at = (0..self.entries.len())
            .filter(|at| !self.moved.contains(at))
            .min_by_key(|at| (self.uses_of_entry.get(*at).copied(), self.entries.get(*at).map(|e| e.date.clone())))?;
        if self.uses_of_entry.get(at).is_none_or(|uses| *uses >= below) {
            return None;
        }
        self.move_entry(at, reason)
    }

    fn move_entry(&mut self, at: usize, reason: &str) -> Option<String> {
        if self.moved.len() >= self.most_moves || self.moved.contains(&at) {
            return None;
        }
        let Entry { id, line, .. } = self.entries.get(at)?;
        self.plan.moved.push(Moved { id: id.clone(), line: line.clone(), reason: reason.to_owned() });
        self.moved.insert(at);
        Some(id.clone())
    }

    /// Characters of the file with all that is planned and more.
    fn size(&self, more: &[String]) -> usize {
        let add: Vec<String> = self.plan.add.iter().map(|a| a.line.clone()).chain(more.iter().cloned()).collect();
        chars_of(&self.document.with(&self.plan.removed(), &add))
    }

    fn addition(&self, candidate: &Candidate, replaces: Vec<String>) -> Addition {
        let Claim { id, text, path, line, origin, importance, triggers, .. } = &candidate.evidence.claim;
        let id: String = id.chars().take(MARK_CHARS).collect();
        let text = capitalized(text);
        let triggers =
            triggers.as_deref().filter(|t| t.chars().count() <= MAX_TRIGGER_CHARS && !t.contains(['<', '>', '\n']));
        let Strength { days, uses } = candidate.strength;
        Addition {
            line: entry_line(&id, &text, self.input.today, triggers, *importance),
            sources: vec![SourceRef { path: path.clone(), line: *line, hash: candidate.evidence.claim.id.clone() }],
            claims: candidate.claims.clone(),
            origin: origin.clone(),
            id,
            text,
            days,
            uses,
            replaces,
        }
    }
}

fn day_of(at_ms: i64, zone: &str) -> String {
    text::time::date_in(at_ms, zone).to_string()
}

/// A sentence that was the end of another begins small.
fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first)
            if first.is_lowercase() && chars.as_str().starts_with(char::is_lowercase) || text.starts_with("a ") =>
        {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
