//! Capture without a model: which sentence says by itself that it should be remembered, and what kind of fact it is
//! (M5, M6, in more languages).

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

pub(crate) mod correction;
mod different;
mod life;
mod passing;
mod signs;
mod telling;
mod unreal;
mod whose;

use self::{
    correction::{corrects, only_corrects, with_correction},
    different::DIFFERENT,
    life::LIFE,
    passing::{is_passing, without_apology},
    signs::SIGNS,
    unreal::is_unreal,
    whose::{is_of_nobody, names_somebody},
};
use super::{
    collect::MAX_FACT_CHARS,
    command::{self, Request},
    filter::Reason,
    pattern::as_written,
    sentences::sentences,
};

/// What kind of fact a memory is (M6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// What somebody likes, wants, avoids.
    Preference,
    /// How something is.
    Fact,
    /// What was settled.
    Decision,
    /// A person, place, number or address.
    Entity,
    /// Something the user asked to remember, of no other kind.
    Other,
}

impl Category {
    /// All there are.
    pub(crate) const ALL: [Self; 5] = [Self::Preference, Self::Fact, Self::Decision, Self::Entity, Self::Other];

    /// The name used in tools and notes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Decision => "decision",
            Self::Entity => "entity",
            Self::Other => "other",
        }
    }

    /// The category of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }
}

/// Log-odds below which a sentence tells of something else whatever its words are, from which it rather tells of a life than of
/// something else, and from which nothing else has to say so.
const UNLIKELY: f32 = -1.0;
/// The same of a sentence that says what is different now: doses and days stand in much that tells of no life.
const UNLIKELY_DIFFERENT: f32 = -2.5;
const LIKELY: f32 = 0.0;
const SURE: f32 = 1.6;

/// What is longer than a fact may be tells of no single thing, and looking through it takes long.
const LONGEST_BYTES: usize = 4 * MAX_FACT_CHARS;

/// A pattern a language, most telling kind first.
struct Rule {
    category: Category,
    pattern: Pattern,
}

/// A pattern that is asked of every sentence.
struct Pattern {
    exact: Regex,
    /// The same without boundaries of words, at which the fast engines give up on letters that are not ASCII: what it does not
    /// match, the exact one does not either.
    without_boundaries: Regex,
}

static COMPILED_SIGNS: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled(SIGNS));
static COMPILED_DIFFERENT: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled(DIFFERENT));
static COMPILED_LIFE: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled(LIFE));

fn compiled(rules: &[(Category, &str)]) -> Vec<Rule> {
    rules
        .iter()
        .filter_map(|(category, text)| Some(Rule { category: *category, pattern: Pattern::new(text)? }))
        .collect()
}

impl Pattern {
    fn new(text: &str) -> Option<Self> {
        Some(Self { exact: as_written(text)?, without_boundaries: as_written(&text.replace(r"\b", ""))? })
    }

    fn is_match(&self, text: &str) -> bool {
        (text.is_ascii() || self.without_boundaries.is_match(text)) && self.exact.is_match(text)
    }
}

/// A sentence worth remembering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The sentence.
    pub text: String,
    /// What kind of fact it is.
    pub category: Category,
}

/// The sentences of a message that say by themselves that they should be remembered, or why there is none.
///
/// # Errors
/// [`Reason::Question`] when all it does is ask, else [`Reason::NoTrigger`].
pub fn find(text: &str) -> Result<Vec<Found>, Reason> {
    let mut found: Vec<Found> = Vec::new();
    let mut questions = 0;
    let mut sentences_seen = 0;
    // The sentence before, as long as it was not kept; and whether the next one was asked for.
    let (mut before, mut is_wanted) = (None, false);
    // Whether the sentence before was kept, and whether somebody was named so far.
    let (mut was_kept, mut is_named) = (false, false);
    for whole in sentences(text) {
        sentences_seen += 1;
        let is_known_of_whom = is_named;
        is_named |= names_somebody(whole);
        let (corrected, kept_before) = (found.last().filter(|_| was_kept), found.len());
        if let Some(Found { text, category }) = corrected.filter(|_| corrects(whole)) {
            found.push(Found { text: with_correction(text, whole), category: *category });
            continue;
        }
        // "No, it's Tuesday" says something only behind what it corrects, and that was not kept.
        if only_corrects(whole) {
            before = None;
            continue;
        }
        was_kept = false;
        let sentence = without_apology(whole);
        if is_question(sentence) {
            questions += 1;
            before = None;
            continue;
        }
        if is_passing(sentence) {
            before = None;
            continue;
        }
        let request = command::read(sentence);
        let fact = match request {
            Request::Bare => {
                is_wanted = sentence.ends_with([':', '：']);
                let meant = before.take().filter(|_| !is_wanted);
                found.extend(meant.map(|text: &str| Found { text: text.to_owned(), category: categorize(text) }));
                was_kept = found.len() > kept_before;
                continue;
            }
            Request::Fact(fact) => fact,
            Request::None => sentence,
        };
        let asked = is_wanted || request != Request::None;
        // What somebody asks to remember he means.
        if !asked && (is_unreal(sentence) || !is_known_of_whom && is_of_nobody(sentence)) {
            before = Some(sentence);
            continue;
        }
        let stated = stated(sentence);
        if stated.is_some() || asked {
            let category = stated.unwrap_or_else(|| categorize(fact));
            found.push(Found { text: fact.to_owned(), category });
            before = None;
        } else {
            before = Some(sentence);
        }
        is_wanted = false;
        was_kept = found.len() > kept_before;
    }
    if found.is_empty() {
        return Err(if sentences_seen > 0 && questions == sentences_seen {
            Reason::Question
        } else {
            Reason::NoTrigger
        });
    }
    Ok(found)
}

/// The kind of fact a text states, for tools that are given none.
#[must_use]
pub(crate) fn categorize(text: &str) -> Category {
    let rules = [&*COMPILED_SIGNS, &*COMPILED_DIFFERENT, &*COMPILED_LIFE];
    rules.into_iter().find_map(|rules| matching(rules, text)).unwrap_or(Category::Other)
}

/// The kind of fact that a sentence states; none when it states nothing, or nothing but what is for the moment. A word that says
/// so is believed unless the sentence surely tells of something else, a topic of life where it is likely that it tells of one, and
/// any other sentence where that is sure.
fn stated(sentence: &str) -> Option<Category> {
    let said = matching(&COMPILED_SIGNS, sentence);
    if said == Some(Category::Other) || sentence.len() > LONGEST_BYTES {
        return said;
    }
    let odds = telling::odds(sentence);
    let is_at_least = |least: f32| odds.is_none_or(|odds| odds >= least);
    if said.is_some() && is_at_least(UNLIKELY) {
        return said;
    }
    let different = is_at_least(UNLIKELY_DIFFERENT).then(|| matching(&COMPILED_DIFFERENT, sentence)).flatten();
    if different.is_some() || said.is_some() {
        return different;
    }
    let topic = is_at_least(LIKELY).then(|| matching(&COMPILED_LIFE, sentence))?;
    topic.or_else(|| odds.filter(|odds| *odds >= SURE).map(|_| Category::Fact))
}

fn matching(rules: &[Rule], text: &str) -> Option<Category> {
    rules.iter().find(|rule| rule.pattern.is_match(text)).map(|rule| rule.category)
}

/// Whether a sentence asks something.
pub(in crate::capture) fn is_question(sentence: &str) -> bool {
    static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        as_written(concat!(
            r"^(what|when|where|who|why|how|which|can|could|would|should|do|does|did|is|are|was|were|will|have|has) (you|i|we|he|she|it|they|the|my|your|there|this|that)\b",
            r"|^(what|when|where|who|why|how|which) (do|does|did|am|is|are|was|were|have|has|had|can|could|should|would|will|shall) (you|i|we|he|she|it|they|the|my|our|your|his|her|their|there|this|that|these|those)\b",
            r"|^(what|how|which|whose)( [\w'-]+){1,2} (do|does|did|have|has|had|can|could|should|would|will|shall) (you|i|we|he|she|it|they)\b",
            r"|^(do|can|could|would) you (remember|know|recall)|^(o que|quando|onde|quem|porque|por que|como|qual|quais|lembras-te|qué|cuándo|dónde|quién|cómo|cuál|was|wann|wo|wer|warum|wie|welche[rs]?|kannst du|weißt du|quand|où|qui|comment|pourquoi|quel|che cosa|quando|dove|chi|come|perché)\b",
            r"|(吗|嗎|呢|么|ですか|ますか|でしたか|ましたか|かな|까요|나요|니까)[？?。]?$",
        ))
    });
    let end = sentence.trim_end_matches(['"', '\'', '\u{201d}', '\u{2019}', ')', ' ']);
    end.ends_with(['?', '？', '؟']) || ASKS.as_ref().is_some_and(|r| r.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert_eq!(COMPILED_SIGNS.len(), SIGNS.len());
        assert_eq!(COMPILED_DIFFERENT.len(), DIFFERENT.len());
        assert_eq!(COMPILED_LIFE.len(), LIFE.len());
    }

    #[test]
    fn sentences_that_state_facts_are_found_with_their_kind() {
        let cases = [
            ("I prefer tea over coffee", Category::Preference),
            ("We decided to use PostgreSQL 17", Category::Decision),
            ("My phone number is +351 912 345 678", Category::Entity),
            ("Remember that the gate code changed", Category::Other),
            ("I'm allergic to peanuts", Category::Fact),
            ("I’m allergic to peanuts", Category::Fact),
            ("I'm not allergic to peanuts", Category::Fact),
            ("We moved to Leipzig last spring", Category::Entity),
            ("Please keep your answers short", Category::Preference),
            ("Decidimos usar o comboio em vez do carro", Category::Decision),
            ("Ich wohne in Graz", Category::Entity),
            ("我不喜欢喝咖啡", Category::Preference),
            ("覚えておいてね、鍵は植木鉢の下", Category::Other),
            ("커피보다 차를 좋아해요", Category::Preference),
            // Sisters and brothers were of English and Japanese only, and nothing of Arabic.
            ("Na verdade, a minha irmã chama-se Bia, não Ana.", Category::Entity),
            ("Mi novia se llama Lucía", Category::Entity),
            ("Mein Bruder heißt Jörg und wohnt in Köln.", Category::Entity),
            ("Ma sœur s'appelle Zoé", Category::Entity),
            ("Mia sorella si chiama Anna", Category::Entity),
            ("Мою собаку зовут Бобик", Category::Entity),
            ("Моя сестра живёт в Праге", Category::Entity),
            ("اسمي ليلى وأعيش في عمان", Category::Entity),
            ("أنا أحب الشاي بالنعناع", Category::Preference),
        ];
        for (text, category) in cases {
            let found = find(text).unwrap_or_else(|r| panic!("{text}: {r:?}"));
            assert_eq!(found[0].category, category, "{text}");
        }
    }

    #[test]
    fn questions_and_passing_wishes_are_not() {
        assert_eq!(find("What do I prefer?"), Err(Reason::Question));
        assert_eq!(find("我喜欢什么茶吗"), Err(Reason::Question));
        // Without their sign they were kept as facts, and recalled beside the answer.
        for asked in [
            "What do I prefer for breakfast",
            "Which colour did I like best, I forgot",
            "What did we decide about Falcon's harbour",
            "How often do I prefer tea",
            "When did we decide to move",
            "Where are my favourite shoes",
        ] {
            assert_eq!(find(asked), Err(Reason::Question), "{asked}");
        }
        for told in ["Which is why I prefer tea", "How nice, I prefer tea too"] {
            assert!(!is_question(told), "{told}");
        }
        for text in [
            "I want you to run the tests now",
            "Thanks, looks good",
            "ok let me see",
            "I like it",
            "I’d like to see where I live on a map",
            "How’s Anna’s flat, which I live in?”",
        ] {
            assert!(find(text).is_err(), "{text}");
        }
        let mixed = find("What time is it? I prefer trains to planes. Thanks!").unwrap();
        assert_eq!(mixed.len(), 1);
        assert_eq!(mixed[0].text, "I prefer trains to planes.");
    }

    // Each was a line of the day's note.
    #[test]
    fn what_would_be_and_what_is_told_of_nobody_is_kept_on_request_alone() {
        for text in
            ["If I lived in Rome I'd eat pasta every day.", "He works at Tesco.", "Thanks. She's allergic to nuts."]
        {
            assert_eq!(find(text), Err(Reason::NoTrigger), "{text}");
        }
        for (said, kept) in [
            ("Remember that he works at Tesco.", "he works at Tesco."),
            ("She's allergic to nuts. Please remember that.", "She's allergic to nuts."),
            ("My sister is a vet. She's allergic to nuts.", "My sister is a vet."),
        ] {
            assert_eq!(find(said).unwrap()[0].text, kept, "{said}");
        }
        assert_eq!(find("My sister is a vet. She's allergic to nuts.").unwrap().len(), 2);
    }

    // The apology made a sentence of something else of it.
    #[test]
    fn a_correction_that_begins_with_an_apology_is_kept_as_without_it() {
        for (said, kept) in [
            ("Nein, Entschuldigung, der Kardiologe ist am 11. Dezember", "der Kardiologe ist am 11. Dezember"),
            ("No, sorry, my dentist is Dr Costa.", "my dentist is Dr Costa."),
            ("Perdona, mi hermana se llama Ana", "mi hermana se llama Ana"),
            ("Non, pardon, mon frère s'appelle Luc", "mon frère s'appelle Luc"),
        ] {
            let found = find(said).unwrap_or_else(|r| panic!("{said}: {r:?}"));
            assert_eq!(found[0].text, kept, "{said}");
        }
        assert!(find("Sorry, thanks").is_err());
    }

    // "no, it's Tuesday not Monday" stood in the note of the day, and nothing told what.
    #[test]
    fn a_correction_of_nothing_is_none() {
        for said in [
            "no, it's Tuesday not Monday",
            "No, it's Porto.",
            "Did Benfica win? No, it's Porto.",
            "Nein, es ist Dienstag, nicht Montag",
            "No, es el martes, no el lunes",
            "Não, é na terça, não na segunda",
            "Non, c'est mardi, pas lundi",
            "No, è martedì, non lunedì",
            "Nee, het is dinsdag, niet maandag",
            "Нет, это вторник, не понедельник",
            "いや、10日です",
            "不对，是10号",
            "아니, 10일이야",
            "नहीं, 10 तारीख को",
            "لا، يوم 10",
        ] {
            assert!(find(said).is_err(), "{said}: {:?}", find(said));
        }
        assert!(find("Nein, der Kardiologe ist am 11. Dezember").is_ok(), "it has a subject");
        // What is asked to be remembered is meant, and what is said before it is not.
        assert_eq!(find("The gate squeaks. No, it's Porto. Please remember that.").unwrap_or_default(), []);
    }

    // "Please remember that." was kept, and what it meant was not; "Lembra-te que …" passed for a question.
    #[test]
    fn a_wish_to_remember_keeps_what_it_means() {
        for (said, kept) in [
            ("Please remember that.", &[][..]),
            ("The gate squeaks. Please remember that.", &["The gate squeaks."]),
            ("I live in Porto. Please remember that.", &["I live in Porto."]),
            ("Remember this:\nthe gate squeaks", &["the gate squeaks"]),
            ("Does the gate squeak? Remember that.", &[]),
            ("Lembra-te que o portão range", &["o portão range"]),
            ("remember this fact: the gate squeaks", &["the gate squeaks"]),
        ] {
            let found = find(said).unwrap_or_default();
            assert_eq!(found.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), kept, "{said}");
        }
    }

    // Each was skipped as stating nothing, or kept with the words of the command.
    #[test]
    fn common_ways_to_ask_are_heard_in_every_language() {
        let kept = |said: &str| {
            let text = crate::capture::filter::capturable(said).map_err(Reason::as_str)?;
            let found = find(&text).map_err(Reason::as_str)?;
            Ok::<_, &str>(found.into_iter().map(|found| found.text).collect::<Vec<_>>().join("|"))
        };
        let cases = [
            ("Don't let me forget that the gate squeaks.", "the gate squeaks."),
            ("Never let me forget that the gate squeaks", "the gate squeaks"),
            ("Please never forget that the gate squeaks", "the gate squeaks"),
            ("Que no se te olvide que el portón chirría", "el portón chirría"),
            ("No se te vaya a olvidar que el portón chirría", "el portón chirría"),
            ("Vergiss bitte nicht, dass das Tor quietscht", "das Tor quietscht"),
            ("Nicht vergessen: das Tor quietscht", "das Tor quietscht"),
            ("N'oublie surtout pas que le portail grince", "le portail grince"),
            ("Non dimenticare che il cancello cigola", "il cancello cigola"),
            ("Niet vergeten: het hek piept", "het hek piept"),
            ("Não te esqueças de que o portão range", "o portão range"),
            ("Não te esqueças que o portão range", "o portão range"),
            ("Не забудь, что ворота скрипят", "ворота скрипят"),
            ("मत भूलना कि फाटक चरमराता है", "फाटक चरमराता है"),
            ("याद रखना कि फाटक चरमराता है", "फाटक चरमराता है"),
            ("تذكر أن البوابة تصر", "البوابة تصر"),
            ("لا تنس أن البوابة تصر", "البوابة تصر"),
            ("門がきしむと覚えておいて", "門がきしむ"),
        ];
        let wrong: Vec<_> = cases.iter().map(|(said, fact)| (said, kept(said), fact)).collect();
        let wrong: Vec<_> = wrong.iter().filter(|(_, kept, fact)| kept.as_deref() != Ok(fact)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        for reminder in ["Never forget your roots", "Niet vergeten: melk kopen"] {
            assert_eq!(kept(reminder), Err("no-trigger"), "{reminder}");
        }
    }
}
