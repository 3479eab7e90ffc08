//! What a sync would do with conversations, from a real comparison: nothing is written.

use std::{cell::RefCell, collections::HashSet, sync::Arc};

use super::{
    identity::generation_identity,
    plan::{Plan, Vectors},
    rows::Shape,
    session_pass::{Mode, Scope, SessionPass, SessionReport},
};
use crate::transcripts::host::AskHost;
use embed::Space;
use model::{cancel::Cancel, config::settings::Settings, error::Result};
use store::{Store, generations::GenerationId};

/// What is compared.
pub(crate) struct SessionPlan<'a> {
    /// The store.
    pub store: &'a Store,
    /// The settings.
    pub settings: &'a Settings,
    /// A host that keeps its transcripts itself.
    pub host: Option<&'a AskHost>,
    /// Transcripts of which the host told that enough is new.
    pub noted: &'a HashSet<String>,
    /// Stops it.
    pub cancel: &'a Cancel,
}

impl SessionPlan<'_> {
    /// Adds to a plan of the notes what is to be done with conversations.
    ///
    /// # Errors
    /// When the store or the host cannot be asked.
    pub(crate) fn add_to(&self, plan: &mut Plan, space: Option<&Space>) -> Result<()> {
        let generation = self.store.read_with(self.cancel, |r| {
            Ok(r.live()?.filter(|_| plan.rebuild.is_none()).map(|live| live.id).unwrap_or_default())
        })?;
        let counted = RefCell::new(Vec::new());
        let report = self.look(generation, Scope::All, &counted)?;
        plan.files += report.files;
        plan.changed.extend(report.changed);
        plan.removed.extend(report.removed);
        plan.skipped.extend(report.skipped);
        if let Some(space) = space {
            let vectors = Vectors::of(self.store, space, self.cancel)?;
            let mut seen = HashSet::new();
            let fresh: Vec<_> = counted.into_inner().into_iter().filter(|(hash, _)| seen.insert(*hash)).collect();
            self.store.read_with(self.cancel, |r| plan.count_missing(r, &vectors, &fresh))?;
        }
        Ok(())
    }

    /// Whether a pass over what is due would find something.
    ///
    /// # Errors
    /// When the store or the host cannot be asked.
    pub(crate) fn is_due(&self) -> Result<bool> {
        let shape = Shape::of(self.settings);
        let live = self.store.read_with(self.cancel, |r| r.live())?;
        let Some(live) = live.filter(|live| live.identity == generation_identity(shape, self.settings)) else {
            return Ok(true);
        };
        let report = self.look(live.id, Scope::Due, &RefCell::default())?;
        Ok(!report.changed.is_empty() || !report.removed.is_empty())
    }

    fn look(
        &self,
        generation: GenerationId,
        scope: Scope,
        counted: &RefCell<Vec<([u8; 32], usize)>>,
    ) -> Result<SessionReport> {
        let pass = SessionPass {
            store: self.store,
            settings: self.settings,
            generation,
            scope,
            noted: self.noted,
            host: self.host,
            mode: Mode::Plan(counted),
            cancel: self.cancel,
            progress: &(Arc::new(|_: &_| {}) as _),
        };
        pass.run()
    }
}
