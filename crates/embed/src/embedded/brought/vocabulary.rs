//! The pieces of a tokenizer, found by their spelling. 250,000 of them take some 7 MB and 30 ms to build; the
//! `tokenizers` crate needs 570 MB and seconds for as many.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Pieces by spelling.
pub(super) struct Vocabulary {
    text: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Characters of the longest piece.
    longest: usize,
}

impl Vocabulary {
    /// Pieces that lie one after the other in `text`, each up to its end; one without letters is never found.
    ///
    /// None when the ends do not fit the text.
    pub(super) fn new(text: &[u8], ends: &[u32]) -> Option<Self> {
        let mut begin = 0;
        let (mut known, mut longest) = (Vec::with_capacity(ends.len()), 0);
        for (id, &end) in (0_u32..).zip(ends) {
            let spelling = std::str::from_utf8(text.get(begin as usize..end as usize)?).ok()?;
            if !spelling.is_empty() {
                longest = longest.max(spelling.chars().count());
                known.push(id);
            }
            begin = end;
        }
        let (text, ends) = (text.to_vec(), ends.to_vec());
        let hasher = DefaultHashBuilder::default();
        let mut table = HashTable::with_capacity(known.len());
        for id in known {
            let hash = |id: &u32| hasher.hash_one(spelling(&text, &ends, *id));
            table.insert_unique(hash(&id), id, hash);
        }
        Some(Self { text, ends, table, hasher, longest })
    }

    /// The piece of this spelling.
    pub(super) fn find(&self, spelled: &str) -> Option<u32> {
        let found = self.table.find(self.hasher.hash_one(spelled.as_bytes()), |&id| {
            spelling(&self.text, &self.ends, id) == spelled.as_bytes()
        });
        found.copied()
    }

    /// The pieces that `text` begins with, shortest first, each with its bytes.
    pub(super) fn prefixes<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (u32, usize)> + 'a {
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(self.longest);
        ends.filter_map(move |end| Some((self.find(&text[..end])?, end)))
    }

    /// Characters of the longest piece.
    pub(super) const fn longest(&self) -> usize {
        self.longest
    }
}

fn spelling<'a>(text: &'a [u8], ends: &[u32], id: u32) -> &'a [u8] {
    let id = id as usize;
    let begin = if id == 0 { 0 } else { ends[id - 1] as usize };
    &text[begin..ends[id] as usize]
}
