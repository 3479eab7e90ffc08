//! What memory holds already, and whether a claim says anything beyond it.
//!
//! Words decide. A model is asked only whether a claim that adds no word of its own to something that is held means the same:
//! by itself it takes "the house on the left" for the one on the right, and Tuesday for Thursday.

use std::collections::HashMap;

use super::{Entry, Input};
use crate::{
    capture::similar::{Comparer, Fingerprint},
    consolidation::{
        claim::sentences_of_note,
        section::{Document, entry_of},
    },
};
use ::search::vector::cosine;

/// Cosine from which two sentences of the same words mean the same.
const SAME: f64 = 0.92;

/// Makes the vectors of sentences: none for all while there is no model, and for one that the model does not understand.
pub(crate) type Embed<'a> = dyn Fn(&[String]) -> Vec<Option<Vec<f32>>> + 'a;

/// Where something is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Our entry of this number.
    Entry(usize),
    /// What the user wrote.
    User,
    Archive,
    /// What somebody took out.
    Withdrawn,
}

struct Known {
    text: String,
    print: Fingerprint,
    place: Place,
}

/// All of it.
pub(super) struct Held {
    known: Vec<Known>,
    /// Where the entries with these marks stand: a model, or somebody, may have put them in other words.
    marks: Vec<(String, Place)>,
    /// The mark of the entry that a run wrote of a claim, where it is not the claim's own.
    written: HashMap<String, String>,
}

/// What sentences mean, as far as somebody had to know.
#[derive(Default)]
pub(super) struct Meaning(HashMap<String, Vec<f32>>);

impl Held {
    /// Our entries, what else stands in the memory files, the archive, and what was taken out.
    pub(super) fn of(input: &Input<'_>, document: &Document<'_>, entries: &[Entry], comparer: &mut Comparer) -> Self {
        let outside = document.outside();
        let own = entries.iter().enumerate().map(|(at, entry)| (entry.text.clone(), Place::Entry(at)));
        let user = [outside.as_str(), input.user].into_iter().flat_map(sentences_of_note);
        let archived: Vec<Entry> = input.archive.lines().filter_map(entry_of).collect();
        let numbered = entries.iter().enumerate().map(|(at, entry)| (entry.id.clone(), Place::Entry(at)));
        let marks = numbered.chain(archived.iter().map(|entry| (entry.id.clone(), Place::Archive))).collect();
        let withdrawn = input.evidence.iter().filter(|found| found.claim.withdrawn);
        let all = own
            .chain(user.map(|sentence| (sentence.text, Place::User)))
            .chain(archived.into_iter().map(|entry| (entry.text, Place::Archive)))
            .chain(withdrawn.map(|found| (found.claim.text.clone(), Place::Withdrawn)));
        let known = all.map(|(text, place)| Known { print: comparer.fingerprint(&text), text, place }).collect();
        Self { known, marks, written: input.written.clone() }
    }

    /// The lines of the user.
    pub(super) fn user(&self) -> impl Iterator<Item = &Fingerprint> {
        self.known.iter().filter(|known| known.place == Place::User).map(|known| &known.print)
    }

    /// Our entries by their number.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &Fingerprint)> {
        self.known.iter().filter_map(|known| match known.place {
            Place::Entry(at) => Some((at, &known.print)),
            _ => None,
        })
    }

    /// Where a claim is held already; none when it is new.
    pub(super) fn place_of(&self, text: &str, print: &Fingerprint, meaning: &Meaning) -> Option<Place> {
        let near = self.known.iter().find(|known| known.print.is_near(print));
        let alike =
            || self.known.iter().find(|known| may_mean(print, &known.print) && meaning.is_same(text, &known.text));
        near.or_else(alike).map(|known| known.place)
    }

    /// Where an entry stands that was written of a claim, whatever its words are now.
    pub(super) fn written_of(&self, claims: &[String]) -> Option<Place> {
        let is_of = |mark: &str, claim: &String| {
            claim.starts_with(mark) || self.written.get(claim).is_some_and(|written| written == mark)
        };
        self.marks.iter().find(|(mark, _)| claims.iter().any(|claim| is_of(mark, claim))).map(|(_, place)| *place)
    }

    /// What has to be known of meanings to judge some claims.
    pub(super) fn meaning<'c>(
        &self,
        claims: impl Iterator<Item = (&'c str, &'c Fingerprint)>,
        embed: &Embed<'_>,
    ) -> Meaning {
        let mut texts: Vec<String> = Vec::new();
        for (text, print) in claims {
            let alike = self.known.iter().filter(|known| !known.print.is_near(print) && may_mean(print, &known.print));
            let before = texts.len();
            texts.extend(alike.map(|known| known.text.clone()));
            if texts.len() > before {
                texts.push(text.to_owned());
            }
        }
        texts.sort_unstable();
        texts.dedup();
        if texts.is_empty() {
            return Meaning::default();
        }
        let vectors = embed(&texts);
        Meaning(texts.into_iter().zip(vectors).filter_map(|(text, vector)| Some((text, vector?))).collect())
    }
}

impl Meaning {
    fn is_same(&self, a: &str, b: &str) -> bool {
        let vectors = self.0.get(a).zip(self.0.get(b));
        vectors.and_then(|(a, b)| cosine(a, b)).is_some_and(|cosine| cosine >= SAME)
    }
}

/// Whether a claim says no more than what is held, by its words.
fn may_mean(claim: &Fingerprint, held: &Fingerprint) -> bool {
    claim.adds_nothing_to(held) && !held.says_otherwise(claim)
}
