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
    NOW.as_ref().is_some_and(|r| r.is_match(sentence))
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
