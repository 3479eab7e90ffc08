//! Logistic regressions over the words of a text, their beginnings and its characters, in any language: how surely it is of a
//! kind. What is learned are files of a few ten thousand bytes that stand beside whoever asks, made from labelled messages in
//! `eval/sets` by a test beside them.

mod features;
#[cfg(test)]
pub(crate) mod learn;

pub(crate) use features::Features;

/// Bytes of a feature.
const FEATURE_BYTES: usize = 5;
/// What a unit of a weight stands for, in log-odds.
const UNIT: f32 = 1.0 / 32.0;

/// What was learned of a kind of text.
#[derive(Debug)]
pub(crate) struct Classifier {
    /// Hashes of features in order, four bytes each, then their weights, one byte each.
    pub(crate) learned: &'static [u8],
    /// Least share of the words that were learned: of a language that nobody taught nothing is known.
    pub(crate) least_known: f32,
}

impl Classifier {
    /// The log-odds that a text is of the kind; none where too few of its words were learned.
    pub(crate) fn odds(&self, features: &Features) -> Option<f32> {
        let known = features.words.iter().filter(|hash| self.weight(**hash).is_some()).count();
        #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
        let is_known = known as f32 >= self.least_known * features.words.len() as f32;
        is_known.then(|| features.all.iter().filter_map(|hash| self.weight(*hash)).sum())
    }

    fn weight(&self, hash: u32) -> Option<f32> {
        let (hashes, weights) = self.learned.split_at_checked(self.learned.len() / FEATURE_BYTES * 4)?;
        let at = hashes.as_chunks::<4>().0.binary_search_by_key(&hash, |bytes| u32::from_le_bytes(*bytes)).ok()?;
        Some(f32::from(weights.get(at)?.cast_signed()) * UNIT)
    }
}
