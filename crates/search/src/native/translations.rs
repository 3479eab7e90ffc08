//! Notes in one language, a question in another: words that few passages hold are looked for in other languages too.

use std::sync::Arc;

use super::{
    candidates::Scope,
    compounds,
    misspelt::in_few_chunks,
    plan::{Concept, Form, FormKind, Plan},
};
use model::error::Result;
use store::{Reader, generations::GenerationId, lexical::Term};
use text::{
    language::Language,
    lexicon::term_hash,
    query::{QueryPlan, QueryTerm, TermKind},
    translations::{FUNCTION_WORDS, Speech, Translation},
};

/// Passages that hold a word itself: where there are more, the notes are in its language.
const FEW: usize = 8;
/// Of so many passages one holds a function word of a language that the notes are in.
const SHARE: u64 = 20;
/// The same of one that some notes are in.
const SPOKEN_SHARE: u64 = 100;
/// So many say the same, however many there are.
const MANY: u64 = 1000;
/// Words of a query that are translated.
const MOST_WORDS: usize = 16;
/// Weight of a word of another language: it may mean other things too.
const WEIGHT: f32 = 0.7;
/// Weight of a word that is made of one of another language.
const COMPOUND_WEIGHT: f32 = 0.45;
/// The languages of the table that join words.
const JOINED: [Language; 3] = [Language::German, Language::Dutch, Language::Swedish];

/// Gives the words of a plan that few passages hold those of other languages that mean the same.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn add(plan: &mut Plan, scope: &Scope<'_>) -> Result<()> {
    let query = Arc::clone(&plan.query);
    if Speech::told(&query).is_none() && in_few_chunks(plan, &query, scope, is_word, 0)?.next().is_none() {
        return Ok(());
    }
    let speech = Speech::of(&query);
    plan.is_foreign = is_foreign(scope.reader, scope.generation, &speech)?;
    // Beside notes in its own language the others would be found where nothing answers.
    if plan.is_foreign != Some(true) {
        return Ok(());
    }
    let is_meant = |term: &QueryTerm| may_be_translated(&query, term, &speech);
    let rare: Vec<&mut Concept> = in_few_chunks(plan, &query, scope, is_meant, FEW)?.take(MOST_WORDS).collect();
    let spoken = if rare.is_empty() { Vec::new() } else { spoken(scope)? };
    let found: Vec<Vec<Translation>> = rare.iter().map(|concept| translated(concept, &speech, &spoken)).collect();
    let asked: Vec<Vec<Term<'_>>> =
        found.iter().flatten().map(|new| vec![Term { text: &new.term, is_required: true }]).collect();
    // None: more than no chunk.
    let mut is_there =
        scope.reader.postings(scope.generation, &asked, 0)?.into_iter().map(|postings| postings.is_none());
    for (concept, found) in rare.into_iter().zip(&found) {
        concept.is_translated = !found.is_empty();
        let joined = found.iter().filter(|new| new.language.is_some_and(Language::joins_words));
        let parts: Vec<&str> = joined.map(|new| new.term.as_str()).collect();
        concept.add(found.iter().filter(|_| is_there.next() == Some(true)).map(form));
        if !parts.is_empty() {
            concept.add(compounds::of(scope, &parts, &JOINED, COMPOUND_WEIGHT)?);
        }
    }
    Ok(())
}

/// Whether no notes are in the language of a question; none where that is not known.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub fn is_foreign(reader: &Reader<'_>, generation: GenerationId, speech: &Speech<'_>) -> Result<Option<bool>> {
    let few = (reader.chunk_count(generation)? / SHARE).min(MANY) as usize;
    // The first one tells, mostly.
    let mut is_foreign = None;
    for text in speech.function_words() {
        let found = reader.postings(generation, &[vec![Term { text, is_required: true }]], few)?;
        if found.iter().any(Option::is_none) {
            return Ok(Some(false));
        }
        is_foreign = Some(true);
    }
    let own: Vec<Vec<Term<'_>>> = speech.own_terms().map(|text| vec![Term { text, is_required: true }]).collect();
    if reader.postings(generation, &own, 0)?.iter().any(Option::is_none) {
        return Ok(Some(false));
    }
    Ok(is_foreign)
}

/// Which languages of the table notes are in. Where a few words tell of none, they may be in any.
fn spoken(scope: &Scope<'_>) -> Result<Vec<bool>> {
    let few = (scope.reader.chunk_count(scope.generation)? / SPOKEN_SHARE).min(MANY) as usize;
    let words: Vec<Vec<Term<'_>>> = FUNCTION_WORDS
        .iter()
        .flat_map(|words| words.iter().map(|text| vec![Term { text, is_required: true }]))
        .collect();
    let mut is_common =
        scope.reader.postings(scope.generation, &words, few)?.into_iter().map(|postings| postings.is_none());
    let spoken: Vec<bool> = FUNCTION_WORDS
        .iter()
        .map(|words| is_common.by_ref().take(words.len()).filter(|is_common| *is_common).count() > 0)
        .collect();
    Ok(if spoken.contains(&true) { spoken } else { vec![true; spoken.len()] })
}

fn form(new: &Translation) -> Form {
    Form {
        hash: term_hash(&new.term),
        term: new.term.clone(),
        weight: WEIGHT * new.surely,
        kind: FormKind::Translation,
    }
}

/// Words of a language, and the pairs of characters that are of a word of the table; no name, which any language has as it is.
fn may_be_translated(query: &QueryPlan, term: &QueryTerm, speech: &Speech<'_>) -> bool {
    let is_name = || {
        let german = query.languages.contains(&Language::German);
        term.surface.starts_with(char::is_uppercase) && !german && !query.text.trim_start().starts_with(&term.surface)
    };
    match term.kind {
        TermKind::Word => !term.in_time && !is_name(),
        TermKind::Pair => !term.in_time && speech.word_with(&term.surface).is_some(),
        _ => false,
    }
}

fn is_word(term: &QueryTerm) -> bool {
    term.kind == TermKind::Word
}

fn translated(concept: &Concept, speech: &Speech<'_>, spoken: &[bool]) -> Vec<Translation> {
    let surface = concept.surface.as_str();
    // A pair of characters stands for the word that it is of.
    let word = if surface.chars().nth(2).is_none() { speech.word_with(surface) } else { None };
    speech.translations(word.unwrap_or(surface), |at| spoken[at])
}
