//! Texts that a killed process was writing: named by `memory doctor`, and removed by it, by the next start and on leaving.

use std::sync::{Arc, atomic::Ordering};

use super::{
    super::{OpenCall, context::Service},
    Admin,
    doctor::{Check, RUN_DOCTOR},
};
use crate::{
    blocking::blocking,
    workspace::unfinished::{Unfinished, Which, find, remove},
};
use model::{
    config::{resolve::resolve, settings::Settings},
    error::Result,
};

impl Admin {
    /// What is left of them, and that it was removed where that was asked for. A text that may still be in the making is not
    /// touched.
    pub(super) fn unfinished(&self, settings: &Settings, repair: bool) -> Check {
        let name = "unfinished";
        let which = Which::abandoned_at(self.context.now_ms());
        let found = if repair { remove(settings, &[], which) } else { Ok(find(settings, &[], which)) };
        match found {
            Err(error) => Check::failed(name, &error),
            Ok(found) if found.is_empty() => Check::well(name, "no text that a killed process was writing"),
            Ok(found) if repair => Check::repaired(name, told(&found), "removed them"),
            Ok(found) => Check::bad(name, told(&found), RUN_DOCTOR),
        }
    }

    /// Removes them, once, when nobody waits for it.
    pub(crate) fn remove_unfinished_in_background(self: &Arc<Self>) {
        if self.tidied.swap(true, Ordering::AcqRel) {
            return;
        }
        let admin = Arc::clone(self);
        tokio::spawn(async move {
            let which = Which::abandoned_at(admin.context.now_ms());
            let work = move |admin: &Arc<Self>, settings: &Settings| {
                if let Some(file) = admin.context.store().admin() {
                    file.remove_abandoned();
                }
                remove(settings, &[], which)
            };
            match admin.background(work).await {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    let (agent, files) = (admin.context.agent(), count(&found));
                    tracing::info!(agent, files, "removed texts that a killed process had not written to the end");
                }
                Err(error) => admin.context.warn(&error, "a text that a killed process was writing was not removed"),
            }
        });
    }
}

/// What killed processes have left of an agent's texts outside of the index, in its workspace and our own folders; `removing`
/// takes it away, whoever may be writing. None when memory search is switched off.
///
/// # Errors
/// What resolving the settings gives, and when one cannot be removed.
pub async fn unfinished_texts(call: OpenCall, removing: bool) -> Result<Vec<Unfinished>> {
    blocking(move || {
        let Some(resolved) = resolve(&call.resolve_input())? else { return Ok(Vec::new()) };
        let settings = &resolved.settings;
        if removing { remove(settings, &[], Which::All) } else { Ok(find(settings, &[], Which::All)) }
    })
    .await
}

fn count(found: &[Unfinished]) -> usize {
    found.iter().map(|found| found.files).sum()
}

fn told(found: &[Unfinished]) -> String {
    let each = found.iter().map(|Unfinished { folder, files, .. }| format!("{files} in {}", folder.display()));
    format!("texts that a killed process was writing: {}", each.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[path = "unfinished_tests.rs"]
mod tests;
