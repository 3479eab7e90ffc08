//! Whether what stands behind the name of a secret is one: passwords and keys against prose, code and placeholders.

use super::about::{ABOUT, FUNCTION_WORDS};

/// Values that stand for a secret: `<token>`, `$TOKEN`, `********`, `YOUR_API_KEY`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let first = lower.chars().next();
    let marks = ["...", "…", "***", "•••", "xxxx", "<redacted", "[redacted", "redacted]", "{{", "${", "$("];
    let stands_for =
        ["your", "my-", "my_", "example", "placeholder", "changeme", "change_me", "change-me", "insert", "dummy"];
    first.is_none_or(|c| matches!(c, '<' | '[' | '{' | '(' | '%' | '*'))
        || (first == Some('$') && lower[1..].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':')))
        || marks.iter().any(|mark| lower.contains(mark))
        || stands_for.iter().any(|start| lower.starts_with(start) && !lower.bytes().any(|b| b.is_ascii_digit()))
        || lower.contains("your_")
        || lower.contains("your-")
        || lower.contains("_here")
        || lower.chars().all(|c| Some(c) == first)
}

/// A path, an address or a piece of code: it says where a secret is, not what it is.
pub(super) fn is_reference(value: &str) -> bool {
    let bytes = value.as_bytes();
    let path = value.starts_with(['/', '~']) && value[1..].contains('/')
        || value.starts_with("./")
        || value.starts_with("../")
        || (value.starts_with('~') && value.len() < 3)
        || (bytes.get(1) == Some(&b':') && matches!(bytes.get(2), Some(b'\\' | b'/')))
        || (value.starts_with('/') && value[1..].bytes().all(|b| b.is_ascii_lowercase() || b == b'/'));
    let call = value.contains("()") || value.split_once('(').is_some_and(|(name, _)| is_name(name) && !name.is_empty());
    let index = value.split_once('[').is_some_and(|(name, rest)| {
        is_name(name) && !name.is_empty() && rest.contains(']') || rest.starts_with(['"', '\''])
    });
    path || value.contains("://") || call || index || value.contains("&str") || is_member(value)
}

/// `process.env.TOKEN`, `config.password`, `self.token`: names joined by dots.
fn is_member(value: &str) -> bool {
    let value = value.trim_end_matches([';', ',', ')']);
    let mut parts = value.split(['.', ':']).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default();
    let roots = [
        "process", "os", "env", "self", "this", "config", "settings", "cfg", "conf", "options", "opts", "args",
        "params", "req", "request", "ctx", "data", "user", "secrets", "var", "local", "module", "vars", "std",
        "import",
    ];
    value.contains('.')
        && is_name(first)
        && parts.clone().all(is_name)
        && (roots.contains(&first) || (!value.bytes().any(|b| b.is_ascii_digit()) && value.len() < 60))
}

fn is_name(part: &str) -> bool {
    !part.starts_with(|c: char| c.is_ascii_digit())
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
}

/// Words joined by hyphens or the like, with short numbers at most: `how-to-choose-2025`.
pub(super) fn is_slug(value: &str) -> bool {
    let mut words = 0;
    let plain = value.split(['-', '_', '.', '/', ':', '+', '=', '%']).filter(|part| !part.is_empty()).all(|part| {
        let word = part.bytes().all(|b| b.is_ascii_lowercase())
            || (part.bytes().skip(1).all(|b| b.is_ascii_lowercase())
                && part.starts_with(|c: char| c.is_ascii_uppercase()))
            || part.bytes().all(|b| b.is_ascii_uppercase());
        words += usize::from(word && part.len() > 1);
        (word && part.len() <= 15) || (part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()))
    });
    plain && words > 0
}

/// A date, a time, a number with its unit, a version.
fn is_measure(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let separators = value.len() - digits - letters.min(value.len() - digits);
    let version = value.strip_prefix('v').unwrap_or(value);
    let starts_with_digit = version.starts_with(|c: char| c.is_ascii_digit());
    (letters == 0 && separators > 0)
        || (starts_with_digit
            && digits > 0
            && separators > 0
            && version
                .split(['.', ':', '-'])
                .take(2)
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())))
        || (starts_with_digit && letters <= 2 && digits <= 3)
        || value.contains('%') && letters == 0
        || value.contains(['€', '£', '¥'])
}

/// Letters with digits, with signs, or upper case inside: what people call a proper password.
pub(super) fn is_complex(value: &str) -> bool {
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let letter = value.chars().any(char::is_alphabetic);
    let sign = value
        .bytes()
        .any(|b| b.is_ascii_punctuation() && !matches!(b, b'-' | b'.' | b'\'' | b',' | b'/' | b':' | b'_'));
    let shouted = value.bytes().all(|b| !b.is_ascii_lowercase());
    let inner_upper = value.chars().skip(1).any(char::is_uppercase) && !shouted;
    let proper = value.trim_end_matches(['!', '?']);
    let signed = proper
        .bytes()
        .any(|b| b.is_ascii_punctuation() && !matches!(b, b'-' | b'.' | b'\'' | b',' | b'/' | b':' | b'_'));
    letter && value.chars().count() >= 5 && !is_measure(value) && (digit || (sign && signed) || inner_upper)
}

/// A password: anything but prose, given how surely one is told. `last` tells that the sentence ends behind it.
pub(super) fn is_password(value: &str, last: bool, told: bool) -> bool {
    if value.chars().count() < 4 || is_placeholder(value) || is_reference(value) {
        return false;
    }
    let bare = value.trim_end_matches(['!', '?', '.']);
    let lower = bare.to_lowercase();
    if ABOUT.contains(&lower.as_str()) || names_a_secret(&lower) {
        return false;
    }
    if value.bytes().all(|b| b.is_ascii_digit()) {
        return told;
    }
    if is_complex(value) {
        return true;
    }
    let words = value.split(['-', '_', '.']).filter(|word| !word.is_empty()).count();
    told && last && !is_measure(value) && (words >= 3 || value.chars().all(char::is_alphabetic))
}

/// `new_password`, `userToken`: the name of a variable.
fn names_a_secret(lower: &str) -> bool {
    ["password", "passwd", "token", "secret", "api_key", "apikey", "credential"].iter().any(|name| lower.contains(name))
        && !lower.bytes().any(|b| b.is_ascii_digit())
}

/// A few words in quotes or behind "passphrase".
pub(super) fn is_phrase(value: &str) -> bool {
    let words: Vec<String> = value.split_whitespace().map(str::to_lowercase).collect();
    (2..=12).contains(&words.len())
        && !is_placeholder(value)
        && !words.iter().any(|word| FUNCTION_WORDS.contains(&word.as_str()) || word.ends_with(':'))
}

/// A key: long enough and without sense.
pub(super) fn is_key(value: &str, least: usize) -> bool {
    let length = value.len();
    if length < least || is_placeholder(value) || is_reference(value) || is_measure(value) || is_slug(value) {
        return false;
    }
    if names_a_secret(&value.to_lowercase()) || value.contains(['(', ')', '<', '>', '{', '}']) {
        return false;
    }
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    let lower = value.bytes().any(|b| b.is_ascii_lowercase());
    let sign = value.bytes().any(|b| b.is_ascii_punctuation() && !matches!(b, b'-' | b'.' | b',' | b'/' | b':' | b'_'));
    let classes = [digit, upper, lower, sign].iter().filter(|class| **class).count();
    let ascii = value.is_ascii();
    ascii
        && entropy(value) >= 2.5
        && ((digit && classes >= 3)
            || (digit && classes >= 2 && (length >= 16 || (length >= 12 && upper && !lower && value.contains('-'))))
            || (classes >= 2 && entropy(value) >= 3.8))
}

/// Shannon entropy in bits per character: prose words have about 2–3.3, random keys of 20 characters 3.8 and more.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in value.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    counts.values().map(|&n| f64::from(n) / total).map(|p| -p * p.log2()).sum()
}
