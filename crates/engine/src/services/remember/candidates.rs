//! What active memory may choose from: the search of auto-recall, with the passages that it alone would not show.

use std::{path::PathBuf, sync::Arc, time::Instant};

use serde::Serialize;
use text::envelope;

use super::{
    Remember, SearchCall,
    recall::{LEAST_SCORE, RecallFiles, SPARE_RESULTS, asking},
};
use crate::{
    active_memory::{
        intent::Intent,
        lane::{Lane, lane, stands_out},
        query,
    },
    capture::{
        filter,
        queue::Role,
        recall::{self, Asked, Question},
    },
};
use ::search::types::Hit;
use model::{config::automatic::Automatic, error::Result};

/// What a search found for a message.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The user's words.
    pub message: String,
    /// What they ask memory for.
    pub intent: Option<Intent>,
    /// Passages, best first.
    pub candidates: Vec<Candidate>,
}

/// A passage that may help.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The passage.
    #[serde(flatten)]
    pub hit: Hit,
    /// Whether auto-recall shows it.
    pub fits: bool,
}

/// What a model is shown of a passage, in UTF-16 units: with 200 it sees the line that answers in 77 of 79 turns of the
/// development half of `eval/sets/active-memory` whose passage is found, with 120 in 71, with the beginnings of passages, 400
/// long, in 64 for a quarter more.
const EXCERPT: usize = 200;

/// Passages that are found by a message together with the one before it, where a model may be asked, and as many with the answer to
/// that: who goes on about a thing need not name it again. With two the model sees the line that answers in 82 turns of that half,
/// without in 77; a third changes nothing. With the answers the right note is among what it sees in 516 of 556 turns of the halves
/// that may be looked at, without in 501.
const OF_CONTEXT: usize = 2;

/// How many passages that a message alone finds a model sees whatever their confidence, and the share of the best one's that others
/// need. In the halves that may be looked at nothing right is lost by it, and a turn costs 18 tokens less.
const ALWAYS_SEEN: usize = 4;
const LEAST_SHARE: f64 = 0.33;

impl Remember {
    /// What memory may have to say about a message, within `autoRecallTimeoutMs`. Lines that were written in a
    /// conversation of several people and passages that try to give orders are left out; of a file that the host does not
    /// vouch for, all but what auto-capture itself has written and auto-recall shows.
    ///
    /// # Errors
    /// As [`Self::recall`].
    pub async fn recall_candidates(
        self: &Arc<Self>,
        asked: &Asked,
        automatic: &Automatic,
        files: RecallFiles,
    ) -> Result<Found> {
        let resolved = self.context.settings();
        let message = envelope::strip(&asked.prompt);
        let nothing = |message: String| Found { message, intent: None, candidates: Vec::new() };
        let zone = resolved.settings.zone_name();
        let Some(question) = recall::question(asked, automatic, &zone) else {
            return Ok(nothing(message));
        };
        let began = Instant::now();
        let asking = asking(&question, &message);
        let of_recall = automatic.auto_recall_max_results + SPARE_RESULTS;
        let most = of_recall.max(automatic.active_memory.max_passages + SPARE_RESULTS);
        let seen = self.seen(&question, asking_for(most), asked, automatic, files.shared.clone()).await?;
        let Some((hits, by_meaning)) = seen else {
            return Ok(nothing(message));
        };
        let least = resolved.settings.query.min_score.unwrap_or(LEAST_SCORE);
        let shown = hits.iter().filter(|hit| hit.score >= least).take(of_recall).cloned().collect();
        let fitting = question.relevant(shown, automatic, by_meaning);
        let is_fitting = |hit: &Hit| {
            fitting.iter().any(|other| {
                (&other.path, other.start_line, &other.snippet) == (&hit.path, hit.start_line, &hit.snippet)
            })
        };
        let (own, others) = self.by_origin(hits.into_iter().filter(is_harmless).collect()).await?;
        let others = others.into_iter().filter(is_fitting).collect();
        let captured = self.captured(others, &question, automatic, files.folder.clone()).await?;
        let own = own.into_iter().map(|hit| Candidate { fits: is_fitting(&hit), hit });
        let mut candidates: Vec<Candidate> =
            own.chain(captured.into_iter().map(|hit| Candidate { hit, fits: true })).collect();
        candidates.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
        let active = &automatic.active_memory;
        let best = candidates.first().map_or(active.floor, |best| best.hit.score.max(active.floor));
        let intent = asking.intent(best);
        let stands_out = stands_out(candidates.iter().map(|one| (one.hit.score, one.fits)));
        let may_ask = lane(active, Some(best), intent, stands_out) == Lane::Model;
        if may_ask {
            let mut places = 0..;
            let is_seen = |one: &Candidate| one.fits || one.hit.score >= best * LEAST_SHARE;
            candidates.retain(|one| places.next() < Some(ALWAYS_SEEN) || is_seen(one));
            let mut new = self.in_conversation(&question, asked, automatic, files.shared.clone()).await?;
            new.retain(|hit| !candidates.iter().any(|known| known.hit.overlaps(hit)));
            let place = candidates.len().min(active.max_passages.saturating_sub(new.len()));
            candidates.splice(place..place, new.into_iter().map(|hit| Candidate { hit, fits: false }));
        }
        let fitting: Vec<Hit> = candidates.iter().filter(|one| one.fits).map(|one| one.hit.clone()).collect();
        if let Some(later) = self.later(&fitting, &question, (asked, automatic), files, began).await? {
            candidates.retain(|one| !one.hit.overlaps(&later));
            candidates.insert(0, Candidate { hit: later, fits: true });
        }
        Ok(Found { message, intent, candidates })
    }

    /// What is found by a message together with what was said before it.
    async fn in_conversation(
        self: &Arc<Self>,
        question: &Question,
        asked: &Asked,
        automatic: &Automatic,
        shared: PathBuf,
    ) -> Result<Vec<Hit>> {
        let zone = self.context.settings().settings.zone_name();
        let replied = asked.replied.as_deref().map(|text| query::said(Role::Assistant, text));
        let in_reply = replied.and_then(|replied| Question::in_reply(asked, &replied, &zone));
        let found = async |question: Option<Question>| -> Result<Vec<Hit>> {
            let Some(question) = question else { return Ok(Vec::new()) };
            let seen = self.seen(&question, asking_for(OF_CONTEXT), asked, automatic, shared.clone()).await?;
            let hits = seen.map(|(hits, _)| hits).unwrap_or_default();
            Ok(self.by_origin(hits.into_iter().filter(is_harmless).collect()).await?.0)
        };
        // Beside each other: a reply waits, and a hosted provider embeds each.
        let (mut all, of_reply) = tokio::try_join!(found(question.in_context(asked, &zone)), found(in_reply))?;
        for hit in of_reply {
            if !all.iter().any(|known| known.overlaps(&hit)) {
                all.push(hit);
            }
        }
        Ok(all)
    }
}

/// How much is asked for.
fn asking_for(most: usize) -> SearchCall {
    SearchCall {
        max_results: Some(most),
        excerpt: Some(EXCERPT),
        min_score: Some(LEAST_SCORE),
        ..SearchCall::of_notes()
    }
}

fn is_harmless(hit: &Hit) -> bool {
    !filter::gives_orders(&hit.snippet)
}
