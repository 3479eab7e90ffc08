//! MaxSim without a model: each word of the question looks for the word of the line that is most like it, whatever the degree;
//! words of other languages by way of English. Words of similar meaning that are looked for in the index end at a threshold; among
//! the candidates there is none.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{
    candidates::Candidates,
    lines::{Line, Lines},
    maxsim::{Held, MaxSim},
    plan::{FormKind, Plan},
};
use text::{
    fold::fold,
    language::Language,
    query::TermKind,
    thesaurus::word_signs::WordSigns,
    translations::{Speech, meant::Meanings},
};

/// A word that is looked for.
struct Wanted {
    concept: usize,
    /// What it may mean; a name that is no word is only looked for as it is.
    signs: Vec<WordSigns>,
    weight: f64,
}

/// Compares the words of a question with those of the candidate lines; none when nothing tells its language, or it holds no known
/// word besides the `names` that label lines.
#[must_use]
pub(super) fn of(
    (plan, speech): (&Plan, Option<&Speech<'_>>),
    candidates: &Candidates,
    lines: &Lines<'_>,
    names: &HashSet<String>,
) -> Option<MaxSim> {
    let speech = if plan.is_known(Some(Language::English)) { None } else { Some(speech?) };
    let wanted = wanted(plan, candidates, names, speech);
    if wanted.iter().all(|wanted| wanted.signs.is_empty()) {
        return None;
    }
    let owners = plan.owners();
    // How surely each form is the word itself.
    let own = |form: u16, concept: usize| owners[usize::from(form)] == concept;
    let surely: Vec<f32> = plan
        .forms()
        .map(|(_, form)| match form.kind {
            FormKind::Day | FormKind::Similar => 0.0,
            _ => form.weight,
        })
        .collect();
    let meanings = speech.map(|speech| speech.meanings(plan.is_foreign == Some(true)));
    let mut table = Similarities { wanted: &wanted, meanings, at: HashMap::default(), values: Vec::new() };
    let mut held = Vec::with_capacity(lines.lines.len());
    for line in &lines.lines {
        let as_typed = |wanted: &Wanted| {
            let forms = line.counts.iter().filter(|(form, _)| own(*form, wanted.concept));
            forms.map(|(form, _)| surely[usize::from(*form)]).fold(0.0, f32::max)
        };
        let mut best: Vec<f32> = wanted.iter().map(as_typed).collect();
        for hash in line.terms.iter() {
            best.iter_mut().zip(table.of(hash)).for_each(|(best, alike)| *best = best.max(*alike));
        }
        held.push(Some(best));
    }
    let weights: Vec<f64> = wanted.iter().map(|wanted| wanted.weight).collect();
    Some(MaxSim::of(&Held { weights: &weights, lines: held }, lines))
}

/// Whether most candidate lines are in a language that somebody reads who knows only that one. What is no English is told
/// by its words; of other languages nothing is known.
#[must_use]
pub(super) fn are_mostly_in(language: Language, lines: &Lines<'_>) -> bool {
    if language != Language::English {
        return true;
    }
    2 * lines.lines.iter().filter(|line| is_english(line)).count() >= lines.lines.len()
}

/// Whether half of the words of a line at least are English.
pub(super) fn is_english(line: &Line<'_>) -> bool {
    let known = line.terms.iter().filter(|hash| WordSigns::of(*hash).is_some()).count();
    2 * known >= line.terms.len()
}

/// Whether a query has an English word.
pub(super) fn has_english(plan: &Plan) -> bool {
    plan.forms().any(|(_, form)| form.kind == FormKind::Own && WordSigns::of(form.hash).is_some())
}

/// How alike terms of lines are to each word that is looked for. Most terms are met again and again, so each is compared
/// once.
struct Similarities<'a> {
    wanted: &'a [Wanted],
    /// What terms mean that are not English.
    meanings: Option<Meanings>,
    /// Where the values of a term begin; none of what is no known word.
    at: HashMap<u32, Option<usize>, RandomState>,
    values: Vec<f32>,
}

impl Similarities<'_> {
    fn of(&mut self, hash: u32) -> &[f32] {
        let Self { wanted, meanings, at, values } = self;
        let begin = *at.entry(hash).or_insert_with(|| {
            let signs: Vec<WordSigns> = match meanings {
                Some(meanings) => meanings.of(hash).collect(),
                None => WordSigns::of(hash).into_iter().collect(),
            };
            if signs.is_empty() {
                return None;
            }
            let begin = values.len();
            let likest = |own: &WordSigns| signs.iter().map(|signs| own.similarity(*signs)).fold(0.0, f32::max);
            values.extend(wanted.iter().map(|wanted| wanted.signs.iter().map(likest).fold(0.0, f32::max)));
            Some(begin)
        });
        begin.map_or(&[], |begin| &values[begin..begin + wanted.len()])
    }
}

/// The words of a question that are looked for, time aside, each with its share. Names that label lines are left out, as the
/// labels tell who speaks; without anything else they are kept.
fn wanted(plan: &Plan, candidates: &Candidates, names: &HashSet<String>, speech: Option<&Speech<'_>>) -> Vec<Wanted> {
    // "The latest" is said about the time of the answer, not in it.
    let is_about_time =
        |at: usize| plan.query.terms[at].in_time || (plan.query.time.wants_recent && candidates.frequency[at] == 0);
    let asked = |with_names: bool| {
        let words = plan.query.terms.iter().enumerate().filter(|(at, _)| !is_about_time(*at));
        words.filter(|(_, term)| with_names || !names.contains(&fold(&term.surface))).collect::<Vec<_>>()
    };
    let mut words = asked(false);
    if words.is_empty() {
        words = asked(true);
    }
    let weight = |at: usize| plan.concepts[at].weight * candidates.idf[at];
    let total = words.iter().map(|(at, _)| weight(*at)).sum::<f64>().max(f64::MIN_POSITIVE);
    let wanted = words.iter().map(|(at, term)| {
        let mut forms = plan.concepts[*at].forms.iter().filter(|form| form.kind == FormKind::Own);
        let signs = match (term.kind, speech) {
            (TermKind::Word, None) => forms.find_map(|form| WordSigns::of(form.hash)).into_iter().collect(),
            (TermKind::Word, Some(speech)) => speech.meaning(&term.surface),
            (TermKind::Pair, Some(speech)) => {
                speech.word_with(&term.surface).map(|word| speech.meaning(word)).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        Wanted { concept: *at, signs, weight: weight(*at) / total }
    });
    wanted.collect()
}
