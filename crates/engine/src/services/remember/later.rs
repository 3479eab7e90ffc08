//! What a note of a later day says about the same as what was found. "We moved" says where somebody lives now and shares no
//! word with "where do I live?": the line that it replaces would stand alone, as if it still held.

use std::{sync::Arc, time::Instant};

use super::{super::context::Service, RecallFiles, Remember, SearchCall};
use crate::{
    active_memory::intent::{Intent, recall_intent},
    capture::{
        captured_lines,
        changes::tells_of_a_change,
        filter,
        journal::Journal,
        recall::{Asked, Question},
    },
};
use ::search::{confine::Wish, types::Hit};
use model::{config::automatic::Automatic, error::Result};
use text::time::note_date;

/// Least confidence of a passage that is about the same as the line that was found. Of ten facts and notes that changed
/// them in other words the latter have 0.69 to 0.89 with the embedded model, and other notes at most 0.52.
const THE_SAME_MATTER: f64 = 0.6;
/// How many later passages are looked at for one that may be shown.
const LOOKED_AT: usize = 5;

impl Remember {
    /// The passage of a day after all of `shown`, or below the first of them in its note, that tells of a change of what this
    /// says, with the latter's score: it belongs before it. None where the message asks for nothing of the user's or for a time, and where the first has no day.
    /// A hosted provider is not asked once more for it: there words alone find it. `began` is when the time limit of the recall did.
    pub(super) async fn later(
        self: &Arc<Self>,
        shown: &[Hit],
        question: &Question,
        (asked, automatic): (&Asked, &Automatic),
        files: RecallFiles,
        began: Instant,
    ) -> Result<Option<Hit>> {
        let asks = matches!(recall_intent(&question.text), Some(intent) if intent != Intent::General);
        let first = shown.first().filter(|first| asks && note_date(&first.path).is_some());
        let Some(first) = first else { return Ok(None) };
        let newest = shown.iter().filter_map(|hit| note_date(&hit.path)).max();
        let (Some(newest), None, Some(line)) = (newest, &question.plan.time.range, question.line_of(first)) else {
            return Ok(None);
        };
        let zone = self.context.settings().settings.zone_name();
        let call = SearchCall {
            max_results: Some(LOOKED_AT),
            min_score: Some(THE_SAME_MATTER),
            excerpt: Some(0),
            lexical_only: self.context.provider().is_hosted(),
            deadline_ms: Some(left(automatic, began)),
            wish: Wish { since: Some(newest.to_string()), ..Wish::default() },
            ..SearchCall::of_notes()
        };
        let of_line = Question::of(line, asked, &zone);
        let Some((hits, _)) = self.seen(&of_line, call, asked, automatic, files.shared).await? else { return Ok(None) };
        let is_later = |hit: &Hit| {
            let is_below = hit.path == first.path && hit.start_line > first.end_line;
            is_below || note_date(&hit.path).is_some_and(|day| day > newest)
        };
        let may_be_shown = |hit: &Hit| {
            is_later(hit)
                && hit.excerpt.as_deref().is_some_and(tells_of_a_change)
                && !filter::gives_orders(&hit.snippet)
        };
        let (own, others) = self.by_origin(hits.into_iter().filter(may_be_shown).collect()).await?;
        let found = match own.into_iter().next() {
            None if others.is_empty() => None,
            None => self.blocking(move |_, _| captured_lines::best(&Journal::new(&files.folder), others)).await?,
            own => own,
        };
        Ok(found.map(|hit| Hit { score: first.score, excerpt: None, ..hit }))
    }
}

/// Milliseconds that are left of the time limit of a recall.
fn left(automatic: &Automatic, began: Instant) -> u64 {
    let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    automatic.auto_recall_timeout_ms.saturating_sub(spent).max(1)
}
