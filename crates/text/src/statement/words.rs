//! What the small words of a sentence say about it: whether it asks, orders, leans on what was said before, is still
//! open, or has no verb. Lists are folded, a language a line, and closed: they hold grammar, not topics.

use std::{collections::HashSet, sync::LazyLock};

use super::is_stop_word;
use crate::script::{Script, script};

/// First words that ask.
const ASKING: &str = "
    what when where who whom whose why how which
    quando onde quem porque qual quais quanto quantos
    cuando donde quien cual cuales cuanto
    wann wo wer warum wie weshalb wieso welche welcher welches
    quand ou qui comment pourquoi quel quelle combien
    dove chi perche quanto
    waar wie waarom hoe welke
    когда где кто почему как какой какая сколько";

/// A question by inversion: such a verb before such a subject.
const ASKING_VERBS: &str = "is are was were do does did can could would should will shall have has had may am isn't aren't don't doesn't \
    ist sind war hast habt kannst konntest willst est sont es";
const ASKED: &str = "i you he she it we they there this that the my your our his her their anyone somebody someone \
    ich du er sie es wir ihr man tu vous il elle nous on";

/// First words that point at what was said before.
const LEANING: &str = "
    it it's its this that that's these those they they're them he he's she she's him there there's here then so but and or also
    because which who whose such both neither either instead otherwise however therefore thus hence moreover besides yes no ok okay
    isto isso aquilo este esta esse essa estes estas ele ela eles elas la aqui ai entao mas e ou tambem porque pois assim portanto sim
    esto eso aquello ese esa estos estas el ella ellos ellas alli aqui entonces pero y o tambien asi si
    dies dieses diese dieser jene er es dann aber und oder auch weil deshalb daher dort hier da so ja nein
    ceci cela ca ce cette ces il elle ils elles alors mais et aussi donc puis voila la ici oui non
    questo questa questi queste quello quella egli lui lei essi allora ma anche quindi poi si
    dit deze die dat hij zij het dan maar en of ook want dus daar hier ja nee
    это этот эта эти он она они оно тогда но и или также потому поэтому там здесь да нет";

/// First words without which the sentence before it may still stand: a definite noun is no pointer.
const NOT_LEANING: &str = "el la es die das il le o e";

/// Words and phrases of what is not settled, or settled for some days only.
const OPEN: &str = "todo|to do|tbd|tba|wip|fixme|xxx|pending|in progress|work in progress|not yet|for now|right now|at the moment|currently|\
    temporarily|for the time being|waiting for|waiting on|still need|still needs|still waiting|need to|needs to|needs|have to|has to|remember to|don't forget|\
    follow up|next step|next steps|this time|just now|so far|as of|soon|later|maybe|perhaps|probably|might|asap|urgent|blocked|\
    unread|in the meantime|until then|let's|let me|let us|i'll|we'll|going to|gonna|about to|i will|we will|should be|is being|are being|\
    por agora|de momento|neste momento|em curso|pendente|ainda nao|por fazer|talvez|em breve|mais tarde|preciso de|precisamos de|temos de|tenho de|vou|vamos|\
    por ahora|de momento|en curso|pendiente|todavia no|aun no|quizas|tal vez|pronto|mas tarde|tengo que|tenemos que|hay que|voy a|\
    momentan|derzeit|zurzeit|vorerst|gerade|noch nicht|ausstehend|offen|vielleicht|spater|bald|muss noch|mussen noch|in arbeit|\
    pour l'instant|en ce moment|en cours|en attente|pas encore|peut-etre|bientot|plus tard|je dois|nous devons|il faut|je vais|\
    per ora|al momento|in corso|in attesa|non ancora|forse|presto|piu tardi|devo|dobbiamo|\
    voorlopig|op dit moment|nog niet|misschien|binnenkort|\
    пока|сейчас|в процессе|ещё не|еще не|может быть|скоро|позже|надо|нужно";

/// The same in scripts without spaces.
const OPEN_DENSE: &[&str] = &[
    "待办",
    "待辦",
    "目前",
    "现在",
    "現在",
    "暂时",
    "暫時",
    "还没",
    "還沒",
    "正在",
    "可能",
    "稍后",
    "今天",
    "明天",
    "昨天",
    "今日",
    "明日",
    "昨日",
    "予定",
    "いま",
    "まだ",
    "たぶん",
    "もうすぐ",
    "지금",
    "아직",
    "아마",
    "오늘",
    "내일",
    "어제",
];

/// Words of what happens again and again.
const RECURRING: &str = "every each always usually weekly daily monthly yearly mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays \
    todos todas cada sempre siempre semanalmente segundas tercas quartas quintas sextas sabados domingos lunes martes miercoles jueves viernes \
    jeden jede jedes immer montags dienstags mittwochs donnerstags freitags samstags sonntags wochentlich \
    chaque tous toutes toujours ogni sempre elke altijd maandags каждый каждую каждое всегда обычно never nunca nie jamais mai";

/// The same in scripts without spaces, and in Korean.
const RECURRING_DENSE: &[&str] =
    &["每", "毎", "매주", "매일", "매월", "매년", "总是", "總是", "いつも", "항상", "마다"];

/// Finite verbs that nearly every text of a language has: to be, to have, to do, and what people say of themselves and of
/// how things are done. A sentence with one of them is whole.
const FINITE: &str = "
    is are was were am be been has have had do does did can can't cannot could would should will won't must may isn't aren't wasn't don't
    doesn't didn't it's he's she's i'm we're they're i've we've there's that's goes go gets get uses use used lives live lived works work worked
    likes like prefers prefer loves love hates hate wants want owns own owned runs run keeps keep kept stays stay needs takes take costs cost
    starts start begins begin ends end opens open closes close sends send pays pay meets meet knows know thinks means mean makes make made
    moved moves move became becomes decided decides agreed agrees chose chooses speaks speak drives drive eats eat drinks drink sleeps
    plays play teaches teach studies study stands stand holds hold lies belongs belong comes come calls call called reads read writes write
    wrote buys buy bought sells sell says say said tells asks ask answers deploys deploy stores store stored hosts host ships ship renews
    renew expires expire allows allow requires require returns return supports support contains contain covers cover handles handle leads
    lead manages manage reports report replaced replaces replace switched switches happens happen falls fall grows grow fits fit
    sao era eram esta estao estava tem teem tinha ha foi foram vai faz fazem gosta gosto gostam prefere prefiro mora moro moram vive vivo trabalha trabalho
    usa uso usamos quer quero precisa chama-se fica ficam custa custam comeca acaba abre fecha paga pagamos envia guarda sabe pode podem deve devem bebe come
    es son era eran esta estan estaba tiene tienen tenia hay fue fueron va hace hacen gusta prefiere prefiero vive vivo trabaja trabajo usa uso usamos quiere quiero
    llama queda quedan cuesta empieza acaba abre cierra paga pagamos guarda sabe puede pueden debe deben bebe come
    ist sind war waren bin bist hat habe haben hatte wird werden wurde kann konnen konnte muss mussen soll sollen darf mag mogen will wollen heisst wohnt wohne
    wohnen arbeitet arbeite geht gehen kommt kommen steht stehen liegt liegen lauft braucht nutzt nutzen nutze verwendet verwenden verwende bevorzugt bevorzuge trinkt trinke isst
    esse kostet beginnt endet offnet schliesst zahlt zahlen gehort spricht fahrt macht machen findet gibt bleibt bleiben nimmt nehmen
    est sont etait etaient suis ai ont avait avons fait font va vont peut peuvent doit doivent aime aimes prefere habite travaille utilise utilisons veut veux
    coute commence finit ouvre ferme paie s'appelle boit mange parle reste restent
    sono era erano ha ho hanno aveva fa fanno va vanno puo possono deve devono piace preferisce preferisco abita vive lavora usa usiamo vuole costa inizia apre chiude paga beve mangia
    is zijn was waren heeft heb hebben had kan kunnen moet moeten wil willen gaat gaan komt woont woon werkt werk gebruikt gebruiken kost begint eindigt drinkt eet houdt
    есть был была было были будет имеет может могут должен должна нужен любит люблю предпочитает предпочитаю живет живу работает работаю использует используем хочет стоит
    jest byl byla mam mieszka pracuje lubi woli uzywa moze je jsou byl bydli pracuje pouziva muze
    ar er var har kan vil skal bor jobbar bruker anvander har gillar liker
    ovat oli asuu kayttaa pitaa van vannak volt lakik dolgozik szeret
    dir var yasar calisir kullanir sever este sunt era are locuieste lucreaza foloseste";

/// Verbs in the third person that often begin a note about somebody who is named above it.
const THIRD_PERSON: &str = "
    is has was does can lives works likes prefers loves hates wants owns runs uses keeps needs takes speaks drives eats drinks sleeps teaches studies
    goes stays knows writes reads pays moved enjoys dislikes avoids
    e tem vive mora trabalha gosta prefere usa quer fala bebe come
    es tiene vive trabaja gusta prefiere usa quiere habla bebe
    ist hat wohnt arbeitet mag bevorzugt trinkt isst spricht nutzt
    est a habite travaille aime prefere utilise parle boit
    ha abita lavora preferisce parla beve heeft woont werkt houdt drinkt
    живет работает любит предпочитает";

/// First words of an order to do something once. What is to be done always or never is a wish that lasts, and begins with
/// that word.
const ORDERS: &str = "
    add adjust ask book build buy call cancel change check clean clear close commit compare complete confirm contact copy create cut debug delete deploy
    disable discuss double draft edit email enable ensure explain export extract fetch figure file fill find finish fix follow format generate get give grab
    help import improve install investigate keep let list look mail make merge migrate move note open order organize pack pay pick ping plan post prepare print publish pull push
    put read rebase refactor reinstall remind remove rename renew reply report rerun reschedule research reset resolve restart return review rewrite run save schedule
    search see send set ship show sign sort start stop submit summarize switch sync take talk tell test transfer translate try turn update upgrade upload
    use verify visit wait wash water write please
    compra comprar liga ligar envia enviar manda mandar verifica verificar marca marcar corrige corrigir escreve escrever paga pagar faz fazer abre abrir atualiza atualizar
    comprar llamar llama enviar envia verificar revisar revisa escribir escribe pagar hacer haz abrir actualizar
    kaufe kaufen rufe anrufen schicke prufe prufen schreibe schreiben bezahle bezahlen mache machen offne bitte erledige
    achete acheter appelle appeler envoie envoyer verifie verifier ecris ecrire paie payer fais faire ouvre ouvrir
    compra comprare chiama chiamare invia inviare verifica verificare scrivi scrivere paga pagare fai fare apri aprire
    koop kopen bel bellen stuur sturen schrijf schrijven betaal betalen maak maken
    купи купить позвони позвонить отправь отправить проверь проверить напиши написать заплати сделай";

/// Words that make an order a rule.
const RULES: &str = "always never every each only sempre nunca so siempre solo immer nie niemals nur toujours jamais ogni mai altijd nooit всегда никогда unless when whenever";

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

macro_rules! sets {
    ($($name:ident = $words:ident;)*) => {
        $(static $name: LazyLock<HashSet<&'static str>> = LazyLock::new(|| set($words));)*
    };
}

sets! {
    ASKING_SET = ASKING;
    ASKING_VERB_SET = ASKING_VERBS;
    ASKED_SET = ASKED;
    LEANING_SET = LEANING;
    NOT_LEANING_SET = NOT_LEANING;
    RECURRING_SET = RECURRING;
    FINITE_SET = FINITE;
    THIRD_PERSON_SET = THIRD_PERSON;
    ORDER_SET = ORDERS;
    RULE_SET = RULES;
}

fn first(words: &[String]) -> &str {
    words.first().map_or("", String::as_str)
}

/// Whether the first words ask.
pub(super) fn asks(words: &[String]) -> bool {
    let second = words.get(1).map_or("", String::as_str);
    let starts = ASKING_SET.contains(first(words)) && (FINITE_SET.contains(second) || ASKING_VERB_SET.contains(second));
    starts || ASKING_VERB_SET.contains(first(words)) && ASKED_SET.contains(second)
}

/// Whether something in the sentence is still to come or to be decided.
pub(super) fn is_open(words: &[String], text: &str) -> bool {
    let padded = format!(" {} ", words.join(" "));
    OPEN.split('|').any(|phrase| {
        let phrase = phrase.trim();
        padded.contains(&format!(" {phrase} "))
    }) || OPEN_DENSE.iter().any(|word| text.contains(word))
}

/// Whether it says what to do, once.
pub(super) fn is_order(words: &[String]) -> bool {
    ORDER_SET.contains(first(words)) && !words.iter().any(|word| RULE_SET.contains(word.as_str()))
}

/// Whether its first word points at what was said before.
pub(super) fn leans(words: &[String]) -> bool {
    let word = first(words);
    LEANING_SET.contains(word) && !NOT_LEANING_SET.contains(word)
}

/// Whether it begins with its verb.
pub(super) fn begins_with_verb(words: &[String]) -> bool {
    THIRD_PERSON_SET.contains(first(words))
}

/// Whether the words make no sentence: no verb that is known, and no mark that ends one; or nothing that joins them.
pub(super) fn is_fragment(words: &[String], text: &str, dense: bool) -> bool {
    if dense {
        return false;
    }
    let joined = words.iter().any(|word| is_stop_word(word));
    // "Never book …" is a whole rule; a plural that looks like a verb ("Reports of …") has nobody before it. Folding makes
    // one word of "is" and "and" in Portuguese and Italian.
    let verb = RULE_SET.contains(first(words))
        || THIRD_PERSON_SET.contains(first(words))
        || words.iter().skip(1).any(|word| FINITE_SET.contains(word.as_str()))
        || text.contains(" é ")
        || text.contains(" è ");
    let ended = text.trim_end_matches(['"', '\'', ')', '”', '»']).ends_with(['.', '!', '。', '।']);
    // "Reviewed the inbox and found nothing.", "Working on the roof.": a log of what was done, without who.
    if !verb && first(words).len() > 4 && ["ed", "ing"].iter().any(|end| first(words).ends_with(end)) {
        return true;
    }
    let joined = joined || text.chars().any(|c| script(c) == Script::Hangul);
    // Where there are no lists for a language, its words are all unknown, and only the end tells.
    !(verb && (joined || words.len() > 4) || ended && joined)
}

/// Whether what it says happens again and again.
pub(super) fn recurs(words: &[String], text: &str) -> bool {
    words.iter().any(|word| RECURRING_SET.contains(word.as_str()))
        || RECURRING_DENSE.iter().any(|word| text.contains(word))
}

/// Whether it names an hour.
pub(super) fn names_hour(text: &str) -> bool {
    let bytes = text.as_bytes();
    let clock = bytes
        .windows(4)
        .any(|w| matches!(w, [a, b':', c, d] if a.is_ascii_digit() && c.is_ascii_digit() && d.is_ascii_digit()));
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    clock
        || words.windows(2).any(|pair| {
            let [a, b] = pair else { return false };
            let digits =
                |w: &str| w.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u8>().is_ok_and(|n| n <= 24);
            (*a == "at" || *a == "às" || *a == "um" || *a == "à" || *a == "alle")
                && b.starts_with(|c: char| c.is_ascii_digit())
                || digits(a)
                    && b.trim_matches(|c: char| !c.is_alphabetic()).starts_with(['u', 'h', 'a', 'p'])
                    && matches!(b.trim_matches(|c: char| !c.is_alphabetic()), "uhr" | "h" | "am" | "pm" | "uur")
        })
}
