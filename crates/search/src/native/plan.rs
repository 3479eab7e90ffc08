//! A query as the ranking needs it: concepts, and the forms each may take in a text.

use std::sync::Arc;

use super::days;
use text::{
    language::{Language, stem},
    lexicon::term_hash,
    query::{QueryPlan, QueryTerm, TermKind},
    thesaurus,
    translations::{ENGLISH, Speech},
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
    /// Plans the search for a query; `speech` is the same, where something tells its language.
    #[must_use]
    pub(super) fn of(query: Arc<QueryPlan>, speech: Option<&Speech<'_>>) -> Self {
        let words = query.terms.iter().enumerate().map(|(at, term)| concept(&query, speech, at, term));
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
    let dated = term.in_time && !term.surface.contains(|c: char| c.is_ascii_digit());
    let is_by_way = speech.is_some_and(|speech| !speech.may_be_in(ENGLISH));
    let mut concept = Concept {
        surface: term.surface.clone(),
        weight: f64::from(term.weight) * f64::from(if dated { TIME_WORD_WEIGHT } else { 1.0 }),
        in_time: term.in_time,
        is_translated: false,
        similar_forms: if is_by_way { SIMILAR_BY_WAY } else { SIMILAR_FORMS },
        is_exact: matches!(term.kind, TermKind::Name | TermKind::File),
        forms: spellings.collect(),
    };
    if term.kind == TermKind::Word && may_vary(query, at, term) {
        let similar = thesaurus::similar(&term.surface.to_lowercase());
        concept.add(similar.map(|similar| similar_form(stem(similar.word, Language::English), similar.similarity)));
    }
    if let Some((speech, word)) = speech.and_then(|speech| Some((speech, word_of(query, term, speech)?))) {
        concept.add(speech.similar(word).into_iter().map(|similar| similar_form(similar.term, similar.surely)));
    }
    concept
}

fn similar_form(term: String, similarity: f32) -> Form {
    Form { hash: term_hash(&term), term, weight: similarity * SIMILAR_WEIGHT, kind: FormKind::Similar }
}

/// The word that a term is, or that a pair of Chinese or Japanese characters is of, which other words may stand for; none for what
/// tells the time, or is written like a name, which any language has as it is. A capital letter makes no name in German.
pub(super) fn word_of<'q>(query: &QueryPlan, term: &'q QueryTerm, speech: &Speech<'q>) -> Option<&'q str> {
    let is_name = || {
        let german = query.languages.contains(&Language::German);
        term.surface.starts_with(char::is_uppercase) && !german && !query.text.trim_start().starts_with(&term.surface)
    };
    match term.kind {
        _ if term.in_time => None,
        TermKind::Word if !is_name() => Some(&term.surface),
        TermKind::Pair => speech.word_with(&term.surface),
        _ => None,
    }
}

/// Whether another English word may stand for this one: not for time words, nor for what is written like a name.
fn may_vary(query: &QueryPlan, at: usize, term: &QueryTerm) -> bool {
    let english = query.languages.is_empty() || query.languages.contains(&Language::English);
    let capital = term.surface.starts_with(char::is_uppercase);
    let opens = at == 0 && query.text.trim_start().starts_with(&term.surface);
    english && !term.in_time && (!capital || opens)
}
