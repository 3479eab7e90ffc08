//! What a region of the map is about, in words of its passages.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use itertools::Itertools;
use unicode_segmentation::UnicodeSegmentation;

use text::{annotations, fold::fold, language::stop_word_of};

/// Passages of a region that are read.
pub(crate) const MOST_TEXTS: usize = 8;
/// Words of a name.
const WORDS: usize = 3;
/// Letters of the shortest word; a name of two letters is rarely a topic.
const LETTERS: usize = 3;
/// Letters of the longest: what is longer is a key or pasted data, and a name of it would fill the page.
const MOST_LETTERS: usize = 40;

/// A name for each region, by the texts of its passages: the words that most of them have and few others do. Empty where
/// there is none.
pub(crate) fn names(regions: &[Vec<String>]) -> Vec<String> {
    let words: Vec<Vec<Words>> =
        regions.iter().map(|texts| texts.iter().map(|text| words_of(text)).collect()).collect();
    let mut everywhere: HashMap<&str, usize, RandomState> = HashMap::default();
    for word in words.iter().flatten().flat_map(Words::keys) {
        *everywhere.entry(word).or_default() += 1;
    }
    let texts: usize = regions.iter().map(Vec::len).sum();
    words.iter().map(|passages| name(passages, &everywhere, texts)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages")]
fn name(passages: &[Words], everywhere: &HashMap<&str, usize, RandomState>, texts: usize) -> String {
    // In how many passages, and how often.
    let mut here: HashMap<&str, (usize, usize), RandomState> = HashMap::default();
    for (word, times) in passages.iter().flatten() {
        let (count, all) = here.entry(word).or_default();
        (*count, *all) = (*count + 1, *all + times);
    }
    let worth = |word: &str, count: usize| {
        let others = everywhere.get(word).copied().unwrap_or(count);
        count as f64 * (1.0 + texts as f64 / others as f64).ln()
    };
    here.into_iter()
        // A word of one passage among many is about that passage.
        .filter(|(_, (count, _))| *count > 1 || passages.len() < 3)
        .map(|(word, (count, all))| (worth(word, count), all, word))
        .sorted_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)).then_with(|| a.2.cmp(b.2)))
        .take(WORDS)
        .map(|(.., word)| word)
        .join(", ")
}

/// Words with how often each occurs.
type Words = HashMap<String, usize, RandomState>;

/// The words of a passage that may name a region. Where a script has no spaces, pairs of characters.
fn words_of(text: &str) -> Words {
    let text = annotations::stripped(text, true);
    let segments: Vec<(usize, &str)> = text.unicode_word_indices().collect();
    let one_char = |word: &str| word.chars().exactly_one().is_ok_and(|char| char.is_alphabetic() && !char.is_ascii());
    let is_pair = |((at, first), (next, second)): &((usize, &str), (usize, &str))| {
        at + first.len() == *next && one_char(first) && one_char(second)
    };
    let pairs = segments.iter().copied().tuple_windows().filter(is_pair);
    let pairs = pairs.map(|((_, first), (_, second))| format!("{first}{second}"));
    let words = segments.iter().filter(|(_, word)| is_telling(word)).map(|(_, word)| word.to_lowercase());
    let mut found = Words::default();
    for word in words.chain(pairs) {
        *found.entry(word).or_default() += 1;
    }
    found
}

fn is_telling(word: &str) -> bool {
    (LETTERS..=MOST_LETTERS).contains(&word.chars().take(MOST_LETTERS + 1).count())
        && word.chars().all(|char| char.is_alphabetic() || char == '’' || char == '\'')
        && stop_word_of(&fold(word)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&[&str]]) -> Vec<Vec<String>> {
        of.iter().map(|texts| texts.iter().map(|text| (*text).to_owned()).collect()).collect()
    }

    #[test]
    fn a_region_is_named_by_what_its_passages_share_and_others_lack() {
        let found = names(&texts(&[
            &[
                "The harbour master asks for the boat.",
                "- Boat: paint the hull. <!-- trigger: anchor -->",
                "Our boat, again",
            ],
            &["Invoices go out monthly.", "The invoices of the harbour", "Invoices, invoices"],
            &["会议十点开始", "会议改到下午", "会议记录"],
            &[],
        ]));
        assert!(found[0].starts_with("boat"), "{found:?}");
        assert!(found[1].starts_with("invoices"), "{found:?}");
        assert!(found[2].starts_with("会议"), "{found:?}");
        assert_eq!(found[3], "");
        assert!(!found.concat().contains("trigger"), "{found:?}");
    }

    #[test]
    fn stop_words_numbers_and_markup_name_nothing() {
        assert_eq!(names(&texts(&[&["and the 2026 1234 -- || of it", "und die 12 %"]])), [""]);
    }

    // A note with a word of 200,000 letters gave the page a region whose name had 23 rows.
    #[test]
    fn a_word_without_end_names_nothing() {
        let endless = format!("The harbour {}", "x".repeat(200_000));
        assert_eq!(names(&texts(&[&[&endless]])), ["harbour"]);
    }
}
