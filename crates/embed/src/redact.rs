//! Keeps secrets out of text that a server sends back to us: servers like to echo the key they refuse.

use std::sync::LazyLock;

use regex::Regex;
use zeroize::Zeroizing;

use super::secret::Credentials;
use text::redact::{begins_like_a_key, redact};

/// The start of a secret that gives it away: echoes are often cut or starred after it.
const TELLING_PREFIX: usize = 6;

/// Longest piece of a server's own words in an error, in characters.
const MAX_ECHO: usize = 240;

const MASK: &str = "[redacted]";

/// What only echoes have: short bearer tokens, starred-out values, and the query or user part of an address. The shapes of
/// keys are those of [`text::redact`].
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,}",
        r"|[A-Za-z0-9_-]*\*{3,}[A-Za-z0-9_*-]*",
        r#"|\?[A-Za-z0-9_.~%-]+=[^\s"'<>)]*"#,
        r"|//[^/\s@]+@",
    ))
    .ok()
});

/// Removes the secrets of one provider, and anything that looks like one, from a text.
#[derive(Default)]
pub(crate) struct Redactor {
    secrets: Vec<Zeroizing<String>>,
}

impl Redactor {
    /// Knows the key, the header values, and the query values of the endpoint.
    #[must_use]
    pub(crate) fn new(credentials: &Credentials, endpoint: Option<&url::Url>) -> Self {
        let keys = credentials.api_key.iter().chain(&credentials.spare_keys);
        let headers = credentials.headers.iter().map(|(_, value)| value);
        let mut secrets: Vec<Zeroizing<String>> =
            keys.chain(headers).map(|secret| Zeroizing::new(secret.expose().trim().to_owned())).collect();
        if let Some(url) = endpoint {
            secrets.extend(url.query_pairs().map(|(_, value)| Zeroizing::new(value.into_owned())));
            secrets.extend(url.password().map(|password| Zeroizing::new(password.to_owned())));
        }
        // Shorter values (`true`, `v1`) are no secrets, and masking them would mangle every sentence.
        secrets.retain(|secret| secret.len() >= TELLING_PREFIX);
        Self { secrets }
    }

    /// The text in one line of at most 240 characters, without secrets.
    #[must_use]
    pub(crate) fn clean(&self, text: &str) -> String {
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for secret in &self.secrets {
            line = line.replace(secret.as_str(), MASK);
            let prefix: String = secret.chars().take(TELLING_PREFIX).collect();
            line = mask_words_from(&line, &prefix);
        }
        line = mask_keys(&redact(&line));
        if let Some(shapes) = SHAPES.as_ref() {
            line = shapes.replace_all(&line, MASK).into_owned();
        }
        match line.char_indices().nth(MAX_ECHO) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line,
        }
    }
}

/// Masks words that begin like a key, however much of it the server left.
fn mask_keys(line: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | ')' | '(' | '>' | '<' | ':' | '=');
    line.split_inclusive(is_end)
        .map(|piece| {
            let word = piece.trim_end_matches(is_end);
            if begins_like_a_key(word) { format!("{MASK}{}", &piece[word.len()..]) } else { piece.to_owned() }
        })
        .collect()
}

/// Masks from each occurrence of `prefix` to the end of its word.
fn mask_words_from(line: &str, prefix: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(prefix) {
        masked.push_str(&rest[..at]);
        masked.push_str(MASK);
        let word = &rest[at..];
        let end = word.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | ')' | '>'));
        rest = &word[end.unwrap_or(word.len())..];
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn redactor() -> Redactor {
        let credentials = Credentials {
            api_key: Some(Secret::new("canary-key-0123456789")),
            spare_keys: vec![Secret::new("canarySpareKey")],
            headers: vec![("x-team".into(), Secret::new("canaryHeaderValue"))],
        };
        let url = url::Url::parse("https://u:passw0rd@host/v1?token=queryCanary99").unwrap();
        Redactor::new(&credentials, Some(&url))
    }

    #[test]
    fn whole_and_cut_secrets_are_masked() {
        let echo = "bad key canary-key-0123456789, header 'canaryHeaderValue', start canary-k..., \
                    query queryCanary99 and https://h/v1?x=1&token=abc and passw0rd";
        let clean = redactor().clean(echo);
        for leak in ["canary-k", "canaryH", "queryC", "x=1", "passw0rd"] {
            assert!(!clean.contains(leak), "{leak} in {clean}");
        }
        assert!(clean.starts_with("bad key [redacted]"), "{clean}");
    }

    #[test]
    fn unknown_keys_are_masked_by_shape() {
        let clean =
            redactor().clean("Incorrect API key provided: sk-proj-ab***yz. Bearer abc.def-123456 AIzaSyA1234567");
        for leak in ["sk-", "yz", "abc.def", "AIza"] {
            assert!(!clean.contains(leak), "{leak} in {clean}");
        }
    }

    #[test]
    fn long_answers_are_cut_to_one_line() {
        let clean = redactor().clean(&"word\n".repeat(500));
        assert_eq!(clean.chars().count(), MAX_ECHO + 1);
        assert!(!clean.contains('\n'));
    }
}
