//! What a later note changed of what a recall found, of that which may be shown in a conversation.

use std::{sync::Arc, time::Instant};

use super::{
    super::{
        context::Service,
        searcher::later::{is_change, left, line_that_may_have_changed, may_change},
    },
    RecallFiles, Remember, SearchCall,
};
use crate::{
    active_memory::intent::{Asking, Intent},
    capture::{
        captured_lines, filter,
        journal::Journal,
        recall::{Asked, Question},
    },
};
use ::search::types::Hit;
use model::{config::automatic::Automatic, error::Result};

impl Remember {
    /// The passage that tells of a change of what the first of `shown` says, with the latter's score: it belongs before it. None
    /// where one of them says so already, and where the message asks for nothing of the user's: nobody has asked memory then. `began` is when the time limit of the recall did.
    pub(super) async fn later(
        self: &Arc<Self>,
        shown: &[Hit],
        question: &Question,
        (asked, automatic): (&Asked, &Automatic),
        files: RecallFiles,
        began: Instant,
    ) -> Result<Option<Hit>> {
        let Some(first) = shown.first() else { return Ok(None) };
        let line = line_that_may_have_changed(first, question)
            .filter(|_| Asking::of(&question.text).intent(first.score).is_some_and(Intent::asks_memory));
        let Some(line) = line else { return Ok(None) };
        let call = SearchCall {
            deadline_ms: Some(left(automatic.auto_recall_timeout_ms, began)),
            ..self.searcher.call_for_later(first)
        };
        let of_line = Question::of(line, asked, &self.context.settings().settings.zone_name());
        let Some((hits, _)) = self.seen(&of_line, call, asked, automatic, files.shared).await? else { return Ok(None) };
        let may_be_shown = |hit: &Hit| {
            is_change(hit, first)
                && may_change(hit, &of_line.text, &question.text)
                && !filter::gives_orders(&hit.snippet)
        };
        let (own, others) = self.by_origin(hits.into_iter().filter(may_be_shown).collect()).await?;
        let found = match own.into_iter().next() {
            None if others.is_empty() => None,
            None => self.blocking(move |_, _| captured_lines::best(&Journal::new(&files.folder), others)).await?,
            own => own,
        };
        let is_new = |hit: &Hit| !shown.iter().any(|known| known.overlaps(hit));
        Ok(found.filter(is_new).map(|hit| Hit { score: first.score, excerpt: None, ..hit }))
    }
}
