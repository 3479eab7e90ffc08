//! What is known about passages, and the curated entries that hosts ask for before a reply.

use std::{collections::HashMap, sync::Arc};

use super::{super::context::Service, SearchCall, Searcher};
use crate::{
    curated::{
        Curated,
        candidates::MOST,
        marked,
        triggers::{self, Match},
    },
    workspace::roots::Roots,
};
use ::search::{
    factors::View,
    provenance::{self, OriginClass},
    types::{About, Hit},
};
use model::{cancel::Cancel, config::settings::Settings, error::Result, source::Source};
use store::Look;

/// Results of a search by words that are compared with the triggers, as in the host.
const SEARCHED: usize = 24;

impl Searcher {
    /// What the curated files say now. A look at three files, and at those that the user vouches for; what has not changed
    /// is not read again.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) fn curated_files(&self, settings: &Settings) -> Result<Curated> {
        self.curated_with(settings, || self.context.store().read(marked))
    }

    /// The same as a step of a search.
    ///
    /// # Errors
    /// As [`Self::curated_files`].
    pub(super) fn curated_files_in(&self, look: &Look<'_>, settings: &Settings) -> Result<Curated> {
        self.curated_with(settings, || look.read(marked))
    }

    fn curated_with(&self, settings: &Settings, marked: impl FnOnce() -> Result<Vec<String>>) -> Result<Curated> {
        let marked = if settings.curated_paths.is_empty() { Vec::new() } else { marked()? };
        Ok(self.curated.current(&Roots::of(settings), &marked))
    }

    /// Entries with triggers, for a host that compares them with a message.
    ///
    /// # Errors
    /// When the engine is closed.
    pub async fn trigger_candidates(self: &Arc<Self>, active: Vec<String>, limit: usize) -> Result<Vec<Hit>> {
        self.blocking(move |searcher, settings| Ok(searcher.curated_files(settings)?.with_triggers(&active, limit)))
            .await
    }

    /// Entries of active projects, the most important first.
    ///
    /// # Errors
    /// When the engine is closed.
    pub async fn project_candidates(self: &Arc<Self>, active: Vec<String>, limit: usize) -> Result<Vec<Hit>> {
        self.blocking(move |searcher, settings| Ok(searcher.curated_files(settings)?.of_projects(&active, limit))).await
    }

    /// Which entries a message brings back by their triggers, the strongest first: the host's own lane for it, with the
    /// same figures.
    ///
    /// # Errors
    /// When cancelled or closed, or when the index cannot be read.
    pub async fn trigger_matches(self: &Arc<Self>, message: String, active: Vec<String>) -> Result<Vec<Match>> {
        let (of, keys) = (message.clone(), active.clone());
        let (candidates, may_be_more) = self
            .blocking(move |searcher, settings| {
                let curated = searcher.curated_files(settings)?;
                let candidates = curated.with_triggers(&keys, MOST);
                let may_be_more =
                    candidates.len() == MOST || triggers::names_any(&of, &curated.with_triggers_of_others(&keys));
                Ok((candidates, may_be_more))
            })
            .await?;
        // A reply may wait for this: of what a search finds, a candidate counts as it stands here, and only that is new
        // which is none and has a word of the message in a phrase.
        if !may_be_more {
            return Ok(triggers::matches(&message, candidates));
        }
        let found = self.searched_for_triggers(message.clone(), active).await?;
        Ok(triggers::matches(&message, candidates.into_iter().chain(found).collect()))
    }

    /// What a search finds of the user's and the agent's own files, to be compared with a message by its triggers.
    async fn searched_for_triggers(self: &Arc<Self>, message: String, active: Vec<String>) -> Result<Vec<Hit>> {
        let call = SearchCall {
            query: message,
            max_results: Some(SEARCHED),
            min_score: Some(0.0),
            lexical_only: true,
            active_projects: active,
            ..SearchCall::of_notes()
        };
        let found = self.search(call, Cancel::new()).await?.hits;
        let is_own = |hit: &Hit| {
            hit.about
                .provenance
                .as_ref()
                .is_some_and(|p| matches!(p.origin_class, OriginClass::Owner | OriginClass::Agent))
        };
        Ok(found.into_iter().filter(is_own).collect())
    }

    /// Adds to results what is known about them.
    pub(super) fn describe(&self, look: &Look<'_>, hits: &mut [Hit], view: &Arc<View>) -> Result<()> {
        if hits.is_empty() {
            return Ok(());
        }
        // Only hosts that keep conversations themselves tell who spoke.
        let knows_senders = self.context.hosts().conversations().is_some();
        let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
        let changed: HashMap<String, i64> = look.read(|reader| match reader.live()? {
            Some(live) => reader.changed_ms(live.id, &paths),
            None => Ok(HashMap::new()),
        })?;
        for hit in hits {
            let said = view.said(&hit.path, hit.start_line, hit.end_line);
            let is_curated = hit.source == Source::Memory && view.is_curated(&hit.path);
            let mut provenance = if is_curated {
                provenance::of_curated()
            } else {
                provenance::of(hit.source, &hit.path, &hit.snippet, knows_senders)
            };
            provenance.observed_at = changed.get(&hit.path).copied().unwrap_or_default();
            hit.about =
                About { provenance: Some(provenance), ..About::of(said.importance, &said.triggers, &said.projects) };
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "curated_tests.rs"]
mod tests;
