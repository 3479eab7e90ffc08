//! Messages that say something only together with the one before them: "and when does he finish?"

use text::{fold::fold, query::QueryPlan};

/// Words that join a message to the one before it.
const JOINING: &[&str] = &[
    "and", "but", "or", "so", "then", "also", "und", "aber", "oder", "dann", "e", "ou", "mas", "entao", "y", "o",
    "pero", "entonces", "et", "mais", "alors", "ma", "en", "maar", "of", "а", "и", "но", "ve", "peki", "ya",
];

/// Words that stand for somebody or something named before.
const POINTING: &[&str] = &[
    "he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "theirs", "that", "those", "er",
    "ihn", "ihm", "ihnen", "davon", "ele", "ela", "eles", "elas", "dele", "dela", "deles", "isso", "ella", "ellos",
    "ellas", "eso", "elle", "ils", "elles", "lui", "leur", "cela", "lei", "loro", "suo", "hij", "hem", "haar", "его",
    "ему", "она", "ее", "они", "их",
];

/// The same in scripts without spaces, at the beginning of a message.
const DENSE: &[&str] =
    &["那", "还有", "還有", "他", "她", "它", "这个", "這個", "それ", "じゃあ", "彼", "그럼", "그", "그건"];

/// Words that ask where, when or who in languages whose verbs say who is asked about: "¿dónde vivo?" lacks nothing.
const ASKING_OF_A_VERB: &[&str] = &[
    "donde",
    "cuando",
    "quien",
    "como",
    "onde",
    "quando",
    "quem",
    "dove",
    "chi",
    "gdzie",
    "kiedy",
    "kto",
    "jak",
    "где",
    "когда",
    "кто",
    "как",
    "nerede",
    "kim",
];

/// Longest message, in words, that is no sentence of its own.
const FRAGMENT_WORDS: usize = 2;
/// Most words with a meaning of their own in a message that points back.
const FEW_TERMS: usize = 1;

/// Whether a message cannot be understood alone.
#[must_use]
pub(crate) fn needs_context(text: &str, plan: &QueryPlan) -> bool {
    if plan.is_exact() {
        return false;
    }
    let terms = plan.terms.iter().filter(|term| !term.in_time).count();
    if plan.stop_words_only {
        // "What did we do yesterday?"
        return plan.time.range.is_none();
    }
    if DENSE.iter().any(|word| text.trim_start().starts_with(word)) {
        return true;
    }
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).map(fold).collect();
    let is_dense = text.chars().filter(|c| !c.is_ascii()).count() * 2 > text.chars().count();
    if plan.time.range.is_some() || terms > FEW_TERMS {
        return false;
    }
    let first = words.first().map(String::as_str);
    let asks_of_a_verb = words.len() == FRAGMENT_WORDS && first.is_some_and(|word| ASKING_OF_A_VERB.contains(&word));
    let is_fragment = words.len() <= FRAGMENT_WORDS && !is_dense && !asks_of_a_verb;
    let joins = first.is_some_and(|word| JOINING.contains(&word));
    is_fragment || joins || words.iter().any(|word| POINTING.contains(&word.as_str()))
}
