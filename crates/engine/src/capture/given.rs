//! Words in a message that are nobody's statement: a text that is given to be worked on, a mail that is shown, what is only
//! played.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::with_ascii_boundaries;

/// Where a sentence begins, with its courtesies.
const BEGIN: &str = concat!(
    r"(?:^|[\n.!?。！？])[ \t]*(?:(?:please|pls|ok(?:ay)?|hey|hi|so|and|now|(?:can|could|would|will) you|i need you to|i want you to|i'd like you to|help me(?: to)?|bitte|kannst du|könntest du",
    r"|por favor|podes|pode|puedes|podrías|s'il te plaît|s'il vous plaît|peux-tu|pouvez-vous|per favore|puoi|potresti|alsjeblieft|kun je|prosím|můžeš|пожалуйста|من فضلك)[ ,]+)*"
);

/// What a task ends with, before the text that it is about.
const END: &str = r"[^\n:：.!?。！？]*(?:[:：]|[.!?。！？]?[ \t]*\n)\s*\S";

/// What it has in it, where the text stands in the same sentence: "translate “my dog is called Toby” into Spanish".
const QUOTED: &str = r#"[^\n.!?。！？"“„«»]*?(?:["“„«»「『]\s?|[ \t]['‘])[^\s"]"#;

/// Words for texts, which a verb of many meanings needs: "correct: I live in Porto" corrects no text.
const TEXT: &str = concat!(
    r"[^\n:：.!?]*\b(?:texts?|letters?|e-?mails?|mails?|messages?|sentences?|paragraphs?|essays?|articles?|drafts?|stor(?:y|ies)|poems?|cv|resume|speech|posts?|translation|grammar|spelling|reply|sms",
    r"|textos?|cartas?|mensagem|mensagens|frases?|par[áa]grafos?|reda[çc][ãa]o|gram[áa]tica|ortograf[íi]a|mensajes?|correos?|art[íi]culos?|artigos?",
    r"|texte?n?|briefe?|s[äa]tze?|nachricht|absatz|aufsatz|rechtschreibung|grammatik|entwurf|lettres?|phrases?|courriels?|paragraphes?|orthographe",
    r"|lettera|testo|frasi|messaggio|paragrafo|grammatica|tekst|zin(?:nen)?|bericht|alinea|spelling|dopis|text|větu|zprávu|odstavec)\b"
);

/// Verbs that are tasks on a text by themselves.
const TASKS: &[&str] = &[
    r"(?:translate|proof-?read|summari[sz]e|paraphrase|rephrase|rewrite|transcribe)\b|(?:write|draft|compose)\b[^\n:.!?]*\b(?:like|based on|out of|using) (?:this|these|the following)\b",
    r"(?:übersetze?|übersetzt|übersetzen(?: sie)?|korrekturlesen|paraphrasiere?|(?:fasse?|fassen sie)\b[^\n:.!?]*\bzusammen|(?:formuliere?|schreibe?|schreiben sie)\b[^\n:.!?]*\bum|lies\b[^\n:.!?]*\bkorrektur)\b",
    r"(?:traduz(?:a|ir)?|traduce|traduzca|traducir|resume|resuma|resumir|resum(?:ez|e)|reescrev[ae]|reescrib[ae]|parafrase[ai]a?|rev[êe]|reveja)\b",
    r"(?:tradui[st]|traduisez|traduire|résume[zr]?|reformule[zr]?|réécri(?:s|vez|re)|relis(?:ez)?)",
    r"(?:traduci|traduca|tradurre|riassumi|riassuma|riscrivi|riformula|parafrasa|vertaal|herschrijf|herformuleer|(?:vat)\b[^\n:.!?]*\bsamen)\b",
    r"(?:přelož(?:te|it)?|shrň(?:te)?|přepiš(?:te)?|přeformuluj(?:te)?|переведи(?:те)?|перефразируй(?:те)?|перескажи(?:те)?|перепиши(?:те)?|резюмируй(?:те)?|отредактируй(?:те)?)",
    r"(?:ترجمي?|ترجموا|لخصي?|أعد صياغة|أعيدي صياغة|صحح|دقق)",
];

/// Verbs that are, with a word for a text behind them.
const TASKS_ON_TEXT: &[&str] = &[
    r"(?:correct|fix|edit|improve|polish|shorten|expand|review|check|answer|reply to|respond to|analy[sz]e|explain|comment on|grade|simplify)\b",
    r"(?:korrigiere?|korrigieren sie|verbessere?|überarbeite|kürze|prüfe?|beantworte)\b",
    r"(?:corrige|corrija|corrigir|corregir|melhora|melhore|mejora|mejore|revisa|revise|verifica|responde)\b",
    r"(?:corrige[zr]?|améliore[zr]?|vérifie[zr]?|réponds|répondez)",
    r"(?:correggi|migliora|controlla|rivedi|rispondi|corrigeer|verbeter|controleer|beantwoord)\b",
    r"(?:oprav(?:te)?|vylepši|zkontroluj(?:te)?)",
];

/// What shows a text of somebody else.
const SHOWN: &[&str] = &[
    r"[^\n:.!?]*\b(?:sent|wrote|texted|e-?mailed|forwarded|messaged)(?: to)? (?:me|us) (?:this|the following)\b",
    r"(?:this is |here'?s |here is |below is |see )?(?:an? |the |this |my |his |her |their )?(?:mail|e-?mail|message|letter|text|sms|whatsapp|post|comment) (?:from|of|by) [^\n:.!?]{1,60}",
    r"(?:here'?s|here is|here are|below is|see) (?:an? |the |this |my |his |her |their |some )?(?:\w+ ){0,2}(?:letter|e-?mail|mail|message|text|article|poem|lyrics|story|joke|draft|transcript|dialogue|paragraph|diar(?:y|ies)|journal|entry|entries|notebook|memoirs?|novel)\b",
    r"(?:(?:this|that) is |it'?s |here'?s |here is |below is )?(?:something |an? \w+ |the following |lines? )?(?:from|out of) (?:my|his|her|the|an?|our|their) (?:\w+ ){0,2}(?:diar(?:y|ies)|journals?|notebook|memoirs?|novel|letters?)\b|(?:my )?(?:old )?(?:diary|journal)(?: entry)?\b",
    r"(?:hier (?:ist|sind|kommt)|das (?:ist|sind)|aus) (?:\w+ ){0,3}(?:tagebuch\w*|tagebüchern?|tagebucheinträge?|notizbuch|roman|aufsatz)|(?:voici|voilà|c'est|extrait de|de) (?:\w+ ){0,3}(?:journal|carnet|roman)\b|(?:aquí (?:está|va|tienes)|este es|esto es de|de|del) (?:\w+ ){0,2}(?:diario|cuaderno|novela)\b",
    r"(?:aqui (?:está|vai|tens)|eis|este é|isto é d[oe]|d[oe]) (?:\w+ ){0,3}(?:diário|caderno|romance)\b|(?:ecco|questo è|dal|da) (?:\w+ ){0,3}(?:diario|quaderno|romanzo)\b|(?:hier is|dit is|uit) (?:\w+ ){0,3}(?:dagboek\w*|roman)\b|(?:вот|это|из) (?:\w+ ){0,3}дневник\w*|(?:oto|to|z) (?:\w+ ){0,3}(?:pamiętnik\w*|dziennik\w*)|(?:मेरी |यह मेरी )(?:\w+ )?डायरी|(?:eski )?günlü[kğ]\w*|(?:من |هذه )?يوميات\w*",
    r"(?:song )?(?:lyrics|user story|joke|poem|short story|dialogue|example sentences?|sample text|excerpt|quote)",
    r"[^\n:.!?]*\bhat mir (?:das|dies|folgendes) (?:geschrieben|geschickt)|(?:nachricht|mail|e-?mail|brief) von [^\n:.!?]{1,60}",
    r"[^\n:.!?]*\b(?:mandou-me|enviou-me|escreveu-me|me mandou|me enviou|me escreveu|me mandó|me envió|me escribió) (?:isto|isso|esto|lo siguiente|o seguinte)|(?:mensagem|carta|e-?mail|mensaje|correo) (?:do|da|de|del) [^\n:.!?]{1,60}",
    r"[^\n:.!?]*\bm'a (?:envoyé|écrit) (?:ça|ceci|cela)|(?:message|lettre|courriel|mail) de [^\n:.!?]{1,60}|[^\n:.!?]*\bmi ha (?:scritto|mandato) questo|(?:messaggio|lettera|mail) (?:di|da|del|della) [^\n:.!?]{1,60}",
    r"[^\n:.!?]*\b(?:stuurde|schreef) (?:me|mij) dit|(?:bericht|mail|brief) van [^\n:.!?]{1,60}",
];

/// The same of scripts without spaces, where the verb stands behind.
const DENSE: &[&str] = &[
    r"(?:^|[\n。！？])[^\n。！？：:]*(?:翻訳|訳|添削|校正|要約|書き直|手直|リライト)(?:(?:し?て(?:ください|下さい|くれ|ほしい|欲しい|もらえますか|頂けますか|いただけますか|ね)?|を?お願い[^\n。：:]*)(?:[:：]|[。？?]?[ \t]*\n)|[:：])\s*\S",
    r"(?:^|[\n。！？])(?:请|請|麻烦|麻煩|你|能|可以|帮我|幫我|帮忙)*(?:(?:把|将|將)[^\n。！？：:]{0,15})?(?:翻译|翻譯|润色|潤色|校对|校對|改写|改寫|总结|總結|概括|修改|缩写|縮寫)(?:(?:成|为|為|到|一下|下面|以下|这|這)[^\n。！？：:]*)?(?:[：:]|[。！]?[ \t]*\n)\s*\S",
    r"(?:^|[\n。！？.!?])[^\n。！？：:]{0,16}(?:日記|日记|手記|일기)[^\n。！？：:]{0,8}[:：][ \t]*\S",
    r#"(?:^|[\n。！？])[^\n。！？「『"“]*[「『"“][^\n」』"”]+[」』"”][^\n。！？]{0,20}(?:翻訳|訳|添削|校正|要約|書き直|手直|リライト)(?:し?て|を?お願い)"#,
    r#"(?:^|[\n。！？])[^\n。！？「『"“]*[「『"“][^\n」』"”]+[」』"”][^\n。！？]{0,12}(?:翻译|翻譯|译成|譯成|润色|潤色|校对|校對|改写|改寫|总结|總結|概括|缩写|縮寫)"#,
    r#"(?:^|[\n。！？])(?:请|請|麻烦|麻煩|你|能|可以|帮我|幫我|帮忙)*(?:翻译|翻譯|润色|潤色|校对|校對|改写|改寫|总结|總結|概括)[^\n。！？「『"“]{0,12}[「『"“]"#,
    r#"(?:^|[\n.!?])[^\n.!?"“‘「]*["“‘「][^\n"”’」]+["”’」][^\n.!?]{0,20}(?:번역|요약|교정|첨삭|윤문)"#,
    r"(?:^|[\n.!?])[^\n.!?:]*(?:번역|요약|교정|첨삭|윤문|수정)(?:을|를)? ?(?:해 ?(?:줘|주세요|주실|줄래|봐|라)[^\n.:]*|부탁[^\n.:]*)(?:[:：]|[.!?]?[ \t]*\n)\s*\S",
];

/// Headers of a mail, two of them; and what stands before a mail that is answered or passed on.
const MAIL: &[&str] = &[
    r"(?m)^[ \t>*]*(?:(?:from|to|subject|date|sent|cc|von|an|betreff|gesendet|datum|de|para|assunto|asunto|enviado|data|fecha|à|objet|envoyé|da|a|oggetto|inviato|van|aan|onderwerp|verzonden|od|komu|předmět|от|кому|тема|дата|发件人|收件人|主题|寄件者|主旨|差出人|宛先|件名|보낸 ?사람|받는 ?사람|제목|من|إلى|الموضوع)[ *]*[:：][ *]*\S[^\n]*\n){2}",
    r"(?m)^[ \t]*-{2,}[ \t]*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|mensagem original|mensaje original|message d'origine|messaggio originale|oorspronkelijk bericht)",
    r"(?m)^[ \t]*(?:on|am|em|el|le|il|op)\b[^\n]{6,120}\b(?:wrote|schrieb|escreveu|escribió|a écrit|ha scritto|schreef)[^\n]{0,60}[:：][ \t]*\n",
];

/// A day and a time of it as messengers write them, in brackets or not.
const DATE: &str = concat!(
    r"(?:\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}\.?|\d{1,2}\.? (?:de )?[^\s\d.,:;()\[\]/<>-]{3,12}\.?(?:,? (?:de )?\d{2,4})?|[^\s\d.,:;()\[\]/<>-]{3,12}\.? \d{1,2},? \d{4}",
    r"|\d{4}年 ?\d{1,2}月 ?\d{1,2}日|\d{4}년 ?\d{1,2}월 ?\d{1,2}일|today|yesterday|heute|gestern|aujourd'hui|hier|hoy|ayer|hoje|ontem|oggi|ieri|vandaag|gisteren|сегодня|вчера|dzisiaj|dziś|wczoraj|bugün|dün|今日|昨日|今天|昨天|오늘|어제)",
);
const TIME: &str = r"(?:(?:上午|下午|午前|午後|오전|오후|kl\.? ?)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?[ \x{A0}\x{202F}]?(?:[ap]\.? ?m\.?|uhr|h)?)";

/// Where a chat begins that was copied out of WhatsApp, Signal, Telegram, iMessage, Slack, Teams or Discord. `D`, `T` and `N` stand
/// for a day, a time and a name.
const CHATS: &[&str] = &[
    r"\[(?:(?:[^\s\d.,:;()\[\]/<>-]{2,10}\.?,? )?D(?:,| at| um| à| às| a las| alle| om| в)? *T|T,? *D|T)\] *(?:N:|N\n)",
    r"D(?:,| at| um| à| às)? *T *[-–—] *N:",
    r"N,? *\[(?:D(?:,| at| um| à| às| в)? *)?T\](?::| *\n)",
    r"N *\(D(?:,| at| um| à| às| в)? *T\):",
    r"N *[—–•|] *(?:D(?:,| at| um| à| às| в)? *)?T *\n",
    r"(?:N)?(?: {2,}|\t| *\x{A0} *)T *\n",
    r"(?:[^\s\d.,:;()\[\]/<>-]{2,12}\.?,? )?D(?:,| at| um| à| às| в)? *T *\n",
    r"T *<[^<>\n]{1,40}> ",
];

/// What is only played, from here to the end.
const PLAYED: &[&str] = &[
    r"(?:pretend|let'?s (?:pretend|imagine|suppose|assume|say))\b|imagine(?: that)?,? (?:i|you|we|my|he|she|there'?s)\b|(?:suppose|supposing)(?: that)?,? (?:i|you|we|my|our)\b|(?:let'?s (?:do a |have a )?)?role-?play|let'?s play (?:a |an |the )?(?:\w+ )?(?:game|role|story|pretend)\b|in (?:this|the|my|our) (?:story|game|novel|role-?play|scenario)\b|(?:just )?for (?:the|this) example\b|(?:as an )?example ?:|hypothetically\b|for the sake of (?:argument|the story)",
    r"(?:tu so,? als|tun wir so|nehmen wir an|angenommen,?|nimm an,?|spielen wir|lass uns (?:\w+ )?(?:rollenspiel|so tun|spielen)|rollenspiel|stell dir vor,? (?:ich (?:wäre|sei|hieße|bin eine?)|mein name (?:wäre|sei)|du (?:wärst|seist|bist)))",
    r"(?:finge|finja|faz de conta|faça de conta|vamos (?:fingir|supor|imaginar|fazer de conta|jogar (?:a )?um jogo)|supõe|suponhamos|suponha|supondo|imagin[ae] que (?:eu )?(?:sou|fosse|era|(?:o )?meu nome|me chamo|tu és|você é))\b",
    r"(?:haz como|hagamos como|supón|supongamos|suponga|vamos a (?:fingir|suponer|imaginar|jugar a)|juguemos a|imagina que (?:yo )?(?:soy|fuera|me llamo|mi nombre|eres))\b",
    r"(?:fais|faisons|faites) (?:comme si|semblant)|(?:suppose[sz]?|supposons|imaginons|mettons) que|imagine[zs]? que (?:je|tu|mon nom)\b|jouons (?:à|un)\b|jeu de rôles? ?[:：]",
    r"(?:fingi|facciamo finta|fai finta|supponi|supponiamo|mettiamo che|immagina (?:che (?:io|tu|il mio)|di essere)|giochiamo (?:a|di ruolo))\b|(?:doe alsof|doen we alsof|laten we (?:doen alsof|aannemen)|stel,? (?:dat )?(?:ik|je|mijn)|veronderstel|stel je voor dat (?:ik|je) (?:een|de))\b",
    r"(?:für das|fürs|im) beispiel\b|beispiel ?:|pour (?:l'|cet )exemple\b|exemple ?:|para (?:el|o|este) (?:ejemplo|exemplo)\b|(?:ejemplo|exemplo) ?:|per (?:l'|questo )esempio\b|esempio ?:|voor (?:het|dit) voorbeeld\b|voorbeeld ?:|для (?:этого )?примера ?:|пример ?:|(?:na potrzeby|dla) przykładu ?:|przykład ?:|例 ?[:：]|예 ?:|उदाहरण ?:|örnek ?:|مثال ?:",
    r"předstírej|představ si,? že (?:jsem|jsi)|dejme tomu|předpokládejme|hrajme si|притворись|предположим|допустим|представь(?:те)?,? что (?:я|ты|меня зовут)|давай (?:сыграем|поиграем|представим)",
    r"تظاهر|تخيلي? أن|لنفترض|افترض|لنلعب|假装|假裝|假设|假設|假如|想象一下?我|想像一下?我|设想|我们来玩|我們來玩|让我们玩|角色扮演|仮に|ロールプレイ|역할극",
];

/// The same where the words that say it stand behind.
const PLAYED_BEFORE: &str = r"(?:^|[\n。！？.!?])[^\n。！？.!?]*(?:ふりをして|のつもりで話|だと(?:仮定|想像)して|ごっこを?(?:しよう|しましょう)|인 척|(?:라고|다고) (?:가정|상상|치자))";

/// Words that take back what is said as a joke.
const JOKED: &str = concat!(
    r"(?:(?:haha|lol),? |(?:no|nah|nein|não|non|nee|ne|nie|нет|actually|en fait(?:,? non)?|en realidad(?:,? no)?|na verdade(?:,? não)?|eigentlich(?: nicht)?|in realtà(?: no)?|на самом деле(?: нет)?)[,.!]+ |というのは|っていうのは)*",
    r"(?:just kidding|(?:i'?m |i was )?(?:only |just )?(?:kidding|joking)|jk|(?:that was |it was )?(?:just )?a joke|(?:das )?war (?:nur |bloß )?(?:ein )?(?:scherz|spaß|witz)|(?:nur|kleiner) (?:ein )?(?:scherz|spaß)|(?:ich )?scherze(?: nur)?|(?:estou |estava )(?:só )?a brincar|(?:estou|estava) brincando|(?:é |era )?(?:só )?brincadeira|brincadeirinha",
    r"|(?:es|era) (?:una )?broma|(?:estoy|estaba) bromeando|(?:solo )?bromeo|je (?:plaisante|rigole|blague)|c'était une blague|sto scherzando|scherz(?:o|avo)|era uno scherzo|(?:het was (?:maar )?een )?grapje|dělám si legraci|žertuju|to byl vtip|żartuję|żartował[ae]m|to (?:tylko )?żart|(?:я )?шучу|(?:это )?шутка|冗談(?:です|だよ|だって)?|うそうそ|(?:我)?(?:只是)?开玩笑(?:的|呢|啦)?|(?:我)?(?:只是)?開玩笑(?:的|呢|啦)?|농담(?:이야|이에요|입니다|이지|이었어요?)?|أمزح|(?:(?:मैं )?(?:बस )?मज़ाक (?:कर रहा (?:हूँ|था)|कर रही (?:हूँ|थी)|था))|şaka(?:ydı| yapıyorum| yaptım)?)"
);
/// Where they begin, in a sentence of their own or at the end of one, and where they end.
const BEFORE_JOKE: &str = r"(?:^|[\n.!?。！？,，、،;；…(।]|[ \t][–—-])[ \t]*";
const BEHIND_JOKE: &str =
    r"[ \t]*(?:[.!?。！？…)।]|$|\n|😄|😂|😜|😉|:\)|;\)|(?P<goes_on>[,，、،:：;；]))[.!?。！？…)।]*";

static GIVEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let tasks = TASKS.iter().map(|task| format!("{BEGIN}(?:{task})(?:{END}|{QUOTED})"));
    let on_text =
        TASKS_ON_TEXT.iter().map(|task| format!(r#"{BEGIN}(?:{task})(?:{TEXT}(?:{END}|{QUOTED})|[ \t]*["“„«])"#));
    let shown = SHOWN.iter().map(|shown| format!("{BEGIN}(?:{shown}){END}"));
    let played = PLAYED.iter().map(|played| format!("{BEGIN}(?:{played})"));
    let whole = DENSE.iter().chain(MAIL).chain([&PLAYED_BEFORE]).map(|pattern| (*pattern).to_owned());
    let all: Vec<String> = tasks.chain(on_text).chain(shown).chain(played).chain(whole).chain([chat()]).collect();
    with_ascii_boundaries(&all.join("|"))
});
static TAKEN_BACK: LazyLock<Option<Regex>> =
    LazyLock::new(|| with_ascii_boundaries(&format!("{BEFORE_JOKE}(?:{JOKED}){BEHIND_JOKE}")));

/// A line with which a copied chat begins, with a line above it that leads to it.
fn chat() -> String {
    let one = |chat: &&str| {
        let parts = chat.chars().map(|c| match c {
            'D' => DATE.to_owned(),
            'T' => TIME.to_owned(),
            'N' => r"[^\s:：\[\]()<>][^\n:：\[\]()<>]{0,40}?".to_owned(),
            other => other.to_string(),
        });
        parts.collect::<String>()
    };
    let chats: Vec<String> = CHATS.iter().map(one).collect();
    format!(r"(?:^|\n)(?:[^\n]{{1,80}}[:：][ \t]*\n\s*)?[ \t]*\x{{200E}}?(?:{})", chats.join("|"))
}

/// What its writer says in a message: from behind what he takes back as a joke, up to a text that is given to be worked on or
/// what is only played. Nobody knows where such a text ends.
#[must_use]
pub(crate) fn own_words(message: &str) -> &str {
    let end = GIVEN.as_ref().map_or(Some(0), |given| given.find(message).map(|found| found.start()));
    let (own, given) = message.split_at_checked(end.unwrap_or(message.len())).unwrap_or_default();
    // It is found with the sign that ends the sentence before.
    let sign = given.chars().next().filter(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
    let own = message.get(..own.len() + sign.map_or(0, char::len_utf8)).unwrap_or_default();
    own.get(joke_ends(own)..).unwrap_or_default().trim()
}

/// Where what is taken back as a joke ends. "It's a joke, I live on the moon" says with its first words that the rest is one;
/// behind the joke itself the truth may follow.
fn joke_ends(own: &str) -> usize {
    let Some(found) = TAKEN_BACK.as_ref().and_then(|joked| joked.captures_iter(own).last()) else { return 0 };
    let Some(whole) = found.get(0) else { return 0 };
    let is_first = own.get(..whole.start()).is_some_and(|before| before.trim().is_empty());
    if !is_first || found.name("goes_on").is_none() {
        return whole.end();
    }
    let rest = own.get(whole.end()..).unwrap_or_default();
    rest.find(['.', '!', '?', '。', '！', '？', '।', '\n'])
        .map_or(own.len(), |at| rest.ceil_char_boundary(at + 1) + whole.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(GIVEN.is_some() && TAKEN_BACK.is_some());
    }

    // A letter to translate, a friend's mail and a part in a play became facts of the owner.
    #[test]
    fn a_text_to_work_on_and_what_is_played_are_nobodys_words() {
        for text in [
            "Translate the following into Spanish:\n\nI live in Rome. My wife is called Giulia and we have two sons.",
            "Translate into German:\nI am allergic to penicillin.",
            "Translate: I live in Rome. My wife is called Giulia.",
            "Can you please translate this for me?\nI live in Rome.",
            "Please proofread this letter:\n\nDear Mr Miller,\n\nI work at Siemens as an engineer.",
            "Correct the grammar in this text:\nI lives in Rome",
            "Summarise this\n\nI live in Rome",
            "Write a cover letter like this one:\n\"I have worked at Bosch for ten years.\"",
            "My friend sent me this, what should I answer?\n\nI am pregnant and my husband Otto doesn't know yet.",
            "Mail from my boss:\n\nI will be in Dubai next week. My assistant is called Petra.",
            "From: Anna <anna@x.org>\nSubject: news\n\nI live in Rome now.",
            "Von: Anna\nBetreff: Neues\n\nIch wohne jetzt in Rom.",
            "On Mon, 3 May 2026 at 10:00, Anna wrote:\nI live in Rome now.",
            "Here is a joke: I have two kids and my wife is called Debt.",
            "Song lyrics: I live in a yellow submarine. My name is Luka.",
            "Übersetze ins Englische:\n\nIch wohne in Rom und meine Frau heißt Giulia.",
            "Übersetze:\nIch wohne in Rom.",
            "Korrigiere diesen Brief:\nIch wohne in Rom.",
            "Fasse das bitte zusammen:\nIch wohne in Rom.",
            "traduz: moro em Roma",
            "Traduz para inglês:\n\nEu moro em Roma e a minha mulher chama-se Giulia.",
            "Traduce al inglés:\nVivo en Roma y mi mujer se llama Giulia.",
            "Traduis en anglais:\nJ'habite à Rome et ma femme s'appelle Giulia.",
            "Résume ce texte :\nJ'habite à Rome.",
            "Traduci in inglese:\nAbito a Roma.",
            "Vertaal naar het Engels:\nIk woon in Rome.",
            "Přelož do angličtiny:\nBydlím v Římě.",
            "Переведи на английский:\nЯ живу в Риме.",
            "翻訳して：私はローマに住んでいます。",
            "次の文を英語に翻訳してください。\n私はローマに住んでいます。妻の名前はジュリアです。",
            "请翻译成英文：\n我住在罗马。",
            "请把下面这段话翻译成英文：我住在罗马。",
            "영어로 번역해 줘:\n저는 로마에 살아요.",
            "ترجم إلى الإنجليزية:\nأسكن في روما وزوجتي اسمها جوليا",
            // The text in quotation marks, in the same sentence, became a fact.
            "Translate \"my dog is called Toby\" into Spanish",
            "Please translate ‘my dog is called Toby’ to French.",
            "Can you proofread “my dog is call Toby”?",
            "Correct \"my dog are called Toby\", please",
            "Check the grammar of “my dog is called Toby”",
            "「私の犬はトビーです」を英語に訳して。",
            "「私の犬はトビーです。」を英語に翻訳してください",
            "Переведи «мою собаку зовут Тоби» на английский",
            "Traduce «mi perro se llama Toby» al inglés",
            "Traduz \"o meu cão chama-se Toby\" para inglês",
            "Übersetze „mein Hund heißt Toby“ ins Englische",
            "Übersetze bitte den Satz „Mein Hund heißt Toby.“ ins Englische",
            "Traduis « mon chien s'appelle Toby » en anglais",
            "Traduci «il mio cane si chiama Toby»",
            "Vertaal \"mijn hond heet Toby\" naar het Engels",
            "Přelož „můj pes se jmenuje Toby“ do angličtiny",
            "ترجم «كلبي اسمه توبي» إلى الإنجليزية",
            "把“我的狗叫托比”翻译成英文",
            "翻译“我的狗叫托比”",
            "\"제 강아지 이름은 토비예요\"를 영어로 번역해 줘",
            "Pretend that my name is Bond and I work for MI6",
            "Let's play a game: I'm Sherlock Holmes and I live in Baker Street.",
            "Let's role-play. You are an innkeeper, I am a knight.\nI live in Camelot.",
            "Imagine I am a pirate. I live in Tortuga.",
            "Suppose my account number is 12.",
            "Tu so, als wäre ich Pirat. Ich wohne in Tortuga.",
            "Faz de conta que eu sou um pirata. Moro em Tortuga.",
            "Imagina que soy un pirata. Vivo en Tortuga.",
            "Fais comme si j'étais un pirate. J'habite à Tortuga.",
            "Fingi che io sia un pirata. Abito a Tortuga.",
            "Doe alsof ik een piraat ben. Ik woon in Tortuga.",
            "Представь, что я пират. Я живу на Тортуге.",
            "假装我是海盗。我住在托尔图加。",
            "I live in Turin. Just kidding!",
            "Ich wohne in Turin. War nur ein Scherz!",
            // Taken back in the same sentence, it was kept.
            "I live on Mars, just kidding.",
            "I live on Mars - just kidding!",
            "I live on Mars (just kidding)",
            "J'habite à Lyon, en fait non, je plaisante.",
            "Es broma, vivo en la luna.",
            "Vivo en la luna, es broma.",
            "Ich wohne auf dem Mars, war nur ein Scherz.",
            "Moro em Marte, estou a brincar.",
            "Abito sulla luna, scherzo.",
            "Ik woon op Mars, grapje!",
            "Bydlím na Marsu, žertuju.",
            "Mieszkam na Marsie, żartuję.",
            "Я живу на Марсе, шучу.",
            "私は火星に住んでいます、冗談です。",
            "我住在火星，开玩笑的。",
            "화성에 살아요, 농담이에요.",
            "मैं मंगल पर रहता हूँ, मज़ाक कर रहा हूँ।",
            "Mars'ta yaşıyorum, şaka yapıyorum.",
            "أعيش على المريخ، أمزح.",
            // Of long ago, and of nobody.
            "Here is my diary from 1998: I live with my parents in Cork and I go to school.",
            "From my old journal:\nI live with my parents in Cork.",
            "Hier ist mein Tagebuch von 1998: Ich wohne bei meinen Eltern.",
            "Voici mon journal de 1998 : j'habite chez mes parents.",
            "De mi diario de 1998: vivo con mis padres.",
            "Aqui está o meu diário de 1998: moro com os meus pais.",
            "Dal mio diario del 1998: abito con i miei genitori.",
            "Uit mijn dagboek van 1998: ik woon bij mijn ouders.",
            "Из моего дневника: я живу с родителями.",
            "Z mojego pamiętnika: mieszkam z rodzicami.",
            "1998年の日記：両親と住んでいる。",
            "我1998年的日记：我和父母住在一起。",
            "내 일기: 부모님과 살아요.",
            "मेरी डायरी: मैं माता-पिता के साथ रहता हूँ।",
            "Günlüğümden: ailemle yaşıyorum.",
            "من يومياتي: أعيش مع والديّ",
            "For the example: my salary is 10 euros a year.",
            "Für das Beispiel: mein Gehalt ist 10 Euro im Jahr.",
            "Pour l'exemple : mon salaire est de 10 euros.",
        ] {
            assert_eq!(own_words(text), "", "{text}");
        }
    }

    // What others had written in a chat became facts of who showed it.
    #[test]
    fn a_chat_that_was_copied_is_nobodys_words() {
        for text in [
            "From Ana on WhatsApp:\n[23/11/2026, 10:11] Ana: I am pregnant\n[23/11/2026, 10:12] Ben: I quit my job",
            "23/11/2026, 10:14 - Carla: I have diabetes",
            "[11/23/26, 10:11:05 AM] Ana: I am pregnant",
            "\u{200E}[11/23/26, 10:11:05\u{202F}AM] Ana: I am pregnant",
            "11/23/26, 10:11 PM - Ana Silva: I am pregnant",
            "[10:11 AM, 11/23/2026] Ana: I am pregnant",
            "[10:11, 23.11.2026] +351 912 345 678: Ich bin schwanger",
            "[23.11.26, 10:11:05] Ana: Ich bin schwanger",
            "23.11.26, 10:14 - Carla: Ich habe Diabetes",
            "[10:11] Ana: I am pregnant",
            "Ana, [23.11.2026 10:11]\nI am pregnant",
            "Ana Silva, [23 Nov 2026 at 10:11:05]:\nI am pregnant",
            "Ana Silva  10:11 AM\nI am pregnant",
            "Ana Silva\u{A0}\u{A0}10:11\nI am pregnant",
            "Ana — Today at 10:11 AM\nI am pregnant",
            "Ana — 23/11/2026 10:11\nI am pregnant",
            "[Yesterday 10:11] Ana Silva\nI am pregnant",
            "[2026-11-23 10:11] Ana: I am pregnant",
            "[Nov 23, 2026 10:11 AM] Ana: I am pregnant",
            "Nov 23, 2026 10:11:05 AM\nAna\nI am pregnant",
            "23. November 2026, 10:14 - Carla: Ich habe Diabetes",
            "Ana (23/11/2026, 10:11): I am pregnant",
            "10:11 <ana> I am pregnant",
            "[2026年11月23日 10:11] 安娜: 我怀孕了",
            "2026/11/23 上午10:11 - 安娜: 我怀孕了",
        ] {
            assert_eq!(own_words(text), "", "{text}");
        }
        let shown = "I live in Porto. What does Ana mean?\n[23/11/2026, 10:11] Ana: I am pregnant";
        assert_eq!(own_words(shown), "I live in Porto. What does Ana mean?");
        let text = "From Ana on Signal:\n\nAna Silva\n  10:11 AM\nI am pregnant";
        assert!(!own_words(text).contains("pregnant"));
        for text in [
            "On 23/11/2026, 10:14 the train leaves: platform 3",
            "My train leaves at 10:14.\nI live in Rome",
            "[x] Ana: I live in Rome",
            "23/11/2026 - dentist: bring the card",
            "Dentist 10:30\nI live in Rome",
            "10:30: I have the dentist",
            "Remember [10:11 AM] is when the bus goes",
            "The meeting is on Friday, 10:30 - room: 4",
            "My number: 12:30",
        ] {
            assert_eq!(own_words(text), text);
        }
    }

    #[test]
    fn what_the_writer_says_himself_stays() {
        for text in [
            "I translate books for a living.\nI live in Rome.",
            "Can you translate my letter? I live in Rome, so Italian please.",
            "Correct: I live in Porto, not in Braga.\nThanks",
            "Write an email to my landlord.\nI live in Rome, Via Appia 3.",
            "My brother translates \"Faust\" into Dutch, he lives in Ghent.",
            "I can translate my own letters. My dog is called \"Toby\".",
            "私の犬は「トビー」です。",
            "我的狗叫“托比”，它三岁。",
            "I suppose my account is empty. I live in Rome.",
            "I can imagine I am not the first. I live in Rome.",
            "Let's play tennis on Fridays. I live near the court.",
            "No kidding, I live in Turin",
            "Kidding aside, I live in Turin",
            "I keep a diary: I write every evening.",
            "For example, I live in Turin.",
            "My favourite joke is about a cat, I tell it often.",
            "Remember this:\nthe gate squeaks",
            "From now on we use the train.\nI live in Rome.",
            "Ich übersetze Bücher.\nIch wohne in Rom.",
            "Stell dir vor, ich habe den Job!\nIch wohne jetzt in Rom.",
            "Traduzo livros.\nMoro em Roma.",
            "私は翻訳しています。\nローマに住んでいます。",
            "我做翻译工作。\n我住在罗马。",
            "저는 번역 일을 해요.\n로마에 살아요.",
        ] {
            assert_eq!(own_words(text), text);
        }
        for (text, own) in [
            ("I live in Porto. Translate this:\nI live in Rome", "I live in Porto."),
            ("I prefer tea.\n\nTranslate into German:\nI am allergic to tea.", "I prefer tea."),
            ("I live in Turin. Just kidding! I live in Milan.", "I live in Milan."),
            ("I live in Turin. Just kidding, I live in Milan.", "I live in Milan."),
            ("Es broma, vivo en la luna. Mi perro se llama Toby.", "Mi perro se llama Toby."),
        ] {
            assert_eq!(own_words(text), own);
        }
    }
}
