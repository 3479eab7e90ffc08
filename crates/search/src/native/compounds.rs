//! Words made of words: whoever asks for a "Termin" means the "Zahnarzttermin" too. Where a word of a language that joins words
//! stands in few passages, those are looked up whose long words begin or end with its letters, and their words are read.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    candidates::Scope,
    misspelt::{in_few_chunks, own},
    plan::{Form, FormKind, Plan},
};
use model::error::Result;
use store::{ids::ChunkId, lexical::Term};
use text::{
    compound::{ends, terms_of},
    language::Language,
    lexicon::term_hash,
    query::{QueryPlan, QueryTerm, TermKind},
};

/// Passages that hold a word itself: where there are more, it needs no other words to be found.
const FEW: usize = 8;
/// Words of a query that are looked for so.
const MOST_WORDS: usize = 3;
/// Terms of a word that are looked for: as typed, and by its stems.
const MOST_TERMS: usize = 3;
/// Chunks that an end may stand in. All are read.
const MOST_CHUNKS: usize = 256;
/// Compounds that may stand for a word.
const MOST_COMPOUNDS: usize = 6;
/// Weight of a compound: it means more than the word.
const WEIGHT: f32 = 0.6;

/// Gives the words of a plan that few passages hold the compounds that begin or end with them.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn join(plan: &mut Plan, scope: &Scope<'_>) -> Result<()> {
    let query = Arc::clone(&plan.query);
    let languages = languages_of(&query);
    if languages.is_empty() {
        return Ok(());
    }
    for concept in in_few_chunks(plan, &query, scope, may_be_part, FEW)?.take(MOST_WORDS) {
        let parts: Vec<&str> = own(&concept.forms).take(MOST_TERMS).map(|form| form.term.as_str()).collect();
        let compounds = of(scope, &parts, &languages, WEIGHT)?;
        concept.add(compounds);
    }
    Ok(())
}

/// The languages that join words which a query may be in.
fn languages_of(query: &QueryPlan) -> Vec<Language> {
    let may_be = |language: &Language| query.languages.is_empty() || query.languages.contains(language);
    Language::ALL.into_iter().filter(|language| language.joins_words() && may_be(language)).collect()
}

fn may_be_part(term: &QueryTerm) -> bool {
    term.kind == TermKind::Word && !term.in_time && term.surface.chars().all(char::is_alphabetic)
}

/// The compounds that begin or end with any term of a word: the more frequent first.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn of(scope: &Scope<'_>, parts: &[&str], languages: &[Language], weight: f32) -> Result<Vec<Form>> {
    let ends: BTreeSet<String> = parts.iter().filter_map(|part| ends(part)).flatten().collect();
    let asked: Vec<Vec<Term<'_>>> = ends.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    let postings = scope.reader.postings(scope.generation, &asked, MOST_CHUNKS)?;
    let found: BTreeSet<ChunkId> =
        postings.into_iter().flatten().flatten().flatten().filter(|id| scope.has(*id)).collect();
    let found: Vec<ChunkId> = found.into_iter().collect();
    let mut holders: BTreeMap<String, usize> = BTreeMap::new();
    for row in scope.reader.chunks(&found)? {
        let words: BTreeSet<&str> = row.text.split(|c: char| !c.is_alphanumeric()).collect();
        let terms = words.iter().flat_map(|word| terms_of(word, parts, languages));
        for term in terms.collect::<BTreeSet<String>>() {
            *holders.entry(term).or_default() += 1;
        }
    }
    let mut terms: Vec<(Reverse<usize>, String)> =
        holders.into_iter().map(|(term, holders)| (Reverse(holders), term)).collect();
    terms.sort_unstable();
    let terms = terms.into_iter().map(|(_, term)| term).take(MOST_COMPOUNDS);
    Ok(terms.map(|term| Form { hash: term_hash(&term), term, weight, kind: FormKind::Compound }).collect())
}
