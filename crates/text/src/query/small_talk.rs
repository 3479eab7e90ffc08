//! Messages that no memory answers: greetings, thanks, arithmetic. Told by their shape and by short
//! closed lists, so that "thanks" is caught and "thanks for the recipe" is searched.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::fold::fold;
use crate::language::stop_word_of;
use crate::script::{Script, script};
use crate::time;

/// Whole things people say, punctuation left out, separated by `|`.
const PHRASES: &str = "\
hello|hi|hey|hiya|yo|howdy|greetings|good morning|good afternoon|good evening|good night|goodnight|good day|morning|gm|gn|\
thanks|thank you|thank u|thx|ty|cheers|much appreciated|appreciate it|ok|okay|okey|k|kk|alright|all right|cool|great|nice|\
perfect|awesome|excellent|got it|sounds good|makes sense|understood|sure|fine|lol|haha|hahaha|hehe|wow|yes|yeah|yep|yup|no|\
nope|nah|bye|goodbye|bye bye|see you|see ya|see you later|see you tomorrow|later|sorry|excuse me|please|youre welcome|\
you re welcome|welcome|congrats|congratulations|well done|good job|nice work|nice one|test|testing|testing 1 2 3|how are you|how are you doing|how r u|whats up|\
what s up|sup|how s it going|hows it going|how is it going|who are you|what are you|what can you do|are you there|\
continue|go on|go ahead|never mind|nevermind|no problem|no worries|tell me a joke|what time is it|have a nice day|\
have a good day|have a great day|have a good one|have a good evening|have a good night|have a nice evening|\
have a nice weekend|have a good weekend|have a great weekend|nice to meet you|pleased to meet you|good to see you|\
nice to see you|sleep well|sweet dreams|welcome back|take care|talk to you later|talk to you soon|see you soon|ttyl|\
happy birthday|merry christmas|happy new year|good luck|good point|i see|i agree|same here|my bad|interesting|i m back|\
im back|you re the best|youre the best|you rock|you are awesome|you re awesome|love it|well said|\
ola|oi|bom dia|boa tarde|boa noite|obrigado|obrigada|muito obrigado|muito obrigada|valeu|tchau|ate logo|ate amanha|tudo bem|\
tudo bom|como vai|como estas|como esta|beleza|certo|sim|nao|de nada|por favor|desculpa|fixe|otimo|\
hola|buenos dias|buen dia|buenas tardes|buenas noches|buenas|gracias|muchas gracias|adios|hasta luego|hasta manana|que tal|\
como estas|vale|si|perdon|genial|perfecto|mucho gusto|encantado|encantada|que descanses|buen fin de semana|buena suerte|\
feliz cumpleanos|feliz navidad|muito prazer|prazer em conhecer|bom fim de semana|bom descanso|boa sorte|feliz aniversario|\
feliz natal|freut mich|schlaf gut|schones wochenende|schonen tag|viel gluck|alles gute|frohe weihnachten|enchante|\
enchantee|bonne journee|bonne soiree|bon week end|bonne chance|joyeux anniversaire|joyeux noel|piacere|buona giornata|\
buona serata|buona fortuna|buon compleanno|\
hallo|guten morgen|guten tag|guten abend|gute nacht|moin|servus|gruss gott|danke|danke schon|vielen dank|bitte|tschuss|\
auf wiedersehen|bis spater|bis morgen|wie geht es dir|wie gehts|wie geht s|ja|nein|super|prima|alles klar|entschuldigung|\
bonjour|salut|bonsoir|bonne nuit|merci|merci beaucoup|au revoir|a bientot|a demain|ca va|comment ca va|comment vas tu|oui|\
non|d accord|s il te plait|s il vous plait|de rien|desole|pardon|parfait|\
ciao|buongiorno|buon giorno|buonasera|buona sera|buonanotte|buona notte|grazie|grazie mille|arrivederci|a domani|come stai|\
come va|prego|scusa|va bene|perfetto|salve|\
hoi|goedemorgen|goedemiddag|goedenavond|goedenacht|dank je|dank je wel|dankjewel|dank u|bedankt|doei|tot ziens|hoe gaat het|\
nee|prima|sorry|graag gedaan|\
hej|god morgon|god natt|tack|tack sa mycket|hejda|moi|kiitos|hyvaa huomenta|takk|tak|god morgen|merhaba|selam|gunaydin|\
tesekkurler|tesekkur ederim|iyi geceler|czesc|dzien dobry|dziekuje|dobranoc|ahoj|dobry den|dekuji|szia|jo reggelt|koszonom|\
buna|buna ziua|multumesc|xin chao|cam on|terima kasih|selamat pagi|\
привет|здравствуй|здравствуите|здравствуйте|доброе утро|добрый день|добрый вечер|спокойной ночи|спасибо|большое спасибо|\
пока|до свидания|как дела|да|нет|хорошо|пожалуйста|ок|привіт|дякую|\
γεια|γεια σου|καλημερα|καληνυχτα|ευχαριστω|\
مرحبا|اهلا|أهلا|السلام عليكم|صباح الخير|مساء الخير|شكرا|شكرا جزيلا|مع السلامة|كيف حالك|نعم|لا|سلام|ممنون|\
नमस्ते|धन्यवाद|शुक्रिया|सुप्रभात|कैसे हो|हाँ|नहीं|שלום|תודה|בוקר טוב|לילה טוב|\
你好|您好|你好吗|你们好|大家好|早|早安|早上好|上午好|下午好|晚上好|晚安|谢谢|謝謝|谢谢你|謝謝你|多谢|多謝|感谢|不客气|再见|再見|拜拜|\
好的|好|好吧|嗯|嗯嗯|行|可以|是的|对|不|没事|没关系|对不起|哈哈|哈哈哈|知道了|明白了|你是谁|在吗|辛苦了|\
こんにちは|おはよう|おはようございます|こんばんは|おやすみ|おやすみなさい|ありがとう|ありがとうございます|ありがとうございました|\
どうも|どうもありがとう|さようなら|またね|じゃあね|はい|いいえ|うん|了解|了解です|わかった|わかりました|すみません|ごめんなさい|お疲れ様|\
お疲れ様です|元気|元気ですか|お元気ですか|\
안녕|안녕하세요|안녕히 가세요|안녕히 계세요|고마워|고마워요|고맙습니다|감사합니다|감사|네|예|응|아니|아니요|알겠습니다|알겠어|잘 자|잘자|\
좋은 아침|좋아|좋아요|미안|죄송합니다|잘 지내|잘 지냈어|\
สวัสดี|สวัสดีครับ|สวัสดีค่ะ|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|โอเค|ใช่|ไม่|ลาก่อน|ราตรีสวัสดิ์|อรุณสวัสดิ์|สบายดีไหม";

/// Words that may stand beside a phrase without giving the message a subject.
const FILLERS: &str = "there everyone everybody all guys friend buddy mate again much lot lots so very really just then now today \
too dear darling honey sunshine pessoal gente amigo muito mesmo todos todas amigos mucho muchas alle zusammen sehr beaucoup tous bien molto tutti";

/// What may surround an expression: "what is … ?", "quanto é …", "… 等于多少".
const REQUESTS: &str = "what whats s is the calculate compute how much result of equals equal plus minus times multiplied divided \
by square root percent quanto quantos e sao cuanto es son raiz mas mais menos vezes por dividido was ist wie viel ergibt mal \
geteilt durch und combien font fait fois divise par quanto fa per piu meno hoeveel keer gedeeld door сколько будет плюс минус \
умножить разделить на x";

static PHRASE_SET: LazyLock<HashSet<String>> = LazyLock::new(|| PHRASES.split('|').map(|p| fold(p.trim())).collect());
static FILLER_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| FILLERS.split_whitespace().collect());
static REQUEST_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| REQUESTS.split_whitespace().collect());
static CJK_REQUEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("等于|等於|多少|几|是|请|计算|一下|加|减|減|乘以?|除以|いくつ|いくら|は|です|か|たす|ひく|かける|わる|얼마|는|은|야|더하기|빼기|곱하기|나누기").ok()
});
static EXPRESSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[\s(]*[-+]?\d[\d.,]*\s*%?[\s)]*(?:(?:\*\*|[-+*/x×÷^=])?[\s(]*[-+]?\d[\d.,]*\s*%?[\s)]*)+=?\s*$").ok()
});
static OPERATOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[+*×÷^=%]|\d\s+[-/x]\s+\d|\dx\d").ok());

/// Longest phrase in words.
const PHRASE_WORDS: usize = 5;
/// Words beside phrases: more make a sentence.
const MOST_FILLERS: usize = 3;

/// Whether a query is small talk or arithmetic, so that no memory can be the answer. One that names days (`dated`) is
/// only when it is a phrase as a whole: "guten Morgen", "see you tomorrow".
#[must_use]
pub(super) fn is_small_talk(query: &str, dated: bool) -> bool {
    let folded = fold(query);
    if !folded.chars().any(|c| script(c) != Script::None) {
        return !dated;
    }
    is_chat(&folded) || (!dated && is_arithmetic(&folded))
}

fn is_chat(folded: &str) -> bool {
    // Letters and marks only, so that "ok!!! 👍" is "ok"; marks stay with their letters.
    let plain: String = folded.chars().map(|c| if script(c) == Script::None { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    if words.len() > PHRASE_WORDS + MOST_FILLERS + 4 {
        return false;
    }
    let (mut at, mut phrases, mut fillers) = (0, 0, 0);
    while at < words.len() {
        let longest = (1..=PHRASE_WORDS.min(words.len() - at)).rev();
        if let Some(n) = longest.into_iter().find(|n| PHRASE_SET.contains(words[at..at + n].join(" ").as_str())) {
            at += n;
            phrases += 1;
        } else if FILLER_SET.contains(words[at]) || !stop_word_of(words[at]).is_empty() {
            at += 1;
            fillers += 1;
        } else {
            return false;
        }
    }
    phrases > 0 && fillers <= MOST_FILLERS
}

fn is_arithmetic(folded: &str) -> bool {
    // Dates and version numbers are made of digits and operators too.
    let digits = folded.chars().filter(char::is_ascii_digit).count();
    if digits == 0 || time::looks_numeric_date(folded) {
        return false;
    }
    let spoken: String = match CJK_REQUEST.as_ref() {
        Some(request) if !folded.is_ascii() => request.replace_all(folded, " ").into_owned(),
        _ => folded.to_string(),
    };
    let mut asked = spoken.len() != folded.len();
    let mut rest = String::new();
    for token in spoken.split_whitespace() {
        let token = token.trim_matches(['?', '!', '？', '¿', ':', ',', ';']);
        let mut pieces = token.split(['\'', '’']).peekable();
        if pieces.peek().is_some() && pieces.all(|p| REQUEST_SET.contains(p)) && token != "x" {
            asked = true;
        } else {
            rest.push_str(token);
            rest.push(' ');
        }
    }
    let rest = rest.trim();
    let numbers = rest.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).count();
    let shaped = EXPRESSION.as_ref().is_some_and(|e| e.is_match(rest)) && numbers >= 2;
    shaped && (OPERATOR.as_ref().is_some_and(|o| o.is_match(rest)) || (asked && numbers == 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_memory_answers() {
        for query in [
            "hello",
            "good morning sunshine",
            "Nice to meet you!",
            "have a great day",
            "good night, sleep well",
            "welcome back",
            "schönen Tag noch",
            "bonne soirée !",
            "Hello!",
            "hi there",
            "hey 👋",
            "thanks",
            "Thank you so much!",
            "thx",
            "ok",
            "OK 👍",
            "okay cool",
            "yes",
            "no",
            "good morning",
            "Good night everyone",
            "how are you?",
            "what's up",
            "bye",
            "lol",
            "👍",
            "?!",
            "...",
            "great, thanks",
            "what's 2+2",
            "What is 2 + 2?",
            "12*7",
            "12 x 7",
            "(3+4)*2 =",
            "how much is 15% of 80",
            "7 times 8",
            "2^10",
            "bom dia",
            "Olá, tudo bem?",
            "obrigado!",
            "muito obrigada",
            "boa noite",
            "quanto é 2+2",
            "hola",
            "¡Buenos días!",
            "gracias",
            "¿cuánto es 5 por 3?",
            "hallo",
            "Guten Morgen",
            "danke schön",
            "was ist 3 mal 4",
            "bonjour",
            "merci beaucoup",
            "ça va ?",
            "combien font 2 + 2",
            "ciao",
            "grazie mille",
            "dank je wel",
            "привет",
            "Спасибо!",
            "сколько будет 2+2",
            "你好",
            "谢谢",
            "谢谢！",
            "早上好",
            "好的",
            "2加2等于多少",
            "1+1等于几",
            "こんにちは",
            "ありがとうございます",
            "안녕하세요",
            "감사합니다",
            "고마워",
            "สวัสดีครับ",
            "ขอบคุณ",
            "شكرا",
            "السلام عليكم",
            "नमस्ते",
        ] {
            assert!(is_small_talk(query, false), "{query}");
        }
    }

    #[test]
    fn what_a_memory_may_answer() {
        for query in [
            "thanks for the recipe",
            "hello world program",
            "who is Maria",
            "2023-05-08",
            "05/08/2023",
            "error 404",
            "10.0.0.1",
            "version 1.2.3",
            "what did we decide about 2+2 eyes",
            "good restaurants",
            "good luck charm",
            "happy birthday cake for Ana",
            "where did we meet",
            "honey cake",
            "morning routine",
            "ok computer album",
            "phone 555-1234",
            "room 12",
            "bom restaurante",
            "dia da reunião",
            "obrigado ao João pela ajuda",
            "hola mundo proyecto",
            "guten Wein gekauft",
            "谢谢卡",
            "你好世界程序",
            "我的猫",
            "早上吃了什么",
            "ありがとうカード",
            "안녕하세요 프로그램",
            "yes or no vote result",
            "C++",
            "when is dinner",
            "what is the wifi password",
            "1984",
            "3.5",
            "24/7 support",
            "iPhone 15",
            "4x4 car",
        ] {
            assert!(!is_small_talk(query, false), "{query}");
        }
    }
}
