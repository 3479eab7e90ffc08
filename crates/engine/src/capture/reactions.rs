//! Messages that say something of the answer before them: "shorter", "no, the other way round", "the second one is better".
//! No memory helps with them, and together with the message before they would bring what that one has brought already.

use std::sync::LazyLock;

use regex::{Regex, RegexSet, RegexSetBuilder};
use text::{fold::fold, pattern::ascii_boundaries};

/// Longest reaction in words; a longer message has a subject.
const MOST_WORDS: usize = 6;

/// In folded text: small letters without marks.
const REACTIONS: &[&str] = &[
    // Another form of the answer
    r"^(no |nee |nein |nie |ok |and |bit |(a )?(bit|little) |etwas |noch |viel |much |even |still |un peu |un poco |un po |um pouco |iets |wat |jeszcze |trochę |чуть |еще )*(shorter|longer|simpler|softer|warmer|nicer|funnier|friendlier|shorten it|simplify|formal|informal|casual|kurzer|langer|einfacher|netter|lustiger|freundlicher|formlicher|lockerer|korter|simpeler|vriendelijker|krocej|dłuzej|prosciej|короче|длиннее|проще|подробнее)( please| pls| bitte| graag| stp| nog)?$",
    r"^(no |ok |et |and |(a )?(bit|little) |much |even |un peu |un poco |un po |um pouco |todavia |ainda |etwas |wat |iets )*(mas|plus|moins|menos|mais|piu|meno|bardziej|mniej|more|less|менее|более) \w+$|^(mas|plus|moins|menos|mais|piu|meno) \w+ (por favor|stp|svp|pf|per favore|ainda)$",
    r"^(ok |no |now |and |make it |put it |ponlos |ponlo |mets le |mets ca |maak er |zrob |als |as |in |en |em |au |w |в |meglio |better |lieber )*(a |an |una |uma |une |un |een |eine?r? |one |two |three |2 |3 )*(table|list|bullets?|bullet points|tabelle|liste|stichpunkten?|tabla|lista|tabela|tableau|tabella|tabel|tabeli|punkten|phrases?|satzen|frases?|sentences?|lines?|words|таблиц\w+|список\w*)( van| please| bitte)?$",
    r"^(no |nao |nee |nein |nie |не |not like that |nicht so |)(the )?(other way (round|around)|andersrum|anders herum|umgekehrt|al reves|al contrario|ao contrario|l inverse|a l envers|andersom|omgekeerd|odwrotnie|наоборот)\b",
    r"^(again|once more|try again|another( one)?|one more|other|others|different|noch ?mal|noch eins|anderes?|andere|nochmal neu|otr[ao]s?( vez)?|outr[ao]s?|un autre|une autre|d autres|encore( une fois)?|altr[aoei]|un altr[ao]|ancora( una volta)?|nog een|andere|jeszcze raz|inne|другое|еще раз|еще)( please| bitte| (more|mehr|mas|mais|plus|piu|meer) \w+)?$",
    r"^(wieso das denn|warum das denn|y eso por que|e isso por que|a czemu tak|why though|how come|pourquoi ca|perche mai|hoezo|с чего бы)$",
    // How it is
    r"^(the |die |das |der |den |el |la |o |a |il |le |de |that |dat |nr |number )*(first|1st|second|2nd|third|3rd|last|previous|erste\w*|zweite\w*|dritte\w*|letzte\w*|primer\w*|segund\w*|ultim\w*|tercer\w*|premier\w*|deuxieme|dernier\w*|prim[ao]|second[ao]|terz[ao]|eerste|tweede|laatste|vorige|pierwsz\w*|drug[ia]\w*|ostatni\w*) (one |line |zeile |frase |phrase |zin |version )?(is |was |ist |war |es |e |est |era |passt |holpert|)(much |a bit |viel |besser|better|fine|good|gut|nice|weird|off|mejor|bien|melhor|mieux|meglio|beter|goed|lepsz\w*)( now| too| please| aber| ya| gia)?$",
    r"^(too|zu|muy|demasiado|muito|trop|troppo|te|zbyt|za|слишком) \w+$|^(very |really |so |sehr |tres |molto |erg |bardzo )?(good|nice|cool|great|perfect|funny|scary|sad|weird|interesting|boring|gut|toll|lustig|traurig|spannend|genial|guay|chido|bonito|triste|raro|interesante|lindo|ruim|bom|otimo|legal|coitad[oa]|joli|nul|interessant\w*|bello|brutto|triste|interessante|leuk|grappig|jammer|fajne?|super|smutne|класс|круто|смешно|грустно)( jaja\w*| kk+| mdr| lol| haha\w*)?$",
    r"^(super |top |ok |genau |exakt |exactly |just |eso |isso |c est |cosi |zo |tak )*(genau so|so passt s|passt|like that|perfecto|perfeito|parfait|perfetto|perfect|asi|assim|ca|cosi|zo|wlasnie|va bene|cosi va|eso es|isso mesmo|c est ca)( danke| thanks| gracias| merci| grazie)?$",
    r"^(\w+ ){0,3}(ja){2,}\w*( \w+){0,3}$|^(\w+ ){0,3}(ha){2,}\w*( \w+){0,2}$|^(\w+ ){0,3}(kk+|rsrs|mdr|ptdr|lol|lmao|xd|haha|hihi|ахах\w*|хаха\w*)( \w+){0,2}$",
    r"^(hm+|ah|oh|aha|ach|naja|na ja|tja|eh|ehm|um|uh|bah|bof|mah|ojej|ага|угу) ?(yes|yeah|no|ok|right|i see|ja|nein|so|oui|non|si|vale|claro|sim|nao|certo|gia|zo|nie|tak|да|нет)?$|^(si|ja|yes|oui|sim|da|tak) (verdad|claro|stimmt|genau|true|right|vrai|c est vrai|verdade|certo|vero|klopt|prawda)$|^(claro|stimmt|klopt|true|fair( enough)?|vrai|pravda|prawda|agree to disagree|makes sense)$",
];

/// The same in scripts that write no spaces, with few characters.
const DENSE: &str = r"^(不对|不對|换一个|換一個|再短|再长|再長|短一点|短一點|简单一点|簡單一點|更正式|第[一二三]个(更)?好|反过来|反過來|太.{1,3}了|哈哈|もっと|もう少し|短く|長く|逆|二つ目|一つ目|面白い|へえ|なるほど|箇条書き|表にして|더 .{1,4}(게|히)|좀 더|짧게|길게|반대로|표로|재밌)";
/// Most characters of those.
const MOST_DENSE: usize = 8;

static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSetBuilder::new(REACTIONS.iter().map(|pattern| ascii_boundaries(pattern))).size_limit(32 << 20).build().ok()
});
static DENSE_SET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(DENSE).ok());

/// Whether a message only says something of the answer before it.
#[must_use]
pub(crate) fn is_reaction(message: &str) -> bool {
    if message.contains(['?', '？']) {
        return false;
    }
    let folded = fold(message);
    // "二つ目のアパートの住所" is of something.
    let is_dense =
        !folded.contains(['の', '的', '의']) && DENSE_SET.as_ref().is_some_and(|dense| dense.is_match(folded.trim()));
    if is_dense && folded.chars().count() <= MOST_DENSE {
        return true;
    }
    let words: Vec<&str> = text::words::words(&folded).take(MOST_WORDS + 1).collect();
    words.len() <= MOST_WORDS && SET.as_ref().is_some_and(|set| set.is_match(&words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(SET.is_some() && DENSE_SET.is_some());
    }

    // "Más corto" after "mándale al casero …" brought the landlord once more, and asked a model about him.
    #[test]
    fn what_is_said_of_an_answer_is_no_question_to_memory() {
        let reactions = [
            "shorter please",
            "a bit less formal",
            "no, the other way round",
            "in a table",
            "the second one is better",
            "too long",
            "hm right",
            "kürzer",
            "nee, andersrum",
            "etwas freundlicher bitte",
            "más corto",
            "ponlos en tabla",
            "jajaja vale",
            "sí verdad",
            "mais informal",
            "não, ao contrário",
            "plus simple stp",
            "ah oui",
            "più amichevole",
            "meglio in tabella",
            "altri, più poetici",
            "korter graag",
            "nie, odwrotnie",
            "короче",
            "もっと短く",
            "더 짧게",
            "短一点",
        ];
        let questions = [
            "and the other one?",
            "which one was better",
            "y la del estudio",
            "e o telefone",
            "the second flat",
            "my first car",
            "last dentist appointment",
            "otra vez el código",
            "letzte bestellung bei rossmann",
            "letzter gutschein ikea",
            "last offer from the landlord",
            "last office visit",
            "dernière offre du garage",
            "more about Rosa",
            "二つ目のアパートの住所",
            "逆流性食道炎の薬",
            "andere nummer von ihm",
            "and the last one?",
            "mais nada pro joão",
            "mais fotos da Ana",
            "seine nummer",
            "die zweite frau von onkel karl",
            "le code du garage",
            "wann",
            "yes, book it",
        ];
        assert_eq!(reactions.into_iter().filter(|text| !is_reaction(text)).collect::<Vec<_>>(), Vec::<&str>::new());
        assert_eq!(questions.into_iter().filter(|text| is_reaction(text)).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
