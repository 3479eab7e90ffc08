//! Learns the weights, and says how well they judge.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::*;
use crate::capture::tests::set;

/// What is learned from; `told-unseen.jsonl` is not among it.
const SETS: [&str; 5] = [
    "messages.jsonl",
    "statements-development.jsonl",
    "statements-held-out.jsonl",
    "statements-independent.jsonl",
    "told.jsonl",
];
/// Messages that have a feature: one that is in one says nothing of others.
const LEAST_MESSAGES: usize = 2;
/// Passes over all features, after which no weight moves by a unit.
const PASSES: usize = 200;

#[derive(Deserialize)]
struct Message {
    text: String,
    keep: bool,
}

/// Weights with a penalty of half their squares, by coordinate descent: the second derivative of a feature is at most a quarter
/// of its messages.
fn learned(messages: &[Message]) -> Vec<u8> {
    let features: Vec<Vec<u32>> = messages.iter().map(|message| Features::of(&message.text).all).collect();
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, feature) in features.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |one| (at, *one))) {
        holders.entry(feature).or_default().push(at);
    }
    holders.retain(|_, messages| messages.len() >= LEAST_MESSAGES);
    let mut weights: HashMap<u32, f64> = HashMap::new();
    let mut odds = vec![0.0_f64; messages.len()];
    for _ in 0..PASSES {
        for (feature, holders) in &holders {
            let weight = weights.entry(*feature).or_default();
            let error = |at: &usize| 1.0 / (1.0 + (-odds[*at]).exp()) - f64::from(u8::from(messages[*at].keep));
            let slope = *weight + holders.iter().map(error).sum::<f64>();
            #[expect(clippy::cast_precision_loss, reason = "some thousands")]
            let step = slope / (1.0 + 0.25 * holders.len() as f64);
            *weight -= step;
            holders.iter().for_each(|at| odds[*at] -= step);
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    let units = |weight: f64| (weight / f64::from(UNIT)).round().clamp(-127.0, 127.0) as i8;
    let kept: Vec<(u32, i8)> =
        holders.keys().map(|feature| (*feature, units(weights[feature]))).filter(|(_, units)| *units != 0).collect();
    let hashes = kept.iter().flat_map(|(feature, _)| feature.to_le_bytes());
    hashes.chain(kept.iter().map(|(_, units)| units.cast_unsigned())).collect()
}

// `MEMORY_CORE_WRITE=1 cargo test -p engine --lib telling` writes them after a set has changed.
#[test]
fn the_weights_are_those_that_the_sets_teach() {
    let messages: Vec<Message> = SETS.into_iter().flat_map(set).collect();
    let made = learned(&messages);
    if std::env::var_os("MEMORY_CORE_WRITE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/capture/rules/telling.bin");
        std::fs::write(path, &made).unwrap();
    }
    // Libraries of mathematics round differently.
    let near = |(a, b): (&u8, &u8)| a.cast_signed().abs_diff(b.cast_signed()) <= 1;
    let at = made.len() / FEATURE_BYTES * 4;
    assert!(made.len() == LEARNED.len() && made[..at] == LEARNED[..at], "telling.bin is not what the sets teach");
    assert!(made[at..].iter().zip(&LEARNED[at..]).all(near), "telling.bin is not what the sets teach");
}

#[test]
fn what_nobody_taught_has_no_odds() {
    for text in ["Μετακομίσαμε στο Λάιπτσιχ την περασμένη άνοιξη", "हम पिछले वसंत में लाइपज़िग चले गए", "Xqzv wkpl vrmth"]
    {
        assert_eq!(odds(text), None, "{text}");
    }
    assert!(odds("we moved to Leipzig last spring").is_some_and(|odds| odds > 0.0));
    assert!(odds("translate this sentence into French please").is_some_and(|odds| odds < 0.0));
    for text in ["", "!!!", "12", &"’".repeat(2000), &"a'".repeat(1000)] {
        let _ = odds(text);
    }
}

#[test]
fn features_are_words_their_beginnings_names_and_runs_of_characters() {
    let hashes = |features: &[&str]| {
        let mut hashes: Vec<u32> = features.iter().map(|feature| term_hash(feature)).collect();
        hashes.sort_unstable();
        hashes
    };
    let all = Features::of("Don’t move, Anna has 2 iPhones3 since 2019!").all;
    assert_eq!(
        all,
        hashes(&[
            "#", "w:don't", "b:don'", "w:move", "w:,", "#name", "w:anna", "w:has", "#number", "#mixed", "w:since",
            "b:sinc", "#year", "w:!"
        ])
    );
    assert_eq!(Features::of("我住Köln").all, hashes(&["#", "c:我", "c:住", "c:我住", "#name", "w:köln"]));
}
