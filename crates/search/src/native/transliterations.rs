//! Names that notes write in another script: `Сергей` for "Sergei", 田中 for "Tanaka". As for one that is misspelt, each way to
//! write it is looked up: some hundred look-ups whatever the size of the index, where it has texts in that script at all.

use std::sync::Arc;

use super::{
    candidates::Scope,
    misspelt::in_few_chunks,
    names::held_as_names,
    plan::{Concept, Form, FormKind, Plan},
};
use model::error::Result;
use text::{
    lexicon::term_hash,
    query::{QueryTerm, TermKind},
    transliteration::{Alphabet, spellings},
};

/// Letters of a name, at least and at most.
const SHORTEST: usize = 3;
const LONGEST: usize = 20;
/// Chunks that hold a word itself: where there are more, it is one of the language of the notes.
const FEW: usize = 8;
/// Words of a query that are looked for in other scripts.
const MOST_WORDS: usize = 4;
/// Spellings of a word that may stand for it.
const MOST_NAMES: usize = 3;
/// Weight of a name in another script.
const WEIGHT: f32 = 0.7;

/// Gives the words of a plan that few passages hold the spellings that they have as names in other scripts.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn add(plan: &mut Plan, scope: &Scope<'_>) -> Result<()> {
    let query = Arc::clone(&plan.query);
    let scripts = scripts(scope)?;
    let may_be_spelt = |term: &QueryTerm| may_be_name(term) && has_another(&term.surface, &scripts);
    let words: Vec<&mut Concept> = in_few_chunks(plan, &query, scope, may_be_spelt, FEW)?.take(MOST_WORDS).collect();
    if words.is_empty() {
        return Ok(());
    }
    let spelt =
        |(at, word): (usize, &&mut Concept)| spellings(&word.surface, &scripts).into_iter().map(move |term| (at, term));
    let spelt: Vec<(usize, String)> = words.iter().enumerate().flat_map(spelt).collect();
    let terms: Vec<&str> = spelt.iter().map(|(_, term)| term.as_str()).collect();
    let held = held_as_names(scope, &terms)?;
    for (at, word) in words.into_iter().enumerate() {
        let names = spelt.iter().zip(&held).filter(|((of, _), chunks)| *of == at && chunks.is_some());
        // The most usual come first.
        word.add(names.take(MOST_NAMES).map(|((_, term), _)| form(term)));
    }
    Ok(())
}

fn form(term: &str) -> Form {
    Form { hash: term_hash(term), term: term.to_owned(), weight: WEIGHT, kind: FormKind::Transliteration }
}

/// The scripts that names are looked for in: those of the notes, as far as that can be told.
fn scripts(scope: &Scope<'_>) -> Result<Vec<Alphabet>> {
    let mut scripts = vec![Alphabet::Latin, Alphabet::Ideographs];
    for alphabet in Alphabet::ASKED_FOR {
        if scope.reader.is_any_held(scope.generation, alphabet.common_terms())? {
            scripts.push(alphabet);
        }
    }
    Ok(scripts)
}

/// Whether there is another script to look for a word in: most notes and questions are in Latin letters alone.
fn has_another(word: &str, scripts: &[Alphabet]) -> bool {
    match Alphabet::of(word) {
        Some(Alphabet::Latin) => {
            Alphabet::ASKED_FOR.iter().any(|script| scripts.contains(script))
                || !spellings(word, &[Alphabet::Ideographs]).is_empty()
        }
        Some(Alphabet::Ideographs) => !spellings(word, &[Alphabet::Latin]).is_empty(),
        Some(_) => true,
        None => false,
    }
}

/// Whether a word may be a name: no time, number or identifier. A name may be a word too; how the notes write it tells.
fn may_be_name(term: &QueryTerm) -> bool {
    let is_of_letters = || {
        (SHORTEST..=LONGEST).contains(&term.surface.chars().count()) && term.surface.chars().all(char::is_alphabetic)
    };
    !term.in_time && (term.kind == TermKind::Pair || term.kind == TermKind::Word && is_of_letters())
}
