//! Capture without a model: which sentence says by itself that it should be remembered, and what kind of fact it is
//! (M5, M6, in more languages).

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::{
    command::{self, Request},
    filter::Reason,
    sentences::sentences,
};

/// What kind of fact a memory is (M6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// What somebody likes, wants, avoids.
    Preference,
    /// How something is.
    Fact,
    /// What was settled.
    Decision,
    /// A person, place, number or address.
    Entity,
    /// Something the user asked to remember, of no other kind.
    Other,
}

impl Category {
    /// The name used in tools and notes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Decision => "decision",
            Self::Entity => "entity",
            Self::Other => "other",
        }
    }

    /// The category of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let all = [Self::Preference, Self::Fact, Self::Decision, Self::Entity, Self::Other];
        all.into_iter().find(|category| category.as_str() == name)
    }
}

/// A pattern a language, most telling kind first.
struct Rule {
    category: Category,
    pattern: Regex,
}

/// Patterns are matched on one sentence, without regard to case.
const RULES: &[(Category, &str)] = &[
    (
        Category::Decision,
        concat!(
            r"\b(we|i|they|team)( have|'ve|'ll)?( all)? (just |finally |already )?(decided|agreed|settled on|chose|opted|will (use|go with|switch|move|stick)|are going (with|to use)|'re going with)\b",
            r"|\bthe (decision|plan) is\b|\bdecision:|\blet'?s (go with|use|stick (to|with))\b|\bfrom now on,? we\b",
            r"|\b(decidimos|decidi|ficou decidido|combin[aá]mos|concordamos|acordamos|acord[ée]|hemos decidido|optamos|vamos (usar|adotar|ficar com|a usar)|a partir de agora (usamos|vamos))\b",
            r"|\b(wir (haben (uns )?(beschlossen|entschieden|vereinbart|geeinigt)|nehmen (jetzt|ab sofort)|bleiben bei)|beschlossen:|haben (uns )?(dafür )?(entschieden|geeinigt)|entschieden (uns|haben))",
            r"|\b(on a décidé|nous avons (décidé|convenu|choisi)|j'ai décidé|abbiamo deciso|ho deciso|we hebben (besloten|afgesproken)|rozhodli jsme|rozhodl jsem|dohodli jsme)\b",
            r"|(мы|я) решил|договорились|决定(了|用|采用|要|把|不)?|決定(了|要|用)|说好了|商量好|就用|決めた|決まった|ことにし(た|ました)|で合意|결정했|정했(어|다|습니다)|하기로 (했|결정|합의)",
        ),
    ),
    (
        Category::Preference,
        concat!(
            r"\bi('d| would| really| usually| always| generally| absolutely| just)* ?(prefer|like|love|enjoy|hate|dislike|adore|can'?t stand|don'?t (like|want|eat|drink|enjoy))\b",
            r"|\bmy (favou?rite|preferred)\b|\b(he|she|my (wife|husband|son|daughter|mother|father|partner|boss|dog|cat)) (prefers|likes|loves|hates|dislikes)\b",
            r"|\b(never|always|please (always|never|don'?t)|don'?t ever|stop) (\w+ ){0,2}(call|book|use|send|schedule|write|answer|reply|put|wake|order|add|ask|mention|remind|give|keep|format|translate|explain|deploy|commit|push)",
            r"|\bkeep (it|your answers|answers|replies) (short|brief|simple|formal)",
            r"|\b(eu )?(prefiro|adoro|odeio|detesto|gosto (muito |mais )?de|não gosto|nao gosto|não suporto|(o |a )?m(eu|inha) \w+ (favorit|preferid)|prefere|(yo )?prefiero|me (gusta|encanta|molesta)|no me gusta|odio|mi \w+ (favorit|preferid))",
            r"|\bich (mag|liebe|hasse|bevorzuge|trinke (nur|keinen)|esse (nur|kein)|möchte (lieber|nie|immer|keine?)|will (lieber|nie|immer|keine?)|kann \w+ nicht (leiden|ausstehen))|\bmein\w* lieblings|\bam liebsten\b|\blieber (als|nicht|ohne|mit)\b|\bmir (gefällt|schmeckt)",
            r"|\b(je (préfère|déteste|n'aime pas|adore)|j'(aime|adore)|mon \w+ préféré|ma \w+ préférée|preferisco|mi piace|non mi piace|adoro|ik (hou van|haat|wil liever|vind .{1,30} (lekker|fijn|leuk|vervelend)|heb liever)|mám rád|nemám rád|nesnáším|preferuji|radši|nechci)\b",
            r"|\b(أحب|أكره)\b|(я|мне|мой|моя) (люблю|не люблю|предпочитаю|ненавижу|нравится|не нравится|любим)|предпочитаю|我(最|很|更|比较|比較|也|真的|特别|不太|不)?(喜欢|喜歡|讨厌|討厭|爱|愛|偏好|想要|习惯|習慣|吃不了|不吃|不喝)|(が|は)(大)?(好き|嫌い|苦手)|のほうが(いい|好き)|(좋아(해|합|하)|싫어(해|합|하)|선호|못 먹)",
        ),
    ),
    (
        Category::Entity,
        concat!(
            r"\+\d[\d \-().]{7,}\d|\b[\w.+-]+@[\w-]+\.[\w.]{2,}\b",
            r"|\b(my|our|his|her|\w+'s) ((new|old|home|work|mobile|cell|current) )?(name|phone( number)?|number|address|e-?mail|birthday|passport|licen[cs]e plate|account|username|surname|employer|doctor|dentist|landlord|boss|flat|pin|gate code|wifi|nickname)\b.{0,30}\b(is|=|are|was|:)",
            r"|\b(my|our) (\w+ )?(wife|husband|son|daughter|mother|father|brother|sister|partner|dog|cat|boss|colleague|neighbou?r|friend|kids?|children)('s name)? (is (called|named)|is [A-Z]|are [A-Z]|, )|\bis called [A-Z]|\b(i live|i work|i was born|we live|i'm from|i am from|i study) (in|at|on|for|as|near)\b",
            r"|\b(o |a |el |la )?(meu|minha|nosso|nossa|mi|nuestr[oa]) (\w+ )?(nome|telefone|número|morada|endereço|aniversário|e-?mail|nombre|teléfono|dirección|cumpleaños|mulher|marido|filh[oa]|mãe|pai|irmão|irmã|namorad[oa]|noiv[oa]|amig[oa]|vizinh[oa]|avó|avô|esposa|hij[oa]|madre|padre|herman[oa]|novi[oa]|vecin[oa]|abuel[oa]|cão|cachorr[oa]|gat[oa]|perr[oa]|chefe|jef[ea]|médic[oa]|dentista)\b.{0,30}(é|chama|es|se llama|:)",
            r"|\b(moro|vivo|trabalho|nasci|trabajo|nací) (em|en|na|no|para)\b|\bchamo-me\b|\bme chamo\b|\bme llamo\b|\b(ich heiße|ich wohne|ich arbeite (bei|als|in)|je m'appelle|j'habite|je travaille|mi chiamo|abito a|lavoro (a|per|come)|ik heet|ik woon|ik werk bij|jmenuji se|bydlím|pracuji)\b",
            r"|\b(mein|meine|unser|unsere) (\w+ )?(name|telefonnummer|nummer|adresse|geburtstag|frau|mann|sohn|tochter|mutter|vater|bruder|schwester|freund(in)?|partner(in)?|nachbar(in)?|oma|opa|hund|katze|kater|chef\w*|arzt|ärztin|vermieter\w*|zahnarzt|zahnärztin)\b.{0,30}(ist|heißt|heisst|:)",
            r"|\b(mon|ma|notre) (\w+ )?(nom|numéro|adresse|anniversaire|femme|mari|fils|fille|mère|père|frère|sœur|soeur|copine|copain|compagne|compagnon|amie?|voisine?|chien|chat|médecin|dentiste|patronne?)\b.{0,30}(est|s'appelle|:)|\b(mio|mia) (\w+ )?(nome|numero|indirizzo|compleanno|moglie|marito|figli[oa]|fratello|sorella|madre|padre|fidanzat[oa]|amic[oa]|cane|gatto|medico|capo)\b.{0,20}(è|si chiama|:)",
            r"|(меня зовут|я живу|я работаю|мой (телефон|адрес|номер|сын|муж|брат|отец|папа|друг|начальник|врач)|моя (жена|дочь|сестра|мать|мама|подруга|начальница))|\bмо(ю|его|их|ему|ей) \w+ зовут\b|\b(اسمي|اسم (أختي|أخي|زوجتي|زوجي|ابني|ابنتي|أمي|أبي|صديقي|صديقتي|مديري|طبيبي|كلبي|قطتي)|أعيش في|أسكن في|أعمل (في|لدى)|ولدت في)\b|我(叫|的名字|住在|在.{1,12}工作|的(电话|電話|手机|地址|生日|妻子|太太|老婆|丈夫|儿子|兒子|女儿|女兒|医生|老板|狗|猫|邮箱))|(私|僕)の(名前|電話|住所|誕生日|妻|夫|息子|娘|上司|犬|猫)|に住んで(い|る)|で働いて|と申します|(제|내) (이름|전화|주소|생일|아내|남편|아들|딸|상사)|에 살(아|고|아요)|에서 일(해|하)",
        ),
    ),
    (
        Category::Other,
        concat!(
            r"\b(remember|don'?t forget|keep in mind|note (to self|that|down)|make a note|for (the record|future reference)|fyi|remind me|take note|memori[sz]e|write (this |that |it )?down)\b",
            r"|\b(lembra(-te|-se)?|lembre(-se)?|não (te )?esque[çc]as?|nao esquece|anota|toma nota|recuerda|no (te )?olvides|apunta|ten en cuenta|tem em conta|guarda (isto|isso|que))\b",
            r"|\b(merk(e)? dir|vergiss nicht|denk(e)? (daran|dran)|notier|behalte|schreib (dir )?(das )?auf|souviens-toi|rappelle-toi|n'oublie pas|note (que|bien)|retiens|ricorda(ti)?|non dimenticare|annota|onthoud|vergeet niet|noteer|pamatuj|zapamatuj|nezapomeň|zapiš)\b",
            r"|تذكر أن|لا تنس|запомни|не забудь|учти|记住|記住|记得|記得|别忘了|別忘了|记一下|記一下|覚えて(おいて|ね|て)|忘れないで|メモして|기억해|잊지 ?마|메모해",
        ),
    ),
    (
        Category::Fact,
        concat!(
            r"\b(is|are) (always|never|important|allergic|vegan|vegetarian|diabetic)\b|\bimportant:|\b(i'm|i am|he'?s|she'?s|he is|she is|\w+ is) (allergic|vegan|vegetarian|diabetic|intolerant|pregnant|left-handed|colou?r-?blind|retired)\b",
            r"|\bi (always|never|usually|need|want|can'?t|cannot|have to|must)\b|\bi'?ve (got|been)\b.{0,40}\b(allerg|diabet|since)\b|\b(expires|is due|renews|closes|opens|starts|ends) (on|at|every)\b|\bour? (\w+ ){0,3}(runs|lives|is stored|is kept|is hosted|is located) (on|in|at|under)\b",
            r"|\b(sou|soy|é|es) (alérgic|vegan|vegetarian|diabétic)|\b(eu )?(sempre|nunca|preciso|necesito|siempre) \w+|\bimportante:|\bich (bin (allergisch|vegan|vegetarier|diabetiker)|brauche|muss (immer|jeden)|vertrage)|\bwichtig:|\bje suis (allergique|végétarien|végan)|\bj'ai (toujours )?besoin|\bsono (allergic|vegan|vegetarian)|\bik ben (allergisch|vegetari)|\bjsem (alergick|vegan|vegetari)",
            r"|у меня аллергия|важно:|я (всегда|никогда)|我对.{1,10}过敏|我對.{1,10}過敏|过敏|重要的是|アレルギー|重要[:：]|알레르기|중요한",
        ),
    ),
];

static COMPILED: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    RULES
        .iter()
        .filter_map(|(category, pattern)| {
            let pattern = RegexBuilder::new(pattern).case_insensitive(true).size_limit(64 << 20).build().ok()?;
            Some(Rule { category: *category, pattern })
        })
        .collect()
});

/// A sentence worth remembering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The sentence.
    pub text: String,
    /// What kind of fact it is.
    pub category: Category,
}

/// The sentences of a message that say by themselves that they should be remembered, or why there is none.
///
/// # Errors
/// [`Reason::Question`] when all it does is ask, else [`Reason::NoTrigger`].
pub fn find(text: &str) -> Result<Vec<Found>, Reason> {
    let mut found: Vec<Found> = Vec::new();
    let mut questions = 0;
    let mut sentences_seen = 0;
    // The sentence before, as long as it was not kept; and whether the next one was asked for.
    let (mut before, mut is_wanted) = (None, false);
    for sentence in sentences(text) {
        sentences_seen += 1;
        if is_question(sentence) {
            questions += 1;
            before = None;
            continue;
        }
        if is_passing(sentence) || asks_to_forget(sentence) {
            before = None;
            continue;
        }
        let request = command::read(sentence);
        let fact = match request {
            Request::Bare => {
                is_wanted = sentence.ends_with([':', '：']);
                let meant = before.take().filter(|_| !is_wanted);
                found.extend(meant.map(|text: &str| Found { text: text.to_owned(), category: categorize(text) }));
                continue;
            }
            Request::Fact(fact) => fact,
            Request::None => sentence,
        };
        let rule = COMPILED.iter().find(|rule| rule.pattern.is_match(sentence));
        let asked = is_wanted || request != Request::None;
        if rule.is_some() || asked {
            let category = rule.map_or_else(|| categorize(fact), |rule| rule.category);
            found.push(Found { text: fact.to_owned(), category });
            before = None;
        } else {
            before = Some(sentence);
        }
        is_wanted = false;
    }
    if found.is_empty() {
        return Err(if sentences_seen > 0 && questions == sentences_seen {
            Reason::Question
        } else {
            Reason::NoTrigger
        });
    }
    Ok(found)
}

/// The kind of fact a text states, for tools that are given none.
#[must_use]
pub(crate) fn categorize(text: &str) -> Category {
    COMPILED.iter().find(|r| r.pattern.is_match(text)).map_or(Category::Other, |r| r.category)
}

/// Whether a sentence asks something.
pub(super) fn is_question(sentence: &str) -> bool {
    static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^(what|when|where|who|why|how|which|can|could|would|should|do|does|did|is|are|was|were|will|have|has) (you|i|we|he|she|it|they|the|my|your|there|this|that)\b",
            r"|^(what|when|where|who|why|how|which) (do|does|did|am|is|are|was|were|have|has|had|can|could|should|would|will|shall) (you|i|we|he|she|it|they|the|my|our|your|his|her|their|there|this|that|these|those)\b",
            r"|^(what|how|which|whose)( [\w'-]+){1,2} (do|does|did|have|has|had|can|could|should|would|will|shall) (you|i|we|he|she|it|they)\b",
            r"|^(do|can|could|would) you (remember|know|recall)|^(o que|quando|onde|quem|porque|por que|como|qual|quais|lembras-te|qué|cuándo|dónde|quién|cómo|cuál|was|wann|wo|wer|warum|wie|welche[rs]?|kannst du|weißt du|quand|où|qui|comment|pourquoi|quel|che cosa|quando|dove|chi|come|perché)\b",
            r"|(吗|嗎|呢|么|ですか|ますか|でしたか|ましたか|かな|까요|나요|니까)[？?。]?$",
        ))
        .ok()
    });
    let end = sentence.trim_end_matches(['"', '\'', ')', ' ']);
    end.ends_with(['?', '？', '؟']) || ASKS.as_ref().is_some_and(|r| r.is_match(sentence))
}

/// Wishes of the moment ("I want you to run the tests now"), which are orders and no facts.
fn is_passing(sentence: &str) -> bool {
    static NOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\bi(('d| would) like| want| need)( you)? to (see|know|run|check|test|fix|open|read|look|try|debug|understand|ask|write|get|find|make|create|add|do|go|have a look)\b",
            r"|\bi(('d| would)? (like|want|need)) (a|an|the|some|this|that|your|help|more|to) ?(help|list|summary|answer|example|script|function|table|report|review|fix|test|image|picture|draft|email|translation|plan|second|minute|refund|break|know)?\b.{0,40}\b(now|please|right away|today|quickly|asap)\b",
            r"|^i (like|love) (it|that|this|your (answer|idea)|the (idea|answer|result))\b.{0,12}$|\b(quero|preciso|necesito|quiero) que (me |tu )?(faças|vejas|corras|hagas|veas|revises|ayudes)|\bpreciso de ajuda\b|\bnecesito ayuda\b|\bich brauche (hilfe|kurz|mal|jetzt)|\bj'ai besoin d'aide\b",
        ))
        .ok()
    });
    NOW.as_ref().is_some_and(|r| r.is_match(sentence))
}

/// "Forget that I live in Porto": what it names is to be gone, not kept once more. "Don't forget" is the opposite.
fn asks_to_forget(sentence: &str) -> bool {
    static FORGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^((please|bitte|por favor|s'il te plaît|per favore|alsjeblieft|prosím|пожалуйста|ok|okay|so|and|now)[ ,]+|(can|could|you can|you should|i want you to|i'd like you to) (you )?(please )?)*",
            r"((forget|unlearn|stop remembering) (about )?(that (i|my|we|our|he|she|it|the)\b|what\b|everything\b|all\b|my\b|our\b|the fact\b)",
            r"|(delete|remove|erase) .{1,80} from (your |the )?memor(y|ies)",
            r"|vergiss,? (dass|was|alles|mein\w*|unser\w*|das mit)\b|lösche? .{1,80} aus (dein\w* )?(gedächtnis|speicher)",
            r"|(esquece|esqueça|esquece-te de|esqueça-se de|olvida|olvídate de|olvide) (que|o que|lo que|tudo|todo|o meu|a minha|mi|nuestr\w+)\b|(apaga|apague|borra|borre|elimina) .{1,80} (da|de la|de tu|da tua|de sua) memória",
            r"|oublie(z)? (que|ce que|tout|mon|ma|mes)\b|dimentica (che|quello che|tutto|il mio|la mia)\b|vergeet (dat|wat|alles|mijn)\b|zapomeň,? (že|na|co|všechno)",
            r"|забудь(те)?,? (что|про|о том|вс[её]|мой|мою))|^(请|請|麻烦)?(你)?(忘记|忘記|忘掉|忘了)(我|关于|關於|之前)|(こと|の件)(を|は)?(もう)?忘れて(ください|ほしい|くれ)?[。！]?$|(것|거|얘기)(은|는|을|를)? ?(이제 )?잊어"
        ))
        .ok()
    });
    FORGET.as_ref().is_some_and(|r| r.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_forgotten_is_not_kept_once_more() {
        for text in [
            "Forget that I live in Porto.",
            "Please forget my phone number is +351 912 345 678",
            "Can you delete my address, I live in Graz, from your memory",
            "Vergiss, dass ich in Graz wohne",
            "Esquece que moro em Lisboa",
            "Olvida que vivo en Sevilla",
            "Oublie que j'habite à Lyon",
            "Забудь, что я живу в Праге",
            "忘记我住在上海",
            "私の住所は東京ですということを忘れてください",
        ] {
            assert!(find(text).is_err(), "{text}");
        }
        for text in [
            "Don't forget that I live in Porto",
            "Vergiss nicht, dass ich in Graz wohne",
            "No olvides que vivo en Sevilla",
            "别忘了我住在上海",
            "Forget the bus, I prefer the train",
            "I always forget my keys at home, remember that",
        ] {
            assert!(find(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn every_rule_compiles() {
        assert_eq!(COMPILED.len(), RULES.len());
    }

    #[test]
    fn sentences_that_state_facts_are_found_with_their_kind() {
        let cases = [
            ("I prefer tea over coffee", Category::Preference),
            ("We decided to use PostgreSQL 17", Category::Decision),
            ("My phone number is +351 912 345 678", Category::Entity),
            ("Remember that the gate code changed", Category::Other),
            ("I'm allergic to peanuts", Category::Fact),
            ("Decidimos usar o comboio em vez do carro", Category::Decision),
            ("Ich wohne in Graz", Category::Entity),
            ("我不喜欢喝咖啡", Category::Preference),
            ("覚えておいてね、鍵は植木鉢の下", Category::Other),
            ("커피보다 차를 좋아해요", Category::Preference),
            // Sisters and brothers were of English and Japanese only, and nothing of Arabic.
            ("Na verdade, a minha irmã chama-se Bia, não Ana.", Category::Entity),
            ("Mi novia se llama Lucía", Category::Entity),
            ("Mein Bruder heißt Jörg und wohnt in Köln.", Category::Entity),
            ("Ma sœur s'appelle Zoé", Category::Entity),
            ("Mia sorella si chiama Anna", Category::Entity),
            ("Мою собаку зовут Бобик", Category::Entity),
            ("Моя сестра живёт в Праге", Category::Entity),
            ("اسمي ليلى وأعيش في عمان", Category::Entity),
            ("أنا أحب الشاي بالنعناع", Category::Preference),
        ];
        for (text, category) in cases {
            let found = find(text).unwrap_or_else(|r| panic!("{text}: {r:?}"));
            assert_eq!(found[0].category, category, "{text}");
        }
    }

    #[test]
    fn questions_and_passing_wishes_are_not() {
        assert_eq!(find("What do I prefer?"), Err(Reason::Question));
        assert_eq!(find("我喜欢什么茶吗"), Err(Reason::Question));
        // Without their sign they were kept as facts, and recalled beside the answer.
        for asked in [
            "What do I prefer for breakfast",
            "Which colour did I like best, I forgot",
            "What did we decide about Falcon's harbour",
            "How often do I prefer tea",
            "When did we decide to move",
            "Where are my favourite shoes",
        ] {
            assert_eq!(find(asked), Err(Reason::Question), "{asked}");
        }
        for told in ["Which is why I prefer tea", "How nice, I prefer tea too"] {
            assert!(find(told).is_ok(), "{told}");
        }
        for text in ["I want you to run the tests now", "Thanks, looks good", "ok let me see", "I like it"] {
            assert!(find(text).is_err(), "{text}");
        }
        let mixed = find("What time is it? I prefer trains to planes. Thanks!").unwrap();
        assert_eq!(mixed.len(), 1);
        assert_eq!(mixed[0].text, "I prefer trains to planes.");
    }

    // "Please remember that." was kept, and what it meant was not; "Lembra-te que …" passed for a question.
    #[test]
    fn a_wish_to_remember_keeps_what_it_means() {
        for (said, kept) in [
            ("Please remember that.", &[][..]),
            ("The gate squeaks. Please remember that.", &["The gate squeaks."]),
            ("I live in Porto. Please remember that.", &["I live in Porto."]),
            ("Remember this:\nthe gate squeaks", &["the gate squeaks"]),
            ("Does the gate squeak? Remember that.", &[]),
            ("Lembra-te que o portão range", &["o portão range"]),
            ("remember this fact: the gate squeaks", &["the gate squeaks"]),
        ] {
            let found = find(said).unwrap_or_default();
            assert_eq!(found.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), kept, "{said}");
        }
    }
}
