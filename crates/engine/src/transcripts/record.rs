//! One line of a transcript file: what somebody said, or nothing of interest.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::kind;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What a line holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Something was said; still with whatever the host put around it.
    Said(Role, String),
    /// The whole transcript is the work of a machine, and why.
    Machine(&'static str),
    /// A tool's answer, a setting, a broken line, or something a later host writes.
    Other,
}

/// Where a message in the user's role comes from, when no person typed it.
const MACHINE_PROVENANCE: &[&str] = &["inter_session", "internal_system"];

/// Reads a line. Nothing that stands in it is an error.
#[must_use]
pub fn parse(line: &[u8]) -> Record {
    let Some(value) = json(line) else { return Record::Other };
    if let Some(reason) = machine_run(&value) {
        return Record::Machine(reason);
    }
    if value.get("type").and_then(Value::as_str) != Some("message") {
        return Record::Other;
    }
    let Some(message) = value.get("message") else { return Record::Other };
    let role = match message.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => return Record::Other,
    };
    if role == Role::Assistant && is_hosts_answer(message) {
        return Record::Other;
    }
    if role == Role::User && message.pointer("/provenance/kind").and_then(Value::as_str).is_some_and(is_machine) {
        return Record::Other;
    }
    message.get("content").and_then(text_of).map_or(Record::Other, |text| Record::Said(role, text))
}

/// Whether a provenance means that no person typed a message.
#[must_use]
pub(crate) fn is_machine(provenance: &str) -> bool {
    MACHINE_PROVENANCE.contains(&provenance)
}

/// Whether a message in the assistant's role is the host's own: what it answered to a command, or the copy of a reply that it
/// sent to a channel. The model's reply stands before such a copy. (`isHostsAnswer` of the plugin's `message-text.js`.)
fn is_hosts_answer(message: &Value) -> bool {
    let word = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
    word("/provider") == Some("openclaw")
        && match word("/model") {
            Some("gateway-injected") => true,
            Some("delivery-mirror") => word("/openclawDeliveryMirror/kind") == Some("channel-final"),
            _ => false,
        }
}

/// Keys of runs and sessions that the host leaves in its records.
fn machine_run(record: &Value) -> Option<&'static str> {
    ["/sessionKey", "/runId", "/data/sessionKey", "/data/runId"]
        .iter()
        .filter_map(|pointer| record.pointer(pointer)?.as_str())
        .find_map(kind::machine_session)
}

/// A text, or the text blocks of a list.
fn text_of(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let blocks = content.as_array()?.iter();
    let texts = blocks.filter(|block| block.get("type").and_then(Value::as_str) == Some("text"));
    let texts: Vec<&str> = texts.filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn json(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().or_else(|| {
        // JavaScript writes halves of characters that Rust texts cannot hold.
        let text = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        let mended = mend(&text)?;
        serde_json::from_str(&mended).ok()
    })
}

/// Replaces lone halves of surrogate pairs; none when there is no escaped surrogate at all.
fn mend(text: &str) -> Option<String> {
    let is_half = |at: usize, low: bool| {
        let code = text.get(at..at + 6).filter(|c| c.starts_with("\\u"))?;
        let code = u32::from_str_radix(code.get(2..)?, 16).ok()?;
        (if low { 0xDC00..0xE000 } else { 0xD800..0xDC00 }).contains(&code).then_some(())
    };
    let mut out = String::with_capacity(text.len());
    let (mut at, mut found) = (0, false);
    while let Some(step) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + step;
        out.push_str(text.get(at..escape)?);
        let (kept, length) = match (is_half(escape, false), is_half(escape, true)) {
            (Some(()), _) if is_half(escape + 6, true).is_some() => (text.get(escape..escape + 12)?, 12),
            (Some(()), _) | (_, Some(())) => {
                found = true;
                ("\\ufffd", 6)
            }
            _ => {
                // The escaped character may be a backslash itself.
                let next = text.get(escape + 1..)?.chars().next().map_or(0, char::len_utf8);
                (text.get(escape..escape + 1 + next)?, 1 + next)
            }
        };
        out.push_str(kept);
        at = escape + length;
    }
    out.push_str(text.get(at..)?);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(line: &str) -> Option<String> {
        match parse(line.as_bytes()) {
            Record::Said(_, text) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn texts_and_text_blocks_are_what_was_said() {
        let cases = [
            (r#"{"type":"message","message":{"role":"user","content":"hi"}}"#, Some("hi")),
            (
                r#"{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","text":"x"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}}"#,
                Some("a\nb"),
            ),
            (r#"{"type":"message","message":{"role":"toolResult","content":"x"}}"#, None),
            (r#"{"type":"message","message":{"role":"user","content":[{"type":"image","data":"x"}]}}"#, None),
            (r#"{"type":"message","message":{"role":"user","content":{"future":1}}}"#, None),
            (
                r#"{"type":"message","message":{"role":"user","content":"x","provenance":{"kind":"inter_session"}}}"#,
                None,
            ),
            // What a host answers to `/status` was taken for the assistant's words; what a tool sent is one of them.
            (
                r#"{"type":"message","message":{"role":"assistant","provider":"openclaw","model":"gateway-injected","content":"Active Memory: off"}}"#,
                None,
            ),
            (
                r#"{"type":"message","message":{"role":"assistant","provider":"openclaw","model":"delivery-mirror","openclawDeliveryMirror":{"kind":"channel-final"},"content":"x"}}"#,
                None,
            ),
            (
                r#"{"type":"message","message":{"role":"assistant","provider":"openclaw","model":"delivery-mirror","content":"sent"}}"#,
                Some("sent"),
            ),
            (r#"{"type":"session","version":99}"#, None),
            (r#"{"type":"message","message":"#, None),
            ("", None),
            ("[1,2]", None),
        ];
        for (line, expected) in cases {
            assert_eq!(said(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn half_characters_do_not_lose_a_message() {
        let line = |text: &str| format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#);
        assert_eq!(said(&line(r"cut \ud83d here \\ud83d")).as_deref(), Some("cut \u{FFFD} here \\ud83d"));
        assert_eq!(said(&line(r"low \ude00 pair \ud83d\ude00")).as_deref(), Some("low \u{FFFD} pair 😀"));
    }

    #[test]
    fn traces_of_a_machine_run_mark_the_transcript() {
        let dream = r#"{"type":"custom","customType":"openclaw:bootstrap-context:full","data":{"runId":"dreaming-narrative-rem-1"}}"#;
        assert_eq!(parse(dream.as_bytes()), Record::Machine("a dream"));
        let cron = r#"{"type":"custom","data":{"sessionKey":"agent:main:cron:job:run:1"}}"#;
        assert_eq!(parse(cron.as_bytes()), Record::Machine("a scheduled run"));
    }

    proptest! {
        #[test]
        fn no_line_is_a_crash(line in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,60}") {
            let _ = parse(&line);
            let _ = mend(&text);
            let escaped = serde_json::json!({"type":"message","message":{"role":"user","content":text}}).to_string();
            prop_assert_eq!(said(&escaped), Some(text));
        }
    }
}
