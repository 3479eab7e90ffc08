//! What a later note says about the same as what was found. "We moved" says where somebody lives now and shares no word with
//! "where do I live?": the line that it replaces would stand alone, as if it still held.

use std::{sync::Arc, time::Instant};

use super::{SearchCall, Searcher};
use crate::capture::{
    changes::tells_of_a_change,
    recall::{Asked, Question},
};
use ::search::{
    confine::Wish,
    types::{Answer, Hit},
};
use model::{cancel::Cancel, error::Result, source::Source};
use text::time::note_date;

/// Least confidence of a passage that is about the same as the line that was found. Of ten facts and notes that changed
/// them in other words the latter have 0.69 to 0.89 with the embedded model, and other notes at most 0.52.
const THE_SAME_MATTER: f64 = 0.6;
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
                query: line,
                now_ms: asked.now_ms,
                active_projects: of_projects,
                deadline_ms: Some(left(limit, began)),
                ..self.call_for_later(first)
            };
            let found = self.search(call, cancel).await.map(|answer| answer.hits).unwrap_or_default();
            let change = found.into_iter().find(|hit| is_change(hit, first));
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

/// Milliseconds that are left of a time limit, at least one.
pub(in crate::services) fn left(limit_ms: u64, began: Instant) -> u64 {
    let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    limit_ms.saturating_sub(spent).max(1)
}
