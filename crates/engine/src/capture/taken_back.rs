//! "Don't save that", said alone: it means what was said before. That is taken back, or not kept in the first place.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::{
    envelope,
    filter::is_off_record_at_an_end,
    off_record::around_wish,
    queue::{Job, Message, Role},
};

/// A longer message says something of its own.
const MAX_CHARS: usize = 120;

/// Words beside a wish that say nothing else.
const BESIDE: &str = concat!(
    r"[\s,.!;:…()–—\-'\u{2019}\u{3001}\u{3002}\u{FF0C}\u{FF01}،]",
    r"|please|pls|kindly|actually|wait|sorry|oh|oops|no|nah|hm+|hey|ok(?:ay)?|and|but|so|by the way|btw|thanks|thank you|you|that|this|it|though|either|again",
    r"|(?:scratch|strike) that|in (?:your |the )?memory|im gedächtnis|en (?:tu |la )?memoria|na (?:tua |sua )?memória|en mémoire|in memoria",
    r"|it'?s (?:private|personal|confidential|(?:a )?secret)|that'?s (?:private|personal|confidential|(?:a )?secret)",
    r"|bitte|ach|doch|lieber|übrigens|moment|warte|nein|danke|also|und|aber|das|dies|es|dir|mal|auch|wieder|ist privat|ist geheim",
    r"|por favor|por fa|espera|perdona|perdón|gracias|oye|pero|y|esto|eso|es privado|es personal",
    r"|desculpa|obrigad[oa]|ah|mas|e|isto|isso|afinal|é privado|é pessoal",
    r"|s'il te plaît|s'il vous plaît|stp|attends|pardon|merci|mais|et|ça|cela|finalement|c'est privé|c'est personnel",
    r"|per favore|aspetta|scusa|grazie|ma|questo|è privato|è personale",
    r"|alsjeblieft|svp|wacht|maar|en|dit|dat|toch|prosím|počkej|děkuji|díky|ale|to|to si|lütfen|dur|ama",
    r"|пожалуйста|нет|ой|стой|подожди|и|а|но|спасибо|это|этого|лучше|من فضلك|لا|عفوا|شكرا|هذا",
    r"|今の|いまの|さっきの|それ|これ|その|この|話|こと|件|は|を|も|やっぱり|ごめん(?:なさい)?|すみません|あっ|お願い(?:します|だから)?|ください|下さい|ね|よ",
    r"|刚才|刚刚|那|这|个|些|的|话|事情?|请|拜托|对不起|算了|我说|说的|哦|了|吧|好吗|谢谢|下来|进去",
    r"|방금|아까|그건?|이건?|그거|이거|한|말|얘기|거|건|것|은|는|을|를|그냥|죄송(?:해요|합니다)?|미안(?:해)?|아|요|줘|주세요|세요|고|라",
);

/// Orders to forget what was said. "Forget it" and "delete that" mostly mean the matter at hand.
const FORGET: &str = concat!(
    r"forget (?:that |what )i(?: just| ever)? (?:said|told you|wrote|mentioned)(?: (?:that|this|anything|it|so))?|forget (?:my|the) last (?:message|thing i said)|(?:scratch|strike) (?:that|what i (?:just )?said)",
    r"|(?:don'?t|do not) (?:remember|save|store|keep|record|note)(?: down)? (?:what i(?: just)? (?:said|told you|wrote)|my last message)",
    r"|(?:delete|erase|remove) (?:that|this|it|what i (?:just )?said|my last message) from (?:your |the )?(?:memory|notes?)",
    r"|vergiss(?: bitte)?,? (?:das (?:gesagte|gerade gesagte)|was ich (?:gerade |eben |dir )*(?:gesagt|geschrieben|erzählt) habe|meine letzte nachricht)",
    r"|streich das|lösch(?:e)? das (?:wieder )?aus (?:deinem gedächtnis|deinen notizen)",
    r"|olvida (?:lo que (?:te )?(?:acabo de decir|dije|he dicho)|mi último mensaje)|esquece (?:o que (?:eu )?(?:acabei de dizer|disse)|a minha última mensagem)",
    r"|oublie[sz]? (?:ce que (?:je viens de dire|j'ai dit)|mon dernier message)|dimentica (?:quello che ho (?:appena )?detto|il mio ultimo messaggio)",
    r"|vergeet (?:wat ik (?:net |zojuist )?(?:zei|gezegd heb)|mijn laatste bericht)|zapomeň,? co jsem (?:právě )?řekla?",
    r"|забудь(?:те)?,? (?:что я (?:только что )?(?:сказала?|написала?)|моё последнее сообщение)",
    r"|(?:言った|話した)(?:こと|話)?は?(?:を)?忘れて|忘(?:了|掉|记)我?(?:刚才|刚刚|刚)?说的|(?:한 )?(?:말|얘기|이야기)(?:은|는|을|를)? 잊어|انسي? ما قلته?",
);

static ALONE: LazyLock<Option<Regex>> = LazyLock::new(|| whole(&format!("(?:{BESIDE})*")));
static FORGOTTEN: LazyLock<Option<Regex>> = LazyLock::new(|| whole(&format!("(?:{BESIDE})*(?:{FORGET})(?:{BESIDE})*")));

fn whole(pattern: &str) -> Option<Regex> {
    let pattern = pattern.replace('\'', r"['\u{2019}]");
    RegexBuilder::new(&format!("^(?:{pattern})$")).case_insensitive(true).size_limit(16 << 20).build().ok()
}

/// Whether a message says nothing but that what was said before be not remembered.
#[must_use]
pub(crate) fn takes_back(message: &str) -> bool {
    let text = message.trim();
    if text.is_empty() || text.chars().nth(MAX_CHARS).is_some() {
        return false;
    }
    let is = |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    is(&FORGOTTEN, text) || around_wish(text).is_some_and(|(before, behind)| is(&ALONE, before) && is(&ALONE, behind))
}

/// Of each message of a conversation, the oldest first, with what it says, whether it is left out of memory: it asks for that, the
/// next one of the same person does, or it answers one that is.
#[must_use]
pub(crate) fn withheld(messages: &[Message], texts: &[String]) -> Vec<bool> {
    let mut withheld: Vec<bool> = Vec::new();
    let (mut is_private, mut last) = (false, None);
    for (message, text) in messages.iter().zip(texts) {
        if message.role == Role::User {
            let takes_back = takes_back(text);
            if takes_back && let Some(last) = last {
                withheld.iter_mut().skip(last).for_each(|is| *is = true);
            }
            is_private = takes_back || is_off_record_at_an_end(text);
            last = Some(withheld.len());
        }
        withheld.push(is_private);
    }
    withheld
}

/// A wish alone among the messages of a turn.
#[derive(Debug)]
pub(crate) struct Wish<'a> {
    /// The message that is it.
    pub message: &'a Message,
    /// What the same person said before it, if that is there.
    pub meant: Option<&'a Message>,
    /// Whether that was, or may have been, in a turn before.
    pub is_of_before: bool,
}

/// The first wish alone among the new messages of a turn; none of most turns.
#[must_use]
pub(crate) fn of_turn(job: &Job) -> Option<Wish<'_>> {
    let mut meant = None;
    for (at, message) in job.messages.iter().enumerate().filter(|(_, message)| message.role == Role::User) {
        if at >= job.seen && takes_back(&envelope::strip(&message.text)) {
            let is_of_before = meant.is_none_or(|(at, _)| at < job.seen);
            return Some(Wish { message, meant: meant.map(|(_, message)| message), is_of_before });
        }
        meant = Some((at, message));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_alone_is_known_in_every_language() {
        assert!(ALONE.is_some() && FORGOTTEN.is_some());
        let texts = [
            "Don't save that.",
            "Oh, please don't remember that, it's private.",
            "actually don’t write that down",
            "Sorry, that was off the record.",
            "Forget what I just said!",
            "please forget that I said that",
            "Scratch that.",
            "Bitte merk dir das nicht.",
            "Das bitte nicht speichern!",
            "Vergiss bitte, was ich gerade gesagt habe",
            "No guardes eso, por favor.",
            "Olvida lo que acabo de decir.",
            "Não guardes isso, por favor.",
            "Ne retiens pas ça, s'il te plaît.",
            "Oublie ce que je viens de dire.",
            "Ne garde pas ça en mémoire, s'il te plaît",
            "Scratch that, don't keep it in memory",
            "Non ricordare questo, per favore.",
            "Onthoud dit alsjeblieft niet.",
            "Nepamatuj si to, prosím.",
            "Пожалуйста, не запоминай это.",
            "Забудь, что я сказал.",
            "今のは覚えないでください。",
            "请不要记住这个。",
            "방금 한 말은 기억하지 마세요.",
            "من فضلك لا تحفظ هذا",
        ];
        let unknown: Vec<&str> = texts.into_iter().filter(|text| !takes_back(text)).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn a_wish_about_something_else_takes_nothing_back() {
        for text in [
            "",
            "ok",
            "Between us, I have HIV.",
            "Don't remember this: my brother lives in Basel.",
            "My wife is pregnant, but please don't save that anywhere.",
            "Forget it.",
            "Delete that.",
            "I don't remember that.",
            "Merk dir das nicht: Ich habe eine Affäre mit Klaus.",
            "Vergiss nicht, dass ich in Graz wohne",
            "これは覚えないで：妻は妊娠しています。",
            "我妻子怀孕了，不要把这个记下来。",
            "Don't save this file, and do not keep it in the cache either, it is only a draft of the report.",
        ] {
            assert!(!takes_back(text), "{text}");
        }
    }

    #[test]
    fn what_is_withheld_reaches_from_a_message_to_the_next() {
        use Role::{Assistant, User};
        let said = [
            (User, "I live in Bonn."),
            (Assistant, "Nice!"),
            (User, "Between us, I have HIV."),
            (Assistant, "I see, HIV."),
            (User, "My brother lives in Basel."),
            (Assistant, "Basel it is."),
            (User, "Please don't save that."),
            (Assistant, "I won't mention Basel."),
            (User, "What is the weather?"),
        ];
        let texts: Vec<String> = said.iter().map(|(_, text)| (*text).to_owned()).collect();
        let messages: Vec<Message> =
            said.iter().map(|(role, text)| Message { role: *role, text: (*text).to_owned(), at: None }).collect();
        assert_eq!(
            withheld(&messages, &texts),
            [false, false, true, true, true, true, true, true, false],
            "the wish alone means the message before it, and its answer"
        );
    }
}
