//! Learns weights from labelled texts.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use super::*;

/// Texts that have a feature: one that is in one says nothing of others.
const LEAST_TEXTS: usize = 2;
/// Passes over all features, after which no weight moves by a unit.
const PASSES: usize = 200;

/// The lines of a file in `eval/sets`.
pub(crate) fn labelled<T: serde::de::DeserializeOwned>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/sets").join(file);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// A labelled text.
pub(crate) struct Example {
    pub(crate) features: Features,
    pub(crate) is_of_kind: bool,
    /// How many texts it stands for.
    pub(crate) weight: f64,
}

/// Weights with a penalty of half their squares, by coordinate descent: the second derivative of a feature is at most a quarter
/// of its texts.
fn learned(examples: &[Example]) -> Vec<u8> {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, example) in examples.iter().enumerate() {
        example.features.all.iter().for_each(|feature| holders.entry(*feature).or_default().push(at));
    }
    holders.retain(|_, texts| texts.len() >= LEAST_TEXTS);
    let mut weights: HashMap<u32, f64> = HashMap::new();
    let mut odds = vec![0.0_f64; examples.len()];
    for _ in 0..PASSES {
        for (feature, holders) in &holders {
            let weight = weights.entry(*feature).or_default();
            let error = |at: &usize| {
                let Example { is_of_kind, weight, .. } = &examples[*at];
                weight * (1.0 / (1.0 + (-odds[*at]).exp()) - f64::from(u8::from(*is_of_kind)))
            };
            let slope = *weight + holders.iter().map(error).sum::<f64>();
            let step = slope / (1.0 + 0.25 * holders.iter().map(|at| examples[*at].weight).sum::<f64>());
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

/// Asserts that a classifier is what the examples teach; with `MEMORY_CORE_WRITE=1` its file, in `src` of this crate, is
/// written instead.
pub(crate) fn assert_is_learned(classifier: &Classifier, examples: &[Example], file: &str) {
    let made = learned(examples);
    if std::env::var_os("MEMORY_CORE_WRITE").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file), &made).unwrap();
        return;
    }
    let known = classifier.learned;
    // Libraries of mathematics round differently.
    let near = |(a, b): (&u8, &u8)| a.cast_signed().abs_diff(b.cast_signed()) <= 1;
    let at = made.len() / FEATURE_BYTES * 4;
    assert!(made.len() == known.len() && made[..at] == known[..at], "{file} is not what the sets teach");
    assert!(made[at..].iter().zip(&known[at..]).all(near), "{file} is not what the sets teach");
}

#[test]
fn features_are_words_their_beginnings_names_and_runs_of_characters() {
    let hashes = |features: &[&str]| {
        let mut hashes: Vec<u32> = features.iter().map(|feature| text::analyze::term_hash(feature)).collect();
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
