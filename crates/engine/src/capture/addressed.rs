//! Whom a message speaks to: "@clawd_bot don't write this down", "Please don't save that, Clawd". Neither a wish nor a fact has the
//! name of whoever is to hear it as a part.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

/// A name that a channel marks, behind nothing that makes an address of a mailbox of it.
const MENTION: &str = r"(?:@[\p{L}\p{N}_]{2,40}|<@[!&]?[\p{L}\p{N}_]{2,40}>)";
/// One word that may be a name, by its capital.
const NAME: &str = r"[\p{Lu}\p{Lt}][\p{L}\p{M}]{0,19}";
/// The same of scripts that have no capitals: short where no spaces stand between words.
const PLAIN_NAME: &str =
    r"(?:[\p{Katakana}ー]{2,12}|\p{Han}{2,3}|\p{Hangul}{2,4}|\p{Arabic}{2,12}|\p{Devanagari}{2,14})";
const COMMA: &str = "[,\u{ff0c}\u{3001}\u{060c}]";
/// What stands before a name that somebody calls.
const CALL: &str =
    "(?i:hey|hi|hello|ok|okay|yo|hallo|oi|olá|ola|hola|oye|salut|ciao|ehi|hoi|ahoj|cześć|selam|привет|эй|नमस्ते|مرحبا)";
const END: &str = "[\\s.!?…。！？।]*$";

static MENTIONED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(^|[\s\p{{P}}&&[^@/]]){MENTION}")).ok());
static CALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"^\s*(?:{CALL}[\s,]+)?(?:{NAME}|{PLAIN_NAME})\s*{COMMA}\s*")).ok());
static CALLED_LAST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"\s*{COMMA}\s*{NAME}{END}")).ok());
/// A mention that speaks to somebody: the name of a bot, or one with a comma or a colon behind it.
static MENTIONED_FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bot = r"@[A-Za-z0-9_]{0,36}(?i:bot)\b\s*[,:]?";
    Regex::new(&format!(r"^\s*(?:{CALL}[\s,]+)?(?:{bot}|{MENTION}\s*[,:])\s*")).ok()
});
static MENTIONED_LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bot = r"(?:,\s*|\s)@[A-Za-z0-9_]{0,36}(?i:bot)";
    Regex::new(&format!(r"\s*(?:{bot}|,\s*{MENTION})(?P<end>[.!?…\s]*)$")).ok()
});

/// A message to be judged for a wish, with a comma for each name that a channel marks.
pub(super) fn without_mentions(text: &str) -> Cow<'_, str> {
    match MENTIONED.as_ref().filter(|_| text.contains('@')) {
        Some(mentioned) => mentioned.replace_all(text, "$1,"),
        None => Cow::Borrowed(text),
    }
}

/// What a text says with and without a name that may be called first or last. The first word of a wish looks like one, too.
pub(super) fn with_and_without_names(text: &str) -> [&str; 4] {
    let begun = without_name_at_begin(text);
    [text, begun, without_name_at_end(text), without_name_at_end(begun)]
}

/// A text without a name that is called first. It may as well be a person who is told of ("Anna, my sister, lives in Rome"): what
/// is behind has to say that it speaks to her.
pub(super) fn without_name_at_begin(text: &str) -> &str {
    let begin = CALLED.as_ref().and_then(|called| called.find(text)).map_or(0, |called| called.end());
    text.get(begin..).unwrap_or_default()
}

fn without_name_at_end(text: &str) -> &str {
    let end = CALLED_LAST.as_ref().and_then(|called| called.find(text)).map_or(text.len(), |called| called.start());
    text.get(..end).unwrap_or_default()
}

/// What a message tells whoever it speaks to by a mention at either end. "@anna lives in Rome" tells of her.
pub(super) fn told(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let begin = MENTIONED_FIRST.as_ref().and_then(|first| first.find(text)).map_or(0, |first| first.end());
    let rest = text.get(begin..).unwrap_or_default();
    MENTIONED_LAST.as_ref().map_or(Cow::Borrowed(rest), |last| last.replace(rest, "$end"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{
        command::{Request, read},
        filter::{Reason, capturable},
        off_record::is_off_record,
        taken_back::takes_back,
        to_forget::asks_to_forget,
    };

    // The first was kept, word for word.
    #[test]
    fn a_wish_is_one_whomever_it_speaks_to() {
        assert!([&MENTIONED, &CALLED, &CALLED_LAST, &MENTIONED_FIRST, &MENTIONED_LAST].iter().all(|r| r.is_some()));
        for said in [
            "@clawd_bot don't write this down: I am seeing a therapist, Dr Blau.",
            "<@123456> don't write this down: I am seeing a therapist.",
            "I am seeing a therapist. @clawd_bot don't save that.",
            "I am seeing a therapist, don't save that @clawd_bot",
            "Maria, don't save this",
            "@clawd_bot merk dir das nicht: ich bin krank",
            "@clawd_bot no guardes esto: estoy enfermo",
            "@clawd_bot ne retiens pas ça : je suis malade",
            "@clawd_bot não guardes isto: estou doente",
            "@clawd_bot これは覚えないで：妻は妊娠しています。",
        ] {
            assert!(is_off_record(said), "{said}");
            assert_eq!(capturable(said), Err(Reason::OffRecord), "{said}");
        }
        for said in [
            "Please don't save that, @clawd_bot.",
            "Please don't save that, Clawd.",
            "@clawd_bot please don't save that",
            "Clawd, forget what I just said",
            "Hey Clawd, forget what I just said!",
            "@clawd_bot forget what I just said",
            "Vergiss bitte, was ich gerade gesagt habe, @clawd_bot",
            "Vergiss bitte, was ich gerade gesagt habe, Clawd",
            "Olvida lo que acabo de decir, Clawd",
            "Clawd, oublie ce que je viens de dire.",
            "Dimentica quello che ti ho appena detto, Clawd!",
            "Esquece o que te acabei de dizer, @clawd_bot",
            "Vergeet wat ik net heb gezegd, Clawd.",
            "Клод, забудь, что я сказал.",
            "Zapomnij, co właśnie powiedziałem, Clawd",
            "クロード、さっき言ったことは忘れて。",
            "小爪，忘了我刚才说的话",
            "클로드, 방금 한 말 잊어 줘.",
            "क्लॉड, इसे मत लिखना।",
            "Clawd, az önce söylediğimi unut.",
            "كلود، انسَ ما قلته للتو",
        ] {
            assert!(takes_back(said), "{said}");
        }
        assert!(asks_to_forget("@clawd_bot forget that my dentist is Dr Costa"));
        assert!(asks_to_forget("@clawd_bot vergiss, dass ich in Graz wohne"));
    }

    // "@clawd_bot remember that my locker number is 4412." was kept with the name and the command.
    #[test]
    fn a_fact_is_kept_without_whom_it_is_told_to() {
        for (said, kept) in [
            ("@clawd_bot remember that my locker number is 4412.", "my locker number is 4412."),
            ("Clawd, remember that my locker number is 4412.", "my locker number is 4412."),
            ("Hey Clawd, please remember that the gate squeaks", "the gate squeaks"),
            ("Remember that the gate squeaks, @clawd_bot.", "the gate squeaks."),
            ("@anna: remember that the gate squeaks", "the gate squeaks"),
            ("The gate squeaks, remember that, Clawd.", "The gate squeaks"),
            ("Clawd, merk dir bitte, dass das Tor quietscht", "das Tor quietscht"),
        ] {
            let own = capturable(said).unwrap();
            assert_eq!(read(&own), Request::Fact(kept), "{said}");
        }
        assert_eq!(read("Please remember that, Clawd."), Request::Bare);
        for (said, kept) in [
            ("@clawd_bot I live in Porto.", "I live in Porto."),
            ("I live in Porto, @clawd_bot.", "I live in Porto."),
            ("@claude: I live in Porto.", "I live in Porto."),
        ] {
            assert_eq!(capturable(said).as_deref(), Ok(kept), "{said}");
        }
    }

    #[test]
    fn whom_a_message_tells_of_stays_in_it() {
        for said in [
            "Anna, my sister, lives in Rome",
            "@anna lives in Rome with her two cats",
            "My boss is @peter_s",
            "My mail address is me@clawd_bot.example",
            "I have two sisters, Anna, Maria",
            "Remember, Anna likes tea",
        ] {
            assert_eq!(capturable(said).as_deref(), Ok(said), "{said}");
            assert!(!takes_back(said) && !is_off_record(said), "{said}");
        }
        assert_eq!(read("Anna, my sister, lives in Rome"), Request::None);
        assert_eq!(read("Remember that I love my sisters, Anna"), Request::Fact("I love my sisters, Anna"));
    }
}
