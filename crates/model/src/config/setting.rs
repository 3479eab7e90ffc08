//! What a setting of the table is: its dotted key, what values it takes, and what holds without one.

use std::ops::RangeInclusive;

/// A truth value.
pub(super) struct Switch {
    pub key: &'static str,
    pub default: bool,
}

/// A truth value, or none.
pub(super) struct OptionalSwitch {
    pub key: &'static str,
}

/// A whole number.
pub(super) struct Integer {
    pub key: &'static str,
    pub range: RangeInclusive<u64>,
    pub default: u64,
}

/// A whole number, or none.
pub(super) struct OptionalInteger {
    pub key: &'static str,
    pub range: RangeInclusive<u64>,
}

/// A number.
pub(super) struct Number {
    pub key: &'static str,
    pub range: RangeInclusive<f64>,
    pub default: f64,
}

/// A number, or none.
pub(super) struct OptionalNumber {
    pub key: &'static str,
    pub range: RangeInclusive<f64>,
}

/// A text.
pub(super) struct Text {
    pub key: &'static str,
    pub default: &'static str,
}

/// A text, or none.
pub(super) struct OptionalText {
    pub key: &'static str,
}

/// One of several words.
pub(super) struct Choice<T: 'static> {
    pub key: &'static str,
    pub words: &'static [(&'static str, T)],
    pub default: T,
}

/// Something that the resolver has a rule of its own for.
pub(super) struct Special {
    pub key: &'static str,
}
