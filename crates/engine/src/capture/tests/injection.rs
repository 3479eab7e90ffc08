//! Texts that try to steer a later model: never captured, and harmless data wherever they are shown.

use std::collections::BTreeSet;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::{
    super::{
        filter,
        recall_block::{self, Item, TAG},
        rules,
    },
    set,
};

/// One text of `injections.jsonl`.
#[derive(Deserialize)]
struct Attack {
    lang: String,
    kind: String,
    text: String,
}

#[test]
fn attacks_are_never_captured_and_cannot_leave_their_fence() {
    let attacks: Vec<Attack> = set("injections.jsonl");
    assert!(attacks.len() >= 300, "{} texts", attacks.len());
    let languages: BTreeSet<&str> = attacks.iter().map(|a| a.lang.as_str()).collect();
    assert!(languages.len() >= 10, "{languages:?}");
    let mut captured = Vec::new();
    for Attack { lang, kind, text } in &attacks {
        if filter::capturable(text).and_then(|text| rules::find(&text)).is_ok() {
            captured.push(format!("[{lang} {kind}] {text}"));
        }
        let block = recall_block::render(&[Item { place: text, text, score: 0.5 }], 20_000).unwrap();
        let inside =
            block.strip_prefix(&format!("<{TAG}>")).and_then(|b| b.strip_suffix(&format!("</{TAG}>"))).unwrap();
        let plain: String = inside.nfkc().collect();
        let begins_tag =
            |(at, _)| plain[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?|<".contains(c));
        assert!(!plain.match_indices('<').any(begins_tag), "{text}");
        let entry = |line: &&str| line.trim_start().starts_with(|c: char| c.is_numeric()) && line.contains(". [");
        assert_eq!(inside.lines().filter(entry).count(), 1, "{text}");
        assert!(!inside.contains(['\u{200B}', '\u{202E}', '\u{2066}', '\u{FEFF}', '\u{E0041}']), "{text}");
        assert_eq!(recall_block::strip(&format!("{block}words")), "words", "{text}");
    }
    assert!(captured.is_empty(), "captured {}:\n{}", captured.len(), captured.join("\n"));
}
