//! Whether a message asks for something that was said, done or known before. Only such a message is worth a model call:
//! "explain DNS" needs no memory, "what did we decide about DNS?" does.
//!
//! Patterns say what a message looks like, and a classifier that has learned from those of many hands (`eval/sets/asking`) how
//! surely such a one needs what is in the notes. Whatever the bundled plugin of the host takes for a question to memory counts
//! here too (`__test__/oracle/recall-intent.test.mjs`).

use serde::{Deserialize, Serialize};

use super::signs::{Sign, Signs};
use crate::classifier::{Classifier, Features};

/// Written by the test of this file. Who asks says so in few words, which are known also where what is asked about is not.
static LEARNED: Classifier = Classifier { learned: include_bytes!("asking.bin"), least_known: 0.2 };

/// What the confidence of the best passage that was found adds to the odds that it is asked for …
const OF_BEST: f64 = 3.0;
/// … and what both are together where a model is worth asking. By `eval/sets/asking` and the halves of the sets of conversations
/// that may be looked at: docs/active-memory.md.
const LEAST_ODDS: f64 = 0.75;

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

impl Intent {
    /// Whether only notes can tell what is asked for.
    #[must_use]
    pub fn asks_memory(self) -> bool {
        self != Self::General
    }

    /// Its name, as it is written.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Past => "past",
            Self::Person => "person",
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Time => "time",
            Self::Own => "own",
            Self::Errand => "errand",
            Self::Question => "question",
            Self::General => "general",
        }
    }
}

/// How a message asks memory for something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asking {
    /// What it asks for by patterns.
    by_patterns: Option<Intent>,
    /// Whether it says so in words that leave little doubt: "do you remember …", "what is my usual …". Of 95 turns with such words
    /// in conversations two asked for nothing.
    is_explicit: bool,
    /// The log-odds that only notes can tell; none in a language that nobody taught, and of what is still to be done.
    odds: Option<f64>,
}

impl Asking {
    /// How a message asks, which is without what the host put around it.
    #[must_use]
    pub fn of(message: &str) -> Self {
        let signs = Signs::of(message);
        let by_patterns = by_patterns(&signs);
        let is_explicit = by_patterns.is_some() && !signs.intents.is_empty();
        let may_ask = !signs.text.is_empty() && !signs.is_later();
        let odds = may_ask.then(|| LEARNED.odds(&features(&signs))).flatten().map(f64::from);
        Self { by_patterns, is_explicit, odds }
    }

    /// The same of one that can only be understood with the message before it, `with` that.
    #[must_use]
    pub fn or(self, with: Self) -> Self {
        let is_with = self.by_patterns.is_none();
        Self {
            by_patterns: self.by_patterns.or(with.by_patterns),
            is_explicit: if is_with { with.is_explicit } else { self.is_explicit },
            odds: self.odds.into_iter().chain(with.odds).reduce(f64::max),
        }
    }

    /// What is asked for where the notes hold a passage of the confidence `best`, 0–1; none or [`Intent::General`] where it can be
    /// answered without them.
    #[must_use]
    pub fn intent(self, best: f64) -> Option<Intent> {
        let Some(odds) = self.odds.filter(|_| !self.is_explicit) else { return self.by_patterns };
        let asks = odds + OF_BEST * best > LEAST_ODDS;
        match self.by_patterns {
            Some(Intent::General) | None if asks => Some(Intent::Question),
            Some(Intent::General) => Some(Intent::General),
            by_patterns => by_patterns.filter(|_| asks),
        }
    }
}

/// What a message asks memory for, as far as it tells by itself; none or [`Intent::General`] for one that can be answered
/// without. `message` is without what the host put around it.
#[must_use]
pub fn recall_intent(message: &str) -> Option<Intent> {
    Asking::of(message).intent(LEAST_ODDS / OF_BEST)
}

fn features(signs: &Signs) -> Features {
    Features::of(&signs.text).with(signs.names())
}

fn by_patterns(signs: &Signs) -> Option<Intent> {
    if signs.text.is_empty() {
        // Nothing but a text that is given to be worked on.
        return signs.has_given.then_some(Intent::General);
    }
    if signs.is_later() {
        return None;
    }
    signs.intents.first().copied().or_else(|| match (signs.has(Sign::Own), signs.has(Sign::World)) {
        (false, true) => Some(Intent::General),
        (true, true) => None,
        _ if signs.has(Sign::Errand) => Some(Intent::Errand),
        _ if signs.has(Sign::Work) || !signs.asks() => None,
        (true, false) => Some(Intent::Own),
        (false, false) => Some(Intent::Question),
    })
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;
    use crate::classifier::learn::{Example, assert_is_learned, labelled};

    fn of_patterns(message: &str) -> Option<Intent> {
        by_patterns(&Signs::of(message))
    }

    fn asks_memory(message: &str) -> bool {
        of_patterns(message).is_some_and(Intent::asks_memory)
    }

    /// That it is so of all texts; whichever it is not are named.
    fn all(texts: &[&str], is_so: impl Fn(&str) -> bool) {
        let wrong: Vec<&&str> = texts.iter().filter(|text| !is_so(text)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// A line of `eval/sets/asking`, or of a set of conversations.
    #[derive(Deserialize)]
    struct Line {
        query: String,
        category: Option<String>,
        half: Option<String>,
    }

    /// What the turns of a conversation stand for beside messages that nobody sent in one.
    const OF_TURN: f64 = 3.0;

    // `MEMORY_CORE_WRITE=1 cargo test -p engine --lib intent` writes them after a set or a pattern has changed. Of sets of
    // conversations it is the half that may be looked at; what is called measured or unseen in `eval/sets/asking` is not among them.
    #[test]
    fn the_weights_are_those_that_the_sets_teach() {
        let mut taught: Vec<(String, bool, f64)> = Vec::new();
        for (kind, asks) in [("personal", true), ("ordinary", false)] {
            for file in [format!("asking/{kind}.jsonl"), format!("asking/{kind}-independent.jsonl")] {
                taught.extend(labelled::<Line>(&file).into_iter().map(|line| (line.query, asks, 1.0)));
            }
        }
        for set in ["active-memory", "chat-glasgow", "chat-mexico", "chat-hamburg"] {
            let turns = labelled::<Line>(&format!("{set}/queries.jsonl")).into_iter();
            let looked_at = turns.filter(|turn| turn.half.as_deref() == Some("dev"));
            let turns = looked_at.filter(|turn| turn.category.as_deref() != Some("hostile"));
            taught.extend(turns.map(|turn| (turn.query, turn.category.as_deref() != Some("none"), OF_TURN)));
        }
        let examples: Vec<Example> = taught
            .par_iter()
            .map(|(message, asks, weight)| Example {
                features: features(&Signs::of(message)),
                is_of_kind: *asks,
                weight: *weight,
            })
            .collect();
        assert_is_learned(&LEARNED, &examples, "active_memory/asking.bin");
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
            assert!(of_patterns(text).is_some(), "{text}");
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
            assert_eq!(of_patterns(text), expected, "{text}");
            assert_eq!(of_patterns(&text.replace('\'', "’")), expected, "{text}");
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
            assert_eq!(of_patterns(text), expected, "{text}");
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
        all(&texts, |text| of_patterns(text).is_none());
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

    // By patterns alone 46 in 100 ordinary messages were taken for questions to memory where they were written to look like them.
    #[test]
    fn what_was_learned_decides_what_is_not_said_in_so_many_words() {
        let asks = |message: &str, best: f64| Asking::of(message).intent(best).is_some_and(Intent::asks_memory);
        for text in
            ["which port did we put the staging db on", "do you remember the way I like it?", "same place as last time"]
        {
            assert!(asks(text, 0.15), "{text}");
        }
        for text in ["how do I get a toddler to sleep", "should I learn rust or go", "my head hurts, what helps"] {
            assert!(!asks(text, 0.15), "{text}");
        }
        // What the notes hold tells of the rest.
        assert!(asks("the boat is blue", 0.9) && !asks("the boat is blue", 0.0));
        // Nobody taught Greek: patterns tell.
        assert_eq!(Asking::of("πού είναι το κλειδί;").odds, None);
        // What is still to be done asks for nothing.
        assert!(!asks("remember to buy milk tomorrow", 0.9));
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
