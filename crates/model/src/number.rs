//! Numbers as JavaScript sends them.

use serde::{Deserialize, Deserializer};

/// A whole number; large ones arrive as fractions.
///
/// # Errors
/// When it is no number.
pub fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "saturates at the borders")]
    f64::deserialize(from).map(|number| number as i64)
}
