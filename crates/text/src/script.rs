//! Which writing system a character belongs to, as far as word segmentation cares.

use unicode_normalization::char::is_combining_mark;

/// How text of a character's script is cut into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// No part of any term: space, punctuation, symbols, controls.
    None,
    /// A script that puts spaces between words: Latin, Cyrillic, Arabic, Devanagari …, and digits.
    Spaced,
    /// Chinese characters, kana, bopomofo, Yi: no spaces, cut into overlapping pairs.
    Ideographic,
    /// Korean syllables: spaces between phrases, particles glued to words.
    Hangul,
    /// Thai, Lao, Khmer, Myanmar and their neighbours: no spaces, letters with marks around them.
    Unspaced,
    /// A combining mark: belongs to the character before it.
    Mark,
}

/// The [`Script`] of a character of NFKC text.
#[must_use]
pub(crate) fn script(c: char) -> Script {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Script::Spaced } else { Script::None };
    }
    match u32::from(c) {
        // Before everything else: U+FE00 and U+E0100 are variation selectors, marks that carry no meaning here.
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => Script::None,
        // Enclosed letters and regional indicators are symbols to SQLite though Unicode calls them alphabetic.
        0x24B6..=0x24E9 | 0x1F100..=0x1F1FF => Script::None,
        0x1100..=0x11FF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0x3130..=0x318F => letter_or_none(c, Script::Hangul),
        0x2E80..=0x2FDF
        | 0x3005..=0x3007
        | 0x3021..=0x3029
        | 0x3031..=0x3035
        | 0x3038..=0x303C
        | 0x3041..=0x312F
        | 0x31A0..=0x31BF
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xA000..=0xA4CF
        | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF => letter_or_none(c, Script::Ideographic),
        0x0E00..=0x0EFF
        | 0x1000..=0x109F
        | 0x1780..=0x17FF
        | 0x1950..=0x19DF
        | 0x1A20..=0x1AAF
        | 0xA9E0..=0xA9FF
        | 0xAA60..=0xAADF => {
            // Their digits separate nothing and are read like any other digits.
            if c.is_numeric() { Script::Spaced } else { letter_or_none(c, Script::Unspaced) }
        }
        _ => letter_or_none(c, Script::Spaced),
    }
}

fn letter_or_none(c: char, script: Script) -> Script {
    // Marks first: many Indic vowel signs are both alphabetic and marks.
    if is_combining_mark(c) {
        Script::Mark
    } else if c.is_alphanumeric() {
        script
    } else {
        Script::None
    }
}

/// Whether a character carries no meaning of its own and is left out before anything is cut:
/// joiners, soft hyphens, variation selectors.
#[must_use]
pub(crate) const fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_belong_to_the_script_that_segments_them() {
        for (c, want) in [
            ('a', Script::Spaced),
            ('7', Script::Spaced),
            ('_', Script::None),
            (' ', Script::None),
            ('é', Script::Spaced),
            ('я', Script::Spaced),
            ('ب', Script::Spaced),
            ('क', Script::Spaced),
            ('ि', Script::Mark),
            ('猫', Script::Ideographic),
            ('の', Script::Ideographic),
            ('ー', Script::Ideographic),
            ('・', Script::None),
            ('。', Script::None),
            ('々', Script::Ideographic),
            ('한', Script::Hangul),
            ('ก', Script::Unspaced),
            ('่', Script::Mark),
            ('๕', Script::Spaced),
            ('฿', Script::None),
            ('မ', Script::Unspaced),
            ('😀', Script::None),
            ('\u{FE0F}', Script::None),
        ] {
            assert_eq!(script(c), want, "{c:?}");
        }
    }
}
