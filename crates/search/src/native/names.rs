//! Which spellings of a name an index holds, and as a name: what is written small anywhere is a word.

use std::collections::{BTreeSet, HashMap};

use super::candidates::Scope;
use model::error::Result;
use store::{chunks::ChunkRow, ids::ChunkId, lexical::Term};
use text::{fold::fold, transliteration::Alphabet};

/// Chunks that a name may stand in. All are read, because it must be written like one in each.
const MOST_CHUNKS: usize = 512;
/// Letters that may stand behind a stem: Priya's, Kowalczyka …
const ENDING: usize = 2;
/// … and where names are declined: Натальей.
const DECLINED_ENDING: usize = 3;

/// Of each term, in how many chunks it stands, where these write it like a name; none where they do not, or there are none.
///
/// # Errors
/// When the database cannot be read, or the call was cancelled.
pub(super) fn held_as_names(scope: &Scope<'_>, terms: &[&str]) -> Result<Vec<Option<usize>>> {
    let asked: Vec<Vec<Term<'_>>> = terms.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    let postings = scope.reader.postings(scope.generation, &asked, MOST_CHUNKS)?;
    let found: Vec<Vec<ChunkId>> =
        postings.into_iter().map(|chunks| chunks.into_iter().flatten().flatten().collect()).collect();
    let all: BTreeSet<ChunkId> = found.iter().flatten().copied().collect();
    let all: Vec<ChunkId> = all.into_iter().collect();
    let rows: HashMap<ChunkId, ChunkRow> = scope.reader.chunks(&all)?.into_iter().map(|row| (row.id, row)).collect();
    let held = |(term, chunks): (&&str, Vec<ChunkId>)| {
        is_name(term, chunks.iter().filter_map(|id| rows.get(id))).then_some(chunks.len())
    };
    Ok(terms.iter().zip(found).map(held).collect())
}

/// Whether chunks write a term like a name, always with a capital letter where its script has any.
fn is_name<'r>(term: &str, rows: impl Iterator<Item = &'r ChunkRow>) -> bool {
    let alphabet = Alphabet::of(term);
    if alphabet.is_some_and(|alphabet| !alphabet.has_case()) {
        return rows.count() > 0;
    }
    let length = term.chars().count();
    let is_declined = matches!(alphabet, Some(Alphabet::Cyrillic | Alphabet::Greek));
    let longest = length + if is_declined { DECLINED_ENDING } else { ENDING };
    let mut is_found = false;
    for row in rows {
        for word in row.text.split(|c: char| !c.is_alphanumeric()) {
            let letters = word.chars().count();
            if (length..=longest).contains(&letters) && fold(word).starts_with(term) {
                if !word.starts_with(char::is_uppercase) {
                    return false;
                }
                is_found = true;
            }
        }
    }
    is_found
}
