//! "Don't write this down": messages that ask not to be remembered, in the languages of the rules.

use std::sync::LazyLock;

use regex::Regex;

use super::{addressed::without_mentions, pattern::with_ascii_boundaries};

/// Where an order can begin: "I don't remember that" and "you don't save it" are none.
pub(super) const CLAUSE: &str = concat!(
    r"(?:^|[.!?;:,\n(–—-]\s*|\b(?:please|pls|kindly|but|and|so|ok|okay|just|actually|oh|oops|sorry|wait|hey|bitte|aber|und|also|ach|doch|warte|moment|por favor|mas|e|pero|y|espera|perdona|desculpa|attends|pardon|aspetta|scusa|wacht|s'il te plaît|s'il vous plaît|mais|et",
    r"|per favore|ma|alsjeblieft|graag|maar|en|prosím|ale|a)[ ,]+)"
);

/// Patterns of languages that say it by an order; `CLAUSE` stands before each.
const ORDERS: &[&str] = &[
    // English. "Don't remember this song" is about a song, and "don't save it automatically" an order for every day.
    r"(?:don'?t|do not|never|please not|no need to)(?: you)?(?: ever| please)? (?:remember|memori[sz]e|save|store|record|keep|log|note(?: down)?|write(?: down)?|jot(?: down)?|put|capture|commit)(?: down)? (?:this|that|it|any of (?:this|that|it)|anything(?: of (?:this|that))?|the following|this (?:message|conversation|chat|part))(?: one| down| please| anywhere| anyplace| to (?:your )?memory| in (?:your |the )?(?:memory|notes?)| for me| at all| though)*\s*(?:$|[.!?,;:)\n–—-]|because\b|but\b)",
    r"(?:don'?t|do not|never) (?:remember|memori[sz]e|note(?: down)?|write down|make (?:a )?notes? of) (?:that (?:i|my|we|our|he|she)|what (?:i|we)|my|our)\b",
    r"(?:don'?t|do not|never) (?:make|take) (?:a |any )?notes? (?:of|on|about) (?:this|that|it|what)\b",
    r"(?:keep|leave) (?:this|that|it|the following|all this) out of (?:your |the )?(?:memory|notes|files)\b",
    r"(?:keep (?:this|that|it) |(?:this|that|it|what i said) (?:is|was) |that'?s |strictly )?off the record\s*(?:$|[.!,;:)\n–—-])",
    r"(?:keep (?:this|that|it) |this (?:is|stays) |that (?:is|stays) |just |strictly )*between (?:us|you and me|ourselves)\s*(?:$|[.!,;:)\n–—-])",
    // German
    r"(?:merke? (?:dir|es dir)|merken sie sich|speichere?|speichern sie|notiere?(?: dir)?|notieren sie|schreibe?(?: dir)?|schreiben sie|sichere?|behalte?)(?: bitte)? (?:das|dies|es|davon|diese nachricht|das folgende|folgendes)(?: \w+| auf (?:gar )?keinen fall){0,2}? nicht\b",
    r"(?:merke? dir|speichere?|notiere?(?: dir)?|schreibe?)(?: bitte)? (?:davon |hiervon )?nichts (?:davon|hiervon|von dem)\b",
    r"(?:(?:das|dies|folgendes|es) )?(?:bitte|lieber|auf keinen fall|darfst du|sollst du|musst du)(?: dir)?(?: (?:das|dies|es))?(?: bitte)?(?: auf keinen fall)? nicht (?:ab)?(?:merken|speichern|notieren|aufschreiben|festhalten|behalten|mitschreiben|protokollieren|sichern)\b",
    r"nicht (?:ab)?(?:merken|speichern|notieren|aufschreiben|festhalten|mitschreiben)\s*(?:$|[.!,;:)\n–—-])",
    r"(?:das |dies )?(?:bleibt |ist )?(?:nur |ganz )?unter uns(?: gesagt)?\s*(?:$|[.!,;:)\n–—-])",
    // Portuguese and Spanish
    r"n[ãa]o (?:te lembres d|memori[zs]es? |guardes? |guarde |anotes? |registes? |regist[er]e? |graves? |grave |escrevas? |salves? |tomes? nota d)(?:isto|isso|aquilo|nada|esta (?:conversa|mensagem)|o que)",
    r"n[ãa]o (?:o|a) (?:guardes?|memorizes?|anotes?|registes?)|n[ãa]o (?:guardes?|memorizes?|anotes?|registes?|graves?|grave|salve)\s*(?:$|[.!,;:)\n–—-])",
    r"n[ãa]o [ée] para (?:guardar|memorizar|anotar|lembrar|gravar|registar|registrar)\b",
    r"(?:isto |isso )?(?:fica |aqui |c[áa] |s[óo] )*entre n[óo]s(?: (?:os )?dois)?\s*(?:$|[.!,;:)\n–—-])",
    r"no (?:recuerdes?|recuerde|guardes?|memorices?|anotes?|apuntes?|registres?|almacenes?|escribas?|grabes?|tomes? nota de) (?:de )?(?:esto|eso|nada|lo que|este mensaje|esta conversaci[óo]n)\b",
    r"no (?:lo|la) (?:recuerdes?|guardes?|memorices?|anotes?|apuntes?|registres?|almacenes?|escribas?|grabes?)\b",
    r"(?:esto |eso |que )*(?:queda |quede |s[óo]lo )*entre (?:nosotros|t[úu] y yo)\s*(?:$|[.!,;:)\n–—-])",
    // French and Italian
    r"(?:ne |n')?(?:le |l'|la |les )?(?:te souviens|retiens|retenez|notes?|notez|enregistres?|enregistrez|m[ée]morises?|m[ée]morisez|sauvegardes?|sauvegardez|gardes?|gardez|conserves?|conservez|[ée]cris|[ée]crivez|stockes?) (?:surtout )?(?:pas|rien)(?: de)? ?(?:ça|ceci|cela|tout ça|ce que|cette (?:conversation|information)|ce message|\s*(?:$|[.!,;:)\n–—-]))",
    r"(?:ceci |cela |ça )?(?:[àa] )?ne pas (?:retenir|noter|enregistrer|m[ée]moriser|sauvegarder|conserver)\b",
    r"(?:(?:ça|cela|ceci|que ça) (?:reste|doit rester) |juste )?entre (?:nous|toi et moi)\s*(?:$|[.!,;:)\n–—-])",
    r"non (?:ricordar(?:e|ti)|memorizzare|salvare|annotare|segnar(?:e|ti)|registrare|scrivere|conservare) (?:questo|questa|ci[òo]|quanto|quello che|nulla|niente)\b",
    r"non (?:te lo |lo )?(?:ricordar(?:lo|telo)|memorizzarlo|salvarlo|annotarlo|segnar(?:lo|telo)|registrarlo|scriverlo|conservarlo|memorizzare|salvare|annotare|segnare)\s*(?:$|[.!,;:)\n–—-])",
    r"(?:che |questo |detto )*(?:resti |resta |rimanga )?(?:tra|fra) (?:di )?noi\s*(?:$|[.!,;:)\n–—-])",
    // Dutch, Czech, Polish, Turkish
    r"(?:onthoud|noteer|bewaar|registreer) (?:dit|dat|het)(?: \w+){0,2}? niet\b|(?:sla|schrijf) (?:dit|dat|het)(?: \w+){0,2}? niet op\b",
    r"(?:dit|dat)?(?: alsjeblieft| graag| svp)? ?niet (?:onthouden|opslaan|opschrijven|noteren|bewaren)\s*(?:$|[.!,;:)\n–—-])",
    r"(?:dit |dat )?(?:blijft )?(?:onder|tussen) ons(?: gezegd)?\s*(?:$|[.!,;:)\n–—-])",
    r"(?:to(?:hle)? si |to(?:hle)? )?(?:nepamatuj(?:te)?(?: si)?|neukládej(?:te)?|nezapisuj(?:te)?(?: si)?|nezaznamenávej(?:te)?|nepiš(?:te)? si)(?:\s*$|\s*[.!,;:)\n–—-]|\s+(?:to|toto|tohle|tuhle|nic|co)\b)",
    r"(?:jen |to zůstane )*mezi námi\s*(?:$|[.!,;:)\n–—-])|nie (?:zapamiętuj|zapisuj|notuj) (?:tego|niczego)|(?:tylko )?między nami\s*(?:$|[.!,;:)\n–—-])",
    r"(?:bunu|bunları|bu mesajı) (?:hatırlama|kaydetme|not alma|not etme)\b|(?:bu )?aramızda kalsın",
    // Arabic: "I don't remember" has another form.
    r"(?:من فضلك،? )?لا (?:تتذكري?|تحفظي?|تسجلي?|تدوني?|تكتبي?|تخزني?|تخزن)(?: (?:هذا|هذه|ذلك|ما)|ه(?:\s|$)|\s*(?:$|[.!،,;:]))",
    r"(?:هذا |الكلام )?(?:بيني وبينك|بيننا)(?: فقط)?\s*(?:$|[.!،,;:])",
];

/// Patterns of what is an order wherever it stands.
const ANYWHERE: &[&str] = &[
    r"не (?:надо |нужно )?(?:запоминай|запоминайте|запоминать|записывай|записывайте|записывать|сохраняй|сохраняйте|сохранять)(?:\s*$|\s*[.!,;:)\n–—-]| (?:это|этого|ничего|то,? что))",
    r"это(?: пожалуйста)? не (?:запоминай|записывай|сохраняй)|(?:^|[.!?,\n]\s*)(?:только |пусть |(?:это )?останется )*между нами(?: говоря)?\s*(?:$|[.!,;:)\n–—-])|не для (?:записи|протокола)",
    r"(?:覚え|記憶し|記憶に残さ|記録し|記録に残さ|保存し|メモし|書き留め|メモに残さ|登録し)(?:ておか)?ないで|(?:覚え|記録し|保存し|メモし)(?:ておか)?なくて(?:いい|良い|よい|結構|大丈夫)|ここだけの話|オフレコ",
    r"(?:别|別|不要|请勿|請勿|不许|不准|不用|无需|無需)(?:帮我|幫我|替我|给我|給我)?(?:把|将|將)(?:这|這|此|它|那|我)[^，。！？,.!?：:\n]{0,8}?(?:记|記|保存|存|写下|寫下|写进|寫進)",
    r"(?:别|別|不要|请勿|請勿|不许|不准|不用|无需|無需)(?:帮我|幫我|替我|给我|給我)?(?:记住|記住|记下来?|記下來?|记录|記錄|保存|存档|存檔|储存|儲存|存储|写下来?|寫下來?|记|記)(?:这|這|此|它|那|下面|以下|我(?:说|說|接下|下面)|\s*[：:，,。！!\n]|\s*$)",
    r"(?:这|這)(?:个|個|件事|些|话|話|段话)?(?:请|請|你)?(?:别|別|不要|请勿|請勿|不用)(?:记|記|保存|存|写下|寫下)|(?:^|[，。！？,.!?\n])(?:只|就)?(?:在)?(?:我们|我們|咱们|咱俩)之间(?:说|的话|的秘密)?[：:，,。]|你知我知",
    r"(?:इसे|इस बात को|यह(?: बात)?|ये|उसे|इसको|यह सब|कुछ भी)(?: कृपया| कहीं| भी)* (?:मत (?:लिखना|लिखो|लिखिए|लिखें)|(?:याद|नोट|सेव|सहेज(?:कर|ना)?|रिकॉर्ड|दर्ज|सुरक्षित)(?: कर| करके)? ?मत (?:रखना|रखो|रखिए|रखें|करना|करो|कीजिए|करें)|(?:याद|नोट|सेव|रिकॉर्ड|दर्ज) (?:न|ना|नहीं) (?:रखना|रखें|रखो|करना|करें|करो))|(?:यह|ये)? ?(?:बात )?(?:सिर्फ़|सिर्फ|केवल|बस)? ?हमारे बीच (?:की बात )?(?:ही )?(?:रहे|है|रखना|रहनी चाहिए)",
    r"(?:기억|저장|기록|메모)(?:은|는|을|를)? ?하지 ?(?:마|말)|(?:적어 ?두|적|외우|남기)지 ?(?:마|말아)|우리끼리(?:만)? ?(?:하는 |아는 )?(?:얘기|이야기|말|비밀)|오프 ?더 ?레코드",
];

static ASKED: LazyLock<Option<Regex>> =
    LazyLock::new(|| with_ascii_boundaries(&format!("{CLAUSE}(?:{})|{}", ORDERS.join("|"), ANYWHERE.join("|"))));

/// Whether a message asks that it be not remembered. Then nothing of it is: nobody knows how far the wish reaches.
#[must_use]
pub(crate) fn is_off_record(message: &str) -> bool {
    ASKED.as_ref().is_none_or(|asked| asked.is_match(&without_mentions(message)))
}

/// What stands before the first such wish of a message, and behind it.
#[must_use]
pub(crate) fn around_wish(message: &str) -> Option<(&str, &str)> {
    let wish = ASKED.as_ref()?.find(message)?;
    Some((message.get(..wish.start())?, message.get(wish.end()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    // "Merk dir das nicht: Ich habe eine Affäre mit Klaus." became the fact "das nicht: Ich habe …".
    #[test]
    fn a_message_that_asks_not_to_be_remembered_is_known_in_every_language() {
        assert!(ASKED.is_some());
        for text in [
            "Between us, don't write this down: I have HIV.",
            "Between us, I have HIV.",
            "I have HIV. This stays between us.",
            "Just between you and me: I am leaving Bosch.",
            "Off the record: I am leaving my job at Bosch.",
            "Don't remember this: my brother lives in Basel.",
            "Don’t remember this: I live in Bonn.",
            "Please don't store that, but my wife is pregnant.",
            "My wife is pregnant, but please don't save that anywhere.",
            "do not save this. my salary is 90000 euros",
            "Do not note this down: my boss Peter is going to be fired.",
            "Keep this out of your memory: I am moving to Denver in May.",
            "I earn 90000 euros (don't keep it in memory)",
            "Please don't commit this to memory, my son is gay.",
            "Merk dir das nicht: Ich habe eine Affäre mit Klaus.",
            "Merk dir das bitte nicht, aber ich bin schwanger",
            "Bitte nicht speichern: meine Frau ist schwanger.",
            "Das bitte nicht merken: Ich wohne in Kiel.",
            "Ich wohne in Kiel, aber speichere das bitte nicht.",
            "Unter uns: Peter wird entlassen.",
            "Unter uns gesagt, ich kündige im Mai.",
            "Não memorizes isto: eu moro em Évora.",
            "Não guardes isto: tenho cancro.",
            "Cá entre nós: vou despedir-me.",
            "No recuerdes esto: vivo en Sevilla.",
            "No guardes esto: mi mujer está embarazada.",
            "Mi mujer está embarazada, pero no lo guardes.",
            "Entre nosotros, voy a dimitir.",
            "Ne retiens pas ça : ma femme est enceinte.",
            "Ma femme est enceinte, mais n'enregistre pas ça.",
            "Entre nous, je vais démissionner.",
            "Non ricordare questo: mia moglie è incinta.",
            "Mia moglie è incinta, ma non salvarlo.",
            "Onthoud dit niet: mijn vrouw is zwanger.",
            "Sla dit alsjeblieft niet op: ik ga weg bij Bosch.",
            "Nepamatuj si to: moje žena je těhotná.",
            "Не запоминай это: моя жена беременна.",
            "Между нами: я увольняюсь.",
            "これは覚えないで：妻は妊娠しています。",
            "ここだけの話、来月会社を辞めます。",
            "别记住这个：我妻子怀孕了。",
            "我妻子怀孕了，不要把这个记下来。",
            "이건 기억하지 마: 아내가 임신했어.",
            "لا تتذكر هذا: زوجتي حامل.",
            "इसे मत लिखना: मेरी पत्नी गर्भवती है।",
            "मेरी पत्नी गर्भवती है, इसे याद मत रखना।",
        ] {
            assert!(is_off_record(text), "{text}");
        }
    }

    #[test]
    fn what_is_to_be_remembered_and_what_nobody_remembers_stay() {
        for text in [
            "Don't forget this: the gate squeaks.",
            "don't forget my wife's birthday is on 3 May",
            "Vergiss nicht, dass ich in Graz wohne",
            "No olvides que vivo en Sevilla",
            "Não te esqueças disto: moro em Évora",
            "N'oublie pas ça : ma femme est enceinte",
            "Vergeet dit niet: mijn vrouw is zwanger",
            "Не забудь это: моя жена беременна",
            "忘れないで、妻は妊娠しています",
            "别忘了我住在上海",
            "不要忘记我住在上海",
            "我不记得这个了",
            "잊지 마: 아내가 임신했어",
            "لا تنس هذا: زوجتي حامل",
            "لا أتذكر هذا المكان",
            "I don't remember where I put my keys.",
            "I don't remember that, my sister does.",
            "You don't save this much in a year",
            "Remember not to buy milk",
            "Remember this: don't book anything before nine.",
            "I know the singer but don't remember this song",
            "Never store my wine below ten degrees",
            "There are twenty kilometres between us and the sea.",
            "The difference between us is that I live in Rome.",
            "Merk dir: nicht vor neun anrufen",
            "Merk dir bitte, dass ich nicht in Graz wohne",
            "Ich kann mir das nicht merken",
            "Ich merke mir das nicht gern",
            "Não guardo rancor, moro em Évora",
            "No recuerdo esto bien, vivo en Sevilla",
            "Je ne retiens pas les noms, ma femme si",
            "Nepamatuju si to, bydlím v Praze",
            "Ik onthoud dit niet goed",
            "मुझे यह याद नहीं रहता",
            "याद रखना कि मेरी पत्नी गर्भवती है",
        ] {
            assert!(!is_off_record(text), "{text}");
        }
    }
}
