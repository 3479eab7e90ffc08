//! Numbers, identifiers and names of a question that few facts hold: vectors hardly tell one of them from another.

use std::collections::HashMap;

use crate::capture::facts::Fact;
use text::{fold::fold, words::words};

/// Words of a question that are looked for, at most.
const MOST_WORDS: usize = 16;
/// A word says which facts are meant where this many of them hold it at most, or this share.
const FEW: usize = 3;
const FEW_SHARE: usize = 20;
/// How much of what is missing to the highest score a fact gets that holds all of these words.
const WEIGHT: f64 = 0.5;

/// Which of the exact words of a question each fact holds.
pub(super) struct Exact {
    /// One bit a word, one number a fact.
    held: Vec<u32>,
    /// How many words some fact holds.
    count: u32,
}

impl Exact {
    /// Looks for the exact words of a question in facts.
    pub(super) fn of(query: &str, facts: &[Fact]) -> Self {
        let asked: Vec<&str> =
            words(query).filter(|word| has_digit(word) || is_capital(word)).take(MOST_WORDS).collect();
        let bits: HashMap<String, usize> = asked.iter().enumerate().map(|(bit, word)| (fold(word), bit)).collect();
        let mut held = vec![0_u32; facts.len()];
        if bits.is_empty() {
            return Self { held, count: 0 };
        }
        let mut is_exact = [true; MOST_WORDS];
        let mut holders = [0_usize; MOST_WORDS];
        for (mask, fact) in held.iter_mut().zip(facts) {
            for word in words(&fact.text) {
                let Some(bit) = bits.get(&fold(word)).copied() else { continue };
                // A word that is no number is a name where everybody writes it like one.
                if let Some(is_exact) = is_exact.get_mut(bit) {
                    *is_exact &= has_digit(word) || is_capital(word);
                }
                if let Some(holders) = holders.get_mut(bit).filter(|_| *mask & (1 << bit) == 0) {
                    *holders += 1;
                }
                *mask |= 1 << bit;
            }
        }
        let most = FEW.max(facts.len() / FEW_SHARE);
        let counts = |bit: &usize| {
            is_exact.get(*bit) == Some(&true) && holders.get(*bit).is_some_and(|n| (1..=most).contains(n))
        };
        let kept = (0..MOST_WORDS).filter(counts).fold(0_u32, |kept, bit| kept | 1 << bit);
        held.iter_mut().for_each(|mask| *mask &= kept);
        Self { held, count: kept.count_ones() }
    }

    /// Where a fact of some score stands among others, with the words that it holds.
    pub(super) fn rank(&self, fact: usize, score: f64) -> (f64, u32) {
        let held = self.held.get(fact).copied().unwrap_or_default();
        let share = f64::from(held.count_ones()) / f64::from(self.count.max(1));
        (score + (1.0 - score) * WEIGHT * share, held)
    }
}

fn has_digit(word: &str) -> bool {
    word.chars().any(char::is_numeric)
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}
