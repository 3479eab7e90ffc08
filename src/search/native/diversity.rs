//! No two results that say the same: a note that repeats a transcript, a copied list, a quoted message.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{lines::Lines, passages::Passage};

/// Share of the words of the shorter text that the other must hold to say the same.
const SAME: f64 = 0.85;
/// Fewer distinct words than this are compared as they are: short lines share words by chance.
const FEW: usize = 5;

/// What has been shown.
#[derive(Debug, Default)]
pub struct Shown {
    terms: Vec<HashSet<u32, RandomState>>,
    texts: HashSet<String, RandomState>,
}

impl Shown {
    /// Whether an earlier result says the same as a passage; if none does, the passage counts as shown.
    pub fn repeats(&mut self, passage: &Passage, lines: &Lines<'_>) -> bool {
        let members = || passage.lines.iter().map(|at| &lines.lines[*at]);
        let terms: HashSet<u32, RandomState> = members().flat_map(|line| line.terms.iter()).collect();
        if terms.len() < FEW {
            let text: Vec<&str> = members().map(|line| line.text.trim()).collect();
            return !self.texts.insert(text.join("\n"));
        }
        let same = |other: &HashSet<u32, RandomState>| {
            let shorter = other.len().min(terms.len());
            let shared = other.iter().filter(|term| terms.contains(term)).count();
            shared as f64 >= SAME * shorter as f64
        };
        if self.terms.iter().any(same) {
            return true;
        }
        self.terms.push(terms);
        false
    }
}
