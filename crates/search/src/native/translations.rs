//! Notes in one language, a question in another: words that few passages hold are looked for in other languages too.

use std::sync::Arc;

use super::{
    candidates::Scope,
    compounds,
    misspelt::in_few_chunks,
    plan::{Concept, Form, FormKind, Plan, word_of},
};
use model::error::Result;
use store::{Reader, generations::GenerationId};
use text::{
    language::Language,
    lexicon::term_hash,
    query::{QueryTerm, TermKind},
    translations::{ENGLISH, FUNCTION_WORDS, Speech, Translation},
};

/// Passages that hold a word itself: where there are more, the notes are in its language.
const FEW: usize = 8;
/// Of so many passages one holds a function word of a language that the notes are in.
const SHARE: u64 = 20;
/// The same of one that some notes are in.
const SPOKEN_SHARE: u64 = 100;
/// So many say the same, however many there are.
const MANY: u64 = 1000;
/// Languages beside that of a question that are looked in.
const MOST_BESIDE: usize = 3;
/// Function words that tell of each: one may be a word of another language too, as Spanish "dos".
const WORDS_BESIDE: usize = 2;
/// Words of a query that are translated.
const MOST_WORDS: usize = 16;
/// Weight of a word of another language: it may mean other things too.
const WEIGHT: f32 = 0.7;
/// Weight of a word that is made of one of another language.
const COMPOUND_WEIGHT: f32 = 0.45;
/// The languages of the table that join words.
const JOINED: [Language; 3] = [Language::German, Language::Dutch, Language::Swedish];

/// Gives the words of a plan that few passages hold those of other languages that mean the same. `told` is the query, where
/// something tells its language.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn add(plan: &mut Plan, scope: &Scope<'_>, told: Option<&Speech<'_>>) -> Result<()> {
    let query = Arc::clone(&plan.query);
    if told.is_none() && in_few_chunks(plan, &query, scope, is_word, 0)?.next().is_none() {
        return Ok(());
    }
    let found;
    let speech = if let Some(told) = told {
        told
    } else {
        found = Speech::of(&query);
        &found
    };
    plan.is_foreign = is_foreign(scope.reader, scope.generation, speech)?;
    let Some(is_foreign) = plan.is_foreign else { return Ok(()) };
    let is_meant = |term: &QueryTerm| word_of(&query, term, speech).is_some();
    let rare: Vec<&mut Concept> = in_few_chunks(plan, &query, scope, is_meant, FEW)?.take(MOST_WORDS).collect();
    if rare.is_empty() {
        return Ok(());
    }
    let spoken = if is_foreign {
        spoken(scope.reader, scope.generation)?
    } else if let Some(others) = spoken_beside(scope.reader, scope.generation, speech)? {
        others
    } else {
        return Ok(());
    };
    let found: Vec<Vec<Translation>> = rare.iter().map(|concept| translated(concept, speech, &spoken)).collect();
    let asked: Vec<&str> = found.iter().flatten().map(|new| new.term.as_str()).collect();
    let mut is_there = scope.reader.are_common(scope.generation, &asked, 0)?.into_iter();
    for (concept, found) in rare.into_iter().zip(&found) {
        concept.is_translated = !found.is_empty();
        let joined = found.iter().filter(|new| new.language.is_some_and(Language::joins_words));
        let parts: Vec<&str> = joined.map(|new| new.term.as_str()).collect();
        concept.add(found.iter().filter(|_| is_there.next() == Some(true)).map(form));
        if !parts.is_empty() {
            concept.add(compounds::of(scope, &parts, &JOINED, COMPOUND_WEIGHT)?);
        }
    }
    if !is_foreign {
        // The lines that are found tell whether they could hold the other words.
        plan.is_foreign = None;
    }
    Ok(())
}

/// Whether no notes are in the language of a question; none where that is not known.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub fn is_foreign(reader: &Reader<'_>, generation: GenerationId, speech: &Speech<'_>) -> Result<Option<bool>> {
    let few = most_of_share(reader, generation, SHARE)?;
    // The first one tells, mostly.
    let mut is_foreign = None;
    for word in speech.function_words() {
        if reader.are_common(generation, &[word], few)?.contains(&true) {
            return Ok(Some(false));
        }
        is_foreign = Some(true);
    }
    let own: Vec<&str> = speech.own_terms().collect();
    if reader.are_common(generation, &own, 0)?.contains(&true) {
        return Ok(Some(false));
    }
    Ok(is_foreign)
}

/// Whether notes in English stand beside those in the language of a question.
///
/// # Errors
/// As [`is_foreign`].
pub fn is_beside_english(reader: &Reader<'_>, generation: GenerationId, speech: &Speech<'_>) -> Result<bool> {
    Ok(spoken_beside(reader, generation, speech)?.is_some_and(|others| others[ENGLISH]))
}

/// Which languages of the table notes are in. Where a few words tell of none, they may be in any.
fn spoken(reader: &Reader<'_>, generation: GenerationId) -> Result<Vec<bool>> {
    let spoken = spoken_by(reader, generation, SPOKEN_SHARE, 1)?;
    Ok(if spoken.contains(&true) { spoken } else { vec![true; spoken.len()] })
}

/// The languages that notes beside those in the language of a question are in; none where they are in no other, or in so
/// many that one of them would nearly always have something on its subject.
fn spoken_beside(reader: &Reader<'_>, generation: GenerationId, speech: &Speech<'_>) -> Result<Option<Vec<bool>>> {
    let mut spoken = spoken_by(reader, generation, SHARE, WORDS_BESIDE)?;
    for (at, is_spoken) in spoken.iter_mut().enumerate() {
        *is_spoken &= !speech.may_be_in(at);
    }
    let count = spoken.iter().filter(|is_spoken| **is_spoken).count();
    Ok((1..=MOST_BESIDE).contains(&count).then_some(spoken))
}

/// Of each language of the table, whether one passage of `share` holds one of its function words, so for `least` of these.
fn spoken_by(reader: &Reader<'_>, generation: GenerationId, share: u64, least: usize) -> Result<Vec<bool>> {
    let few = most_of_share(reader, generation, share)?;
    let is_common = reader.are_common(generation, &FUNCTION_WORDS.concat(), few)?;
    let mut is_common = is_common.into_iter();
    let mut count = |words: &&[&str]| is_common.by_ref().take(words.len()).filter(|is_common| *is_common).count();
    Ok(FUNCTION_WORDS.iter().map(|words| count(words) >= least).collect())
}

/// More passages than so many are one of `share`.
fn most_of_share(reader: &Reader<'_>, generation: GenerationId, share: u64) -> Result<usize> {
    Ok((reader.chunk_count(generation)? / share).min(MANY) as usize)
}

fn form(new: &Translation) -> Form {
    Form {
        hash: term_hash(&new.term),
        term: new.term.clone(),
        weight: WEIGHT * new.surely,
        kind: FormKind::Translation,
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
