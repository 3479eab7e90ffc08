//! Whether two facts say the same: equal but for spelling, or nearly so.

use std::collections::{BTreeMap, BTreeSet};

use text::{
    analyze::Analyzer,
    fold::{fold, plain_apostrophes},
    shown::decoded,
};

/// Similarity from which two facts are one (M4).
pub(crate) const NEAR: f64 = 0.95;

/// Similarity from which two statements are about the same.
const ALIKE: f64 = 0.9;
/// Terms that two statements must have besides numbers to speak of one thing.
const LEAST_SUBJECT: usize = 2;

/// Most words in which two statements of one thing differ that say otherwise of it, or one of which turns around.
const FEW_WORDS: usize = 2;
const FEW_WITH_A_NEGATION: usize = 3;
/// The same in characters, where no spaces stand between words, and the least that both share.
const FEW_DENSE: usize = 6;
const SHARED_DENSE: usize = 3;
/// Words before a place, folded: whatever follows them tells where.
const PLACING: &[&str] = &[
    "in", "at", "near", "on", "em", "no", "na", "en", "bei", "im", "a", "au", "dans", "nel", "nella", "op", "bij",
    "te", "v", "ve", "в", "во", "на",
];

/// Letters that two forms of one word share at their beginning, and most that follow.
const LEAST_STEM: usize = 5;
const MOST_ENDING: usize = 3;

/// Words that turn a sentence around; facts that differ in one of them are different facts.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "dont",
    "without",
    "nobody",
    "nothing",
    "neither",
    "nor",
    "nao",
    "não",
    "nunca",
    "sem",
    "sin",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keinem",
    "nichts",
    "niemand",
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
    /// The same terms as they come.
    order: Vec<String>,
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
        let text = plain_apostrophes(&text);
        let text = text.as_ref();
        let words = || text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
        let mut fixed: BTreeSet<String> = words()
            .map(str::to_lowercase)
            .filter(|w| w.chars().any(char::is_numeric) || w.ends_with("n't") || NEGATIONS.contains(&w.as_str()))
            .collect();
        fixed.extend(DENSE_NEGATIONS.iter().filter(|n| text.contains(**n)).map(|n| (*n).to_owned()));
        let order = self.analyzer.terms(text);
        let mut terms = BTreeMap::new();
        for term in &order {
            *terms.entry(term.clone()).or_insert(0) += 1;
        }
        Fingerprint { plain: words().map(fold).collect::<Vec<_>>().join(" "), terms, order, fixed }
    }
}

/// Whether one of the [`Fingerprint::fixed`] words denies something; the others are numbers.
pub(crate) fn is_negation(fixed: &str) -> bool {
    !fixed.chars().any(char::is_numeric)
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

    /// Whether both say the same but for some words: nearly all terms are shared, in one order, and numbers and negations
    /// are equal.
    #[must_use]
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        let is_alike =
            || self.agrees(other) && cosine(&self.terms, &other.terms) >= ALIKE && self.keeps_order_of(other);
        self.plain == other.plain && !self.plain.is_empty() || is_alike()
    }

    /// Whether what both have in common comes in one order, where a part may have moved from the end to the beginning: "on
    /// Friday we deploy" is "we deploy on Friday", and who reports to whom is not who reports to the other.
    fn keeps_order_of(&self, other: &Self) -> bool {
        let place = |term: &String| other.order.iter().position(|own| own == term || is_kin(own, term));
        let places: Vec<usize> = self.order.iter().filter_map(place).collect();
        let next = places.iter().cycle().skip(1);
        places.iter().zip(next).filter(|(this, next)| this > next).count() <= 1
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

    /// Whether both tell the same of one thing with another value, so that the later one replaces the earlier: "I live in
    /// Lisbon" and "I live in Madrid".
    #[must_use]
    pub(crate) fn differs_in_value(&self, other: &Self) -> bool {
        if self.is_same(other) {
            return false;
        }
        if self.says_otherwise(other) {
            return true;
        }
        let (own, others) = (self.words(), other.words());
        let most = own.len().min(others.len());
        let shared = |(a, b): &(&&str, &&str)| a == b;
        let before = own.iter().zip(&others).take_while(shared).count();
        let behind = own.iter().rev().zip(others.iter().rev()).take(most - before).take_while(shared).count();
        let differing = own.len().max(others.len()) - before - behind;
        if self.plain.chars().any(is_dense) {
            return before + behind >= SHARED_DENSE && differing <= FEW_DENSE;
        }
        let has_one_subject = before > 1 && self.order.first().is_some_and(|first| other.order.first() == Some(first));
        let tells_where =
            before.checked_sub(1).and_then(|last| own.get(last)).is_some_and(|last| PLACING.contains(last));
        let turns_around = !self.agrees(other)
            && differing <= FEW_WITH_A_NEGATION
            && self.terms.keys().any(|t| other.terms.contains_key(t));
        has_one_subject && (differing <= FEW_WORDS || tells_where) || turns_around
    }

    /// Words, and characters where no spaces stand between them.
    fn words(&self) -> Vec<&str> {
        self.plain.split(' ').flat_map(|word| word.split_inclusive(is_dense)).collect()
    }

    /// Whether every term of this stands in the other, whatever its ending, in one order, and numbers and negations are
    /// equal.
    #[must_use]
    pub(crate) fn adds_nothing_to(&self, other: &Self) -> bool {
        let is_in = |term: &String| other.terms.contains_key(term) || other.terms().any(|own| is_kin(term, own));
        let has_subject = self.terms.len() >= LEAST_SUBJECT;
        has_subject && self.agrees(other) && self.terms.keys().all(is_in) && self.keeps_order_of(other)
    }

    /// Words with digits, and negations.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = &str> {
        self.fixed.iter().map(String::as_str)
    }

    /// Whether something is denied.
    pub(crate) fn is_negated(&self) -> bool {
        self.fixed().any(is_negation)
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

fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
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

    #[test]
    fn a_value_that_replaces_another_is_told_from_another_fact() {
        let mut comparer = Comparer::default();
        let mut differs = |a: &str, b: &str| {
            let (a, b) = (comparer.fingerprint(a), comparer.fingerprint(b));
            assert_eq!(a.differs_in_value(&b), b.differs_in_value(&a));
            a.differs_in_value(&b)
        };
        for (a, b) in [
            ("I live in Lisbon.", "- [entity] I live in Madrid."),
            ("I live in Lisbon, in the Rua das Flores.", "I live in Madrid now, in the Calle Mayor."),
            ("Moro em Lisboa", "Moro em Braga"),
            ("Ich wohne in Kiel", "Ich wohne in Bad Segeberg"),
            ("User lives in Porto", "User lives in Braga"),
            ("I take 5 mg of ramipril in the morning.", "I take 10 mg of ramipril in the morning."),
            ("I am a vegetarian.", "I am no longer a vegetarian."),
            ("The meeting with Bosch is on Monday", "The meeting with Bosch is on Tuesday"),
            ("我住在上海", "我住在北京"),
            ("私は東京に住んでいます", "私は大阪に住んでいます"),
        ] {
            assert!(differs(a, b), "{a} / {b}");
        }
        for (a, b) in [
            ("I live in Lisbon.", "i live in lisbon"),
            ("I live in Lisbon.", "I work in Lisbon."),
            ("Ana lives in Porto", "Ben lives in Porto"),
            ("My dog is called Rex", "My cat is called Tom"),
            ("I prefer tea", "My sister lives in Porto"),
        ] {
            assert!(!differs(a, b), "{a} / {b}");
        }
    }

    // Consolidation took "Berg reports to Mara" for a claim that it held already.
    #[test]
    fn who_does_what_to_whom_is_told_by_the_order() {
        let mut comparer = Comparer::default();
        let mut near = |a: &str, b: &str| {
            let (a, b) = (comparer.fingerprint(a), comparer.fingerprint(b));
            assert_eq!(a.is_near(&b), b.is_near(&a));
            (a.is_near(&b), a.adds_nothing_to(&b))
        };
        for (a, b) in [
            ("Mara reports to Berg", "Berg reports to Mara"),
            ("The port of Aveiro lies north of Coimbra", "Coimbra lies north of the port of Aveiro"),
            ("The cat of Mara is afraid of the dog", "The dog of Mara is afraid of the cat"),
        ] {
            assert_eq!(near(a, b), (false, false), "{a}");
        }
        for (a, b) in [
            ("On Friday we deploy the staging server", "We deploy the staging server on Friday"),
            ("Mara reports to Berg", "mara REPORTS to Berg!"),
            ("Release planning uses the staging calendar", "The release planning uses staging calendars"),
        ] {
            assert_eq!(near(a, b), (true, true), "{a}");
        }
    }
}
