//! The keywords of a query (F10): what is asked one by one when no chunk has all its words.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use super::stop_words::{is_korean_stop_word, is_stop_word};
use model::config::settings::FtsTokenizer;

/// White space as JavaScript has it, and punctuation. Symbols stay in their word.
static BREAK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}\p{P}]+").ok()
});

/// Latin, katakana, kanji and hiragana runs of a Japanese text; single hiragana are mostly particles.
static JAPANESE_RUN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[a-z0-9_]+|[\x{30A0}-\x{30FF}]+|[\x{4E00}-\x{9FFF}]+|[\x{3040}-\x{309F}]{2,}").ok());

static ONLY_MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{P}\p{S}]+$").ok());

/// Particles that Korean nouns end with, longest first.
const PARTICLES: [&str; 25] = [
    "에서", "으로", "에게", "한테", "처럼", "같이", "보다", "까지", "부터", "마다", "밖에", "대로", "은", "는", "이",
    "가", "을", "를", "의", "에", "로", "와", "과", "도", "만",
];

/// The keywords of a query in its order, each once, in lower case.
pub(super) fn keywords(query: &str, tokenizer: FtsTokenizer) -> Vec<String> {
    let lower = query.to_lowercase();
    let mut tokens = Vec::new();
    if let Some(between) = BREAK.as_ref() {
        for segment in between.split(&lower).filter(|segment| !segment.is_empty()) {
            tokenize(segment, tokenizer, &mut tokens);
        }
    }
    let mut seen = HashSet::new();
    tokens.retain(|token| !is_stop_word(token) && says_something(token) && seen.insert(token.clone()));
    tokens
}

fn tokenize(segment: &str, tokenizer: FtsTokenizer, out: &mut Vec<String>) {
    let words = tokenizer == FtsTokenizer::Unicode61;
    if segment.contains(is_kana) {
        for run in JAPANESE_RUN.iter().flat_map(|runs| runs.find_iter(segment)) {
            out.push(run.as_str().to_owned());
            if words && run.as_str().starts_with(is_han) {
                push_pairs(&run.as_str().chars().collect::<Vec<_>>(), out);
            }
        }
    } else if segment.contains(is_han) {
        let han: Vec<char> = segment.chars().filter(|&c| is_han(c)).collect();
        if words {
            out.extend(han.iter().map(char::to_string));
            push_pairs(&han, out);
        } else {
            out.push(han.into_iter().collect());
        }
    } else if segment.contains(|c| is_syllable(c) || matches!(c, '\u{3131}'..='\u{3163}')) {
        let stem = strip_particle(segment);
        if !is_korean_stop_word(segment) && !stem.is_some_and(is_korean_stop_word) {
            out.push(segment.to_owned());
        }
        out.extend(stem.filter(|stem| !is_korean_stop_word(stem) && is_useful_stem(stem)).map(str::to_owned));
    } else {
        out.push(segment.to_owned());
    }
}

fn push_pairs(chars: &[char], out: &mut Vec<String>) {
    out.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
}

fn strip_particle(word: &str) -> Option<&str> {
    PARTICLES.iter().filter_map(|particle| word.strip_suffix(particle)).find(|stem| !stem.is_empty())
}

/// Hangul stems of two syllables and more, and plain identifiers.
fn is_useful_stem(stem: &str) -> bool {
    if stem.contains(is_syllable) {
        stem.chars().map(char::len_utf16).sum::<usize>() >= 2
    } else {
        stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}

/// Not a Latin word of one or two letters, not a plain number, not only symbols.
fn says_something(token: &str) -> bool {
    let short = token.len() < 3 && token.chars().all(|c| c.is_ascii_alphabetic());
    let number = token.chars().all(|c| c.is_ascii_digit());
    !(token.is_empty() || short || number || ONLY_MARKS.as_ref().is_some_and(|marks| marks.is_match(token)))
}

const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

const fn is_syllable(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Vec<String> {
        keywords(query, FtsTokenizer::Unicode61)
    }

    #[test]
    fn stop_words_numbers_and_short_words_go() {
        assert_eq!(of("What was the solution for bug 42 in v2, the solution?"), ["solution", "bug", "v2"]);
        assert_eq!(of("ok 2024 €€ a+b"), ["a+b"]);
    }

    #[test]
    fn chinese_comes_as_characters_and_pairs() {
        assert_eq!(of("讨论方案"), ["讨", "论", "方", "案", "讨论", "论方", "方案"]);
        assert_eq!(keywords("讨论方案", FtsTokenizer::Trigram), ["讨论方案"]);
    }

    #[test]
    fn japanese_comes_by_script() {
        assert_eq!(of("デプロイの設定変更"), ["デプロイ", "設定変更", "設定", "定変", "変更"]);
        assert_eq!(keywords("デプロイの設定変更", FtsTokenizer::Trigram), ["デプロイ", "設定変更"]);
    }

    #[test]
    fn korean_particles_are_stripped() {
        assert_eq!(of("서버에서 배포를 api를"), ["서버에서", "서버", "배포를", "배포", "api를", "api"]);
        assert_eq!(of("우리는"), Vec::<String>::new());
    }
}
