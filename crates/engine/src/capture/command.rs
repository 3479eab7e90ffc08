//! The words by which somebody asks to remember ("please remember that …", "lembra-te que …"): they are no part of the
//! fact.

use std::sync::LazyLock;

use regex::Regex;

use super::{addressed::with_and_without_names, pattern::as_written};

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

/// Commands that are a reminder of something to do ("don't let me forget to call") without what begins a statement.
const WITH_THAT: &[&str] = &[
    r"(?:(?:do not|don'?t|never)(?: you| ever| let me| let us)+ forget|never forget)(?:,? (?:this|that|it|the following)\b|\s?[:,])",
    r"(?:nunca|jamais) (?:te |se )?esque[çc]as?(?: (?:de )?que\b| (?:disto|disso)\b|\s?:)|n[ãa]o (?:te |se )?esque[çc]as?(?: (?:nunca|jamais|por favor))+(?: (?:de )?que\b|\s?:)",
    r"(?:que )?no se (?:te|le|me|nos|os|les) (?:olvide|vaya a olvidar|puede olvidar)(?: (?:nunca|por favor))?,?(?: (?:de )?que\b| (?:esto|eso)\b|\s?:)|(?:(?:no (?:te )?vayas a|nunca) olvid(?:ar(?:te)?|es)|nunca (?:te )?olvides)(?: (?:de )?que\b|\s?:)",
    r"(?:(?:vergiss|vergesst|vergessen sie)(?: (?:bitte|ja|bloß|mir|mal|das|auch))+ nicht|vergiss nie|nicht vergessen|nie vergessen)(?:,? dass\b|\s?:)",
    r"(?:n'oublie[sz]?|ne pas oublier|il ne faut pas oublier)(?: (?:surtout|jamais|donc|bien|pas|s'il te plaît|s'il vous plaît))*,?(?: que\b| qu'| (?:ceci|cela|ça)\b|\s?:)",
    r"(?:non (?:ti |si )?(?:dimenticar(?:e|ti|lo)|dimentichi|scordar(?:e|ti))|non (?:devi|deve) dimenticare)(?: (?:mai|per favore))*,?(?: che\b| (?:questo|ciò)\b|\s?:)",
    r"(?:vergeet(?: (?:alsjeblieft|vooral|dus|ook|maar|het))+ niet|vergeet nooit|niet vergeten)(?:,? dat\b|\s?:)",
    r"(?:(?:никогда )?не (?:забудь|забывай)(?:те)?)(?:,? пожалуйста)?(?:,? (?:о том,? )?что\b|\s?:)",
    r"(?:(?:कृपया |प्लीज़ |और )*(?:(?:यह|ये|इसे|इस बात को) )?(?:मत भूल(?:ना|ो|िए|िएगा|ें)|भूल(?:ना|िएगा|ो) (?:मत|नहीं)|न भूल(?:ना|ें|िए)|(?:हमेशा |ज़रूर )?(?:याद|ध्यान|ध्यान में) रख(?:ना|ो|िए|िएगा|ें|े))(?: कि(?:\s|$)|\s?[:,]))",
    r"(?:(?:من فضلك،? |رجاء،? |أرجوك،? )?(?:تذكّ?ر(?:ي|وا)?|لا تنسَ?(?:ى|ي|وا)?)(?: دائما)?(?: (?:من فضلك|رجاء))?(?: أنّ?\b| ان\b|\s?[:：،]| (?<kept>أنّ?(?:ني|ي|نا|ه|ها|هم|ك)\b)))",
];

/// The same behind the fact.
const ALONE: &str = concat!(
    r"(?:(?:do not|don'?t|never)(?: you| ever| let me)* forget|nicht vergessen|niet vergeten|(?:que )?no se te (?:olvide|vaya a olvidar)|nunca te esqueças|ne l'oublie(?:z)? (?:surtout )?pas|non dimenticarlo",
    r"|не забудь(?:те)?|(?:यह |इसे )?(?:मत भूलना|याद रखना)|(?:तो )?भूलना मत|لا تنس(?:َ|ى|ي)?(?: (?:ذلك|هذا))?|تذكّ?ر(?:ي)?(?: (?:ذلك|هذا))?)"
);

/// The same without a word that begins a statement, where the rest is one.
const WITHOUT_THAT: &str = r"(?:(?:do not|don'?t|never)(?: you| ever| let me| let us)+ forget|never forget)\s";

/// What such a statement has in English.
const STATES: &[&str] = &["is", "are", "was", "were", "has", "have", "isn't", "aren't", "hasn't", "haven't"];

/// What ends a Japanese sentence whose fact stands before: "… is what you should remember".
const BEHIND: &str = concat!(
    r"[、,\s]*(?:という(?:こと|事|ふうに|風に)?(?:を|は|も)?|って(?:こと|事)?(?:を|は|も)?|(?:こと|事)(?:を|は|も)?|と|を)(?:ちゃんと|必ず|よく|しっかり|ずっと|ぜひ)*",
    r"(?:覚え(?:といて|ておいて|ていて|てて|て)|記憶して(?:おいて)?|メモして(?:おいて)?)(?:ください|下さい|くれる|くれ|ほしい|欲しい|もらえますか|ちょうだい|ね|よ)*[\s。！!.]*$"
);

/// What stands between the command and the fact.
const AFTER: &str = r"\s*[:：,，、;；\-–—]*\s*";

/// Words that point at a fact and state none.
const POINTERS: &str = concat!(
    r"(?:this|that|it|these|those|one|for (?:me|later|next time|the future|ever)|forever|always|please|ok(?:ay)?|thanks|thank you|too|well|now|in (?:your )?memory|to (?:your )?memory",
    r"|isto|isso|disso|disto|bem|sempre|por favor|obrigad[oa]|para mim|esto|eso|siempre|gracias|para mí|das|dies|es|bitte|danke|gut|für (?:mich|später)|immer",
    r"|ça|cela|ceci|bien|toujours|merci|s'il te plaît|questo|ciò|bene|sempre|grazie|per favore|dit|dat|het|goed|altijd|это|всегда|хорошо|пожалуйста|bunu|şunu|lütfen|to|tohle|prosím|proszę",
    r"|这个|這個|这件事|這件事|了|吧|哦|好吗|好嗎|ね|ください|これ|それ|줘|주세요|이거|이것)"
);

/// Words that point at a text above, below or attached, and state nothing: "see below".
const TEXT_POINTERS: &[&str] = &[
    r"(?:(?:please )?(?:see|look|read|check|cf\.?|refer to|view)(?: at)?(?: (?:the|this|my|also))*|as|the)? ?(?:{NOUN} )?(?:in )?(?:the )?(?:below|above|attached|attachments?|enclosed|underneath)(?: {NOUN})?",
    r"(?:siehe?|s\.|schau(?: mal)?|lies|vgl\.?)(?: bitte)?(?: (?:im|den|die|das|dazu|auch|in der))* ?(?:{NOUN} )?(?:weiter )?(?:unten|oben|anhang|anlage|untenstehende[nrs]?|obige[nrs]?|angehängte[nrs]?|beigefügte[nrs]?)(?: {NOUN})?",
    r"(?:voir|vois|voyez|regarde[zr]?|lis|lisez|cf\.?)(?: (?:le|la|les|en))* ?(?:{NOUN} )?(?:ci-dessous|ci-dessus|ci-jointe?|plus bas|plus haut|pièces? jointes?|annexe)",
    r"(?:ver|véase|vea|mira|mire|lee|lea)(?: (?:el|la|más|en))* ?(?:{NOUN} )?(?:abajo|arriba|adjunt[oa]|anexo|a continuación)",
    r"(?:ver|vê|veja|vejam|olha|lê|leia|vide)(?: (?:o|a|mais|em|no))* ?(?:{NOUN} )?(?:abaixo|acima|baixo|cima|anexo)",
    r"(?:vedi|veda|vedere|guarda|leggi)(?: (?:il|la|qui|in))* ?(?:{NOUN} )?(?:sotto|sopra|allegat[oa])",
    r"(?:zie|kijk|lees)(?: (?:de|het|in|naar))* ?(?:{NOUN} )?(?:onder|boven|hieronder|hierboven|bijlage|onderstaande?|bijgevoegde?)(?: {NOUN})?",
    r"(?:см\.?|смотри(?:те)?|читай(?:те)?)(?: (?:письмо|текст))? ?(?:ниже|выше|(?:во )?вложени[еи])",
    r"(?:zob\.?|zobacz|patrz|czytaj) ?(?:niżej|poniżej|wyżej|powyżej|(?:w )?załączniku?)",
    r"(?:(?:aşağıya|yukarıya|eke) bak(?:ın|ınız)?|bkz\.? ?(?:aşağı|yukarı|ek)|aşağıda|ekte)",
    r"(?:以下|下記|上記|下|上|添付)(?:の?(?:メール|メッセージ|ファイル))?(?:を|に)?ご?(?:参照|覧|見て|確認)(?:して)?(?:ください|下さい)?",
    r"(?:请|請)?(?:见|見|看|参见|參見|查看|详见|詳見)(?:一下)?(?:以下|下面|下方|下文|上面|上方|上文|附件|下|上)(?:的?(?:邮件|郵件|内容|內容))?",
    r"(?:아래|위|첨부)(?:를|을)? ?(?:(?:메일|파일)(?:을|를)? ?)?(?:참고|참조|확인|봐)(?:해)?(?: ?주세요| ?줘)?",
];

/// Longest sentence that only points at a text, in bytes.
const LONGEST_POINTER: usize = 120;

/// What such a text is called.
const TEXT_NOUNS: &str = "(?:e-?mails?|mails?|messages?|texts?|threads?|notes?|files?|documents?|letters?|nachricht|datei|text|brief|mensaje|correo|archivo|mensagem|ficheiro|arquivo|messaggio|file|bericht|bestand|message|courriel|fichier)";

static ONLY_POINTS_AT_TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pointers = TEXT_POINTERS.join("|").replace("{NOUN}", TEXT_NOUNS);
    // Behind a word with a colon too: "NB: see below".
    as_written(&format!(r"^(?:[^\s:：]{{1,20}}[ \x{{A0}}]?[:：])?[\s\p{{P}}]*(?:{pointers})[\s\p{{P}}]*$"))
});

static AT_BEGIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| as_written(&format!(r"^\s*{BEFORE}(?:{}|{}){AFTER}", COMMAND.join("|"), WITH_THAT.join("|"))));

static AT_BEGIN_OF_STATEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| as_written(&format!(r"^\s*{BEFORE}{WITHOUT_THAT}\s*")));

/// A command after the fact: "…, remember that".
static AT_END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    as_written(&format!(r"[,;，、.–—-]\s*{BEFORE}(?:{}|{ALONE})(?:[\s,]*{POINTERS})*[\s.!。！]*$", COMMAND.join("|")))
});

static JAPANESE_END: LazyLock<Option<Regex>> = LazyLock::new(|| as_written(BEHIND));

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

/// What a sentence asks to remember, whomever it speaks to.
#[must_use]
pub fn read(sentence: &str) -> Request<'_> {
    let texts = with_and_without_names(sentence);
    if texts == [sentence; 4] {
        return read_unaddressed(sentence);
    }
    let [plain, begun, ended, both] = texts.map(read_unaddressed);
    // A name at the end may as well be a part of the fact.
    if [ended, both].contains(&Request::Bare) {
        return Request::Bare;
    }
    [plain, begun, ended, both].into_iter().find(|request| *request != Request::None).unwrap_or(Request::None)
}

fn read_unaddressed(sentence: &str) -> Request<'_> {
    let (Some(at_end), Some(pointers), Some(behind)) = (AT_END.as_ref(), ONLY_POINTERS.as_ref(), JAPANESE_END.as_ref())
    else {
        return Request::None;
    };
    let begin = begin_of(sentence);
    let rest = sentence.get(begin..).unwrap_or_default();
    // "Remember to buy milk" says what is to be done, and keeps its verb.
    if begin > 0 && (starts_with_to(rest) || is_errand(sentence.get(..begin).unwrap_or_default(), rest)) {
        return Request::None;
    }
    let end = [at_end, behind].into_iter().find_map(|end| end.find(rest).filter(|found| found.start() > 0));
    let end = end.map_or(rest.len(), |found| found.start());
    if begin == 0 && end == rest.len() {
        return Request::None;
    }
    let fact = rest.get(..end).unwrap_or_default().trim();
    if pointers.is_match(fact) { Request::Bare } else { Request::Fact(fact) }
}

/// Whether a sentence only points at a text, and states nothing: "FYI see below".
pub(super) fn only_points_at_text(sentence: &str) -> bool {
    let is_pointer = |text| ONLY_POINTS_AT_TEXT.as_ref().is_some_and(|points| points.is_match(text));
    sentence.len() <= LONGEST_POINTER && is_pointer(sentence.get(begin_of(sentence)..).unwrap_or_default())
}

/// Where the fact begins behind a command; 0 without one.
fn begin_of(sentence: &str) -> usize {
    let found = AT_BEGIN.as_ref().and_then(|at_begin| at_begin.captures(sentence));
    let end = found.and_then(|found| {
        let kept = found.name("kept").map(|kept| kept.start());
        let whole = found.get(0).map(|whole| whole.end()).filter(|end| ends_word(sentence, *end));
        kept.or(whole)
    });
    let bare = || {
        let end = AT_BEGIN_OF_STATEMENT.as_ref()?.find(sentence)?.end();
        let rest = sentence.get(end..)?.to_lowercase().replace('\u{2019}', "'");
        rest.split_whitespace().skip(1).any(|word| STATES.contains(&word)).then_some(end)
    };
    end.or_else(bare).unwrap_or(0)
}

fn starts_with_to(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("to"))
}

/// Whether what stands behind "Nicht vergessen:" and "Niet vergeten:" is something to do: "Milch kaufen".
fn is_errand(command: &str, rest: &str) -> bool {
    let command = command.to_lowercase();
    if !["nicht vergessen", "nie vergessen", "niet vergeten"].iter().any(|say| command.contains(say))
        || command.contains("dass")
        || command.contains(" dat")
    {
        return false;
    }
    let rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
    let first = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    let last = rest.split_whitespace().next_back().unwrap_or_default();
    // A verb that stands last in its first form, and nobody who does it: "die Tore quietschen" is no errand.
    let has_subject = ["die", "wir", "sie", "meine", "unsere", "de", "wij", "we", "mijn", "onze", "zij", "ze"];
    last.starts_with(char::is_lowercase)
        && ["en", "ern", "eln"].iter().any(|end| last.ends_with(end))
        && !has_subject.contains(&first.as_str())
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

    // "FYI see below" over a mail became the fact "see below".
    #[test]
    fn what_only_points_at_a_text_is_no_fact() {
        for said in [
            "FYI see below",
            "FYI: see the mail below.",
            "FYI, please see attached",
            "Note: see the attached file",
            "Remember: see above",
            "FYI below",
            "NB: see below",
            "Merk dir: siehe unten",
            "Notiere: siehe Anhang",
            "Note : voir ci-dessous",
            "Retiens : voir pièce jointe",
            "Anota: ver abajo",
            "Anota: ver mensaje adjunto",
            "Anota: ver abaixo",
            "Anota: ver em anexo",
            "Annota: vedi sotto",
            "Noteer: zie onder",
            "Noteer: zie bijlage",
            "Запомни: см. ниже",
            "Zapisz: patrz poniżej",
            "Not al: aşağıya bak",
            "メモして：以下を参照してください",
            "记住：请看下面",
            "기억해 줘: 아래 참고",
        ] {
            assert!(only_points_at_text(said), "{said}");
        }
        for said in [
            "FYI see Dr. Costa below the bridge",
            "FYI the flat below is empty",
            "Remember: my salary is above 4000",
            "Remember that",
            "Merk dir: oben wohnt Anna",
            "记住：下面是厨房",
        ] {
            assert!(!only_points_at_text(said), "{said}");
        }
    }

    // They were passed over as stating nothing; Arabic and Japanese ones kept the words of the command.
    #[test]
    fn other_common_ways_to_ask_are_known() {
        let gate = "the gate squeaks";
        let cases = [
            ("Don't let me forget that the gate squeaks", gate),
            ("Please don’t let me forget that the gate squeaks", gate),
            ("Never let me forget that the gate squeaks", gate),
            ("Please never forget that the gate squeaks", gate),
            ("Don't ever forget that the gate squeaks", gate),
            ("Don't let me forget the gate code is 4711", "the gate code is 4711"),
            ("The gate squeaks, don't let me forget that.", "The gate squeaks"),
            ("Que no se te olvide que el portón chirría", "el portón chirría"),
            ("No se te vaya a olvidar que el portón chirría", "el portón chirría"),
            ("No se te olvide: el portón chirría", "el portón chirría"),
            ("Nunca olvides que el portón chirría", "el portón chirría"),
            ("Vergiss bitte nicht, dass das Tor quietscht", "das Tor quietscht"),
            ("Bitte vergiss ja nicht, dass das Tor quietscht", "das Tor quietscht"),
            ("Nicht vergessen: das Tor quietscht", "das Tor quietscht"),
            ("Bitte nicht vergessen, dass die Tore quietschen", "die Tore quietschen"),
            ("Nicht vergessen: die Tore quietschen", "die Tore quietschen"),
            ("N'oublie surtout pas que le portail grince", "le portail grince"),
            ("N’oubliez jamais qu’Anne aime le thé", "Anne aime le thé"),
            ("Non dimenticare che il cancello cigola", "il cancello cigola"),
            ("Non dimenticarti mai che il cancello cigola", "il cancello cigola"),
            ("Niet vergeten: het hek piept", "het hek piept"),
            ("Vergeet alsjeblieft niet dat het hek piept", "het hek piept"),
            ("Não te esqueças que o portão range", "o portão range"),
            ("Não te esqueças de que o portão range", "o portão range"),
            ("Nunca te esqueças de que o portão range", "o portão range"),
            ("Не забудь, что ворота скрипят", "ворота скрипят"),
            ("Никогда не забывай, что ворота скрипят", "ворота скрипят"),
            ("मत भूलना कि फाटक चरमराता है", "फाटक चरमराता है"),
            ("कृपया याद रखना कि फाटक चरमराता है", "फाटक चरमराता है"),
            ("यह मत भूलना कि फाटक चरमराता है", "फाटक चरमराता है"),
            ("تذكر أن البوابة تصر", "البوابة تصر"),
            ("تذكّري أنّ البوابة تصر", "البوابة تصر"),
            ("لا تنس أن البوابة تصر", "البوابة تصر"),
            ("من فضلك لا تنسى أن البوابة تصر", "البوابة تصر"),
            ("تذكر أنني أعيش في عمان", "أنني أعيش في عمان"),
            ("門がきしむと覚えておいて", "門がきしむ"),
            ("門がきしむということを覚えておいてください。", "門がきしむ"),
            ("門がきしむって覚えといてね", "門がきしむ"),
        ];
        let wrong: Vec<_> = cases.iter().filter(|(said, fact)| read(said) != Request::Fact(fact)).collect();
        let read: Vec<_> = wrong.iter().map(|(said, _)| (said, read(said))).collect();
        assert!(wrong.is_empty(), "{read:#?}");
    }

    #[test]
    fn a_reminder_of_something_to_do_is_none() {
        for said in [
            "Don't forget to buy milk tomorrow",
            "Don't let me forget to call Ana",
            "Never let me forget my keys",
            "Never forget your roots",
            "Don't forget to forget my old number",
            "Que no se te olvide comprar leche",
            "Nicht vergessen: morgen Milch kaufen!",
            "Vergiss bitte nicht, Milch zu kaufen",
            "Niet vergeten: melk kopen",
            "N'oublie surtout pas d'acheter du lait",
            "Non dimenticarti di comprare il latte",
            "Nunca te esqueças de comprar leite",
            "दूध लाना मत भूलना",
            "Я никогда не забываю, что сказал",
            "友達と覚えている歌",
        ] {
            assert_eq!(read(said), Request::None, "{said}");
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
