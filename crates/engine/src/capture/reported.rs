//! Words of somebody else that a message repeats behind who said them: "Ben wrote: I work at the airport. I hate Mondays."

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{pattern::with_ascii_boundaries, sentences::sentences};

/// Who says it, from behind the last sign on. A comma may part a name from what stands before.
const WHO: &str = r"(?:^|[\n.!?。！？,;，、…])[ \t]*(?P<who>[^\n:：.!?。！？,;，、…]{1,60}?)";

/// The verb in English with whom it is said to, and when or where.
const ENGLISH: &str = concat!(
    r"(?:said|says|wrote|writes|texted|texts|messaged|e-?mailed|replied|answered|posted|(?:told|tells|asked|sent) (?:me|us|him|her|them|everyone|everybody))",
    r"(?: (?:to )?(?:me|us|him|her|them|everyone|everybody))?",
    r"(?: (?:back|again|today|yesterday|earlier|just now|on|in|via|by|over|from|at|this|last)(?: [^\s:：.!?,;]+){0,4})?"
);

/// The same in other languages that write spaces, in the third person.
const SPACED: &[&str] = &[
    r"sagte?|schreibt|schrieb|meinte?|antwortete?|textete?|(?:hat|hatte) (?:[^\s:.!?,;]+ ){0,4}?(?:gesagt|geschrieben|gemeint|geantwortet|getextet|gemailt|geschickt)",
    r"(?P<french>(?:m'|t'|l'|nous |lui )?a (?:juste |aussi )?(?:dit|écrit|répondu|envoyé|texté)|(?:me |m'|nous )?(?:dit|écrit|répond|disait|écrivait))",
    r"(?:(?:me|nos|le) )?(?:(?:acaba de )?(?:dijo|dice|decir|escribió|escribe|escribir|contestó|respondió|comentó|mandó|envió)|ha (?:dicho|escrito|contestado|respondido))",
    r"(?:(?:me|nos) )?(?:acabou de (?:dizer|escrever)|disse|diz|escreveu|escreve|respondeu|mandou|enviou|falou|contou)(?:-me|-nos)?",
    r"(?:(?:mi|ci|gli|le) )?(?:ha (?:appena )?(?:detto|scritto|risposto|mandato)|dice|scrive|disse|scrisse|risponde|rispose)",
    r"zei|zegt|schreef|schrijft|appte|appt|mailde|mailt|antwoordde|antwoordt|(?:heeft|had) (?:[^\s:.!?,;]+ ){0,4}?(?:gezegd|geschreven|geappt|gemaild|geantwoord|gestuurd)",
    r"(?:(?:мне|нам) )?(?:сказала?|говорит|пишет|писала?|написала?|ответила?|прислала?|сообщила?)",
    r"(?:(?:mi|nam) )?(?:powiedziała?|mówi|pisze|napisała?|odpisała?|odpowiedziała?|przysłała?)",
    r"(?:(?:bana|bize) )?(?:(?:şunu|şöyle) )?(?:dedi|demiş|diyor|yazdı|yazmış|yazıyor|söyledi|mesaj attı)(?: ki)?",
];

/// What may stand between such a verb and the colon.
const TAIL: &str = r"(?P<tail>(?: [^\s:：.!?,;]+){0,4})";

/// The same of scripts without spaces, and of Korean, with the sign of who says it.
const DENSE: &[&str] = &[
    r"(?:刚刚|刚才|剛剛|剛才|刚|剛|昨天|今天|在[^\n：:，。]{1,8}?)?(?:跟|对|對|和|给|給)?(?:我|我们|我們)?(?:说|說|写道|寫道|写|寫|告诉我|告訴我|发消息|發訊息|发来消息|回复|回覆|留言)(?:了|道|说|說)?",
    r"(?:が|は|から|より)[^\n。：:「]{0,16}?(?:言った|言いました|言ってた|言っていました|言ってました|書いた|書きました|書いてきた|書いていました|送ってきた|送ってきました|メッセージ|連絡|返事|LINE)[^\n。：:「]{0,6}?",
    r"(?:이|가|은|는|께서|한테서|에게서)[^\n.:]{0,16}?(?:말했어|말했다|말했어요|말했습니다|말하길|했어|했다|했어요|썼어|썼다|썼어요|썼습니다|보냈어|보냈다|보냈어요|보냈습니다|문자|메시지|카톡)[^\n.:]{0,6}?",
];

/// What begins the words: a colon that is in no time, address or face; or a quotation mark.
const MARK: &str =
    r#"(?:[ \t\u{A0}\u{202F}]*(?:(?P<colon>:)(?:[^\d/\\()]|$)|(?P<wide>：))|[ ,，]*(?P<quote>["“„«「『]))"#;

/// Who speaks of himself in the languages whose verbs do not tell.
const FIRST: &[&str] = &[
    "i",
    "we",
    "j",
    "ai",
    "nous",
    "avons",
    "ich",
    "wir",
    "ik",
    "wij",
    "eu",
    "nós",
    "я",
    "мы",
    "我",
    "我们",
    "我們",
    "私",
    "僕",
    "俺",
    "わたし",
];
/// The same before the sign of a Korean subject.
const FIRST_IN_KOREAN: &[&str] = &["내", "제", "나", "저", "우리"];
/// What follows a Chinese "I" that is no part of a longer subject ("my mother").
const BEHIND_CHINESE_I: &str = "刚剛也就跟对對和给給已昨今都还還常想";
/// What no subject begins with, and what no Portuguese one ends with ("como disse: …" is the writer's own).
const CONDITIONS: &[&str] = &["if", "wenn", "falls", "se", "si", "als", "если", "jeśli", "eğer"];
const NO_SUBJECT: &[&str] = &["já", "como", "que", "também", "sempre", "só", "não", "wie", "zoals", "comme", "est"];

/// Who tells the writer of himself, within a word: "my doctor said: I have diabetes" is his own fact. What such people write is
/// theirs.
const HEALTH: &[&str] = &[
    "doctor",
    "dokt",
    "docteur",
    "dottor",
    "doutor",
    "dentist",
    "dentyst",
    "nurse",
    "therap",
    "thérap",
    "terap",
    "physi",
    "psych",
    "psic",
    "fisio",
    "kiné",
    "ologist",
    "ologe",
    "ologin",
    "ologue",
    "ólog",
    "ologo",
    "oloog",
    "олог",
    "arzt",
    "ärzt",
    "hebamme",
    "médecin",
    "médic",
    "medico",
    "medica",
    "enferm",
    "infirm",
    "infermier",
    "tandarts",
    "huisarts",
    "verpleeg",
    "врач",
    "доктор",
    "медсестр",
    "lekar",
    "pielęgniar",
    "hekim",
    "dişçi",
    "hemşire",
    "surgeon",
    "midwife",
    "dietit",
    "nutrition",
    "医",
    "醫",
    "의사",
];
/// How they tell it, within what stands behind who it is.
const TELLS: &[&str] = &[
    "said",
    "says",
    "told",
    "tells",
    "sagt",
    "meint",
    "dit",
    "disait",
    "dijo",
    "dice",
    "dicho",
    "disse",
    "diz",
    "falou",
    "detto",
    "zei",
    "zegt",
    "gezegd",
    "сказал",
    "говорит",
    "powiedzia",
    "mówi",
    "dedi",
    "diyor",
    "söyledi",
    "言",
    "说",
    "說",
    "告诉",
    "告訴",
    "말",
];

/// By which words somebody tells of himself.
const OF_SELF: &[&str] = &[
    "my", "mine", "me", "we", "our", "ours", "us", "ich", "mir", "mich", "wir", "ik", "mij", "mijn", "wij", "ons",
    "onze", "mon", "nous", "notre", "moi", "yo", "mi", "mis", "eu", "meu", "minha", "meus", "minhas", "io", "mio",
    "mia", "miei", "mie", "я", "мой", "моя", "моё", "мое", "мои", "мне", "меня", "мы", "нас", "нам", "mój", "moja",
    "moje", "mnie", "benim", "bana", "bizim",
];
const STEMS_OF_SELF: &[&str] = &["mein", "unser", "наш"];
const DENSE_OF_SELF: &[&str] = &["我", "私", "僕", "俺", "わたし", "나는", "내가", "저는", "제가", "우리"];

static LEAD_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (spaced, dense) = (SPACED.join("|"), DENSE.join("|"));
    with_ascii_boundaries(&format!("{WHO}(?: (?:(?P<english>{ENGLISH})|(?:{spaced}){TAIL})|(?:{dense})){MARK}"))
});

/// A message without what it repeats of somebody else: up to the closing quotation mark or the end of the paragraph, and all of
/// the rest behind a lead-in that ends its line. The first sentence stays with who said it where it does not tell of its speaker:
/// "my doctor said: no more salt" is a fact about who writes it.
#[must_use]
pub(super) fn without(message: &str) -> Cow<'_, str> {
    let Some(lead_in) = LEAD_IN.as_ref() else { return Cow::Borrowed("") };
    let (mut own, mut from, mut search) = (String::new(), 0, 0);
    while let Some(found) = lead_in.captures_at(message, search) {
        let mark = ["colon", "wide", "quote"].iter().find_map(|name| found.name(name));
        let Some((who, mark)) = found.name("who").zip(mark) else { break };
        search = mark.end();
        let verb = message.get(who.end()..mark.start()).unwrap_or_default();
        if is_own(&found) || is_told_by_a_doctor(message.get(..who.end()).unwrap_or_default(), who.as_str(), verb) {
            continue;
        }
        let words = Words::behind(message, search, found.name("quote").is_some());
        search = words.end;
        if words.is_quoted && !tells_of_self(words.first(message), &found) {
            continue;
        }
        let first = words.first(message);
        let stays =
            (!words.is_quoted && !first.is_empty() && !tells_of_self(first, &found)).then(|| words.first_end(message));
        let kept = message.get(from..stays.unwrap_or_else(|| who.start())).unwrap_or_default();
        own.push_str(kept.trim_end_matches([' ', '\t', ',', ';', '，', '、']));
        from = words.end;
    }
    if from == 0 {
        return Cow::Borrowed(message);
    }
    own.push_str(message.get(from..).unwrap_or_default());
    Cow::Owned(own.trim().to_owned())
}

/// Where the words stand that somebody said.
struct Words {
    begin: usize,
    /// Where the writer's own words may go on.
    end: usize,
    is_quoted: bool,
    /// Whether they begin below their lead-in, so that nobody knows where they end.
    is_below: bool,
}

impl Words {
    /// Those behind a colon, or behind a quotation mark.
    fn behind(message: &str, mark: usize, is_quoted: bool) -> Self {
        let rest = message.get(mark..).unwrap_or_default();
        let (begin, open) = if is_quoted {
            (mark, message.get(..mark).and_then(|before| before.chars().next_back()))
        } else {
            let open = rest.trim_start().chars().next().filter(|c| !closing(*c).is_empty());
            let words = match open {
                Some(_) => rest.trim_start(),
                None => rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n'),
            };
            (mark + rest.len() - words.len() + open.map_or(0, char::len_utf8), open)
        };
        let words = message.get(begin..).unwrap_or_default();
        let closed = open.and_then(|open| words.find(closing(open)));
        if let Some(close) = closed {
            let end = words.ceil_char_boundary(close + 1);
            return Self { begin, end: begin + end, is_quoted: true, is_below: false };
        }
        let is_below = words.starts_with('\n') || words.is_empty();
        let end = if is_below { words.len() } else { paragraph_end(words) };
        Self { begin, end: begin + end, is_quoted: false, is_below }
    }

    /// What tells whose they are: all of a quotation, else the first sentence; nothing of what stands below its lead-in.
    fn first<'a>(&self, message: &'a str) -> &'a str {
        let words = message.get(self.begin..self.end).unwrap_or_default();
        match (self.is_quoted, self.is_below) {
            (true, _) => words,
            (false, true) => "",
            (false, false) => sentences(words).next().unwrap_or_default(),
        }
    }

    /// Where the first sentence ends.
    fn first_end(&self, message: &str) -> usize {
        let words = message.get(self.begin..self.end).unwrap_or_default();
        let first = self.first(message);
        self.begin + words.find(first).map_or(0, |at| at + first.len())
    }
}

/// What closes a quotation.
const fn closing(open: char) -> &'static [char] {
    match open {
        '"' => &['"', '”'],
        '“' | '„' => &['”', '“', '"'],
        '«' => &['»'],
        '「' => &['」'],
        '『' => &['』'],
        _ => &[],
    }
}

/// Where the first paragraph of a text ends.
fn paragraph_end(text: &str) -> usize {
    let mut at = 0;
    let ends = text.split_inclusive('\n').find_map(|line| {
        let begin = at;
        at += line.len();
        line.trim().is_empty().then_some(begin)
    });
    // The line feed before it parts the paragraphs still.
    ends.map_or(text.len(), |end| text.get(..end).unwrap_or_default().trim_end().len())
}

/// Whether the writer says it himself, or it is no statement that somebody said something.
fn is_own(found: &Captures<'_>) -> bool {
    let words_of = |name: &str| found.name(name).map(|part| words(part.as_str())).unwrap_or_default();
    let who = words_of("who");
    let is = |list: &[&str], word: Option<&String>| word.is_some_and(|word| list.contains(&word.as_str()));
    let is_of_chinese = who.first().is_some_and(|word| {
        let behind =
            word.strip_prefix("我们").or_else(|| word.strip_prefix("我們")).or_else(|| word.strip_prefix('我'));
        behind.is_some_and(|behind| behind.chars().next().is_none_or(|c| BEHIND_CHINESE_I.contains(c)))
    });
    who.is_empty()
        || is_of_chinese
        || is(CONDITIONS, who.first())
        || is(NO_SUBJECT, who.last())
        || who.len() == 1 && is(FIRST_IN_KOREAN, who.first())
        || who
            .iter()
            .rev()
            .take(2)
            .chain(&words_of("tail"))
            .chain(&words_of("english"))
            .any(|word| is(FIRST, Some(word)))
}

/// Whether somebody of the health service tells it; the full stop of "Dr." stands before a name.
fn is_told_by_a_doctor(up_to: &str, who: &str, verb: &str) -> bool {
    let title = up_to.strip_suffix(who).and_then(|before| before.trim_end_matches(['.', ' ']).rsplit(' ').next());
    let (who, verb) = (who.to_lowercase(), verb.to_lowercase());
    let is_doctor = HEALTH.iter().any(|part| who.contains(part))
        || title.is_some_and(|title| ["Dr", "Dra"].contains(&title))
        || words(&who).iter().any(|word| matches!(word.as_str(), "dr" | "dra" | "gp"));
    is_doctor && TELLS.iter().any(|part| verb.contains(part))
}

/// Whether somebody tells of himself in some words.
fn tells_of_self(text: &str, found: &Captures<'_>) -> bool {
    let (is_english, is_french) = (found.name("english").is_some(), found.name("french").is_some());
    let is_first = |word: &String| {
        let word = word.as_str();
        OF_SELF.contains(&word)
            || STEMS_OF_SELF.iter().any(|stem| word.starts_with(stem))
            || is_english && word == "i"
            || is_french && matches!(word, "je" | "j")
    };
    words(text).iter().any(is_first) || DENSE_OF_SELF.iter().any(|word| text.contains(word))
}

/// Whether who writes a text is who does something in it, in the languages whose verbs do not tell.
pub(crate) fn has_first_person(text: &str) -> bool {
    words(text).iter().any(|word| FIRST.contains(&word.as_str()))
}

fn words(text: &str) -> Vec<String> {
    text::words::words(text).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_compiles() {
        assert!(LEAD_IN.is_some());
    }

    // "I hate Mondays" became a preference of who showed what Ben had written.
    #[test]
    fn what_somebody_else_says_of_himself_is_not_the_writers() {
        for text in [
            "Ben wrote: I work at the airport. I hate Mondays.",
            "My boss said: I need the report. I love working on Sundays.",
            "Mara just texted me: I am at the station. My train leaves on Friday at nine.",
            "Ben told me yesterday: i am allergic to nuts",
            "Ben wrote to me on WhatsApp:\nAt the airport.\n\nI hate Mondays.",
            "Ben said, \"I hate Mondays. I work at the airport.\"",
            "Ben wrote: “I hate Mondays.”",
            "My sister says: we moved to Porto",
            "You said: I live in Rome.",
            "My dentist wrote: I am on holiday until Friday. My deputy is called Petra.",
            "Ben schreibt: Ich arbeite am Flughafen. Ich hasse Montage.",
            "Mara hat mir gerade geschrieben: Ich bin am Bahnhof. Mein Zug fährt um neun.",
            "Gestern schrieb mir Ben: Ich hasse Montage.",
            "Ben m'a écrit : Je travaille à l'aéroport. Je déteste les lundis.",
            "Ben a dit : je déteste les lundis",
            "Ben me escribió: Mi jefe es Otto. Odio los lunes.",
            "O Ben disse: o meu chefe é o Otto. Odeio segundas.",
            "Ben mi ha scritto: io lavoro in aeroporto. Odio i lunedì.",
            "Ben schreef me: Ik werk op het vliegveld. Ik haat maandag.",
            "Бен написал мне: я работаю в аэропорту. Ненавижу понедельники.",
            "Ben napisał mi: moja żona jest w ciąży. Nienawidzę poniedziałków.",
            "Ben bana yazdı: benim adım Otto. Pazartesiden nefret ederim.",
            "ベンが言った：私は空港で働いています。月曜日が嫌いです。",
            "本说：我在机场工作。我讨厌星期一。",
            "我妈妈告诉我：我怀孕了",
            "벤이 말했어: 저는 공항에서 일해요. 월요일이 싫어요.",
        ] {
            assert_eq!(without(text), "", "{text}");
        }
    }

    #[test]
    fn what_the_writer_says_stays() {
        for text in [
            "I said: I hate Mondays. I work at the airport.",
            "As I just said: I hate Mondays.",
            "I told Ben: I hate Mondays.",
            "My wife and I wrote: we live in Porto.",
            "note: I hate Mondays",
            "remember: I hate Mondays",
            "FYI: I hate Mondays",
            "My name: Ana",
            "If anybody asks me: I live in Porto.",
            "My boss said I can choose, so note this: I work from home on Fridays.",
            "Ben said at 10:30 that I am late. I hate that.",
            "Ben said he hates Mondays. I like them.",
            "My doctor said: no more salt",
            "My doctor told me: I have diabetes and must not eat sugar. I start a diet on Monday.",
            "Dr. Costa said: I need more sleep.",
            "My therapist says: my fear of flying is gone.",
            "Die Ärztin hat gesagt: ich habe Diabetes.",
            "医生说：我有糖尿病。",
            "My boss wrote: the meeting is on Friday at nine.",
            "The shop wrote \"sold out\" on Friday. I like tea.",
            "Ich sage: ich hasse Montage.",
            "Ich habe Ben geschrieben: ich hasse Montage.",
            "Wie gesagt: ich hasse Montage.",
            "Mein Arzt sagt: kein Salz mehr.",
            "Le médecin a dit : plus de sel.",
            "J'ai dit : je déteste les lundis.",
            "Eu disse: odeio segundas. Moro em Roma.",
            "Como disse: odeio segundas. Moro em Roma.",
            "Il medico ha detto: evita i latticini.",
            "Dije: odio los lunes. Vivo en Roma.",
            "Ik zei: ik haat maandag.",
            "De dokter zei: neem je pillen.",
            "Я сказал: я ненавижу понедельники.",
            "我说：我讨厌星期一。我住在罗马。",
            "我昨天跟他说：我讨厌星期一。",
            "私が言った：月曜日が嫌いです。",
            "내가 말했어: 월요일이 싫어요.",
        ] {
            assert_eq!(without(text), text);
        }
    }

    #[test]
    fn the_writers_words_go_on_behind_a_quotation_or_a_paragraph() {
        for (text, own) in [
            ("I live in Porto. Ben wrote: I hate Mondays. I quit.", "I live in Porto."),
            ("I like tea, Ben said: I hate it.\n\nI live in Porto.", "I like tea\n\nI live in Porto."),
            ("Ben wrote: \"I hate Mondays.\" I like them.", "I like them."),
            ("My boss said: no more tea. I hate tea.", "My boss said: no more tea."),
            ("Ben wrote:\n\"I hate Mondays.\"\nI like them.", "I like them."),
            // Where a verb says who, nothing but who said it tells whose a sentence is.
            ("Ben escribió: Trabajo en Roma. Odio los lunes.", "Ben escribió: Trabajo en Roma."),
            ("Ben wrote: I quit.\n\nAna wrote: I am pregnant.\n\nI live in Rome.", "I live in Rome."),
        ] {
            assert_eq!(without(text), own);
        }
    }
}
