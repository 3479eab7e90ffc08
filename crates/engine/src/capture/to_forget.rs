//! "Forget that my dentist is Dr Costa": messages that ask to forget something, in the languages of the rules. What stands in
//! them is said so that it goes.

use std::sync::LazyLock;

use regex::Regex;

use super::{addressed::without_mentions, off_record::CLAUSE, pattern::with_ascii_boundaries, sentences::sentences};

/// What may stand before the order, behind `CLAUSE`.
const BEFORE: &str = r"(?:(?:(?:can|could|would|will) you|you (?:can|could|should|may)|i want you to|i'd like you to|kannst du|könntest du|puedes|podrías|podes|peux-tu|puoi|kun je) (?:please |bitte |por favor )?)?";

/// Orders that name what is to be forgotten; `CLAUSE` stands before each, so that "don't forget that …" is none. What may as
/// well be a thing at hand ("forget that idea") is left to the person.
const ORDERS: &[&str] = &[
    r"(?:forget|unlearn|stop remembering) (?:(?:the fact )?that (?:i|i'm|i've|i'd|my|we|our|he|she|they|his|her|their|the|there|it|your|(?-i:\p{Lu}\w*))\b|(?:what|where|who|when|how|everything|anything|all)(?: about)? (?:i|my|we|our|he|she|they)\b|(?:about )?(?:my|our)\b)",
    r"(?:delete|erase|remove|wipe|drop) [^.!?\n]{1,80} from (?:your |the |my )?(?:long-term )?(?:memory|memories|notes?)\b",
    r"(?:vergiss|vergesst|vergessen sie)(?: bitte| wieder)*,? (?:bitte )?(?:dass|was|wo|wer|wann|wie|alles,? was|alles über|das mit) ",
    r"(?:lösche?|löschen sie|streiche?|streichen sie|entferne?) [^.!?\n]{1,80} aus (?:deinem gedächtnis|deinem speicher|deinen notizen|dem gedächtnis|den notizen)",
    r"(?:olvida|olvide|olvídate de|olvídese de)(?: por favor)?,? (?:de )?(?:que|lo que|todo lo que|mis?|nuestr[oa]s?|dónde|quién|cuándo|cómo)\b",
    r"(?:borra|elimina|quita) [^.!?\n]{1,80} de (?:tu|la) memoria\b",
    r"(?:esquece(?:-te)?|esqueça(?:-se)?)(?: por favor)?,? (?:d?e )?(?:que|o que|tudo o que|(?:[oa]s? )?(?:meus?|minhas?|noss[oa]s?)|d[oa]s? (?:meus?|minhas?|noss[oa]s?)|onde|quem|quando|como)\b",
    r"(?:apaga|apague|elimina|remove|tira) [^.!?\n]{1,80} da (?:tua |sua )?memória\b",
    r"(?:oublie[sz]?)(?: s'il te plaît| s'il vous plaît| donc)?,? (?:que |qu'|ce que |tout ce que |mon |ma |mes |notre |nos |où |qui |quand |comment )",
    r"(?:efface|supprime|retire|enlève)[sz]? [^.!?\n]{1,80} de (?:ta|la|votre) mémoire\b",
    r"(?:dimentica(?:ti)?|dimentichi|scorda(?:ti)?)(?: per favore)?,? (?:che|quello che|ciò che|tutto quello che|(?:(?:il|la|i|le) )?(?:mio|mia|miei|mie)|dove|chi|quando|come)\b",
    r"(?:cancella|elimina|togli|rimuovi) [^.!?\n]{1,80} dalla (?:tua )?memoria\b",
    r"vergeet(?: alsjeblieft| maar)*,? (?:dat (?:ik|mijn|we|wij|onze?|hij|zij|ze|de|het|er|een|(?-i:\p{Lu}\w*))|wat|waar|wie|wanneer|hoe) ",
    r"zapomeň(?:te)?(?: prosím)?,? (?:prosím,? )?(?:že|co|kde|kdo|kdy|jak|na (?:můj|moje|moji|mou|mého)) ",
    r"zapomnij(?:cie)?(?: proszę)?,? (?:proszę,? )?(?:że|co|gdzie|kto|kiedy|jak|o (?:moim|mojej|moich)) ",
    r"(?:من فضلك،? )?(?:انسَ|انس|انسي|انسى|إنسى|انسوا) (?:أن|أنّ|ان|أني|أنني|أنّني|كل ما|ما) ",
    r"(?:пожалуйста,? )?забудь(?:те)?(?: пожалуйста)?,? (?:пожалуйста,? )?(?:что|о том,? что|то,? что|вс[её],? что|где|кто|когда|как|про (?:мо|наш)\p{L}+|мо(?:й|я|ё|е|и|ю)) ",
];

/// The same where the order stands behind, or no space is between words.
const ANYWHERE: &[&str] = &[
    r"(?:こと|話|の|って)(?:は|を|も)?(?:もう|全部|すべて)?忘れて(?:(?:ね|くれ|ほしい|欲しい|ちょうだい|頂戴)?[ \t]*(?:$|[。！!\n])|下さい|ください|もらえ|いただけ|頂け|くれますか|くれませんか)",
    r"(?:请|請|麻烦你?|麻煩你?)(?:你)?(?:忘(?:了|掉|记|記)|忘记掉)|(?:^|[。！？,，.!?\n])\s*(?:把[^。！？,，.!?\n]{1,40}(?:忘了|忘掉)|(?:忘(?:了|掉)|忘记|忘記)(?:我(?:的|说|說|是|住|叫|家|有)|他|她|那件事|这件事|這件事))",
    r"(?:것|거|건|걸|사실|얘기|이야기)(?:은|는|을|를|도)? ?(?:이제 |그냥 |다 )?잊어 ?(?:줘|주세요|줄래|주실|버려 ?(?:줘|주세요)?[ \t]*(?:$|[.!\n]))",
    r"(?:भूल (?:जाओ|जाइए|जाइये|जा|जाना)) कि |(?:बात|यह|ये|उसे|इसे|वह)(?: को)? भूल (?:जाओ|जाइए|जाइये|जा)\s*(?:$|[।.!\n])",
    r"\p{L}+(?:[dt][ıiuü]ğ[ıiuü][mn][ıiuü](?:z[ıiuü])?|diklerimi|d[ıi]klarım[ıi])(?: lütfen)? unut(?:un|unuz|ur musun|ur musunuz)?(?: lütfen)?\s*(?:$|[.!\n])",
];

static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    with_ascii_boundaries(&format!("{CLAUSE}{BEFORE}(?:{})|{}", ORDERS.join("|"), ANYWHERE.join("|")))
});
/// German and Dutch deny behind the thing: "Vergiss meinen Geburtstag nicht".
static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let own = r"(?:vergiss|vergesst|vergessen sie|vergeet)(?: bitte| alsjeblieft)? (?:mein|unser|mijn|ons|onze)";
    with_ascii_boundaries(&format!("{CLAUSE}{own}"))
});

/// Whether a message asks to forget something. Then it states nothing: nobody knows how far the wish reaches.
#[must_use]
pub(crate) fn asks_to_forget(message: &str) -> bool {
    let message = without_mentions(message);
    let message = message.as_ref();
    let is_denied =
        |order: &str| order.split(|c: char| !c.is_alphabetic()).any(|word| matches!(word, "nicht" | "niet"));
    ASKED.as_ref().is_none_or(|asked| asked.is_match(message))
        || OWN.as_ref().is_none_or(|own| sentences(message).filter(|s| own.is_match(s)).any(|order| !is_denied(order)))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each was taken for a statement by consolidation, the German one as "Der Hausmeister Anselm heißt."
    #[test]
    fn a_message_that_asks_to_forget_something_is_known_in_every_language() {
        assert!(ASKED.is_some() && OWN.is_some());
        let texts = [
            "Please forget my phone number is +351 912 345 678",
            "Can you delete my address, I live in Graz, from your memory",
            "I’d like you to forget that I live in Porto.",
            "S’il te plaît, oublie que j’habite à Lyon",
            "Vergiss meine Telefonnummer 0171 123456",
            "忘记我住在上海",
            "私の住所は東京ですということを忘れてください",
            "Forget that my dentist is Dr Costa",
            "Please forget that the janitor is called Anselm.",
            "forget that Anselm is the janitor",
            "Can we talk about Lisbon? And forget what I told you about my brother.",
            "Forget everything about my divorce.",
            "Please forget about my surgery.",
            "Delete my address from your memory: I live in Rua do Almada 5.",
            "Vergiss, dass der Hausmeister Anselm heißt",
            "Vergiss bitte, dass ich in Graz wohne.",
            "Lösche bitte meine Adresse aus deinem Gedächtnis",
            "Olvida que el conserje se llama Anselmo",
            "Por favor, olvida lo que te conté de mi hermano",
            "Esquece que o porteiro se chama Anselmo",
            "Esqueça o meu endereço",
            "Oublie que le concierge s'appelle Anselme",
            "Oublie s'il te plaît que j'habite à Rome",
            "Dimentica che il portinaio si chiama Anselmo",
            "Vergeet dat de conciërge Anselm heet",
            "Zapomeň, že se domovník jmenuje Anselm",
            "Zapomnij, że mieszkam w Krakowie",
            "Забудь, что дворника зовут Ансельм",
            "Забудьте, пожалуйста, что я живу в Риме",
            "私の歯医者がコスタ先生だということは忘れて。",
            "弟の病気のことは忘れてください",
            "请忘记我的牙医是科斯塔医生",
            "忘掉我住在罗马",
            "제 치과 의사가 코스타라는 건 잊어 주세요.",
            "انسَ أن البواب اسمه أنسلم",
            "भूल जाओ कि मेरे दंत चिकित्सक डॉ कोस्टा हैं",
            "Diş hekimimin Costa olduğunu unut.",
        ];
        let unknown: Vec<&str> = texts.into_iter().filter(|text| !asks_to_forget(text)).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn what_is_not_to_be_forgotten_or_was_forgotten_stays() {
        let texts = [
            "Don't forget that my dentist is Dr Costa",
            "Please don't forget my birthday on 3 May.",
            "Never forget that I live in Graz",
            "I forget that my keys are in the car",
            "I always forget where my keys are.",
            "Forget it, I live in Porto now.",
            "Forget that idea, we go to Lisbon.",
            "Vergiss nicht, dass ich in Graz wohne",
            "Vergiss bitte meinen Geburtstag nicht",
            "Vergiss meinen Geburtstag am 3. Mai nicht",
            "Forget the bus, I prefer the train",
            "I always forget my keys at home, remember that",
            "I’d like to see where I live on a map",
            "Vergiss es, ich wohne jetzt in Graz.",
            "Ich habe vergessen, was ich sagen wollte",
            "Ich vergesse oft, dass der Hausmeister Anselm heißt.",
            "No olvides que vivo en Sevilla",
            "Se me olvida que el conserje se llama Anselmo",
            "Não te esqueças de que moro em Évora",
            "Não esqueça que moro em Évora",
            "N'oublie pas que j'habite à Rome",
            "J'oublie toujours que le concierge s'appelle Anselme",
            "Non dimenticare che abito a Roma",
            "Vergeet niet dat ik in Utrecht woon",
            "Vergeet dat niet: ik woon in Utrecht",
            "Nezapomeň, že bydlím v Praze",
            "Nie zapomnij, że mieszkam w Krakowie",
            "Не забудь, что я живу в Риме",
            "Я забыл, что хотел сказать",
            "忘れ物をした",
            "忘れないで、妻は妊娠しています",
            "友達の誕生日のことを忘れてしまった。",
            "别忘了我住在上海",
            "我忘了我的钥匙在哪儿",
            "잊지 마: 아내가 임신했어",
            "약속을 잊어버렸어",
            "لا تنس أن زوجتي حامل",
            "मैं भूल गया कि मैं क्या कहना चाहता था",
            "Unutma, kapı gıcırdıyor",
        ];
        let taken: Vec<&str> = texts.into_iter().filter(|text| asks_to_forget(text)).collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }
}
