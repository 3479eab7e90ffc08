//! Whether two facts say the same: equal but for spelling, or nearly so.

use std::collections::{BTreeMap, BTreeSet};

use text::{analyze::Analyzer, fold::fold, shown::decoded};

/// Similarity from which two facts are one (M4).
pub(crate) const NEAR: f64 = 0.95;

/// Similarity from which two statements are about the same.
const ALIKE: f64 = 0.9;
/// Terms that two statements must have besides numbers to speak of one thing.
const LEAST_SUBJECT: usize = 2;

/// Letters that two forms of one word share at their beginning, and most that follow.
const LEAST_STEM: usize = 5;
const MOST_ENDING: usize = 3;

/// Words that turn a sentence around; facts that differ in one of them are different facts.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "don't",
    "dont",
    "doesn't",
    "isn't",
    "can't",
    "won't",
    "without",
    "nao",
    "não",
    "nunca",
    "sem",
    "sin",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "nie",
    "ohne",
    "pas",
    "jamais",
    "sans",
    "non",
    "mai",
    "senza",
    "niet",
    "geen",
    "nooit",
    "ne",
    "не",
    "никогда",
    "без",
];

/// The same in scripts without spaces.
const DENSE_NEGATIONS: &[&str] = &["不", "没", "沒", "别", "別", "ない", "ません", "않", "안 ", "못"];

/// What a fact is compared by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fingerprint {
    /// Words in order, without case, accents and punctuation.
    plain: String,
    /// Content terms with their numbers.
    terms: BTreeMap<String, u32>,
    /// What must be equal in both: words with digits, and negations.
    fixed: BTreeSet<String>,
}

/// Makes fingerprints; knows the words it has seen.
#[derive(Default)]
pub(crate) struct Comparer {
    analyzer: Analyzer,
}

impl Comparer {
    /// The fingerprint of a fact, or of a line of a note that states one.
    pub(crate) fn fingerprint(&mut self, text: &str) -> Fingerprint {
        let text = decoded(without_list_mark(text));
        let text = text.as_ref();
        let words = || text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
        let mut fixed: BTreeSet<String> = words()
            .map(str::to_lowercase)
            .filter(|w| w.chars().any(char::is_numeric) || NEGATIONS.contains(&w.as_str()))
            .collect();
        fixed.extend(DENSE_NEGATIONS.iter().filter(|n| text.contains(**n)).map(|n| (*n).to_owned()));
        let mut terms = BTreeMap::new();
        for term in self.analyzer.terms(text) {
            *terms.entry(term).or_insert(0) += 1;
        }
        Fingerprint { plain: words().map(fold).collect::<Vec<_>>().join(" "), terms, fixed }
    }
}

impl Fingerprint {
    /// Whether both say the same.
    #[must_use]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        if self.plain.is_empty() || other.plain.is_empty() {
            return false;
        }
        self.plain == other.plain || (self.agrees(other) && cosine(&self.terms, &other.terms) >= NEAR)
    }

    /// Whether both say the same but for some words: nearly all terms are shared, and numbers and negations are equal.
    #[must_use]
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        self.is_same(other) || (self.agrees(other) && cosine(&self.terms, &other.terms) >= ALIKE)
    }

    /// Whether both speak of the same and differ in a number or a negation: then one of them is out of date.
    #[must_use]
    pub(crate) fn says_otherwise(&self, other: &Self) -> bool {
        let without_numbers = |terms: &BTreeMap<String, u32>| -> BTreeMap<String, u32> {
            terms.iter().filter(|(term, _)| !term.chars().any(char::is_numeric)).map(|(t, n)| (t.clone(), *n)).collect()
        };
        if self.agrees(other) {
            return false;
        }
        let (own, others) = (without_numbers(&self.terms), without_numbers(&other.terms));
        own.len() >= LEAST_SUBJECT && cosine(&own, &others) >= ALIKE
    }

    /// Whether every term of this stands in the other, whatever its ending, and numbers and negations are equal.
    #[must_use]
    pub(crate) fn adds_nothing_to(&self, other: &Self) -> bool {
        let is_in = |term: &String| other.terms.contains_key(term) || other.terms().any(|own| is_kin(term, own));
        self.terms.len() >= LEAST_SUBJECT && self.agrees(other) && self.terms.keys().all(is_in)
    }

    /// Words with digits, and negations.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = &str> {
        self.fixed.iter().map(String::as_str)
    }

    /// The content terms, in alphabetical order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().map(String::as_str)
    }

    /// How many words both share, 0–1.
    #[must_use]
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        cosine(&self.terms, &other.terms)
    }

    /// Whether numbers and negations are equal, so that texts alike in everything else are one fact.
    #[must_use]
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        self.fixed == other.fixed
    }
}

/// Whether two terms are one word with another ending, as "allergic" and "allergy".
fn is_kin(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    shared >= LEAST_STEM && longest - shared <= MOST_ENDING
}

/// Takes off the list mark and the category that we put before a fact.
#[must_use]
pub(crate) fn without_list_mark(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((label, rest)) if label.chars().all(|c| c.is_ascii_lowercase()) => rest,
        _ => line,
    }
}

fn cosine(a: &BTreeMap<String, u32>, b: &BTreeMap<String, u32>) -> f64 {
    let dot: u32 = a.iter().filter_map(|(term, n)| b.get(term).map(|m| n * m)).sum();
    let length = |terms: &BTreeMap<String, u32>| f64::from(terms.values().map(|n| n * n).sum::<u32>()).sqrt();
    let lengths = length(a) * length(b);
    if lengths > 0.0 { f64::from(dot) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_makes_no_new_fact_and_numbers_and_negations_do() {
        let mut comparer = Comparer::default();
        let mut same = |a: &str, b: &str| {
            let a = comparer.fingerprint(a);
            a.is_same(&comparer.fingerprint(b))
        };
        assert!(same("I prefer tea over coffee", "- [preference] i PREFER tea, over coffee!"));
        assert!(same("The invoices are stored in the blue folder", "the invoice is stored in the blue folders"));
        assert!(!same("I like coriander in soups and salads", "I don't like coriander in soups and salads"));
        assert!(!same("My phone number is 912345678", "My phone number is 912345679"));
        assert!(!same("I prefer tea", "I prefer coffee"));
        assert!(same("我喜欢喝绿茶", "我喜欢喝绿茶。"));
        assert!(!same("我喜欢喝绿茶", "我不喜欢喝绿茶"));
        assert!(!same("", ""));
    }
}
