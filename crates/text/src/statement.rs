//! Whether a line states something by itself: a whole sentence about how things are, which somebody can read a year
//! later without what stood around it. Told by shape and by the function words of each language, never by a model.

mod machine;
mod words;

use jiff::{ToSpan, civil::Date};

use crate::{
    fold::{fold, plain_apostrophes},
    language::stop_word_of,
    script::{Script, script},
    time,
};

/// Words of a statement.
const WORDS: std::ops::RangeInclusive<usize> = 4..=40;
/// Characters of one in a script without spaces.
const DENSE_CHARS: std::ops::RangeInclusive<usize> = 8..=80;
/// A day this near, in days before and after today, is an appointment and no fact that lasts.
const NEAR_DAYS: (i64, i64) = (45, 60);

/// Why a line is no statement that lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flaw {
    /// Fewer words than a statement has.
    TooShort,
    /// More words than one statement has.
    TooLong,
    /// A part of a sentence, or a label.
    Fragment,
    /// It announces what comes after it.
    LeadIn,
    /// It asks.
    Question,
    /// It gives an order, or is something that was still to be done.
    Command,
    /// Source code, or a command of a shell.
    Code,
    /// Mostly names of files.
    PathList,
    /// Data of a program.
    Data,
    /// A line of a log, or a trace.
    Log,
    /// An address and little else.
    Url,
    /// A line of a recorded conversation.
    Transcript,
    /// Figures that a memory keeps about its entries.
    Metadata,
    /// True for some days only.
    Transient,
    /// It points at something that is not in it.
    NeedsContext,
}

impl Flaw {
    /// The code in reports.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooShort => "too-short",
            Self::TooLong => "too-long",
            Self::Fragment => "fragment",
            Self::LeadIn => "lead-in",
            Self::Question => "question",
            Self::Command => "command",
            Self::Code => "code",
            Self::PathList => "path-list",
            Self::Data => "data",
            Self::Log => "log",
            Self::Url => "url",
            Self::Transcript => "transcript",
            Self::Metadata => "metadata",
            Self::Transient => "transient",
            Self::NeedsContext => "needs-context",
        }
    }
}

/// What is wrong with a sentence as a statement that lasts; none when nothing is.
///
/// # Errors
/// The first flaw.
pub fn judge(sentence: &str, today: Date, zone: &str) -> Result<(), Flaw> {
    let text = sentence.trim();
    machine::judge(text)?;
    let words: Vec<String> = words_of(text);
    length(text, words.len())?;
    if text.ends_with([':', '：', ',', ';', '，', '；', '…', '-', '–', '—', '&', '/', '、']) || text.ends_with("...")
    {
        return Err(Flaw::LeadIn);
    }
    if text.ends_with(['?', '？', '؟']) || words::asks(&words) {
        return Err(Flaw::Question);
    }
    if !is_balanced(text) {
        return Err(Flaw::Fragment);
    }
    if words::is_open(&words, text) {
        return Err(Flaw::Transient);
    }
    if is_of_these_days(text, today, zone) {
        return Err(Flaw::Transient);
    }
    if words::is_order(&words) {
        return Err(Flaw::Command);
    }
    if words::leans(&words) {
        return Err(Flaw::NeedsContext);
    }
    if words::is_fragment(&words, text, is_mostly_dense(text)) {
        return Err(Flaw::Fragment);
    }
    Ok(())
}

/// Whether a sentence begins with its verb: who does it stands in the heading above, if anywhere.
#[must_use]
pub fn lacks_subject(sentence: &str) -> bool {
    words::begins_with_verb(&words_of(sentence))
}

/// The words of a text, folded.
fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '\u{300}'..='\u{36F}'))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| fold(&plain_apostrophes(word)))
        .collect()
}

fn is_mostly_dense(text: &str) -> bool {
    let (mut dense, mut other) = (0_usize, 0_usize);
    for c in text.chars() {
        match script(c) {
            Script::Ideographic | Script::Unspaced => dense += 1,
            Script::Spaced | Script::Hangul => other += 1,
            Script::None | Script::Mark => {}
        }
    }
    dense > other
}

fn length(text: &str, words: usize) -> Result<(), Flaw> {
    let (count, range) = if is_mostly_dense(text) {
        (text.chars().filter(|c| !matches!(script(*c), Script::None | Script::Mark)).count(), DENSE_CHARS)
    } else {
        (words, WORDS)
    };
    match count {
        n if n < *range.start() => Err(Flaw::TooShort),
        n if n > *range.end() => Err(Flaw::TooLong),
        _ => Ok(()),
    }
}

/// Whether brackets and quotation marks that open also close: half a sentence often has one only.
fn is_balanced(text: &str) -> bool {
    let mut open: Vec<char> = Vec::new();
    for c in text.chars() {
        let closes = match c {
            '(' | '[' | '{' | '「' | '『' | '（' | '“' | '«' => {
                open.push(c);
                continue;
            }
            ')' => '(',
            ']' => '[',
            '}' => '{',
            '」' => '「',
            '』' => '『',
            '）' => '（',
            '»' => '«',
            _ => continue,
        };
        if open.pop() != Some(closes) {
            return false;
        }
    }
    // Some languages close “ with “ or ".
    open.iter().all(|c| *c == '“')
        && text.matches('"').count().is_multiple_of(2)
        && text.matches('`').count().is_multiple_of(2)
}

/// Whether a sentence names a day near today, or one that only means something from the day it was written.
fn is_of_these_days(text: &str, today: Date, zone: &str) -> bool {
    let found = time::read(text, today, zone);
    if found.wants_recent {
        return true;
    }
    let Some(range) = found.range else { return false };
    let spans: String = found.spans.iter().filter_map(|span| text.get(span.clone())).collect::<Vec<_>>().join(" ");
    let elsewhere = today.checked_add(731.days()).ok().and_then(|other| time::read(text, other, zone).range);
    let is_fixed = elsewhere == Some(range);
    if !is_fixed && words::recurs(&words_of(text), text) {
        // "every Monday", "each year in March".
        return false;
    }
    if !is_fixed && (!time::names_calendar_only(&spans) || time::is_weekday_only(&spans)) {
        // "yesterday", "next week", "three days ago"; a weekday by itself is the one that comes.
        return true;
    }
    if range.start != range.end {
        // A month, a year: when something was, not when it will be over.
        return false;
    }
    let from_today = |day: Date| today.until(day).map_or(i64::MAX, |span| i64::from(span.get_days()));
    let is_near = |day: Date| (-NEAR_DAYS.0..=NEAR_DAYS.1).contains(&from_today(day));
    if is_fixed {
        return is_near(range.start);
    }
    // A day without a year comes again: "the insurance renews on 14 March". With an hour it is an appointment.
    let comes_again = (-1..=1).any(|years| range.start.with().year(today.year() + years).build().is_ok_and(is_near));
    comes_again && words::names_hour(text)
}

/// Whether a word carries grammar and nothing else in some language.
fn is_stop_word(folded: &str) -> bool {
    !stop_word_of(folded).is_empty()
}

#[cfg(test)]
mod tests;
