//! Of whom a sentence tells: "She said she's allergic to nuts" tells of nobody where no one was named before.

use std::sync::LazyLock;

use regex::Regex;

use super::super::pattern::with_ascii_boundaries;

/// Words for somebody who was named before, where a sentence begins.
const OF_SOMEBODY: &str = concat!(
    r"^(?:(?:and|but|so|well|und|aber|y|pero|e|mas|et|mais|ma|en|maar|и|а|но|i|ale)[ ,]+)?(?:(?:he|she|they|his|her|their|er|sie|ihre?|seine?|él|ellos|ellas|ele|ela|eles|elas|elle|ils|elles|lui|lei|loro|(?:il )?suo|(?:la )?sua",
    r"|hij|zij|ze|haar|hun|он|она|они|его|её|ее|их|ona|oni|jego|jej|jeho|její|वह|वो|उसका|उसकी|उसके|onun|هو|هي|هم)[ '’]|ella (?:es|está|tiene|vive|trabaja|estudia|dice|dijo|no|se|ha|odia|come|nació|cumple|juega|habla) |(?:sus?|son|sa|ses) (?:números?|teléfono|dirección|cumpleaños|madre|padre|marido|mujer|herman\w+|perr[oa]|gat[oa]|trabajo|correo|numéro|téléphone|adresse|anniversaire|père|mère|frère|sœur|mari|femme|chien|chat|travail) |il (?:est|a|habite|travaille|vit|aime|déteste|joue|parle|étudie)\b|她|他|彼女?[はのがも]|그(?:는|녀는|녀가|가|의|녀의) |걔는 )"
);

/// Words by which a sentence is of the one who says it all the same, or says who it is.
const NAMING: &str = concat!(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|myself|we|we're|us|our|ours|named?|names|called|ich|mich|mir|mein\w*|wir|uns|unser\w*|heißt|me|mi|mis|yo|nos|nuestr\w+|conmigo|llaman?|mim|meu|meus|minhas?|eu|noss[oa]s?|chama(?:m|-se)?",
    r"|je|moi|mon|ma|mes|nous|notre|nos|appellent?|io|mio|mia|miei|mie|noi|nostr[oa]|chiama(?:no)?|ik|mij|mijn|wij|ons|onze|heet|heten|mnie|mam|mój|moja|moje|nasz\w*|nazywa)\b|j'|m'|l'utilisateur",
    r"|(?:^|[ ,])(?:я|меня|мне|мой|моя|мои|моей|моего|мы|нас|нам|наш\w*|зовут)|我|叫|私|僕|俺|うち|という|저|나는|제 |우리|이름|मैं|मेर[ाीे]|मुझ|हम|नाम|\bben|bana|benim|adı|biz|أنا|لي|اسم\w*|نحن"
);

/// Words that name somebody in what was said before: what belongs to one who speaks, and titles.
const NAMED_BEFORE: &str = concat!(
    r"\b(?:my|our|the|a|mr|mrs|ms|dr|mein\w*|unser\w*|der|die|das|ein\w*|mis?|nuestr\w+|el|la|un|una|meus?|minhas?|noss[oa]s?|o|os|as|uma?|mon|ma|mes|notre|nos|le|les|une|mio|mia|miei|mie|nostr[oa]|il|lo|mijn|onze?|de|het|een|mój|moja|moje) \p{L}",
    r"|(?:^|[ ,])(?:мо[йяиею]|наш\w*) |我|私|僕|家|妈|爸|제 |우리|मेर|बहन|भाई|ım |im |أخ|أم|ابن|صديق"
);

static PATTERNS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    let [somebody, naming, before] = [OF_SOMEBODY, NAMING, NAMED_BEFORE].map(with_ascii_boundaries);
    Some([somebody?, naming?, before?])
});

/// Whether a sentence tells of somebody who is not named in it.
pub(super) fn is_of_nobody(sentence: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|[somebody, naming, _]| somebody.is_match(sentence) && !naming.is_match(sentence))
}

/// Whether a sentence names somebody, of whom the next one may tell.
pub(super) fn names_somebody(sentence: &str) -> bool {
    has_name(sentence) || PATTERNS.as_ref().is_some_and(|[.., named]| named.is_match(sentence))
}

/// Whether a text has a word with a capital that does not begin a sentence.
fn has_name(text: &str) -> bool {
    let mut begins = true;
    text.split_whitespace().any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !begins && bare.starts_with(char::is_uppercase) && bare.chars().nth(1).is_some();
        begins = word.ends_with(['.', '!', '?', ':']);
        is_name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each was a line of the day's note, and nobody could say of whom.
    #[test]
    fn what_is_told_of_nobody_is_known() {
        for text in [
            "She said she's allergic to nuts.",
            "He works at Tesco.",
            "Her phone number is 0131 555 0100.",
            "They live in Leeds.",
            "Er arbeitet bei der Post.",
            "Ihre Nummer ist 0131 555 0100.",
            "Ella vive en Roma.",
            "Su número es 0131 555 0100.",
            "Son numéro est le 0131 555 0100.",
            "Ela mora em Lisboa.",
            "Elle habite à Nice.",
            "Lei vive a Roma.",
            "Hij werkt bij de NS.",
            "Она живёт в Праге.",
            "她对坚果过敏。",
            "彼女は京都に住んでいます。",
            "그녀는 부산에 살아요.",
            "वह रोम में रहती है।",
            "هي تعيش في روما",
        ] {
            assert!(is_of_nobody(text), "{text}");
        }
        assert!(!names_somebody("Thanks."));
    }

    #[test]
    fn who_is_named_or_speaks_stays() {
        for text in [
            "Her name is Ana.",
            "She's my sister.",
            "They offered me the job.",
            "Er ist mein Bruder.",
            "Hers is the blue one.",
            "Herman works at Tesco.",
            "Ella broke up with Jonas.",
            "Son started school in August.",
            "Ana works at Tesco.",
            "她是我的姐姐。",
            "Il faut que tout soit prêt.",
        ] {
            assert!(!is_of_nobody(text), "{text}");
        }
        for text in ["My sister is visiting.", "Dinner with Ana tomorrow.", "我的姐姐来了。"] {
            assert!(names_somebody(text), "{text}");
        }
    }
}
