//! Takes secrets out of text before it is kept: keys of known shape, tokens, private keys, passwords.
//!
//! A secret becomes a short tag such as `[redacted:aws-key]`. Line breaks stay, so line numbers keep their meaning.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

use super::pattern::ascii_boundaries;

/// A kind of secret: its name, and a pattern whose group `s` (or the whole match) is the secret.
type Rule = (&'static str, &'static str);

/// Specific shapes first, so that the tag says what it was.
const RULES: &[Rule] = &[
    (
        "private-key",
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openrouter-key", r"\bsk-or-[A-Za-z0-9_-]{16,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("stripe-key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("stripe-webhook", r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    ("gitlab-token", r"\bgl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|oas)-[A-Za-z0-9_-]{16,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{10,}"),
    ("discord-webhook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}"),
    ("telegram-token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio-key", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("groq-key", r"\bgsk_[A-Za-z0-9]{30,}"),
    ("xai-key", r"\bxai-[A-Za-z0-9]{30,}"),
    ("perplexity-key", r"\bpplx-[A-Za-z0-9]{30,}"),
    ("voyage-key", r"\bpa-[A-Za-z0-9_-]{40,}"),
    ("digitalocean-token", r"\bdo[por]_v1_[0-9a-f]{40,}"),
    ("shopify-token", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("age-key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("url-password", r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@]*:(?P<s>[^\s/@]+)@"),
    ("bearer", r"(?i)\b(?:bearer|basic)\s+(?P<s>[A-Za-z0-9+/_.~=-]{16,})"),
    (
        "header",
        r#"(?i)\b(?:x-api-key|api-key|x-auth-token|authorization|cookie|set-cookie)["']?\s*:\s*["']?(?P<s>[^\s"']{8,}[^\n"']*)"#,
    ),
    (
        "url-secret",
        r"(?i)[?&](?:api_?key|key|access_?token|auth|token|secret|password|signature|sig|code)=(?P<s>[^\s&#]{8,})",
    ),
    (
        "password",
        r#"(?i)(?:\b(?:password|passwd|passphrase|pwd|senha|contraseña|passwort|kennwort|mot de passe|wachtwoord)\b|пароль|密码|密碼|パスワード|비밀번호)[는은"'`*]*\s*(?:is|é|es|ist|est|为|是|は|[:=：])\s*["'`]?(?P<s>[^\s"'`]{4,})"#,
    ),
    (
        "assignment",
        r#"(?i)\b[A-Z0-9_.-]*(?:api[_-]?key|secret|token|passw(?:or)?d|private[_-]?key|access[_-]?key|credentials?|client[_-]?secret)[A-Z0-9_]*["'`]?\s*[:=]\s*["'`]?(?P<s>[^\s"'`,;]{8,})"#,
    ),
];

struct Rules {
    set: RegexSet,
    each: Vec<(&'static str, Regex)>,
}

static COMPILED: LazyLock<Result<Rules, regex::Error>> = LazyLock::new(|| {
    let set = RegexSet::new(RULES.iter().map(|(_, pattern)| ascii_boundaries(pattern)))?;
    let each = RULES.iter().map(|(name, pattern)| Ok((*name, Regex::new(&ascii_boundaries(pattern))?)));
    Ok(Rules { set, each: each.collect::<Result<_, regex::Error>>()? })
});

/// The text with every secret replaced by a tag; borrowed when there is none. The number of lines stays.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let Ok(rules) = COMPILED.as_ref() else {
        // The patterns are constants and compile in a test; without them nothing may be kept.
        return Cow::Owned("\n".repeat(text.matches('\n').count()));
    };
    let mut out = Cow::Borrowed(text);
    for index in rules.set.matches(text) {
        let Some((name, regex)) = rules.each.get(index) else { continue };
        if let Cow::Owned(replaced) = regex.replace_all(&out, |found: &Captures<'_>| replace(name, found)) {
            out = Cow::Owned(replaced);
        }
    }
    out
}

/// Whether a text holds something that [`redact`] would take out.
#[must_use]
pub fn has_secret(text: &str) -> bool {
    matches!(redact(text), Cow::Owned(_)) && redact(text) != text
}

fn replace(name: &str, found: &Captures<'_>) -> String {
    let Some(whole) = found.get(0) else { return String::new() };
    let secret = found.name("s").unwrap_or(whole);
    let head = &whole.as_str()[..secret.start() - whole.start()];
    let tail = &whole.as_str()[secret.end() - whole.start()..];
    if !is_secret(name, secret.as_str()) {
        return whole.as_str().to_string();
    }
    let breaks = "\n".repeat(secret.as_str().matches('\n').count());
    format!("{head}[redacted:{name}]{breaks}{tail}")
}

/// Rules that go by a name in front of the secret also meet prose and placeholders: those stay.
fn is_secret(name: &str, value: &str) -> bool {
    if value.starts_with("[redacted:") {
        return false;
    }
    match name {
        "assignment" | "url-secret" => {
            let reference =
                value.starts_with(['$', '<', '{', '(', '%', '*']) || value.contains("...") || value.contains('(');
            let words = ["true", "false", "null", "none", "undefined", "required", "optional", "changeme"];
            let prose = value.chars().all(char::is_alphabetic) && entropy(value) < 3.6;
            !reference && !prose && !words.iter().any(|w| value.eq_ignore_ascii_case(w)) && entropy(value) >= 2.5
        }
        "password" => {
            let reference = value.starts_with(['$', '<', '{', '*', '[']);
            // "The password is wrong" is prose; a password has more than lower-case letters.
            let prose =
                value.trim_end_matches(['.', ',', '!', '?']).chars().all(|c| c.is_alphabetic() && !c.is_uppercase());
            !reference && !prose
        }
        "url-password" => !value.starts_with(['$', '<', '{', '*']),
        "openai-key" => value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_uppercase()),
        "voyage-key" | "bearer" => value.bytes().any(|b| b.is_ascii_digit()) || entropy(value) > 3.8,
        _ => true,
    }
}

/// Shannon entropy in bits per character: prose words have about 2–3.3, random keys of 20 characters 3.8 and more.
fn entropy(value: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in value.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    counts.values().map(|&n| f64::from(n) / total).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests;
