//! Which lines of a passage are meant: it says more than what was asked for.

use std::collections::{BTreeMap, BTreeSet};

use text::{analyze::Analyzer, fold::fold, query::understand, words::words};

/// Which lines of a passage are meant.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice<'a> {
    /// Those that a search showed.
    pub(super) shown: Option<&'a str>,
    /// What the search was about.
    pub(super) asked: Option<&'a Asked>,
    /// The line that the search finds best in it.
    pub(super) best: Option<&'a str>,
}

/// What a search was about: its words without those of the grammar, each as it is written and in the forms that a search compares.
pub(super) struct Asked(Vec<BTreeSet<String>>);

impl Asked {
    /// Of the words of a search.
    pub(super) fn of(query: &str) -> Self {
        let forms = understand(query, 0, "UTC").terms.into_iter().map(|term| {
            let spelled = term.alternatives.into_iter().map(|form| form.term);
            spelled.chain([fold(&term.surface)]).collect()
        });
        Self(forms.collect())
    }

    /// Whether a text holds one of the words.
    pub(super) fn is_held(&self, text: &str) -> bool {
        self.held(text, &mut Analyzer::new()) > 0
    }

    /// Each word in its forms.
    pub(super) fn words(&self) -> &[BTreeSet<String>] {
        &self.0
    }

    /// Whether so many are most of the words.
    pub(super) fn is_most(&self, held: usize) -> bool {
        held * 2 > self.0.len()
    }

    /// Whether a text holds most of the words.
    pub(super) fn is_mostly_held(&self, text: &str, analyzer: &mut Analyzer) -> bool {
        self.is_most(self.held(text, analyzer))
    }

    /// How many of the words a text holds.
    fn held(&self, text: &str, analyzer: &mut Analyzer) -> usize {
        let own: BTreeSet<String> = words(text).map(fold).chain(analyzer.terms(text)).collect();
        self.0.iter().filter(|forms| !forms.is_disjoint(&own)).count()
    }

    /// Keeps the lines that hold most of the words, the one that the search finds `best` when none holds any, as when only the
    /// meaning was the same, and all of them where it does not tell.
    pub(super) fn keep_best<K: Ord>(&self, lines: &mut BTreeMap<K, String>, best: Option<&str>) {
        let mut analyzer = Analyzer::new();
        let held: Vec<usize> = lines.values().map(|line| self.held(line, &mut analyzer)).collect();
        let most = held.iter().copied().max().unwrap_or(0);
        if most > 0 {
            let mut held = held.into_iter();
            lines.retain(|_, _| held.next().is_some_and(|count| count * 2 > most));
            return;
        }
        let is_best = |line: &str| best.is_some_and(|best| best.trim() == line.trim());
        if lines.values().any(|line| is_best(line)) {
            lines.retain(|_, line| is_best(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // "My cat is called Pixel" took "My therapist is called Dr Vogel" along: it shares "my", "is" and "called".
    #[test]
    fn words_of_the_grammar_choose_no_line() {
        let mut lines: BTreeMap<usize, String> = [
            "- [entity] My therapist is called Dr Vogel and I see him on Mondays.",
            "- [entity] My cat is called Pixel.",
            "- [fact] I am in Porto.",
        ]
        .into_iter()
        .map(str::to_owned)
        .enumerate()
        .collect();
        Asked::of("My cat is called Pixel").keep_best(&mut lines, None);
        assert_eq!(lines.into_keys().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn words_are_found_inflected_and_without_spaces_between_them() {
        for (asked, line) in [
            ("gatos", "O meu gato chama-se Faísca."),
            ("京都の旅館", "旅館は京都にあります。"),
            ("Häuser", "Das Haus am See."),
        ] {
            assert!(Asked::of(asked).is_held(line), "{asked}");
        }
        assert!(!Asked::of("where do I live in Porto").is_held("Ana. Timezone Europe/Lisbon."));
    }
}
