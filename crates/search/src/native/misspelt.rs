//! Names with one wrong letter: `Prya`, `Kowalczik`. For a word that the index does not know, every spelling one letter
//! away is looked up: some hundred look-ups whatever the size of the index, and no list of its words.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use super::{
    candidates::Scope,
    names::held_as_names,
    plan::{Concept, Form, FormKind, Plan},
};
use model::error::Result;
use store::lexical::Term;
use text::{
    lexicon::term_hash,
    query::{QueryPlan, QueryTerm, TermKind},
    thesaurus,
};

/// Shortest word that is corrected, in letters.
const SHORTEST: usize = 4;
/// From here on any letter may be another one: a shorter word becomes too many other names that way.
const LONG: usize = 5;
/// Longest word that is corrected: longer ones are no names.
const LONGEST: usize = 20;
/// Unknown words of a query that are corrected: more of them are another language.
const MOST_WORDS: usize = 3;
/// Terms of a word that are varied: as typed, and by its stems.
const MOST_TERMS: usize = 3;
/// Names that may stand for a word.
const MOST_NAMES: usize = 3;
/// Weight of a name that is one letter away from what was typed …
const WEIGHT: f32 = 0.7;
/// … and of one that begins with another letter, which people seldom get wrong.
const OTHER_FIRST: f32 = 0.5;

/// Gives the words of a plan that the index does not know the names that they may be meant for.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn correct(plan: &mut Plan, scope: &Scope<'_>) -> Result<()> {
    let query = Arc::clone(&plan.query);
    let unknown: Vec<&mut Vec<Form>> = in_few_chunks(plan, &query, scope, may_be_misspelt, 0)?
        .take(MOST_WORDS)
        .map(|concept| &mut concept.forms)
        .collect();
    let names = names_near(scope, &unknown)?;
    for (forms, names) in unknown.into_iter().zip(names) {
        forms.extend(names);
    }
    Ok(())
}

/// Those words of a plan that no more than `most` chunks hold as typed.
pub(super) fn in_few_chunks<'p>(
    plan: &'p mut Plan,
    query: &QueryPlan,
    scope: &Scope<'_>,
    is_meant: impl Fn(&QueryTerm) -> bool,
    most: usize,
) -> Result<impl Iterator<Item = &'p mut Concept>> {
    let words = plan.concepts.iter_mut().zip(&query.terms).filter(|(_, term)| is_meant(term));
    let words: Vec<&mut Concept> = words.map(|(concept, _)| concept).collect();
    let asked: Vec<Vec<Term<'_>>> = words
        .iter()
        .map(|concept| own(&concept.forms).map(|form| Term { text: &form.term, is_required: true }).collect())
        .collect();
    // One more than that is enough to know: a common word has thousands.
    let few: Vec<bool> =
        scope.reader.postings(scope.generation, &asked, most)?.into_iter().map(|postings| postings.is_some()).collect();
    drop(asked);
    Ok(words.into_iter().zip(few).filter_map(|(concept, few)| few.then_some(concept)))
}

/// The spellings of what was typed.
pub(super) fn own(forms: &[Form]) -> impl Iterator<Item = &Form> {
    forms.iter().filter(|form| form.kind == FormKind::Own)
}

/// Whether a word may be a mistyped name: no time, number or identifier, and no word of the language.
fn may_be_misspelt(term: &QueryTerm) -> bool {
    term.kind == TermKind::Word
        && !term.in_time
        && (SHORTEST..=LONGEST).contains(&term.surface.chars().count())
        && term.surface.chars().all(char::is_alphabetic)
        && !thesaurus::knows(&term.surface.to_lowercase())
}

/// For each word, the names one letter away from any of its terms: those that begin like it first, then the more frequent.
fn names_near(scope: &Scope<'_>, words: &[&mut Vec<Form>]) -> Result<Vec<Vec<Form>>> {
    let spellings: Vec<(usize, String)> =
        words.iter().enumerate().flat_map(|(word, forms)| spellings_near(word, forms)).collect();
    let terms: Vec<&str> = spellings.iter().map(|(_, term)| term.as_str()).collect();
    let held = held_as_names(scope, &terms)?;
    let mut names: Vec<Vec<(bool, Reverse<usize>, &str)>> = vec![Vec::new(); words.len()];
    for ((word, term), chunks) in spellings.iter().zip(held) {
        if let Some(chunks) = chunks {
            let mut typed = own(words[*word]).take(MOST_TERMS);
            let other_first = typed.all(|form| form.term.chars().next() != term.chars().next());
            names[*word].push((other_first, Reverse(chunks), term));
        }
    }
    let forms = |mut names: Vec<(bool, Reverse<usize>, &str)>| {
        names.sort_unstable();
        let forms = names.into_iter().take(MOST_NAMES).map(|(other_first, _, term)| Form {
            hash: term_hash(term),
            term: term.to_owned(),
            weight: if other_first { OTHER_FIRST } else { WEIGHT },
            kind: FormKind::Misspelt,
        });
        forms.collect()
    };
    Ok(names.into_iter().map(forms).collect())
}

/// The spellings that a word may be meant for, with its number.
fn spellings_near(word: usize, forms: &[Form]) -> impl Iterator<Item = (usize, String)> + use<> {
    let near: BTreeSet<String> = own(forms).take(MOST_TERMS).flat_map(|form| one_letter_away(&form.term)).collect();
    near.into_iter().map(move |spelling| (word, spelling))
}

/// The spellings one letter away: two letters swapped, one left out, one too many, one another.
fn one_letter_away(term: &str) -> BTreeSet<String> {
    let letters: Vec<char> = term.chars().collect();
    let Some(alphabet) = letters.first().and_then(|first| alphabet_of(*first)) else { return BTreeSet::new() };
    let mut near = BTreeSet::new();
    let mut add = |head: &[char], middle: &[char], tail: &[char]| {
        near.insert([head, middle, tail].into_iter().flatten().collect::<String>());
    };
    for at in 0..=letters.len() {
        let (head, tail) = letters.split_at(at);
        if let [a, b, rest @ ..] = tail {
            add(head, &[*b, *a], rest);
        }
        if let [_, rest @ ..] = tail {
            add(head, &[], rest);
        }
        for letter in alphabet.clone() {
            add(head, &[letter], tail);
            if let [_, rest @ ..] = tail
                && letters.len() >= LONG
            {
                add(head, &[letter], rest);
            }
        }
    }
    near.remove(term);
    near
}

/// The letters of the script that a letter belongs to, as terms hold them.
fn alphabet_of(letter: char) -> Option<std::ops::RangeInclusive<char>> {
    ['a'..='z', 'α'..='ω', 'а'..='я'].into_iter().find(|alphabet| alphabet.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_swapped_missing_too_many_or_another() {
        let near = |term: &str, other: &str| one_letter_away(term).contains(other);
        for (typed, meant) in
            [("kowalczik", "kowalczyk"), ("prya", "priya"), ("jhon", "john"), ("annna", "anna"), ("сергеи", "сергей")]
        {
            assert!(near(typed, meant), "{typed} {meant}");
        }
        // Not the word itself, not two letters away, and of four letters none may be another one.
        for (typed, other) in [("kowalczik", "kowalczik"), ("kowalczik", "kowalsyk"), ("lena", "lina"), ("田中", "田")]
        {
            assert!(!near(typed, other), "{typed} {other}");
        }
    }
}
