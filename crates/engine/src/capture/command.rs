//! The words by which somebody asks to remember ("please remember that …", "lembra-te que …"): they are no part of the
//! fact.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::as_written;

/// Courtesies and questions before the command.
const BEFORE: &str = concat!(
    r"(?:(?:please|pls|ok(?:ay)?|hey|so|and|also|now|just|oh|well|por favor|se faz favor|bitte|also|und|übrigens|s'il te plaît|s'il vous plaît",
    r"|et|per favore|per piacere|alsjeblieft|graag|prosím|proszę|lütfen|пожалуйста|и|请|請|麻烦你?|麻煩你?|どうか|제발",
    r"|(?:can|could|would|will) you|you should|i want you to|i'd like you to|i need you to)[ ,]*)*"
);

/// The command itself; "remember to buy milk" is none.
const COMMAND: &[&str] = &[
    r"(?:(?:remember|do not forget|don'?t forget|keep in mind|bear in mind|note(?: down)?|make a note(?: of)?|take note(?: of)?|memori[sz]e|write (?:this |that |it )?down|(?:store|save)(?: this| the following)(?: fact)?(?::)|for (?:the record|future reference)|fyi|note to self|remind me)\b(?: for me)?(?: please)?(?: (?:this|that|it|the following)\b(?: (?:fact|information|info|detail|thing|one))?)?(?: (?:for me|please|in memory))*(?: that\b)?)",
    r"(?:(?:lembra(?:-te|-se)?|lembre(?:-se)?|recorda(?:-te)?|n[ãa]o (?:te |se )?esque[çc]as?|n[ãa]o esquece|anota|anote|toma nota|tome nota|tem em (?:conta|mente)|memoriza|regista|guarda)(?: (?:isto|isso|este facto|este fato|o seguinte|disto|disso|de que|que)\b)*)",
    r"(?:(?:recuerda|recuerde|acu[ée]rdate|no (?:te |se )?olvides?|apunta|apunte|anota|toma nota|ten en cuenta|ten presente|memoriza|guarda)(?: (?:esto|eso|este dato|este hecho|lo siguiente|de esto|de eso|de que|que)\b)*)",
    r"(?:(?:merke? dir|merken sie sich|erinnere dich(?: daran)?|vergiss nicht|vergessen sie nicht|denke? (?:daran|dran)|notiere?(?: dir)?|behalte?|schreib (?:dir )?(?:das )?auf)(?: bitte| im kopf| das folgende| folgendes| diesen fakt)*(?:,? dass\b| (?:das|dies) ?:)?)",
    r"(?:(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|n'oubliez? pas|note(?:z)? bien|note(?:z)?|retiens|retenez|m[ée]morise|garde en t[êe]te)(?: (?:de ceci|de cela|ceci|cela|ça|ce fait|bien|que|qu'))*)",
    r"(?:(?:ricorda(?:ti)?|ricordi|non dimenticare|tieni a mente|annota|segnati|prendi nota|memorizza)(?: (?:questo fatto|questo|quanto segue|di questo|che)\b)*)",
    r"(?:(?:onthoud|herinner je|vergeet niet|noteer|denk eraan|schrijf op)(?:,? (?:dit feit|het volgende|dit|dat)\b)*)",
    r"(?:(?:запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|учти(?:те)?|запиши(?:те)?)(?:,? (?:этот факт|следующее|это|что)\b)*)",
    r"(?:(?:unutma|hatırla|aklında tut|not et|not al)(?: (?:şunu|bunu|ki)\b)*)",
    r"(?:(?:zapamatuj si|pamatuj(?: si)?|nezapomeň|zapiš si|zapamiętaj|pamiętaj|nie zapomnij|zapisz)(?:,? (?:to|tohle|že|fakt|sobie|że)\b)*)",
    r"(?:(?:你)?(?:要)?(?:帮我|幫我)?(?:记住|記住|记得|記得|别忘了|別忘了|不要忘记|不要忘記|记一下|記一下|记下|記下)(?:这个|這個|这件事|這件事|事实|一下)?)",
    r"(?:これを?覚えておいて(?:ね|ください)?|次のことを覚えて(?:おいて)?(?:ください)?|覚えておいて(?:ね|ください)?|忘れないで(?:ね|ください)?|メモして(?:おいて|ください)?)",
    r"(?:(?:이것을? |이걸 |다음을 )?기억해(?: ?줘| ?주세요|둬)?|잊지 ?마(?:세요)?|메모해(?: ?줘)?)",
];

/// What stands between the command and the fact.
const AFTER: &str = r"\s*[:：,，、;；\-–—]*\s*";

/// Words that point at a fact and state none.
const POINTERS: &str = concat!(
    r"(?:this|that|it|these|those|one|for (?:me|later|next time|the future|ever)|forever|always|please|ok(?:ay)?|thanks|thank you|too|well|now|in (?:your )?memory|to (?:your )?memory",
    r"|isto|isso|disso|disto|bem|sempre|por favor|obrigad[oa]|para mim|esto|eso|siempre|gracias|para mí|das|dies|es|bitte|danke|gut|für (?:mich|später)|immer",
    r"|ça|cela|ceci|bien|toujours|merci|s'il te plaît|questo|ciò|bene|sempre|grazie|per favore|dit|dat|het|goed|altijd|это|всегда|хорошо|пожалуйста|bunu|şunu|lütfen|to|tohle|prosím|proszę",
    r"|这个|這個|这件事|這件事|了|吧|哦|好吗|好嗎|ね|ください|これ|それ|줘|주세요|이거|이것)"
);

static AT_BEGIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| as_written(&format!(r"^\s*{BEFORE}(?:{}){AFTER}", COMMAND.join("|"))));

/// A command after the fact: "…, remember that".
static AT_END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    as_written(&format!(r"[,;，、.–—-]\s*{BEFORE}(?:{})(?:[\s,]*{POINTERS})*[\s.!。！]*$", COMMAND.join("|")))
});

static ONLY_POINTERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| as_written(&format!(r"^(?:[\s\p{{P}}]*{POINTERS})*[\s\p{{P}}]*$")));

/// A sentence that begins with the wish to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// No such sentence.
    None,
    /// What is to be remembered.
    Fact(&'a str),
    /// It points at the sentence before it or after it: "Please remember that."
    Bare,
}

/// What a sentence asks to remember.
#[must_use]
pub fn read(sentence: &str) -> Request<'_> {
    let (Some(at_begin), Some(at_end), Some(pointers)) = (AT_BEGIN.as_ref(), AT_END.as_ref(), ONLY_POINTERS.as_ref())
    else {
        return Request::None;
    };
    let begin = at_begin.find(sentence).filter(|found| ends_word(sentence, found.end())).map_or(0, |found| found.end());
    let rest = sentence.get(begin..).unwrap_or_default();
    // "Remember to buy milk" says what is to be done, and keeps its verb.
    if begin > 0 && rest.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("to")) {
        return Request::None;
    }
    let end = at_end.find(rest).filter(|found| found.start() > 0).map_or(rest.len(), |found| found.start());
    if begin == 0 && end == rest.len() {
        return Request::None;
    }
    let fact = rest.get(..end).unwrap_or_default().trim();
    if pointers.is_match(fact) { Request::Bare } else { Request::Fact(fact) }
}

/// Whether a command ends where a word does: "noted" is no "note".
fn ends_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let spaced = |c: char| c.is_alphanumeric() && !matches!(c, '\u{3040}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}');
    !(before.ends_with(spaced) && after.starts_with(spaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_words_are_taken_off() {
        for (said, fact) in [
            ("Please remember that the gate squeaks", "the gate squeaks"),
            ("remember this fact: the gate squeaks", "the gate squeaks"),
            ("Don't forget, the gate squeaks.", "the gate squeaks."),
            // As telephones write it.
            ("Don’t forget that the gate squeaks.", "the gate squeaks."),
            ("S’il te plaît, n’oublie pas que le portail grince", "le portail grince"),
            ("Can you remember for me that the gate squeaks", "the gate squeaks"),
            ("The gate squeaks, please remember that.", "The gate squeaks"),
            ("Lembra-te que o portão range", "o portão range"),
            ("Não te esqueças de que o portão range", "o portão range"),
            ("Recuerda que la puerta chirría", "la puerta chirría"),
            ("Merk dir bitte, dass das Tor quietscht", "das Tor quietscht"),
            ("Souviens-toi que le portail grince", "le portail grince"),
            ("Ricordati che il cancello cigola", "il cancello cigola"),
            ("Onthoud dat het hek piept", "het hek piept"),
            ("Запомни, что ворота скрипят", "ворота скрипят"),
            ("Unutma, kapı gıcırdıyor", "kapı gıcırdıyor"),
            ("请记住：大门会响", "大门会响"),
            ("覚えておいてね、門がきしむ", "門がきしむ"),
            ("기억해 줘: 문이 삐걱거려", "문이 삐걱거려"),
        ] {
            assert_eq!(read(said), Request::Fact(fact), "{said}");
        }
    }

    #[test]
    fn a_command_alone_points_at_something_else() {
        for said in [
            "Please remember that.",
            "Remember this!",
            "remember it for later, please",
            "Don't forget.",
            "Lembra-te disso.",
            "Recuérdalo, por favor: esto",
            "Merk dir das bitte.",
            "Onthoud dat goed.",
            "Запомни это.",
            "请记住。",
            "覚えておいてください。",
            "기억해 줘.",
        ] {
            assert!(matches!(read(said), Request::Bare | Request::None), "{said}");
        }
        for said in ["Please remember that.", "Remember this!", "Lembra-te disso.", "Merk dir das bitte.", "请记住。"]
        {
            assert_eq!(read(said), Request::Bare, "{said}");
        }
    }

    #[test]
    fn other_sentences_stay_as_they_are() {
        for said in [
            "I remember the gate",
            "Remember to buy milk",
            "Noted, thanks",
            "The notebook is blue",
            "Memories of Porto",
        ] {
            assert_eq!(read(said), Request::None, "{said}");
        }
    }
}
