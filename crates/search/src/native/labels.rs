//! Lines that are labelled with a word of the query: who says them, or what they tell.

use std::collections::HashSet;

use super::{
    lines::{Line, Lines},
    plan::Plan,
};
use text::{fold::fold, query::TermKind, words::words};

/// Words of the query that may label a line.
pub(super) struct LabelWords(HashSet<String>);

impl LabelWords {
    /// Of a query.
    pub(super) fn of(plan: &Plan) -> Self {
        let words = plan.query.terms.iter().filter(|t| matches!(t.kind, TermKind::Word | TermKind::Name));
        Self(words.map(|term| fold(&term.surface)).collect())
    }

    /// Whether the words of the label of a line are all in the query.
    pub(super) fn names(&self, line: &Line<'_>) -> bool {
        !self.0.is_empty() && line.label.is_some_and(|label| self.holds(&fold(label)))
    }

    fn holds(&self, label: &str) -> bool {
        let mut words = words(label).peekable();
        words.peek().is_some() && words.all(|word| self.0.contains(word))
    }

    /// The words of the query that label some line.
    pub(super) fn that_label(&self, lines: &Lines<'_>) -> HashSet<String> {
        let labels: HashSet<&str> = lines.lines.iter().filter_map(|line| line.label).collect();
        let labels = labels.into_iter().map(fold).filter(|label| self.holds(label));
        labels.flat_map(|label| words(&label).map(str::to_owned).collect::<Vec<_>>()).collect()
    }
}
