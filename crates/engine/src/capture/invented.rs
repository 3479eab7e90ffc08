//! Whether a fact that a model listed has a name or a number that nobody said. Its words may be other words: it is asked for
//! facts that are complete in themselves.

use jiff::Zoned;

use super::{grounding::Grounds, similar::Comparer};
use text::{fold::fold, language::Language, query::understand, time};

/// Numbers up to this are said as words too ("three", "a dozen"), or as another hour of the day …
const SAID_AS_WORDS: u64 = 24;
/// … and tens up to this.
const TENS: u64 = 100;
/// Of a month, and years that somebody plans for or remembers.
const LAST_DAY: u64 = 31;
const YEARS: std::ops::RangeInclusive<u64> = 1900..=2100;

/// How models call the person whose facts they list, as the words begin.
const USER: [&str; 10] = [
    "user",
    "usuari",
    "utilizador",
    "benutzer",
    "nutzer",
    "utilisat",
    "utente",
    "gebruiker",
    "пользовател",
    "uzivatel",
];

/// A conversation that facts are held against.
pub(super) struct Conversation<'a> {
    grounds: Grounds,
    /// Whether days are told in it, which a fact may tell in another way.
    tells_days: bool,
    now: &'a Zoned,
}

impl<'a> Conversation<'a> {
    /// Of all messages: an answer may have asked what the next message says yes to.
    pub(super) fn of(messages: &[&str], now: &'a Zoned, comparer: &mut Comparer) -> Self {
        let tells_days = messages.iter().any(|text| days(text, now).range.is_some());
        Self { grounds: Grounds::of(messages, comparer), tells_days, now }
    }

    /// Whether nobody said a number of a fact, or a name of one whose words were mostly not said either: a model may write out
    /// a name that was shortened. In German every noun would be a name.
    pub(super) fn lacks(&self, fact: &str, comparer: &mut Comparer) -> bool {
        let rest = if self.tells_days { without_days(fact, self.now) } else { fact.to_owned() };
        let (numbers, words): (Vec<&str>, Vec<&str>) =
            rest.split_whitespace().partition(|token| token.contains(char::is_numeric));
        if !numbers.iter().all(|number| self.may_be(number) || self.grounds.has_numbers_of(number)) {
            return true;
        }
        let is_german = || understand(fact, 0, "UTC").languages.contains(&Language::German);
        let words: Vec<&str> = words.into_iter().filter(|word| !is_user(word)).collect();
        let words = words.join(" ");
        !self.grounds.name_all_of(&words, comparer) && !self.grounds.hold_half_of(&words, comparer) && !is_german()
    }

    /// Whether a number may have been said in another way: as words, as an hour, as a day, without its century or thousands.
    fn may_be(&self, token: &str) -> bool {
        let token = fold(token.trim_matches(|c: char| !c.is_alphanumeric()));
        if let Some((hour, minute)) = token.split_once([':', 'h'])
            && [hour, minute].iter().all(|part| part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()))
        {
            return true;
        }
        let digits: String = token.chars().filter(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u64>() else { return false };
        let is_day = self.tells_days && (number <= LAST_DAY || YEARS.contains(&number));
        let century = digits.len() == 4 && digits.get(2..).is_some_and(|year| self.grounds.has(year));
        let thousands = digits.trim_end_matches("000");
        number <= SAID_AS_WORDS
            || number <= TENS && number.is_multiple_of(10)
            || is_day
            || century
            || thousands.len() < digits.len() && self.grounds.has(thousands)
    }
}

fn days(text: &str, now: &Zoned) -> time::TimeWords {
    time::read(text, now.date(), now.time_zone().iana_name().unwrap_or("UTC"))
}

/// Whether a word stands for the person whose facts they are.
fn is_user(word: &str) -> bool {
    let word = fold(word);
    USER.iter().any(|user| word.starts_with(user))
}

/// A text without the days that it tells.
fn without_days(text: &str, now: &Zoned) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for span in days(text, now).spans {
        rest.push_str(text.get(from..span.start).unwrap_or_default());
        rest.push(' ');
        from = from.max(span.end);
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    let is_month = |token: &&str| time::is_month(token.trim_matches(|c: char| !c.is_alphabetic()));
    rest.split_whitespace().filter(|token| !is_month(token)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(said: &[&str], fact: &str) -> bool {
        let mut comparer = Comparer::default();
        let now = "2026-11-24T10:00[Europe/Lisbon]".parse().unwrap();
        Conversation::of(said, &now, &mut comparer).lacks(fact, &mut comparer)
    }

    // Whatever name or number a model came up with was stored as what the user had said.
    #[test]
    fn a_name_or_number_that_nobody_said_is_told() {
        let said = ["I parked the car in garage 4471 near Porto, my sister Ana has the key", "Noted."];
        for fact in [
            "The car is in garage 4472",
            "The user's sister Ana has 88421 euros",
            "The spare key is with Dr. Quillfeather in Zanzibar",
            "Mario wants coffee",
        ] {
            assert!(lacks(&said, fact), "{fact}");
        }
        assert!(lacks(&["房租是1250元"], "用户每月房租1350元"));
    }

    #[test]
    fn what_was_said_in_other_words_is_not() {
        for (said, fact) in [
            ("I parked the car in garage 4471 near Porto", "User's car is parked in garage 4471, near Porto"),
            ("we meet tomorrow at three pm with Ana", "Meeting with Ana on 25 November 2026 at 15:00"),
            ("tomorrow I start at the bakery", "User starts at the bakery on Wednesday, 25 November 2026"),
            ("My dentist is on Friday", "Dentist appointment on Friday, 27 November"),
            ("we have twenty hens and a dozen ducks", "The user has 20 hens and 12 ducks"),
            ("the class of 98 meets", "The class of 1998 meets"),
            ("the rent is 2k a month", "The rent is 2000 a month"),
            ("the rent is 1.250 EUR", "Rent: 1,250 EUR"),
            ("I began a new job at MS in Dublin", "User has begun a new job at Microsoft in Dublin"),
            ("Ich wohne jetzt in der Gasse 12", "Der Benutzer wohnt in der Gasse 12 (neue Adresse)"),
            ("我在上海工作，我的妹妹叫李娜", "用户在上海工作，妹妹叫李娜"),
            ("房租是1,250元，一个月", "用户每月房租1250元"),
            ("집세는 45만원이에요", "사용자의 집세는 45만원"),
            ("меня зовут Ольга, живу в Твери", "Ольга живёт в Твери"),
            ("I am vegetarian", "The user is vegetarian"),
            ("I like tea more than coffee", "User prefers tea"),
        ] {
            assert!(!lacks(&[said], fact), "{fact}");
        }
    }
}
