//! Folding: one spelling for all the ways the same word is written.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::script::is_ignorable;

/// NFKC without what carries no meaning ([`is_ignorable`]): one code for full-width, ligature and composed forms,
/// however a web page or a keyboard put joiners between them. Case is kept.
#[must_use]
pub fn compose(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || (is_nfkc_quick(text.chars()) == IsNormalized::Yes && !text.contains(is_ignorable)) {
        Cow::Borrowed(text)
    } else {
        // Before composing: a joiner between a letter and its accent would keep them apart.
        Cow::Owned(text.chars().filter(|c| !is_ignorable(*c)).nfkc().collect())
    }
}

/// With the apostrophe of typewriters, which lists of words and patterns have, where telephones write a mark of print.
#[must_use]
pub fn plain_apostrophes(text: &str) -> Cow<'_, str> {
    const PRINTED: [char; 2] = ['\u{2019}', '\u{2BC}'];
    if text.contains(PRINTED) { Cow::Owned(text.replace(PRINTED, "'")) } else { Cow::Borrowed(text) }
}

/// Case-folds a composed word and drops what is not meaning: Arabic and Hebrew vowel points, tatweel.
/// Accents stay, because stemmers need them. Digits of every script become 0–9.
pub(crate) fn lower_into(word: &str, out: &mut String) {
    for c in word.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
            continue;
        }
        match c {
            'ß' | 'ẞ' => out.push_str("ss"),
            'ς' => out.push('σ'),
            'ſ' => out.push('s'),
            'İ' => out.push('i'),
            // Persian and Arabic keyboards type different code points for the same letters.
            'ک' => out.push('ك'),
            'ی' => out.push('ي'),
            '\u{640}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{591}'..='\u{5C7}' => {}
            _ => match digit(c) {
                Some(d) => out.push(d),
                None => out.extend(c.to_lowercase()),
            },
        }
    }
}

/// The ASCII digit for a decimal digit of another script.
const fn digit(c: char) -> Option<char> {
    // First code points of the decimal digit blocks in everyday use.
    const ZEROS: [u32; 15] =
        [0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0x1040];
    let code = c as u32;
    let mut i = 0;
    while i < ZEROS.len() {
        if code >= ZEROS[i] && code < ZEROS[i] + 10 {
            return char::from_digit(code - ZEROS[i], 10);
        }
        i += 1;
    }
    None
}

/// Drops the accents of Latin, Greek and Cyrillic letters; leaves every other script alone,
/// where marks are vowels and not decoration. Input is lower case.
#[must_use]
pub fn bare(word: &str) -> Cow<'_, str> {
    if word.chars().all(|c| c < '\u{C0}' || (c > '\u{52F}' && !matches!(c, '\u{1E00}'..='\u{1FFF}'))) {
        return Cow::Borrowed(word);
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'ŋ' => out.push('n'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ё' => out.push('е'),
            '\u{300}'..='\u{36F}' => {}
            // й, ї, ў … are letters of their own, not accented и, і, у.
            '\u{400}'..='\u{52F}' => out.push(c),
            '\u{C0}'..='\u{3FF}' | '\u{1E00}'..='\u{1FFF}' => {
                out.extend(std::iter::once(c).nfd().filter(|m| !matches!(m, '\u{300}'..='\u{36F}')));
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Lower case without accents: the spelling people type when in a hurry.
#[must_use]
pub fn fold(word: &str) -> String {
    let composed = compose(word);
    let mut lower = String::with_capacity(composed.len());
    lower_into(&composed, &mut lower);
    match bare(&lower) {
        Cow::Owned(folded) => folded,
        Cow::Borrowed(_) => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_word_fold_to_one() {
        for (a, want) in [
            ("Ação", "acao"),
            ("ＡＢＣ１２", "abc12"),
            ("Straße", "strasse"),
            ("ΟΔΟΣ", "οδοσ"),
            ("οδός", "οδοσ"),
            ("Ёлка", "елка"),
            ("Йод", "йод"),
            ("İstanbul", "istanbul"),
            ("ışık", "isik"),
            ("Đặng", "dang"),
            ("Æsop", "aesop"),
            ("مُحَمَّد", "محمد"),
            ("کتاب", "كتاب"),
            ("٢٠٢٤", "2024"),
            ("ﬁne", "fine"),
            ("cafe\u{301}", "cafe"),
            ("हिन्दी", "हिन्दी"),
            ("ภาษาไทย", "ภาษาไทย"),
            ("ガ", "ガ"),
            ("한국", "한국"),
            ("שָׁלוֹם", "שלום"),
        ] {
            assert_eq!(fold(a), want, "{a}");
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for word in ["Größe", "ÅNGSTRÖM", "Łódź", "ŒUVRE", "Çağrı", "ﷺ", "ǅ"] {
            assert_eq!(fold(&fold(word)), fold(word), "{word}");
        }
    }
}
