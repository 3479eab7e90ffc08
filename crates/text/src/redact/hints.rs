//! Places in a text that may announce a secret: prefixes of tokens, names in many languages, commands.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use unicode_normalization::UnicodeNormalization;

use super::{
    address, blocks,
    labels::{Kind, LABELS},
    tokens::{TOKENS, Token},
};

/// What a place in a text may announce.
#[derive(Clone, Copy)]
pub(super) enum Hint {
    Token(&'static Token),
    Name(Kind),
    Block,
    Address,
    Bot,
    Command(usize),
}

/// A place with what it may announce.
type Hit = (Range<usize>, Hint);

/// The hints that are known; none if they did not compile.
pub(super) static HINTS: LazyLock<Option<Hints>> = LazyLock::new(|| Hints::of(patterns()));

/// Patterns that an automaton finds.
struct Automaton {
    automaton: AhoCorasick,
    /// What each pattern announces.
    of: Vec<Hint>,
}

impl Automaton {
    fn of(patterns: impl Iterator<Item = (String, Hint)>, kind: Option<AhoCorasickKind>) -> Option<Self> {
        let (patterns, of): (Vec<String>, Vec<Hint>) = patterns.unzip();
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(kind)
            .build(patterns)
            .ok()?;
        Some(Self { automaton, of })
    }

    /// Every place in a part of a text, by its end; of those that end together the longest first.
    fn find<'a>(&'a self, text: &'a str, part: Range<usize>) -> impl Iterator<Item = Hit> + 'a {
        let found = self.automaton.find_overlapping_iter(text.get(part.clone()).unwrap_or_default());
        found.filter_map(move |hit| {
            let hint = self.of.get(hit.pattern().as_usize())?;
            Some((part.start + hit.start()..part.start + hit.end(), *hint))
        })
    }
}

/// All hints. A deterministic automaton reads a text four times as quickly and takes megabytes for all scripts. So one reads
/// for those of Latin script (1.5 MB), and the others are looked for only around letters that one of them has.
pub(super) struct Hints {
    latin: Automaton,
    others: Automaton,
    /// Whether a character that begins with this byte stands in one of the others beside Latin ones.
    is_of_others: [bool; 256],
    /// Most bytes of one of the others.
    longest: usize,
}

impl Hints {
    fn of(patterns: Vec<(String, Hint)>) -> Option<Self> {
        let is_latin = |(pattern, _): &(String, Hint)| !pattern.contains(is_beyond_latin);
        let (latin, others): (Vec<_>, Vec<_>) = patterns.into_iter().partition(is_latin);
        let mut is_of_others = [false; 256];
        for c in others.iter().flat_map(|(pattern, _)| pattern.chars()).filter(|c| is_beyond_latin(*c)) {
            let first = c.encode_utf8(&mut [0; 4]).bytes().next()?;
            is_of_others[usize::from(first)] = true;
        }
        let longest = others.iter().map(|(pattern, _)| pattern.len()).max()?;
        let latin = Automaton::of(latin.into_iter(), Some(AhoCorasickKind::DFA))?;
        Some(Self { latin, others: Automaton::of(others.into_iter(), None)?, is_of_others, longest })
    }

    /// Every place in a text that may announce a secret, by its end; of those that end together the longest first.
    pub(super) fn in_text<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Hit> + 'a {
        let mut latin = self.latin.find(text, 0..text.len()).peekable();
        let mut others = self.stretches(text).flat_map(|part| self.others.find(text, part)).peekable();
        let order = |(place, _): &Hit| (place.end, place.start);
        std::iter::from_fn(move || match (latin.peek(), others.peek()) {
            (Some(of_latin), Some(other)) if order(other) < order(of_latin) => others.next(),
            (None, _) => others.next(),
            _ => latin.next(),
        })
    }

    /// The parts of a text in which one of the others may stand: around their letters, as far as the longest reaches.
    fn stretches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let is_of_others = |(at, byte): (usize, u8)| self.is_of_others[usize::from(byte)].then_some(at);
        let mut letters = text.bytes().enumerate().filter_map(is_of_others).peekable();
        std::iter::from_fn(move || {
            let first = letters.next()?;
            let mut last = first;
            while let Some(next) = letters.next_if(|next| next - last < 2 * self.longest) {
                last = next;
            }
            let end = (last + self.longest).min(text.len());
            Some(text.floor_char_boundary(first.saturating_sub(self.longest))..text.ceil_char_boundary(end))
        })
    }
}

/// Whether a character is none of ASCII and of the Latin letters with marks.
const fn is_beyond_latin(c: char) -> bool {
    c > '\u{24F}'
}

fn patterns() -> Vec<(String, Hint)> {
    let mut patterns: Vec<(String, Hint)> = Vec::new();
    for token in TOKENS {
        patterns.extend(token.prefixes.iter().map(|prefix| ((*prefix).to_owned(), Hint::Token(token))));
    }
    for (kind, names) in LABELS {
        for name in *names {
            // The automaton folds ASCII only; other letters come in both cases, composed or not.
            let mut forms = vec![(*name).to_owned(), name.to_uppercase(), capitalised(name), name.nfd().collect()];
            forms.sort_unstable();
            forms.dedup();
            if name.is_ascii() {
                forms.truncate(1);
            }
            patterns.extend(forms.into_iter().map(|form| (form, Hint::Name(*kind))));
        }
    }
    patterns.extend(blocks::OPENINGS.iter().map(|opening| ((*opening).to_owned(), Hint::Block)));
    patterns.push(("://".to_owned(), Hint::Address));
    patterns.push((":AA".to_owned(), Hint::Bot));
    patterns.extend(address::commands().enumerate().map(|(at, command)| (command.to_owned(), Hint::Command(at))));
    patterns
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_hints_compile_and_are_small() {
        let hints = HINTS.as_ref().unwrap();
        assert!(hints.latin.automaton.memory_usage() < 2_000_000);
        assert!(hints.others.automaton.memory_usage() < 400_000);
        assert!(hints.is_of_others[usize::from("密".as_bytes()[0])] && !hints.is_of_others[usize::from(b'e')]);
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = (0..patterns().len(), 0..8_usize, ".{0,3}").prop_map(|(pattern, kind, noise)| {
            let (pattern, _) = &patterns()[pattern];
            match kind {
                0 => noise,
                1 => pattern.chars().skip(1).collect(),
                2 => " a few words of prose, long enough to lie between two hints — ".to_owned(),
                3 => pattern.to_ascii_uppercase(),
                _ => format!("{pattern}{noise}"),
            }
        });
        proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        // Looking for hints of other scripts around their letters only must find what looking for all at once finds.
        #[test]
        fn every_hint_is_found_wherever_it_stands(text in text()) {
            static ALL: LazyLock<Option<Automaton>> = LazyLock::new(|| Automaton::of(patterns().into_iter(), None));
            let all = ALL.as_ref().unwrap().find(&text, 0..text.len()).map(|(place, _)| place);
            let found = HINTS.as_ref().unwrap().in_text(&text).map(|(place, _)| place);
            prop_assert_eq!(found.collect::<Vec<_>>(), all.collect::<Vec<_>>());
        }
    }
}
