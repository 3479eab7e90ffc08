//! Whether a message asks for something that was said, done or known before. Only such a message is worth a model call:
//! "explain DNS" needs no memory, "what did we decide about DNS?" does.
//!
//! Patterns of many languages, matched in linear time. Whatever the bundled plugin of the host takes for a question to
//! memory counts here too (`__test__/oracle/recall-intent.test.mjs`).

use std::sync::LazyLock;

use regex::{Regex, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};
use text::{
    cut::head,
    fold::{compose, plain_apostrophes},
    pattern::ascii_boundaries,
};

use crate::capture::given::own_words;

use super::{
    chat_patterns::CHAT,
    errand_patterns::ERRANDS,
    intent_patterns::{FUTURE, HABIT_OR_ORDER, PATTERNS, RETROSPECTIVE, TO_COME},
    question_patterns::{ASKS, OWN, WORK, WORLD},
};

/// Most of a message that is looked at, in UTF-16 units: what somebody asks for stands in a sentence.
const MOST_UNITS: usize = 2000;

/// Longest message, in characters, that may ask by a noun alone or by its last word.
const SHORT: usize = 120;

/// What a message asks memory for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// What was said or done before.
    Past,
    /// Somebody the user knows, or something of the user's own.
    Person,
    /// What somebody likes, or usually does.
    Preference,
    /// What was settled.
    Decision,
    /// When something was, or is due.
    Time,
    /// A question in which somebody speaks of their own matters.
    Own,
    /// Something to be done for which the user's own matters count: a message to somebody, a booking.
    Errand,
    /// Any other question that the world does not answer.
    Question,
    /// Nothing: the world answers it, or it is about the words that it holds.
    General,
}

struct Patterns {
    set: RegexSet,
    intents: Vec<Intent>,
}

static ASKING: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let all = || PATTERNS.iter().flat_map(|(intent, patterns)| patterns.iter().map(move |pattern| (*intent, *pattern)));
    let set = set_of(all().map(|(_, pattern)| pattern))?;
    Some(Patterns { set, intents: all().map(|(intent, _)| intent).collect() })
});
static LATER: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(FUTURE.iter().copied()));
static COMING: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(TO_COME.iter().copied()));
static BEFORE: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(RETROSPECTIVE.iter().copied()));
static ASKED: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(ASKS.iter().copied()));
static ASKED_SHORTLY: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(CHAT.iter().copied()));
static OF_OWN: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(OWN.iter().copied()));
static OF_WORLD: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(WORLD.iter().copied()));
static OF_WORK: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(WORK.iter().copied()));
static OF_ERRAND: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(ERRANDS.iter().copied()));
static TELLING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&ascii_boundaries(HABIT_OR_ORDER)).ok());

/// Letters of the scripts that write words with spaces: all that Unicode counts as one would take ten times the memory.
const LETTER: &str = "[0-9a-zß-ſа-ё]";

fn set_of<'a>(patterns: impl Iterator<Item = &'a str>) -> Option<RegexSet> {
    let patterns = patterns.map(|pattern| ascii_boundaries(pattern).replace(r"\w", LETTER));
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(64 << 20).dfa_size_limit(16 << 20).build().ok()
}

/// What a message asks memory for; none or [`Intent::General`] for one that can be answered without. `message` is without
/// what the host put around it.
#[must_use]
pub fn recall_intent(message: &str) -> Option<Intent> {
    let message = head(message.trim(), MOST_UNITS);
    let own = own_words(message);
    if own.is_empty() && !message.is_empty() {
        // Nothing but a text that is given to be worked on.
        return Some(Intent::General);
    }
    let plain = compose(own);
    let text = plain_apostrophes(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return None;
    }
    let asking = ASKING.as_ref()?;
    let found = asking.set.matches(&text).iter().next().and_then(|at| asking.intents.get(at).copied());
    let is_in = |set: &LazyLock<Option<RegexSet>>| set.as_ref().is_some_and(|set| set.is_match(&text));
    let asks = || is_in(&ASKED) || text.chars().count() <= SHORT && is_in(&ASKED_SHORTLY);
    // "Remember to call Ana tomorrow" asks for nothing that was said.
    let is_later =
        is_in(&LATER) || TELLING.as_ref().is_some_and(|telling| telling.is_match(&text)) || is_in(&COMING) && !asks();
    if is_later && !is_in(&BEFORE) {
        return None;
    }
    found.or_else(|| {
        let (own, world) = (is_in(&OF_OWN), is_in(&OF_WORLD));
        match (own, world) {
            (false, true) => Some(Intent::General),
            (true, true) => None,
            _ if is_in(&OF_ERRAND) => Some(Intent::Errand),
            _ if is_in(&OF_WORK) || !asks() => None,
            (true, false) => Some(Intent::Own),
            (false, false) => Some(Intent::Question),
        }
    })
}

/// Whether a message asks for something that only notes can tell.
#[must_use]
pub fn asks_memory(message: &str) -> bool {
    recall_intent(message).is_some_and(|intent| intent != Intent::General)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That it is so of all texts; whichever it is not are named.
    fn all(texts: &[&str], is_so: impl Fn(&str) -> bool) {
        let wrong: Vec<&&str> = texts.iter().filter(|text| !is_so(text)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn the_patterns_compile() {
        assert!(ASKING.is_some() && LATER.is_some() && BEFORE.is_some() && TELLING.is_some());
        assert!(ASKED.is_some() && OF_OWN.is_some() && OF_WORLD.is_some() && OF_WORK.is_some());
        assert!(OF_ERRAND.is_some() && COMING.is_some() && ASKED_SHORTLY.is_some());
    }

    #[test]
    fn questions_to_memory_are_known_in_ten_languages() {
        let asked = [
            "What did we decide about the database?",
            "do you remember what I told you about the gate?",
            "What is my favourite tea?",
            "What's my dentist's phone number?",
            "When is Tom's birthday?",
            "where did I put the spare key?",
            "which seat do I usually book?",
            "Who is my landlord?",
            "What have we agreed on with Priya last week?",
            "Was haben wir letzte Woche beschlossen?",
            "Weißt du noch, welche Farbe ich wollte?",
            "Wann hat meine Mutter Geburtstag?",
            "Was trinke ich am liebsten?",
            "¿Qué decidimos sobre el proyecto?",
            "¿Cuál es mi color favorito?",
            "¿Cuándo es el cumpleaños de mi hermana?",
            "Tu te souviens de ce que j'ai dit ?",
            "Qu'est-ce qu'on a décidé hier ?",
            "Quel est mon thé préféré ?",
            "Ti ricordi cosa abbiamo deciso?",
            "Qual è il mio vino preferito?",
            "O que decidimos sobre o orçamento?",
            "Qual é o meu chá favorito?",
            "Lembras-te do nome do meu dentista?",
            "Что мы решили насчёт базы данных?",
            "Помнишь, какой чай я люблю?",
            "Когда день рождения моей мамы?",
            "我们上次决定了什么？",
            "你还记得我喜欢什么茶吗？",
            "我的牙医叫什么名字？",
            "前回何を決めたか覚えていますか？",
            "私の好きなお茶は何ですか？",
            "母の誕生日はいつですか？",
            "지난번에 우리가 뭘 결정했지?",
            "내가 좋아하는 차가 뭐였지?",
            "우리 엄마 생일이 언제야?",
            "Wat hebben we vorige week afgesproken?",
        ];
        for text in asked {
            assert!(recall_intent(text).is_some(), "{text}");
        }
    }

    // "What’s the weather like" was general only with an apostrophe of typewriters.
    #[test]
    fn the_apostrophe_of_a_telephone_asks_for_the_same() {
        for (text, expected) in [
            ("what's my caffeine cut-off?", Some(Intent::Person)),
            ("a guest wants to go online, where's the password", Some(Intent::Question)),
            ("what's the weather like on Mars", Some(Intent::General)),
            ("c'est quoi un far breton ?", Some(Intent::General)),
        ] {
            assert_eq!(recall_intent(text), expected, "{text}");
            assert_eq!(recall_intent(&text.replace('\'', "’")), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_turns_ask_for_nothing() {
        let ordinary = [
            "Explain DNS over HTTPS.",
            "Write a haiku about rain",
            "How do I center a div?",
            "thanks!",
            "Translate this to French: good morning",
            "What is the capital of Portugal?",
            "Can you fix the bug in this function?",
            "remember to buy milk tomorrow",
            "Remind me to call Ana at six",
            "I prefer green tea from now on",
            "Erinnere mich morgen an den Termin",
            "Wie funktioniert ein Kompressor?",
            "Schreib mir ein Gedicht",
            "Recuérdame mañana comprar pan",
            "¿Cómo funciona un motor?",
            "Explique-moi le théorème de Bayes",
            "Rappelle-moi demain d'acheter du pain",
            "Come si fa la pizza?",
            "Como funciona um motor a diesel?",
            "Lembra-me amanhã de ligar à Ana",
            "Как работает двигатель?",
            "Напомни мне завтра купить хлеб",
            "解释一下什么是光合作用",
            "明天提醒我买牛奶",
            "光合成を説明してください",
            "明日の朝に起こしてください",
            "광합성을 설명해 줘",
            "내일 우유 사라고 알려 줘",
        ];
        all(&ordinary, |text| !asks_memory(text));
    }

    #[test]
    fn a_question_need_not_speak_of_the_past() {
        for (text, expected) in [
            ("how fast do I listen to audiobooks?", Some(Intent::Own)),
            ("wie laut darf ich nachts üben?", Some(Intent::Own)),
            ("combien je paie pour le garage ?", Some(Intent::Own)),
            ("which berth is the boat at?", Some(Intent::Question)),
            ("how many weeks does a customer have to pay?", Some(Intent::Question)),
            ("und in welchem Jahr?", Some(Intent::Question)),
            ("how does a heat pump work?", Some(Intent::General)),
            ("translate \"the boat is blue\" into Greek", Some(Intent::General)),
            ("is it normal that tyres lose air?", Some(Intent::General)),
            ("is it normal that my elbow hurts?", None),
            ("my dog chews the carpet, what helps?", None),
            ("was hilft gegen Mücken?", Some(Intent::General)),
            ("write a poem about the boat", None),
            ("the boat is blue", None),
        ] {
            assert_eq!(recall_intent(text), expected, "{text}");
        }
    }

    // A second person's conversations: of 111 turns that needed a note, 25 did not ask for it by these patterns. Nobody types
    // question marks in a chat, Polish was no language, and orders were not looked at.
    #[test]
    fn a_chat_is_written_without_question_marks() {
        let texts = [
            "and whats left to pay the roofer",
            "thats more than last spring isn't it",
            "and not the blue ones why",
            "until when is the deposit refundable",
            "o której przyjeżdża ciocia",
            "a co my wtedy wybraliśmy",
            "numer do hydraulika proszę",
            "qdo é o niver da tia",
            "até quando dá pra devolver",
            "que dia a gente volta",
            "c'est quand la fête de l'école",
            "a che ora arriva il treno",
            "cuando me toca la revisión",
            "für welches datum war der tisch",
            "en met wie was dat",
            "до скольки открыта мастерская",
            "abla ne zaman geliyor",
            "متى موعد الطبيب",
            "डॉक्टर कब आएंगे",
            "我下次体检是什么时候？",
            "物置の暗証番号教えて",
            "창고 비밀번호 알려줘",
            "i forgot what the vet said",
            "no me acuerdo del nombre del gasista",
            "j'ai oublié le code du garage",
        ];
        all(&texts, asks_memory);
    }

    #[test]
    fn an_order_that_names_whom_it_is_for_needs_what_is_known_of_them() {
        let texts = [
            "draft a text to the tenants about the lift, when and where",
            "tell him in two lines what broke",
            "text anna that we are late",
            "book the hotel for june",
            "schreib meiner schwester wann wir ankommen",
            "mándale al casero la fecha",
            "escreve pra minha mãe a que horas chegamos",
            "réserve-moi une table pour samedi",
            "mi prenoti il treno per Bari",
            "wyślij mamie godzinę przylotu",
            "напиши маме, когда мы прилетим",
            "stuur mijn broer het adres",
            "给妈妈发个消息说我们几点到",
            "母にメールを書いて",
            "엄마한테 메시지 보내 줘",
            "a quiet evening, you know how i like it",
            "das Essen wie immer",
        ];
        all(&texts, asks_memory);
        let texts = [
            "write a poem about the boat",
            "write a short ad for a flat",
            "make that a bit less bossy",
            "put it in a table",
            "tell me a joke",
            "schreib mir einen lustigen trinkspruch",
            "napisz wiersz o jesieni",
            "напиши стихи про осень",
        ];
        all(&texts, |text| recall_intent(text).is_none());
    }

    #[test]
    fn what_anybody_could_answer_asks_for_nothing() {
        let texts = [
            "what does voluntary excess mean",
            "when do you sow broad beans",
            "how long do you boil an egg",
            "how do i know when cod is done",
            "how long does a passport renewal take in the uk",
            "does that work on windows",
            "is it safe",
            "11 times 4.5?",
            "wie lange kocht man ein ei",
            "quel est le pluriel de \"cheval\"",
            "cuánto se hierve un huevo",
            "石板瓦和陶瓦有什么区别",
            "jak się mówi \"dzień dobry\" po czesku",
        ];
        all(&texts, |text| !asks_memory(text));
    }

    // 300,000 characters of an envelope cost every turn of the bundled plugin its time limit.
    #[test]
    fn a_huge_message_costs_no_more_than_a_long_one() {
        let text = "what did we ".repeat(30_000);
        let _ = recall_intent("warm up");
        let began = std::time::Instant::now();
        for _ in 0..10 {
            assert!(recall_intent(&text).is_some());
        }
        assert!(began.elapsed().as_millis() < 1000, "{:?}", began.elapsed());
    }
}
