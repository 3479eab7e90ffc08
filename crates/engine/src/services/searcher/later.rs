//! What a later note says about the same as what was found. "We moved" says where somebody lives now and shares no word with
//! "where do I live?": the line that it replaces would stand alone, as if it still held.

use std::{sync::Arc, time::Instant};

use itertools::Itertools;

use super::{SearchCall, Searcher};
use crate::capture::{
    changes::tells_of_a_change,
    recall::{Asked, Question},
    reported::has_first_person,
};
use ::search::{
    confine::Wish,
    types::{Answer, Hit},
};
use model::{cancel::Cancel, error::Result, source::Source};
use text::{time::note_date, words::words};

/// Least confidence of a passage that is about the same as the line that was found. Of ten facts and notes that changed
/// them in other words the latter have 0.69 to 0.89 with the embedded model, and other notes at most 0.52.
const THE_SAME_MATTER: f64 = 0.6;
/// German words before a noun, and English ones before what is called by a name.
const ARTICLES: &[&str] = &[
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "mein", "meine", "meinen", "meinem",
    "meiner", "unser", "unsere", "unseren", "unserem", "unserer", "the",
];
/// How many later passages are looked at for one that may be shown.
const LOOKED_AT: usize = 5;

impl Searcher {
    /// Searches, and adds what a later note tells of a change of the first result; that costs a second search where
    /// the first result has a day.
    ///
    /// # Errors
    /// As [`Self::search`]; a later note that cannot be looked for is none.
    pub async fn search_with_later(self: &Arc<Self>, call: SearchCall, cancel: Cancel) -> Result<Answer> {
        let began = Instant::now();
        let limit = call.deadline_ms.unwrap_or(self.context.settings().settings.query.deadline_ms);
        // Who goes on, or names days and files, has been told or does not want to be.
        let is_open = call.after == 0 && call.wish == Wish::default();
        let may_follow = is_open && (call.sources.is_empty() || call.sources.contains(&Source::Memory));
        let asked = Asked { prompt: call.query.clone(), now_ms: call.now_ms, ..Asked::default() };
        let of_projects = call.active_projects.clone();
        let mut answer = self.search(call, cancel.clone()).await?;
        let first = answer.hits.first().filter(|first| may_follow && first.source == Source::Memory);
        let zone = self.context.settings().settings.zone_name();
        let Some(first) = first else { return Ok(answer) };
        let question = Question::of(asked.prompt.clone(), &asked, &zone);
        if let Some(line) = line_that_may_have_changed(first, &question) {
            let call = SearchCall {
                query: line.clone(),
                now_ms: asked.now_ms,
                active_projects: of_projects,
                deadline_ms: Some(left(limit, began)),
                ..self.call_for_later(first)
            };
            let found = self.search(call, cancel).await.map(|answer| answer.hits).unwrap_or_default();
            let change = found.into_iter().find(|hit| is_change(hit, first) && may_change(hit, &line, &question.text));
            let is_new = |hit: &Hit| !answer.hits.iter().any(|known| known.overlaps(hit));
            answer.later = change.filter(is_new).map(|hit| Hit { excerpt: None, ..hit });
        }
        Ok(answer)
    }

    /// How later notes about the same are searched for. A hosted provider is not asked once more: there words alone find them.
    pub(in crate::services) fn call_for_later(&self, first: &Hit) -> SearchCall {
        SearchCall {
            max_results: Some(LOOKED_AT),
            min_score: Some(THE_SAME_MATTER),
            excerpt: Some(0),
            lexical_only: self.context.provider().is_hosted(),
            wish: Wish { since: note_date(&first.path).map(|day| day.to_string()), ..Wish::default() },
            ..SearchCall::of_notes()
        }
    }
}

/// The line of what was found first that a later note may have changed. None where the question asks for a time or an identifier,
/// and where what was found has no day.
pub(in crate::services) fn line_that_may_have_changed(first: &Hit, question: &Question) -> Option<String> {
    let is_open = question.plan.time.range.is_none() && !question.plan.is_exact();
    (is_open && note_date(&first.path).is_some()).then(|| question.line_of(first)).flatten()
}

/// Whether a passage tells of a change, of a day after that of the first or below it in its note.
pub(in crate::services) fn is_change(hit: &Hit, first: &Hit) -> bool {
    let is_below = hit.path == first.path && hit.start_line > first.end_line;
    let is_later = note_date(&hit.path).zip(note_date(&first.path)).is_some_and(|(day, of_first)| day > of_first);
    (is_below || is_later) && hit.excerpt.as_deref().is_some_and(tells_of_a_change)
}

/// Whether what a passage tells may be a change of what a line says that answers a question.
pub(in crate::services) fn may_change(hit: &Hit, line: &str, question: &str) -> bool {
    !hit.excerpt.as_deref().is_some_and(|told| is_of_its_writer_alone(told, line, question))
}

/// Whether a line tells what its writer did, where the question names somebody of whom `first` tells and it does not:
/// "I now live in Bremen" says nothing of where Lena lives.
fn is_of_its_writer_alone(line: &str, first: &str, question: &str) -> bool {
    let is_in = |text: &str, name: &str| words(text).any(|word| word == name);
    let mut others = names(question).filter(|name| is_in(first, name) && !is_in(line, name));
    has_first_person(line) && !has_first_person(first) && others.next().is_some()
}

/// What is written as names are in a question: with a capital, not as its first word, and not behind an article, which
/// parts them from German nouns.
fn names(question: &str) -> impl Iterator<Item = &str> {
    let is_article = |word: &str| ARTICLES.contains(&word.to_lowercase().as_str());
    let is_name = |word: &str| word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 1;
    words(question)
        .tuple_windows()
        .filter(move |(before, word)| is_name(word) && !is_article(before))
        .map(|(_, word)| word)
}

/// Milliseconds that are left of a time limit, at least one.
pub(in crate::services) fn left(limit_ms: u64, began: Instant) -> u64 {
    let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    limit_ms.saturating_sub(spent).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // "Where does Lena live?" was answered with where the owner had moved.
    #[test]
    fn what_its_writer_did_is_no_change_of_what_somebody_else_is_asked_about() {
        let graz = "Lena lives in Graz, near the river.";
        assert!(is_of_its_writer_alone("I now live in Bremen.", graz, "Where does Lena live?"));
        assert!(is_of_its_writer_alone(
            "Ich wohne jetzt in Bremen.",
            "Meine Schwester Lena wohnt in Graz.",
            "Wo wohnt Lena?"
        ));
        for (line, first, question) in [
            ("Lena and I now live in Bremen.", graz, "Where does Lena live?"),
            ("She moved to Linz.", graz, "Where does Lena live?"),
            ("I now live in Bremen.", "I live in Graz.", "Do I live in Graz?"),
            ("I now work at Siemens.", "I work at Bosch.", "Do I still work at Bosch?"),
            ("I moved it to the shed.", "The key is under the mat.", "Where is the key?"),
            ("Wir treffen uns jetzt dienstags.", "Training ist montags.", "Wann ist das Training?"),
            ("我搬家了。", "Lena lives in Graz.", "Lena住在哪里?"),
        ] {
            assert!(!is_of_its_writer_alone(line, first, question), "{line} / {question}");
        }
    }
}
