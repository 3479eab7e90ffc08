//! "Don't save that", said alone: it means what was said before. That is taken back, or not kept in the first place.

use std::sync::LazyLock;

use itertools::Itertools;
use regex::Regex;

use super::{
    addressed::{with_and_without_names, without_mentions},
    envelope,
    filter::is_off_record_at_an_end,
    off_record::around_wish,
    pattern::as_written,
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
    r"|कृपया|प्लीज़|प्लीज|अरे|नहीं|रुको|माफ़ करना|माफ करना|सॉरी|धन्यवाद|शुक्रिया|और|लेकिन|बात|यह|ये|भी|तो|।",
    r"|今の|いまの|さっきの|それ|これ|その|この|話|こと|件|は|を|も|やっぱり|ごめん(?:なさい)?|すみません|あっ|お願い(?:します|だから)?|ください|下さい|ね|よ",
    r"|刚才|刚刚|那|这|个|些|的|话|事情?|请|拜托|对不起|算了|我说|说的|哦|了|吧|好吗|谢谢|下来|进去",
    r"|방금|아까|그건?|이건?|그거|이거|한|말|얘기|거|건|것|은|는|을|를|그냥|죄송(?:해요|합니다)?|미안(?:해)?|아|요|줘|주세요|세요|고|라",
);

/// Orders to forget what was said. "Forget it" and "delete that" mostly mean the matter at hand.
const FORGET: &str = concat!(
    r"forget (?:(?:everything|all)(?: that| what)?|that|what) i(?:'ve)?(?: just| ever)? (?:said|told you|wrote|mentioned)(?: (?:that|this|anything|it|so|before|earlier|right now|just now|a (?:moment|minute|second) ago|to you))*",
    r"|forget (?:(?:my|the|that) (?:last|previous) (?:message|sentence|thing i (?:said|told you|wrote)|one)|the last thing i(?: just)? (?:said|told you|wrote))|(?:scratch|strike) (?:that|what i (?:just )?said)",
    r"|(?:don'?t|do not) (?:remember|save|store|keep|record|note)(?: down)? (?:what i(?: just)? (?:said|told you|wrote)|my last message)",
    r"|(?:delete|erase|remove) (?:that|this|it|what i (?:just )?said|my last message) from (?:your |the )?(?:memory|notes?)",
    r"|(?:vergiss|vergessen sie|vergesst)(?: bitte| das| mal| wieder)*,? (?:das (?:gesagte|gerade gesagte)|(?:alles,? )?(?:was|dass) ich (?:gerade |eben |dir |ihnen |das |es |vorhin |zuletzt |jetzt )*(?:gesagt|geschrieben|erzählt|erwähnt) habe|(?:meine|die) letzte nachricht|(?:meinen|den) letzten satz|das letzte(?:,? was ich (?:gesagt|geschrieben) habe)?)",
    r"|streich das|lösch(?:e)? das (?:wieder )?aus (?:deinem gedächtnis|deinen notizen)",
    r"|(?:olvida|olvide|olvídate de|olvídese de) (?:(?:todo )?lo (?:último )?que (?:te |le )?(?:acabo de (?:decir|contar|escribir)(?:te|le)?|dije|he dicho|conté|escribí)(?: (?:ahora|antes|recién))?|(?:mi|el) último mensaje|lo último|lo dicho)",
    r"|(?:esquece|esqueça) (?:(?:tudo )?o (?:último )?que (?:eu )?(?:te |lhe )?(?:acabei de (?:(?:te |lhe )?(?:dizer|contar|escrever))(?:-te|-lhe)?|disse|contei|escrevi)(?: (?:agora|antes|há pouco))?|(?:a )?(?:minha )?última (?:mensagem|frase)(?: que (?:eu )?(?:disse|escrevi))?|a última coisa que (?:eu )?(?:te |lhe )?(?:disse|contei))",
    r"|oublie[sz]? (?:(?:tout )?ce que (?:je viens de (?:te |vous )?(?:dire|raconter|écrire)|je (?:t'|vous )ai (?:dit|raconté|écrit)|j'ai (?:dit|écrit))(?: (?:tout à l'heure|à l'instant|avant))?|(?:mon|le) dernier message|ma dernière phrase|la dernière chose que (?:j'ai dite|je t'ai dite))",
    r"|(?:dimentica|dimentichi|scorda|scordati) (?:(?:tutto )?(?:quello|ciò|quanto) (?:che )?(?:(?:ti|le) )?(?:ho (?:appena )?(?:detto|scritto|raccontato))(?: (?:prima|adesso|ora))?|(?:il )?(?:mio )?ultimo messaggio|l'ultima cosa che (?:ti )?ho detto)",
    r"|vergeet(?: alsjeblieft| maar| alles)* (?:wat ik (?:(?:je|u) )?(?:net |zojuist |zonet |daarnet )?(?:zei|vertelde|schreef|(?:gezegd|verteld|geschreven) heb|heb (?:gezegd|verteld|geschreven))|mijn laatste (?:bericht|zin)|het laatste wat ik zei)",
    r"|zapomeň(?:te)?(?: na)?,? (?:(?:to,? )?co jsem (?:(?:ti|vám) )?(?:právě |teď |předtím )?(?:řekla?|napsala?|říkala?)|(?:na )?(?:moji |mou )?poslední zprávu)|zapomnij(?:cie)?,? (?:(?:to,? )?co (?:(?:ci|wam) )?(?:właśnie |przed chwilą |teraz )?(?:powiedział[ae]?m|napisał[ae]?m)|o (?:mojej )?ostatniej wiadomości)",
    r"|(?:az önce |demin |şimdi )?(?:sana |size )?(?:söylediğimi|söylediklerimi|dediğimi|dediklerimi|yazdığımı|son mesajımı) unut(?:un|unuz)?",
    r"|забудь(?:те)?(?: пожалуйста)?,? (?:пожалуйста,? )?(?:(?:о )?(?:то(?:м)?,? |вс[её],? )?(?:что|как) я (?:(?:тебе|вам) )?(?:(?:только что|сейчас|раньше|тут|это) )*(?:(?:тебе|вам) )?(?:сказала?|написала?|говорила?|рассказала?)|(?:моё|мое) последнее сообщение|(?:мои|эти) (?:последние )?слова|последнее,? что я (?:сказала?|написала?))",
    r"|(?:(?:さっき|今|いま|先ほど|先程|前に|ちょっと前に|直前に)(?:の|私が|僕が|俺が)?)*(?:言った|話した|書いた|伝えた|お話しした|教えた)(?:こと|話|の|内容)?(?:は|を|も)?(?:もう|全部|すべて)?忘れて|(?:さっき|今|いま|先ほど|先程|直前|最後)の(?:話|こと|発言|メッセージ|件|内容|言葉)?(?:は|を|も)?(?:もう|全部|すべて)?忘れて",
    r"|忘(?:了|掉|记|記)我?(?:(?:刚才|刚刚|刚|剛才|剛剛|剛|上面|之前)(?:跟你|对你|和你|跟妳)?)?(?:说|說|讲|講|写|寫|发|發)(?:的|过的|過的)?|把?我?(?:刚才|刚刚|刚|剛才|剛剛|剛|上面|之前)(?:跟你|对你)?(?:说|說|讲|講|写|寫)的?(?:话|話|事|内容|內容|都|全)*(?:忘了|忘掉|忘记|忘記)|忘(?:了|掉|记|記)(?:我)?(?:上一条|上一條|最后一条|刚才那条)(?:消息|信息|訊息)?",
    r"|(?:(?:방금|아까|지금|조금 전에|내가|제가) )*(?:한 |했던 |하신 )?(?:말|얘기|이야기|말씀)(?:한|했던)?(?: (?:거|것|건))?(?:은|는|을|를)? (?:다 |그냥 |좀 )?잊어 ?(?:버려)?|(?:마지막|방금) 메시지(?:는|를)? 잊어",
    r"|(?:انسَ|انس|انسي|انسى|إنسى|انسوا) (?:(?:كل |كلّ )?ما (?:قلته|قلتُه|قلت|قلتُ|ذكرته|كتبته|أخبرتك به|حكيته)(?: لك)?|(?:رسالتي|كلامي) (?:الأخيرة?)|آخر (?:ما قلته?|رسالة|شيء قلته))(?: (?:لك|للتو|الآن|قبل قليل|منذ قليل|سابقا|توا))*",
    r"|(?:(?:जो|जो कुछ)(?: भी)? (?:मैंने|मैने) (?:(?:अभी|अभी-अभी|पहले|तुमसे|आपसे|तुम्हें|आपको) )*(?:कहा|बोला|बताया|लिखा)(?: था| है)?,? (?:(?:उसे|वह|वो|वो सब|वह सब|उसको) )?|(?:मैंने|मैने) (?:(?:अभी|अभी-अभी|पहले) )*जो(?: कुछ)? (?:कहा|बोला|बताया|लिखा)(?: था| है)?,? (?:(?:उसे|वह|वो|उसको) )?|(?:मेरी (?:पिछली|आख़िरी|आखिरी) (?:बात|मैसेज)|मेरा (?:पिछला|आख़िरी|आखिरी) (?:संदेश|मैसेज))(?: को)? )भूल (?:जाओ|जाइए|जाइये|जा|जाना|जाएँ|जाएं)",
);

static ALONE: LazyLock<Option<Regex>> = LazyLock::new(|| whole(&format!("(?:{BESIDE})*")));
static FORGOTTEN: LazyLock<Option<Regex>> = LazyLock::new(|| whole(&format!("(?:{BESIDE})*(?:{FORGET})(?:{BESIDE})*")));

fn whole(pattern: &str) -> Option<Regex> {
    as_written(&format!("^(?:{pattern})$"))
}

/// Whether a message says nothing but that what was said before be not remembered.
#[must_use]
pub(crate) fn takes_back(message: &str) -> bool {
    let text = message.trim();
    if text.is_empty() || text.chars().nth(MAX_CHARS).is_some() {
        return false;
    }
    let text = without_mentions(text);
    let is = |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    with_and_without_names(&text).into_iter().unique().any(|text| {
        is(&FORGOTTEN, text)
            || around_wish(text).is_some_and(|(before, behind)| is(&ALONE, before) && is(&ALONE, behind))
    })
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
            if !envelope::is_between(text) {
                last = Some(withheld.len());
            }
        }
        withheld.push(is_private);
    }
    withheld
}

/// The same of messages of one person.
#[must_use]
pub(crate) fn withheld_of_person<'a>(messages: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let (messages, texts): (Vec<Message>, Vec<String>) = messages
        .map(|text| (Message { role: Role::User, text: String::new(), at: None }, envelope::strip(text)))
        .unzip();
    withheld(&messages, &texts)
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
        let text = envelope::strip(&message.text);
        if at >= job.seen && takes_back(&text) {
            let is_of_before = meant.is_none_or(|(at, _)| at < job.seen);
            return Some(Wish { message, meant: meant.map(|(_, message)| message), is_of_before });
        }
        if !envelope::is_between(&text) {
            meant = Some((at, message));
        }
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
            "इसे मत लिखना।",
            "कृपया इसे याद मत रखना",
            // As people say it: none of these was known.
            "forget the last thing I told you",
            "Please forget everything I just told you.",
            "Forget what I've just said",
            "Vergiss das bitte, was ich gerade gesagt habe",
            "Vergiss bitte meinen letzten Satz.",
            "Vergiss das Letzte, was ich gesagt habe",
            "Olvida lo último que te dije",
            "Olvida lo que te acabo de contar, por favor",
            "Esquece o que te acabei de dizer",
            "Esqueça a última coisa que eu te disse",
            "Oublie ce que je t'ai dit",
            "Oublie ce que je viens de te dire.",
            "Dimentica quello che ti ho appena detto",
            "Dimentica l'ultima cosa che ti ho detto, per favore",
            "Vergeet alsjeblieft wat ik je net vertelde",
            "Vergeet wat ik net heb gezegd.",
            "Zapomeň na to, co jsem ti právě řekl.",
            "Zapomnij, co właśnie powiedziałem",
            "Az önce söylediğimi unut.",
            "Забудь то, что я сейчас сказала",
            "Забудьте, пожалуйста, что я вам только что сказал.",
            "さっき言ったことは忘れて。",
            "今言ったことは忘れてください。",
            "さっきの話は忘れて。",
            "さっきのことは忘れてください",
            "忘了我刚才说的话",
            "请忘掉我刚刚跟你说的。",
            "把我刚才说的话忘了吧",
            "방금 한 말 잊어 줘.",
            "아까 말한 거 잊어 주세요",
            "انسَ ما قلته للتو",
            "انس ما قلته الآن",
            "انسي ما قلت",
            "जो मैंने अभी कहा उसे भूल जाओ",
            "मैंने अभी जो कहा, वह भूल जाइए।",
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
            "Ich habe vergessen, was ich sagen wollte",
            "Vergiss nicht, was ich gesagt habe",
            "Vergiss, dass der Hausmeister Anselm heißt",
            "I forgot what I said",
            "Don't forget what I just said",
            "Did you forget what I said?",
            "No olvides lo que te dije",
            "Olvidé lo que te dije",
            "N'oublie pas ce que je t'ai dit",
            "Non dimenticare quello che ti ho detto",
            "Не забудь то, что я сказала",
            "Я забыла, что я сказала",
            "忘れ物をした",
            "さっき言ったことを忘れないで",
            "話の途中で忘れてしまった",
            "我忘了我刚才说的话",
            "别忘了我说的话",
            "방금 한 말 잊어버렸어",
            "لا تنس ما قلته لك",
            "نسيت ما قلته",
            "मैं भूल गया कि मैंने क्या कहा",
            "जो मैंने कहा उसे मत भूलना",
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
            // A cron job's turn, and a command.
            (User, "[OpenClaw cron wake]"),
            (Assistant, "It rains."),
            (User, "/status"),
            (User, "Please don't save that."),
            (Assistant, "I won't mention Basel."),
            (User, "What is the weather?"),
        ];
        let texts: Vec<String> = said.iter().map(|(_, text)| (*text).to_owned()).collect();
        let messages: Vec<Message> =
            said.iter().map(|(role, text)| Message { role: *role, text: (*text).to_owned(), at: None }).collect();
        assert_eq!(
            withheld(&messages, &texts),
            [false, false, true, true, true, true, true, true, true, true, true, false],
            "the wish alone means the message before it, and its answer"
        );
    }
}
