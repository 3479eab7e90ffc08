//! What passes: wishes of the moment, and apologies before what counts.

use std::sync::LazyLock;

use regex::Regex;

use super::super::pattern::as_written;

/// Wishes of the moment ("I want you to run the tests now"), which are orders and no facts.
pub(super) fn is_passing(sentence: &str) -> bool {
    static NOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
        as_written(concat!(
            r"\bi(('d| would) like| want| need)( you)? to (see|know|run|check|test|fix|open|read|look|try|debug|understand|ask|write|get|find|make|create|add|do|go|have a look)\b",
            r"|\bi(('d| would)? (like|want|need)) (a|an|the|some|this|that|your|help|more|to) ?(help|list|summary|answer|example|script|function|table|report|review|fix|test|image|picture|draft|email|translation|plan|second|minute|refund|break|know)?\b.{0,40}\b(now|please|right away|today|quickly|asap)\b",
            r"|^i (like|love) (it|that|this|your (answer|idea)|the (idea|answer|result))\b.{0,12}$|\b(quero|preciso|necesito|quiero) que (me |tu )?(faças|vejas|corras|hagas|veas|revises|ayudes)|\bpreciso de ajuda\b|\bnecesito ayuda\b|\bich brauche (hilfe|kurz|mal|jetzt)|\bj'ai besoin d'aide\b",
        ))
    });
    NOW.as_ref().is_some_and(|r| r.is_match(sentence)) || is_errand(sentence)
}

/// Orders for today ("cancel my appointment on Thursday", "book a table as always"): done, they say nothing of a life.
fn is_errand(sentence: &str) -> bool {
    static ERRAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        as_written(concat!(
            r"^(?:(?:please|pls|now|then|ok|okay|bitte|por favor|stp|per favore|graag|proszę)[ ,]+)*(?:",
            r"(?:cancel|reschedule|postpone|book|reserve|rebook) (?:my|our|the|a|an|us|me|two|three|four|it|that)\b",
            r"|(?:text|tell|email|message|ask|remind) [a-z]+ (?:that|to|when|if|we|i|about)\b",
            r"|(?:storniere?|buche?|reserviere?|bestelle?) (?:mir|uns|den|die|das|einen|eine|ein|meinen|meine|unseren|unsere|bitte)\b|(?:sage?|schreibe?|schicke?) \w+,? (?:dass|bescheid|ob|wann|wir|ich)\b",
            r"|(?:reserva|resérvame|cancela|anula|pide) (?:mesa|una|un|el|la|mi|me|dos|tres|como)\b|(?:dile|avísale|avisale|mándale|mandale|escríbele|escribele|pregúntale|preguntale) ",
            r"|(?:réserve|commande|annule|appelle)(?:-(?:moi|nous|le|la))? (?:un|une|le|la|les|mon|ma|deux|trois|comme)\b|(?:dis|écris|demande)(?:-(?:lui|leur))? (?:à|que|si) ",
            r"|(?:reserva|cancela|marca|encomenda|remarca) (?:uma|um|a|o|no|na|meu|minha|pra|para|como)\b|(?:avisa|diz|manda|pergunta|escreve) (?:pro|pra|ao|à|para (?:o|a)|que)\b",
            r"|(?:prenota|annulla|disdici|ordina|sposta) (?:un|una|il|la|lo|mi|due|per|come)\b|(?:digli|dille|avvisa|scrivi a|chiedi a) ",
            r"|(?:boek|reserveer|annuleer|bestel) (?:een|de|het|mijn|onze|twee)\b|(?:zarezerwuj|odwołaj|zamów|przełóż) ",
            r"|(?:забронируй|отмени|закажи|перенеси) )"
        ))
    });
    ERRAND.as_ref().is_some_and(|r| r.is_match(sentence))
}

/// A correction without the apology that it begins with: "No, sorry, my dentist is Dr Costa".
pub(super) fn without_apology(sentence: &str) -> &str {
    static APOLOGY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        as_written(concat!(
            r"^(?:(?:oh|ah|ach|no|wait|nein|doch|halt|não|non|nee|ne|нет|ой)[ ,.!]+)*",
            r"(?:sorry|apologies|my (?:mistake|bad)|pardon|entschuldigung|entschuldige|tut mir leid|verzeihung|perd[óo]n(?:a|e)?|disculpa|lo siento|desculpa|desculpe|perdão",
            r"|désolée?|excuse-moi|scusa(?:mi)?|mi dispiace|promiň(?:te)?|извини(?:те)?|прости(?:те)?)(?: bitte)?[,.!:;–—-]+\s*"
        ))
    });
    let end = APOLOGY.as_ref().and_then(|apology| apology.find(sentence)).map_or(0, |found| found.end());
    sentence.get(end..).filter(|rest| !rest.is_empty()).unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    // "Cancel my dentist appointment on Thursday" stood in the day's note as a fact.
    #[test]
    fn an_order_is_no_fact() {
        for order in [
            "cancel my dentist appointment on thursday",
            "Please book a table for four.",
            "tell Ana that we come on Friday",
            "sag Ana dass wir am Freitag kommen",
            "buche uns den Zug nach Köln",
            "reserva mesa como siempre en Lucien",
            "réserve comme d'habitude",
            "reserva no Lucien como de costume",
            "prenota il solito tavolo",
            "zarezerwuj stolik na piątek",
            "забронируй столик на пятницу",
        ] {
            assert!(is_passing(order), "{order}");
        }
        for fact in [
            "My dentist appointment is on Thursday",
            "Book club meets on Mondays",
            "I book my trains with Trainline",
            "Tell is my favourite opera",
            "Reserva en Lucien el viernes a las nueve",
            "Buche ist das Holz unserer Treppe",
            "Ana told me that we come on Friday",
        ] {
            assert!(!is_passing(fact), "{fact}");
        }
    }
}
