//! What can be read at the beginning of what follows the name of a secret.

use std::ops::Range;

use super::{
    told::{Join, REACH, is_dense},
    value::{is_complex, is_key, is_placeholder, is_reference},
};

/// Words of a line in which a name and its password are looked for.
const LOGIN_WORDS: usize = 10;

/// What stands between quotes at the start of a text.
pub(super) fn quoted(tail: &str) -> Option<Range<usize>> {
    let tail_start = tail.chars().next()?;
    let close = match tail_start {
        '"' | '\'' | '`' => tail_start,
        '“' | '„' => '”',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    };
    let open = tail.get(..tail.len() - tail.trim_start_matches(tail_start).len())?.len();
    let inner = tail.get(open..)?;
    let line = inner.get(..inner.find('\n').unwrap_or(inner.len()))?;
    let end = line.find(|c| c == close || (close == '”' && c == '“'))?;
    (end > 0).then_some(open..open + line.get(..end)?.trim_end_matches('\\').len())
}

/// The word at the start of a text, without the punctuation of its sentence.
pub(super) fn unquoted(tail: &str, sign: bool, before: &str) -> Range<usize> {
    let start = tail.len() - tail.trim_start_matches(['"', '\'', '`', '“', '„', '«']).len();
    let body = tail.get(start..).unwrap_or_default();
    let latin = body.chars().next().is_some_and(|c| c.is_ascii());
    let line = before.get(before.floor_char_boundary(before.len().saturating_sub(REACH))..).unwrap_or_default();
    let word = line.get(line.rfind(char::is_whitespace).map_or(0, |at| at + 1)..).unwrap_or_default();
    let query = word.contains(['?', '&']);
    let end = body
        .char_indices()
        .find(|(at, c)| {
            c.is_whitespace()
                || matches!(c, '"' | '`' | '<' | '»' | '”' | '“' | '」' | '，' | '。' | '、' | '；' | '！' | '）' | '|')
                || (*c == '\'' && *at > 0)
                || (sign && *c == ';')
                || (query && matches!(c, '&' | '#'))
                || (latin && is_dense(*c))
        })
        .map_or(body.len(), |(at, _)| at);
    let word = body.get(..end).unwrap_or_default();
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\'', '*', '\\', '>', '?']);
    start..start + word.len()
}

/// Whether the word is itself a name with something behind it: `password:` above `minLength: 8`.
pub(super) fn is_a_name(tail: &str, word: &Range<usize>) -> bool {
    let rest = tail.get(word.end..).unwrap_or_default();
    let letters = tail
        .get(word.clone())
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
    letters && rest.starts_with(':') && rest.get(1..).is_some_and(|rest| rest.starts_with([' ', '\n']))
}

/// Whether a sentence, or a part of it, ends here.
pub(super) fn ends_clause(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['"', '\'', '`', '*', '_', '”', '»', '“', '」']);
    let signs = ['.', ',', ';', '!', '?', '\n', '\r', ')', ']', '}', '|', '<', '，', '。', '、', '！', '？', '）'];
    let spaced = rest.trim_start_matches([' ', '\t']);
    spaced.is_empty()
        || rest.starts_with(signs)
        || spaced.starts_with(['\n', '\r', '|', '(', '|', '-', '—', '#'])
        || [
            "and ",
            "und ",
            "e ",
            "y ",
            "et ",
            "a ",
            "i ",
            "и ",
            "geändert",
            "gesetzt",
            "です",
            "입니다",
            "but ",
            "for ",
            "on ",
        ]
        .iter()
        .any(|word| spaced.starts_with(word))
}

pub(super) fn word_end(rest: &str) -> usize {
    rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<')).unwrap_or(rest.len())
}

/// A run of so many digits, and nothing that makes it longer.
pub(super) fn digits(tail: &str, count: std::ops::RangeInclusive<usize>) -> Option<Range<usize>> {
    let start = tail.len() - tail.trim_start_matches(['"', '\'', '`', '*', '#', '“', '「']).len();
    let body = tail.get(start..)?;
    let length = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = body.get(length..)?;
    let mut next = after.chars();
    let longer = match (next.next(), next.next()) {
        (Some('.' | ',' | '-' | '/' | ':'), Some(c)) => c.is_ascii_alphanumeric(),
        (Some(c), _) => (c.is_alphanumeric() && !is_dense(c)) || matches!(c, '%' | '€' | '$' | '_'),
        (None, _) => false,
    };
    (count.contains(&length) && !longer).then_some(start..start + length)
}

/// Groups of digits, four digits or more in all: "9 1 7 3", "12-34-56", "4482#".
pub(super) fn code(tail: &str) -> Option<Range<usize>> {
    let start = tail.len() - tail.trim_start_matches(['"', '\'', '`', '*', '#', '“']).len();
    let body = tail.get(start..)?;
    let (mut end, mut at) = (0, 0);
    let mut groups: Vec<usize> = Vec::new();
    while let Some(rest) = body.get(at..) {
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if length == 0 {
            break;
        }
        groups.push(length);
        end = at + length;
        let gap = [", ", " ", "-"].iter().find(|gap| body.get(end..).is_some_and(|rest| rest.starts_with(**gap)));
        let Some(gap) = gap else { break };
        at = end + gap.len();
    }
    let after = body.get(end..)?;
    let mut next = after.chars();
    let longer = match (next.next(), next.next()) {
        (Some('.' | ',' | '/' | ':'), Some(c)) => c.is_ascii_alphanumeric(),
        (Some(c), _) => (c.is_alphanumeric() && !is_dense(c)) || matches!(c, '%' | '€' | '$' | '_'),
        (None, _) => false,
    };
    // A day is none.
    let is_date = matches!(groups[..], [4, 2, 2] | [2, 2, 4]);
    let is_one = groups.iter().sum::<usize>() >= 4 && !longer && !is_date;
    is_one.then(|| start..start + end + usize::from(after.starts_with(['#', '*'])))
}

/// The password behind a name: "admin:fritz7590", "admin / Tr0ub4dor&3".
pub(super) fn login(rest: &str) -> Option<Range<usize>> {
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).take(LOGIN_WORDS).collect();
    let value_of = |word: &str| -> Option<Range<usize>> {
        let value = word.trim_matches(['"', '\'', '`', ',', ';', ')', '(']).trim_end_matches('.');
        let start = value.as_ptr() as usize - rest.as_ptr() as usize;
        let good = is_complex(value) && !is_placeholder(value) && !is_reference(value);
        good.then_some(start..start + value.len())
    };
    words.iter().enumerate().find_map(|(at, word)| {
        if matches!(*word, "/" | "|" | ":") && at > 0 {
            return value_of(words.get(at + 1)?);
        }
        let (name, secret) = word.split_once([':', '/'])?;
        (!name.is_empty() && !secret.starts_with('/')).then(|| value_of(secret))?
    })
}

/// Nine digits, however they are grouped.
pub(super) fn social_security(tail: &str) -> Option<Range<usize>> {
    let length =
        tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.')).len();
    let text = tail.get(..length)?.trim_end_matches([' ', '-', '.']);
    (text.bytes().filter(u8::is_ascii_digit).count() == 9).then_some(0..text.len())
}

/// Twelve words or more that are nothing but words.
pub(super) fn seed_phrase(tail: &str) -> Option<Range<usize>> {
    let tail_from = tail.len() - tail.trim_start_matches(['"', '\'', '`', '“']).len();
    let body = tail.get(tail_from..)?;
    let mut end = 0;
    let mut words = 0;
    for word in body.split_inclusive([' ', ',', '\n']) {
        let bare = word.trim_end_matches([' ', ',', '\n', '"', '.', '`']);
        if !bare.chars().all(|c| c.is_lowercase() || is_dense(c)) || bare.chars().count() > 10 {
            break;
        }
        words += usize::from(!bare.is_empty());
        end += bare.len();
        if bare.len() < word.len() {
            end += word.len() - bare.len();
        }
    }
    (words >= 12).then(|| {
        tail_from
            ..tail_from + body.get(..end).unwrap_or_default().trim_end_matches([' ', ',', '\n', '.', '"', '`']).len()
    })
}

/// The values of a cookie header.
pub(super) fn cookie(tail: &str, join: Join) -> Option<Range<usize>> {
    let line = tail.get(..tail.find(['\n', '"', '\'']).unwrap_or(tail.len()))?.trim_end();
    let secret = line.split([';', ' ']).filter_map(|pair| pair.split_once('=')).any(|(_, value)| is_key(value, 12));
    (join == Join::Sign && secret).then_some(0..line.len())
}

/// The value of an authorization header.
pub(super) fn authorization(tail: &str, join: Join) -> Option<Range<usize>> {
    let line = tail.get(..tail.find(['\n', '"', '\'', '`']).unwrap_or(tail.len()))?.trim_end();
    let start = line.find(' ').map_or(0, |at| at + 1);
    let value = line.get(start..)?.split(' ').next()?.trim_end_matches([',', ';']);
    let good = join == Join::Sign
        && value.len() >= 8
        && !is_placeholder(value)
        && (is_key(value, 8) || is_complex(value) && value.len() >= 12);
    good.then_some(start..start + value.len())
}
