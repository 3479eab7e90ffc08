//! A message cut into sentences.

use text::{fold::fold, time::is_month};

/// Words that a full stop shortens, folded: titles, streets, numbers. What often ends a sentence ("no.", "etc.") is
/// not among them, because two sentences in one fact are worse than none.
const SHORTENED: &[&str] = &[
    "dr", "dra", "prof", "profa", "mr", "mrs", "ms", "messrs", "st", "sr", "sra", "srta", "enga", "arq", "dott",
    "dssa", "sig", "ing", "hr", "fr", "dipl", "mgr", "mudr", "judr", "nr", "av", "avda", "str", "ul", "tel", "tlf",
    "ca", "approx", "bzw", "vs", "z", "ул", "д", "кв",
];
/// Digits of a day of the month.
const MOST_DIGITS_OF_A_DAY: usize = 2;

/// Sentences and lines, without empty ones and those that quote: they are somebody else's words. A full stop counts only before a space, so that versions and addresses stay
/// whole, and not where it shortens a word: "Dr. Costa" is one name.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let own = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    own.flat_map(split_line).map(str::trim).filter(|s| !s.is_empty())
}

fn split_line(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let wide = matches!(c, '。' | '！' | '？');
        let narrow = matches!(c, '.' | '!' | '?') && chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let end = at + c.len_utf8();
        // Asked only before a space: it reads on to the end of the next word, which is the whole line in "1.1.1…".
        let is_whole =
            || c == '.' && shortens(line.get(start..at).unwrap_or_default(), line.get(end..).unwrap_or_default());
        if wide || (narrow && !is_whole()) {
            parts.extend(line.get(start..end));
            start = end;
        }
    }
    parts.extend(line.get(start..));
    parts
}

/// Whether a full stop between two texts shortens the word before it: a title, an initial ("J. Costa", "z. B."), or the
/// day before a month ("14. März").
fn shortens(before: &str, after: &str) -> bool {
    let Some(next) = after.split_whitespace().next() else { return false };
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (None, _) => false,
        (Some(only), None) if only.is_uppercase() => true,
        _ if word.len() <= MOST_DIGITS_OF_A_DAY && word.bytes().all(|b| b.is_ascii_digit()) => {
            is_month(next.trim_end_matches(|c: char| !c.is_alphanumeric()))
        }
        _ => SHORTENED.contains(&fold(word).as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // "Lembra-te que o meu dentista é o Dr. Costa." became the fact "o meu dentista é o Dr.".
    #[test]
    fn a_full_stop_that_shortens_a_word_ends_nothing() {
        for whole in [
            "Lembra-te que o meu dentista é o Dr. Costa.",
            "My landlord is Mr. J. Okafor",
            "La Sra. Núñez vive en la Av. Libertad",
            "Mein Geburtstag ist am 14. März.",
            // May and August are words of other languages too, and what stood behind the day was lost.
            "Mein Geburtstag ist am 3. Mai.",
            "Die Miete steigt am 1. August um 40 Euro",
            "Meine Ärztin ist Dr. Huber in St. Pölten, z. B. dienstags",
            "Живу на ул. Ленина, д. 5",
        ] {
            assert_eq!(sentences(whole).collect::<Vec<_>>(), [whole]);
        }
    }

    // A mail that somebody showed the agent became a fact of the user: "> My wife is called Quotella".
    #[test]
    fn what_is_quoted_is_no_sentence_of_the_user() {
        let shown = "See this mail:\n> My landlord is Graf Quote\n >> He lives in Porto\nIs 3 > 2?";
        assert_eq!(sentences(shown).collect::<Vec<_>>(), ["See this mail:", "Is 3 > 2?"]);
    }

    #[test]
    fn sentences_end_where_they_end() {
        let cut = |text| sentences(text).collect::<Vec<_>>();
        assert_eq!(cut("I live in Porto. My name is Ana"), ["I live in Porto.", "My name is Ana"]);
        assert_eq!(cut("i was born in 1984. March is cold."), ["i was born in 1984.", "March is cold."]);
        assert_eq!(cut("There are 14. We counted."), ["There are 14.", "We counted."]);
        assert_eq!(cut("I see a Dr. \nHe is nice"), ["I see a Dr.", "He is nice"]);
        assert_eq!(cut("Version 1.2 of a.b works! ok? 好。走"), ["Version 1.2 of a.b works!", "ok?", "好。", "走"]);
        assert_eq!(cut(" . \n\n"), ["."]);
    }
}
