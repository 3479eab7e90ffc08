//! Takes secrets out of text before it is kept: keys of known shape, tokens, private keys, passwords, cards.
//!
//! A secret becomes a short tag such as `[redacted:aws-key]`. Line breaks stay, so line numbers keep their meaning.
//! One pass of an automaton finds what may announce a secret (prefixes of tokens, names in many languages, commands);
//! only what stands around such a place is looked at closely, each time within a bound, so the cost is linear.

mod about;
mod address;
mod blocks;
mod hints;
mod labels;
mod numbers;
mod phrases;
mod plain;
mod tail;
mod tokens;
mod told;
mod value;
mod words;

use std::{borrow::Cow, ops::Range};

use self::{
    hints::{HINTS, Hint, Hints},
    plain::Plain,
    tokens::TOKENS,
};

/// What every tag begins with.
pub const TAG: &str = "[redacted:";

/// A secret in a text.
struct Secret {
    range: Range<usize>,
    tag: &'static str,
}

/// The text with every secret replaced by a tag; borrowed when there is none. The number of lines stays.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(hints) = HINTS.as_ref() else {
        // The patterns are constants and compile in a test; without them nothing may be kept.
        return Cow::Owned("\n".repeat(text.matches('\n').count()));
    };
    let plain = Plain::of(text);
    let secrets = find(hints, &plain.text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        let range = plain.original(&secret.range);
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(TAG);
        out.push_str(secret.tag);
        out.push(']');
        let breaks = text.get(range.clone()).unwrap_or_default().matches('\n').count();
        out.extend(std::iter::repeat_n('\n', breaks));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a word begins like a token of a known service, even if too little of it is left to be of use to anybody.
#[must_use]
pub fn begins_like_a_key(word: &str) -> bool {
    const TELLING: usize = 6;
    TOKENS.iter().flat_map(|token| token.prefixes).any(|prefix| {
        let telling = prefix.len() > 3 || prefix.ends_with(['-', '_']);
        telling && word.len() >= prefix.len() + TELLING && word.starts_with(prefix)
    })
}

/// Whether a secret was taken out of a text.
#[must_use]
pub fn was_redacted(text: &str) -> bool {
    text.contains(TAG)
}

/// The secrets of a plain text, in order and apart from each other.
fn find(hints: &Hints, text: &str) -> Vec<Secret> {
    let begun = blocks::begun_before(text);
    let mut found: Vec<Secret> = begun.map(|range| Secret { range, tag: "private-key" }).into_iter().collect();
    let (mut blocks_until, mut no_footer) = (0, false);
    // A secret is read to its end once, however many beginnings it has inside.
    let (mut token, mut told): (Range<usize>, Range<usize>) = (0..0, 0..0);
    for (Range { start, end }, hint) in hints.in_text(text) {
        // A character may begin with the bytes of another only in text that is no UTF-8.
        if start < blocks_until || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        let secret = match hint {
            Hint::Token(kind) => {
                let written = text.get(start..end).is_some_and(|prefix| kind.prefixes.contains(&prefix));
                let inside = token.start < start && start < token.end;
                let range = (written && !inside).then(|| tokens::find(text, &(start..end), kind)).flatten();
                token = range.clone().unwrap_or(token);
                range.map(|range| (range, kind.name))
            }
            Hint::Name(kind) => {
                let inside = told.start <= start && start < told.end;
                let range = (!inside).then(|| told::find(text, &(start..end), kind)).flatten();
                told = range.clone().unwrap_or(told);
                range.map(|range| (range, kind.tag()))
            }
            Hint::Block => blocks::find(text, start, &mut no_footer).map(|range| {
                blocks_until = range.end;
                (range, "private-key")
            }),
            Hint::Address => address::password(text, end).map(|range| (range, "url-password")),
            Hint::Bot => tokens::bot(text, &(start..end)).map(|range| (range, "telegram-token")),
            Hint::Command(which) => address::option(text, end, which).map(|range| (range, "password")),
        };
        found.extend(secret.map(|(range, tag)| Secret { range, tag }));
    }
    numbers::find(text, |range, tag| found.push(Secret { range, tag }));
    phrases::find(text, |range| found.push(Secret { range, tag: "seed-phrase" }));
    tokens::find_shapes(text, |range, tag| found.push(Secret { range, tag }));
    // What was taken out before stays as it is.
    found.retain(|secret| {
        !secret.range.is_empty() && !text.get(secret.range.clone()).is_none_or(|it| it.starts_with(TAG))
    });
    apart(found)
}

/// Merges what overlaps; the shape of a token tells more than the name before it.
fn apart(mut found: Vec<Secret>) -> Vec<Secret> {
    let generic = |tag: &str| matches!(tag, "key" | "password" | "header" | "url-secret");
    // Of two prefixes that fit, the longer one was found later.
    found.reverse();
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end), generic(secret.tag)));
    let mut out: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match out.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                if generic(last.tag) && !generic(secret.tag) {
                    last.tag = secret.tag;
                }
            }
            _ => out.push(secret),
        }
    }
    out
}

#[cfg(test)]
mod tests;
