//! Vectors that stand for many: spherical k-means (Dhillon and Modha, 2001) over some of them.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use simsimd::SpatialSimilarity as _;

use model::{cancel::Cancel, error::Result};

/// Most landmarks: laying them out takes time with the square.
const MOST: usize = 192;
/// Vectors that are looked at to find them.
const LOOKED_AT: usize = 4096;
/// Rounds of k-means; few vectors change sides after that.
const ROUNDS: usize = 8;

/// Quantised vectors of one length, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Landmarks {
    /// Dimensions of each.
    dims: usize,
    #[serde(with = "as_text")]
    codes: Vec<i8>,
}

impl Landmarks {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.codes.len().checked_div(self.dims).unwrap_or_default()
    }

    pub(crate) const fn dims(&self) -> usize {
        self.dims
    }

    /// Cosine (−1 to 1) of a quantised vector with each; 0 where one has no direction.
    pub(crate) fn cosines(&self, code: &[i8]) -> Vec<f32> {
        // Two of zeros would be the same to the library.
        if code.iter().all(|value| *value == 0) {
            return vec![0.0; self.len()];
        }
        self.codes.chunks_exact(self.dims).map(|landmark| cosine(code, landmark)).collect()
    }

    /// Cosine of each with each, row by row.
    pub(crate) fn among_themselves(&self) -> Vec<f32> {
        self.codes.chunks_exact(self.dims).flat_map(|landmark| self.cosines(landmark)).collect()
    }

    /// Each of them.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[i8]> {
        self.codes.chunks_exact(self.dims)
    }
}

/// Cosine of two quantised vectors, of which not both are of zeros.
#[expect(clippy::cast_possible_truncation, reason = "a cosine needs no more digits")]
fn cosine(a: &[i8], b: &[i8]) -> f32 {
    i8::cosine(a, b).map_or(0.0, |distance| (1.0 - distance) as f32).clamp(-1.0, 1.0)
}

/// Landmarks of quantised vectors of `dims` dimensions: about as many as the square root of four times their number. The
/// same for the same vectors in the same order. With how many of the vectors that were looked at each stands for.
///
/// # Errors
/// When it was cancelled, or there are no threads.
pub(crate) fn landmarks(dims: usize, codes: &[i8], cancel: &Cancel) -> Result<(Landmarks, Vec<usize>)> {
    let rows: Vec<&[i8]> = codes.chunks_exact(dims).collect();
    let step = rows.len().div_ceil(LOOKED_AT).max(1);
    let sample: Vec<Vec<f32>> = rows.into_iter().step_by(step).map(unit).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small")]
    let wanted = ((4.0 * sample.len() as f64).sqrt() as usize).min(sample.len()).min(MOST);
    let every = sample.len().checked_div(wanted).unwrap_or(1).max(1);
    let mut centers: Vec<Vec<f32>> = sample.iter().step_by(every).take(wanted).cloned().collect();
    let pool = model::parallel::pool()?;
    let mut members = vec![0; centers.len()];
    for _ in 0..ROUNDS {
        cancel.check()?;
        members.fill(0);
        let sides: Vec<usize> = pool.install(|| sample.par_iter().map(|row| nearest(&centers, row)).collect());
        let mut sums = vec![vec![0.0_f32; dims]; centers.len()];
        for (row, side) in sample.iter().zip(sides) {
            members[side] += 1;
            for (sum, value) in sums[side].iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (center, sum) in centers.iter_mut().zip(sums) {
            // One that nobody is near to stays where it is.
            if let Some(sum) = with_length_one(sum) {
                *center = sum;
            }
        }
    }
    Ok((Landmarks { dims, codes: centers.iter().flat_map(|center| quantised(center)).collect() }, members))
}

fn unit(row: &[i8]) -> Vec<f32> {
    let row: Vec<f32> = row.iter().map(|&value| f32::from(value)).collect();
    let dims = row.len();
    // One of zeros has no direction, and is near to nothing.
    with_length_one(row).unwrap_or_else(|| vec![0.0; dims])
}

fn with_length_one(mut row: Vec<f32>) -> Option<Vec<f32>> {
    let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > 0.0).then(|| {
        row.iter_mut().for_each(|value| *value /= length);
        row
    })
}

fn nearest(centers: &[Vec<f32>], row: &[f32]) -> usize {
    let near = |center: &Vec<f32>| f32::dot(center, row).unwrap_or_default();
    let mut best = (0, f64::NEG_INFINITY);
    for (at, center) in centers.iter().enumerate() {
        let near = near(center);
        if near > best.1 {
            best = (at, near);
        }
    }
    best.0
}

#[expect(clippy::cast_possible_truncation, reason = "within ±127")]
fn quantised(row: &[f32]) -> impl Iterator<Item = i8> {
    let most = row.iter().fold(0.0_f32, |most, value| most.max(value.abs())).max(f32::MIN_POSITIVE);
    row.iter().map(move |value| (value / most * 127.0).round() as i8)
}

/// Bytes as text, as JSON can hold them.
mod as_text {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(codes: &[i8], to: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = codes.iter().map(|code| code.cast_unsigned()).collect();
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<i8>, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = BASE64_STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(bytes.into_iter().map(u8::cast_signed).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three directions, and vectors around each.
    fn codes(n: usize) -> Vec<i8> {
        (0..n).flat_map(|n| (0..8).map(move |at| if at == n % 3 { 100 } else { (n % 5) as i8 })).collect()
    }

    #[test]
    fn vectors_around_a_direction_get_landmarks_near_it_and_the_same_ones_each_time() {
        let codes = codes(300);
        let (found, members) = landmarks(8, &codes, &Cancel::new()).unwrap();
        assert_eq!((found.len(), members.iter().sum()), (34, 300));
        for row in codes.chunks_exact(8) {
            let best = found.cosines(row).into_iter().fold(-1.0, f32::max);
            assert!(best > 0.99, "{best}");
        }
        assert_eq!(landmarks(8, &codes, &Cancel::new()).unwrap().0, found);
    }

    #[test]
    fn few_vectors_and_those_without_direction_have_landmarks_too() {
        assert_eq!(landmarks(8, &[], &Cancel::new()).unwrap().0.len(), 0);
        assert_eq!(landmarks(8, &codes(1), &Cancel::new()).unwrap().0.len(), 1);
        let (zeros, _) = landmarks(8, &[0; 80], &Cancel::new()).unwrap();
        assert_eq!(zeros.len(), 6);
        assert!(zeros.cosines(&[0; 8]).iter().all(|cosine| *cosine == 0.0));
        // They were landmarks without a dimension, which shifted all that came after.
        let (some, members) = landmarks(8, &[vec![0; 80], codes(90)].concat(), &Cancel::new()).unwrap();
        assert_eq!((some.len(), members.iter().sum()), (members.len(), 100));
    }

    #[test]
    fn they_are_kept_as_json() {
        let (found, _) = landmarks(8, &codes(40), &Cancel::new()).unwrap();
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Landmarks>(&text).unwrap(), found);
        let broken = serde_json::from_str::<Landmarks>(r#"{"dims":0,"codes":"AAAA"}"#).unwrap();
        assert_eq!(broken.len(), 0);
    }
}
