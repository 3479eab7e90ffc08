//! A query as the ranking needs it: concepts, and the forms each may take in a text.

use std::sync::Arc;

use super::days;
use text::{
    language::{Language, stem},
    lexicon::term_hash,
    query::{QueryPlan, QueryTerm, TermKind},
    thesaurus,
    translations::{ENGLISH, Speech, Translation},
};

/// Weight of a word of similar meaning = its similarity × this. Measured in docs/ranking.md.
const SIMILAR_WEIGHT: f32 = 0.9;

/// Words of similar meaning per concept that may bring in chunks of their own …
const SIMILAR_FORMS: usize = 3;
/// … and of those that are found by way of English, each of which has two stems.
const SIMILAR_BY_WAY: usize = 8;

/// Weight of a concept that the time of the query was read from, such as "last March": the date decides, and notes
/// without a date may still say it in words.
const TIME_WORD_WEIGHT: f32 = 0.5;

/// What makes a term stand for a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormKind {
    /// A spelling of what was typed.
    Own,
    /// A day that is asked for.
    Day,
    /// A name that was probably meant.
    Misspelt,
    /// A name in another script.
    Transliteration,
    /// A word of another language.
    Translation,
    /// A word that is made of it and others.
    Compound,
    /// Another word of similar meaning.
    Similar,
}

/// A term that stands for a concept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    /// As in the full-text index.
    pub term: String,
    /// As in the stored lines.
    pub hash: u32,
    /// How surely it means the concept, 0–1.
    pub weight: f32,
    /// Why it does.
    pub kind: FormKind,
}

/// One thing the query asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Concept {
    /// As typed.
    pub surface: String,
    /// How much of the query's meaning it carries, 0–1.
    pub weight: f64,
    /// Whether it is an identifier, file name or path that has to be found as it is.
    pub is_exact: bool,
    /// Whether the time of the query was read from it.
    pub in_time: bool,
    /// Whether it was looked for in other languages: what is in none of them is not there.
    pub is_translated: bool,
    /// Words of similar meaning that may bring in chunks of their own.
    pub similar_forms: usize,
    /// Its forms, the surest first.
    pub forms: Vec<Form>,
}

impl Concept {
    /// Adds forms that it does not have.
    pub(super) fn add(&mut self, forms: impl IntoIterator<Item = Form>) {
        for form in forms {
            if self.forms.iter().all(|known| known.hash != form.hash) {
                self.forms.push(form);
            }
        }
    }
}

/// A query, ready to be searched for.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The query, understood.
    pub query: Arc<QueryPlan>,
    /// What it asks for: its terms, then the days, if it asks for any.
    pub concepts: Vec<Concept>,
    /// Whether no notes are in the language of the query, where that is known.
    pub is_foreign: Option<bool>,
}

impl Plan {
    /// Plans the search for a query.
    #[must_use]
    pub(super) fn of(query: Arc<QueryPlan>) -> Self {
        let speech = Speech::told(&query);
        let words = query.terms.iter().enumerate().map(|(at, term)| concept(&query, speech.as_ref(), at, term));
        let concepts = words.chain(days::concept(&query)).collect();
        Self { query, concepts, is_foreign: None }
    }

    /// Whether a model understands the query: one of any language, or of the query's.
    #[must_use]
    pub(crate) fn is_known(&self, only: Option<Language>) -> bool {
        only.is_none_or(|language| self.query.is_in(language))
    }

    /// All forms with their numbers, counted through all concepts.
    pub(super) fn forms(&self) -> impl Iterator<Item = (u16, &Form)> {
        (0..).zip(self.concepts.iter().flat_map(|concept| &concept.forms))
    }

    /// Index of the concept of each form.
    #[must_use]
    pub(crate) fn owners(&self) -> Vec<usize> {
        let concepts = self.concepts.iter().enumerate();
        concepts.flat_map(|(at, concept)| std::iter::repeat_n(at, concept.forms.len())).collect()
    }
}

fn concept(query: &QueryPlan, speech: Option<&Speech<'_>>, at: usize, term: &QueryTerm) -> Concept {
    let spellings = term.alternatives.iter().map(|spelling| Form {
        term: spelling.term.clone(),
        hash: spelling.hash,
        weight: spelling.weight,
        kind: FormKind::Own,
    });
    let mut forms: Vec<Form> = spellings.collect();
    if term.kind == TermKind::Word && may_vary(query, at, term) {
        for similar in thesaurus::similar(&term.surface.to_lowercase()) {
            let term = stem(similar.word, Language::English);
            let hash = term_hash(&term);
            if forms.iter().all(|form| form.hash != hash) {
                let weight = similar.similarity * SIMILAR_WEIGHT;
                forms.push(Form { term: term.to_string(), hash, weight, kind: FormKind::Similar });
            }
        }
    }
    for similar in speech.map(|speech| similar_to(query, speech, at, term)).unwrap_or_default() {
        let hash = term_hash(&similar.term);
        if forms.iter().all(|form| form.hash != hash) {
            let weight = similar.surely * SIMILAR_WEIGHT;
            forms.push(Form { term: similar.term, hash, weight, kind: FormKind::Similar });
        }
    }
    let dated = term.in_time && !term.surface.contains(|c: char| c.is_ascii_digit());
    Concept {
        surface: term.surface.clone(),
        weight: f64::from(term.weight) * f64::from(if dated { TIME_WORD_WEIGHT } else { 1.0 }),
        in_time: term.in_time,
        is_translated: false,
        similar_forms: if speech.is_some_and(|speech| !speech.may_be_in(ENGLISH)) {
            SIMILAR_BY_WAY
        } else {
            SIMILAR_FORMS
        },
        is_exact: matches!(term.kind, TermKind::Name | TermKind::File),
        forms,
    }
}

/// Words of similar meaning of another language than English. A capital letter makes no name in German.
fn similar_to(query: &QueryPlan, speech: &Speech<'_>, at: usize, term: &QueryTerm) -> Vec<Translation> {
    let is_name = || is_name(query, at, term) && !query.languages.contains(&Language::German);
    match term.kind {
        TermKind::Word if !term.in_time && !is_name() => speech.similar(&term.surface),
        TermKind::Pair if !term.in_time => {
            speech.word_with(&term.surface).map(|word| speech.similar(word)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Whether another English word may stand for this one: not for time words, nor for what is written like a name.
fn may_vary(query: &QueryPlan, at: usize, term: &QueryTerm) -> bool {
    let english = query.languages.is_empty() || query.languages.contains(&Language::English);
    english && !term.in_time && !is_name(query, at, term)
}

/// Whether a word is written like a name. The first one always begins with a capital letter.
fn is_name(query: &QueryPlan, at: usize, term: &QueryTerm) -> bool {
    let opens = at == 0 && query.text.trim_start().starts_with(&term.surface);
    term.surface.starts_with(char::is_uppercase) && !opens
}
