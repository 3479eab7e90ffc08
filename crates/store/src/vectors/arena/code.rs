//! The stored quantisation of a vector: one signed byte a dimension, scaled so that the largest reaches ±127.

/// The largest magnitude of a quantised dimension.
pub(super) const LIMIT: f32 = 127.0;

/// Quantises a vector to the code that the store keeps beside it: `round(x / max|x| · 127)`, one `i8` a dimension.
///
/// The scale itself is not kept: a cosine does not depend on it. A zero or non-finite vector gives zeros, which are
/// similar to nothing.
#[must_use]
pub fn code(vector: &[f32]) -> Vec<u8> {
    quantise(vector, LIMIT).into_iter().map(i8::cast_unsigned).collect()
}

/// Scales a vector to whole numbers from `-limit` to `limit` (≤ 127).
pub(super) fn quantise(vector: &[f32], limit: f32) -> Vec<i8> {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let finite = vector.iter().all(|x| x.is_finite());
    let scale = if finite && largest > 0.0 { limit / largest } else { 0.0 };
    // A subnormal maximum makes the scale infinite; such a vector is zero for every purpose here.
    let scale = if scale.is_finite() { scale } else { 0.0 };
    vector.iter().map(|x| if finite { (x * scale).round() as i8 } else { 0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_dimension_reaches_the_limit() {
        assert_eq!(quantise(&[0.5, -1.0, 0.0, 0.25], LIMIT), [64, -127, 0, 32]);
    }

    #[test]
    fn a_vector_without_direction_is_all_zeros() {
        assert_eq!(code(&[0.0, 0.0]), [0, 0]);
        assert_eq!(code(&[f32::NAN, 1.0]), [0, 0]);
        assert_eq!(code(&[f32::INFINITY, 1.0]), [0, 0]);
        assert_eq!(code(&[f32::from_bits(1), 0.0]), [0, 0]);
    }
}
