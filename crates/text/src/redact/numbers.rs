//! Numbers that are secrets by their check digits: cards, bank accounts; and social security numbers by their shape.

use std::ops::Range;

use iban::Iban;

use super::words::OTHER_NUMBERS;

/// Bytes before a number that tell what it is.
const BEFORE: usize = 40;

/// Every number of a text that is a secret.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>, &'static str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let may_begin = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    while let Some(skipped) = bytes.get(at..).and_then(|rest| rest.iter().position(may_begin)) {
        at += skipped;
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if before.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            at += 1;
            continue;
        }
        if bytes.get(at).is_some_and(u8::is_ascii_digit) {
            let end = grouped(bytes, at, u8::is_ascii_digit);
            let number = at..end;
            if let Some(tag) = number_tag(text, &number) {
                found(number, tag);
            }
            at = end;
        } else if bytes.get(at + 2).is_some_and(u8::is_ascii_digit) {
            let end = grouped(bytes, at, u8::is_ascii_alphanumeric);
            at = match account(text, at, end) {
                Some(account) => {
                    found(account.clone(), "bank-account");
                    account.end
                }
                None => at + 1,
            };
        } else {
            at += 1;
        }
    }
}

/// The end of groups of such characters with one space or hyphen between them; at most 42 bytes.
fn grouped(bytes: &[u8], from: usize, is: impl Fn(&u8) -> bool) -> usize {
    let mut end = from;
    let last = bytes.len().min(from + 42);
    while end < last {
        let next = usize::from(matches!(bytes.get(end), Some(b' ' | b'-')) && end > from);
        if !bytes.get(end + next).is_some_and(&is) {
            break;
        }
        end += next + 1;
    }
    // A longer run is no number of these, and its rest is none either.
    end + bytes.get(end..).unwrap_or_default().iter().take_while(|b| b.is_ascii_alphanumeric()).count()
}

fn number_tag(text: &str, number: &Range<usize>) -> Option<&'static str> {
    let shown = text.get(number.clone())?;
    let glued = text.get(number.end..)?.starts_with(|c: char| c == '_' || c.is_alphabetic() && c.is_ascii())
        || text.get(..number.start)?.ends_with(['.', '/', '#', '_', '-', '=', '+', '@']);
    let digits: Vec<u8> = shown.bytes().filter(u8::is_ascii_digit).collect();
    if glued || digits.len() < 9 || is_other(text, number.start) {
        return None;
    }
    let groups: Vec<usize> = shown.split([' ', '-']).map(str::len).collect();
    if is_card(&digits, &groups) {
        return Some("card");
    }
    (groups == [3, 2, 4] && shown.contains('-') && is_social_security(&digits)).then_some("social-security-number")
}

/// Whether the words before a number say that it is of another kind.
fn is_other(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(BEFORE));
    let before = text.get(from..at).unwrap_or_default();
    let line = before.get(before.rfind('\n').map_or(0, |line| line + 1)..).unwrap_or_default().to_lowercase();
    OTHER_NUMBERS.iter().any(|word| line.contains(word))
}

/// By issuer, length, grouping and check digit.
fn is_card(digits: &[u8], groups: &[usize]) -> bool {
    let head = |n: usize| digits.iter().take(n).fold(0_u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    let together = groups.len() == 1;
    let by_four = groups.iter().take(groups.len() - 1).all(|n| *n == 4) && groups.len() >= 4;
    let issued = match digits.len() {
        13 => head(1) == 4 && together,
        14 => matches!(head(2), 36 | 38 | 39) || matches!(head(3), 300..=305),
        15 => matches!(head(2), 34 | 37),
        16 => {
            head(1) == 4
                || matches!(head(2), 51..=55 | 62 | 65)
                || matches!(head(4), 2221..=2720 | 3528..=3589 | 6011 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763)
                || matches!(head(3), 644..=649)
        }
        17..=19 => by_four && (head(1) == 4 || matches!(head(2), 50 | 56..=58 | 62 | 63 | 67)),
        _ => false,
    };
    let grouping = together || by_four || matches!(groups, [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4]);
    let varied = digits.iter().any(|d| Some(d) != digits.first());
    issued && grouping && varied && luhn3::decimal::valid(digits)
}

fn is_social_security(digits: &[u8]) -> bool {
    let value = |range: Range<usize>| {
        digits.get(range).map_or(0, |part| part.iter().fold(0_u32, |v, d| v * 10 + u32::from(d - b'0')))
    };
    let (area, group, serial) = (value(0..3), value(3..5), value(5..9));
    !matches!(area, 0 | 666 | 900..) && group > 0 && serial > 0
}

/// A bank account that begins at `at`; its groups may run into the words behind it.
fn account(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase) || !bytes.get(at + 3).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut stop = end.min(at + 42);
    while stop >= at + 15 {
        let shown = text.get(at..stop)?;
        let account: String = shown.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if account.parse::<Iban>().is_ok() {
            return Some(at..stop);
        }
        stop = at + shown.rfind([' ', '-'])?;
    }
    None
}
