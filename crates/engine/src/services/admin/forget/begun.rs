//! What was begun to be forgotten and is not finished, for those who meet it later: a gateway that runs already looks for it every minute,
//! `index` and `doctor` finish it, `status` tells it.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use super::super::{
    super::{SyncCall, context::Service},
    Admin,
    doctor::{Check, RUN_DOCTOR},
};
use crate::{
    forgetting::plan::{Listing, Plans},
    index::{Progress, SyncReport},
};
use model::{cancel::Cancel, error::Result};

/// How often a gateway looks, and how seldom at most after a failure.
const LOOK_EVERY: Duration = Duration::from_secs(60);
const LOOK_AT_LEAST_EVERY: Duration = Duration::from_secs(3600);
/// The reason of a sync that a command asks for.
const COMMAND: &str = "cli";

/// What the last look has found.
#[derive(Default)]
struct Seen {
    listing: Listing,
    begun: bool,
}

impl Admin {
    /// Brings the index up to date. A command first finishes what was begun to be forgotten: no gateway may be running that would.
    ///
    /// # Errors
    /// What reading, storing or the provider give. That something could not be finished is a warning.
    pub async fn sync(
        self: &Arc<Self>,
        call: SyncCall,
        cancel: Cancel,
        progress: Option<Progress>,
    ) -> Result<Arc<SyncReport>> {
        if call.reason == COMMAND {
            let _ = self.try_to_finish().await;
        }
        self.indexer.sync(call, cancel, progress).await
    }

    /// Finishes it now and whenever it is met later, once, in the background.
    pub(crate) fn finish_forgetting_in_background(self: &Arc<Self>) {
        let is_first = !self.looks.swap(true, Ordering::AcqRel);
        let admin = Arc::clone(self);
        tokio::spawn(async move {
            let _ = admin.try_to_finish().await;
            if is_first {
                let weak = Arc::downgrade(&admin);
                drop(admin);
                look_again_and_again(weak, LOOK_EVERY).await;
            }
        });
    }

    /// As [`Self::finish_forgetting`]; why it could not be is in the log as well.
    pub(super) async fn try_to_finish(self: &Arc<Self>) -> Result<()> {
        let finished = self.finish_forgetting().await;
        if let Err(error) = &finished {
            self.context.warn(error, "what was begun to be forgotten could not be finished");
        }
        finished
    }

    /// One look: reads no plan while nothing has changed in their folder.
    async fn look_for_begun(self: &Arc<Self>, seen: Seen) -> (Seen, bool) {
        let look = |admin: &Arc<Self>, known: &Seen| {
            let plans = Plans::of(admin.context.store());
            let listing = plans.listing();
            let has_changed = listing != known.listing;
            let begun = (has_changed || known.begun) && plans.has_begun()?;
            // One that is being written now is whole by the next look.
            let left = begun || !has_changed && listing.has_unfinished();
            Ok((Seen { listing, begun }, left))
        };
        match self.blocking(move |admin, _| look(admin, &seen)).await {
            Ok((seen, true)) => (seen, self.try_to_finish().await.is_ok()),
            Ok((seen, false)) => (seen, true),
            Err(error) => {
                self.context.warn(&error, "whether something was begun to be forgotten could not be looked at");
                (Seen::default(), false)
            }
        }
    }

    /// Whether it is finished, and that it was where that was asked for.
    pub(in super::super) async fn begun(self: &Arc<Self>, repair: bool) -> Check {
        let name = "forgetting";
        let checked = async {
            let Some(left) = self.blocking(|admin, _| Plans::of(admin.context.store()).left()).await? else {
                return Ok(Check::well(name, "nothing that was begun to be forgotten is unfinished"));
            };
            let why = left.problem.map(|problem| format!(": {problem}")).unwrap_or_default();
            let told = format!("what was begun to be forgotten is not finished{why}");
            if !repair {
                return Ok(Check::bad(name, told, RUN_DOCTOR));
            }
            self.finish_forgetting().await?;
            Ok(Check::repaired(name, told, "finished it"))
        };
        checked.await.unwrap_or_else(|error| Check::failed(name, &error))
    }
}

/// Until the engine ends.
async fn look_again_and_again(admin: Weak<Admin>, period: Duration) {
    let (mut seen, mut wait) = (Seen::default(), period);
    loop {
        tokio::time::sleep(wait).await;
        let Some(admin) = admin.upgrade().filter(|admin| !admin.context.is_closed()) else { return };
        let (found, went_well) = admin.look_for_begun(seen).await;
        seen = found;
        wait = if went_well { period } else { (wait * 2).min(LOOK_AT_LEAST_EVERY) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        forgetting::plan::{Plan, State},
        services::{
            Lease,
            testing::{Home, hits, indexed},
        },
        workspace::exclusions::{What, line_hash},
    };

    const LINE: &str = "The safe in the attic opens with Wobbelkraut.";

    /// As a process leaves it that was killed when it had begun.
    fn begin(engine: &Lease) -> Plans {
        let plans = Plans::of(engine.context.store());
        let what = What::Lines { path: "memory/a.md".into(), here: Vec::new(), everywhere: vec![line_hash(LINE)] };
        let report = serde_json::to_value(super::super::ForgetReport::default()).unwrap();
        let applied_ms = engine.context.now_ms();
        let plan =
            Plan { id: "a1".into(), state: State::Applying, applied_ms, whats: vec![what], report, ..Plan::default() };
        plans.save(&plan).unwrap();
        plans
    }

    async fn with_note() -> (Home, Lease) {
        indexed(&[("memory/a.md", &format!("# Safe\n\n{LINE}\n")), ("MEMORY.md", "The tea is sencha.")]).await
    }

    // Only the start of a gateway finished it: one that was running never did, for days.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_running_gateway_finishes_what_a_killed_command_has_begun() {
        let (_home, engine) = with_note().await;
        let task = tokio::spawn(look_again_and_again(Arc::downgrade(&engine.admin), Duration::from_millis(10)));
        let plans = begin(&engine);
        let finished = async {
            while plans.load("a1").unwrap().unwrap().state != State::Applied {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), finished).await.expect("nobody finishes it");
        assert!(hits(&engine, "wobbelkraut").await.is_empty());
        engine.release().await;
        tokio::time::timeout(Duration::from_secs(60), task).await.expect("it goes on").unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_look_waits_for_who_is_at_it_and_leaves_alone_what_is_being_written() {
        let (_home, engine) = with_note().await;
        let plans = begin(&engine);
        let turn = plans.turn().unwrap();
        assert!(plans.left().unwrap().is_none(), "somebody is at it");
        let (seen, _) = engine.admin.look_for_begun(Seen::default()).await;
        assert!(seen.begun);
        drop(turn);
        assert!(plans.left().unwrap().is_some());
        let (seen, _) = engine.admin.look_for_begun(seen).await;
        assert!(!plans.has_begun().unwrap() && plans.left().unwrap().is_none());
        let half = engine.context.store().kept(store::Kept::Forgetting).join(".0f.tmp");
        std::fs::write(&half, "Wobbelkraut").unwrap();
        let (seen, _) = engine.admin.look_for_begun(seen).await;
        assert!(half.exists());
        engine.admin.look_for_begun(seen).await;
        assert!(!half.exists());
        engine.release().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn status_and_doctor_tell_it_and_index_and_doctor_finish_it() {
        let (_home, engine) = with_note().await;
        let left = async || engine.indexer.inspect().await.unwrap()["forgettingBegun"] == true;
        let check = async |repair: bool| {
            let checks = engine.admin.doctor(repair).await.unwrap();
            checks.into_iter().find(|check| check.name == "forgetting").unwrap()
        };
        assert!(!left().await && check(false).await.ok);
        begin(&engine);
        assert!(left().await && !check(false).await.ok);
        assert!(check(true).await.did.is_some() && !left().await);
        begin(&engine);
        let sync = |reason: &str| SyncCall { reason: reason.into(), force: false, text_only: false };
        engine.admin.sync(sync("watch"), Cancel::new(), None).await.unwrap();
        assert!(left().await, "the look of the gateway does it");
        engine.admin.sync(sync("cli"), Cancel::new(), None).await.unwrap();
        assert!(!left().await && hits(&engine, "wobbelkraut").await.is_empty());
        engine.release().await;
    }
}
