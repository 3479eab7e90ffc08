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

use super::{
    intent_patterns::{FUTURE, HABIT_OR_ORDER, PATTERNS, RETROSPECTIVE},
    question_patterns::{ASKS, OWN, WORK, WORLD},
};

/// Most of a message that is looked at, in UTF-16 units: what somebody asks for stands in a sentence.
const MOST_UNITS: usize = 2000;

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
static BEFORE: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(RETROSPECTIVE.iter().copied()));
static ASKED: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(ASKS.iter().copied()));
static OF_OWN: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(OWN.iter().copied()));
static OF_WORLD: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(WORLD.iter().copied()));
static OF_WORK: LazyLock<Option<RegexSet>> = LazyLock::new(|| set_of(WORK.iter().copied()));
static TELLING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&ascii_boundaries(HABIT_OR_ORDER)).ok());

fn set_of<'a>(patterns: impl Iterator<Item = &'a str>) -> Option<RegexSet> {
    let patterns = patterns.map(ascii_boundaries);
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(64 << 20).dfa_size_limit(16 << 20).build().ok()
}

/// What a message asks memory for; none or [`Intent::General`] for one that can be answered without. `message` is without
/// what the host put around it.
#[must_use]
pub fn recall_intent(message: &str) -> Option<Intent> {
    let plain = compose(head(message.trim(), MOST_UNITS));
    let text = plain_apostrophes(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return None;
    }
    let asking = ASKING.as_ref()?;
    let found = asking.set.matches(&text).iter().next().and_then(|at| asking.intents.get(at).copied());
    let is_in = |set: &LazyLock<Option<RegexSet>>| set.as_ref().is_some_and(|set| set.is_match(&text));
    // "Remember to call Ana tomorrow" asks for nothing that was said.
    let is_later = is_in(&LATER) || TELLING.as_ref().is_some_and(|telling| telling.is_match(&text));
    if is_later && !is_in(&BEFORE) {
        return None;
    }
    found.or_else(|| {
        let (own, world) = (is_in(&OF_OWN), is_in(&OF_WORLD));
        match (own, world) {
            (false, true) => Some(Intent::General),
            (true, true) => None,
            _ if is_in(&OF_WORK) || !is_in(&ASKED) => None,
            (true, false) => Some(Intent::Own),
            (false, false) => Some(Intent::Question),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(ASKING.is_some() && LATER.is_some() && BEFORE.is_some() && TELLING.is_some());
        assert!(ASKED.is_some() && OF_OWN.is_some() && OF_WORLD.is_some() && OF_WORK.is_some());
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
        for text in ordinary {
            assert!(matches!(recall_intent(text), None | Some(Intent::General)), "{text}");
        }
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
