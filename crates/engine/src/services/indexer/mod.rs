//! Disk to index: passes over notes and conversations, the vectors after them, and what makes both begin by themselves.

mod background;
mod catch_up;
mod exchanging;
mod first;
mod lines;
mod maintenance;
mod queue;
mod quiet;
mod sessions;
mod swept;
mod sync;

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};

use self::{
    background::Background,
    lines::LineQueue,
    quiet::{Quiet, Searching},
    sessions::Sessions,
    swept::Swept,
    sync::{TextQueue, VectorQueue},
};
use super::model_check;
use super::{
    context::{Context, Service},
    telemetry::{Activity, Telemetry},
    writer::WriterLease,
};
use crate::{
    forgetting::plan::Plans,
    index::{line_pass::RecentLines, plan},
};
use model::error::Result;
use store::{Store, files::Hash, lease::LeaseRow};

pub use self::sync::SyncCall;
pub(super) use self::sync::VectorCall;

/// Keeps the index of one engine up to date with the disk.
pub struct Indexer {
    context: Arc<Context>,
    telemetry: Arc<Telemetry>,
    writer: Arc<WriterLease>,
    texts: Arc<TextQueue>,
    vectors: Arc<VectorQueue>,
    lines: Arc<LineQueue>,
    recent_lines: Arc<RecentLines>,
    sessions: Sessions,
    quiet: Quiet,
    background: Mutex<Option<Background>>,
    /// Something changed on disk since the last text pass began.
    dirty: AtomicBool,
    /// Where it is, whether that is only for notes which the database has and this workspace does not have yet.
    behind: AtomicBool,
    /// Whether that can only be what the watcher has named.
    swept: Swept,
    /// A text pass has run, or the index held something when it was first searched.
    indexed: AtomicBool,
    /// When the disk was last compared with the index, in milliseconds since the epoch; 0 = never.
    compared_ms: AtomicI64,
    /// A check for damage is under way.
    checking: AtomicBool,
    /// A text pass is at work on an index that was empty before.
    reading_first: AtomicBool,
}

impl Service for Indexer {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Indexer {
    pub(super) fn new(context: &Arc<Context>, telemetry: &Arc<Telemetry>, writer: &Arc<WriterLease>) -> Self {
        Self {
            context: Arc::clone(context),
            telemetry: Arc::clone(telemetry),
            writer: Arc::clone(writer),
            texts: Arc::default(),
            vectors: Arc::default(),
            lines: Arc::default(),
            recent_lines: Arc::default(),
            sessions: Sessions::default(),
            quiet: Quiet::default(),
            background: Mutex::default(),
            dirty: AtomicBool::new(false),
            behind: AtomicBool::new(false),
            swept: Swept::default(),
            indexed: AtomicBool::new(false),
            compared_ms: AtomicI64::new(0),
            checking: AtomicBool::new(false),
            reading_first: AtomicBool::new(false),
        }
    }

    /// A search is under way as long as this is there: looks at the whole disk wait for it.
    pub(super) fn searching(&self) -> Searching {
        self.quiet.searching()
    }

    /// What the service tells of itself.
    pub(super) const fn telemetry(&self) -> &Arc<Telemetry> {
        &self.telemetry
    }

    /// Who may write, for tests that stand in the way.
    #[cfg(test)]
    pub(super) const fn writer(&self) -> &Arc<WriterLease> {
        &self.writer
    }

    /// Notes were changed by this engine itself: the index follows.
    pub(super) fn notes_changed(self: &Arc<Self>) {
        self.mark_dirty();
        self.sync_in_background();
    }

    /// The disk is ahead of the index.
    pub(super) fn mark_dirty(&self) {
        // First: whoever begins a pass looks at it last.
        self.swept.forget();
        self.behind.store(false, Ordering::Release);
        self.dirty.store(true, Ordering::Release);
    }

    /// The disk is ahead of the index where a pass is told to look.
    fn mark_named(&self) {
        self.behind.store(false, Ordering::Release);
        self.dirty.store(true, Ordering::Release);
    }

    /// The index was cleared, or another one is in its place: the next look at the disk is the first.
    pub(super) fn begin_anew(&self) {
        self.indexed.store(false, Ordering::Release);
        self.mark_dirty();
    }

    /// Nothing is known of how the index compares with the disk.
    pub(super) fn forget_comparison(&self) {
        self.compared_ms.store(0, Ordering::Release);
    }

    /// The disk was just compared with the index.
    fn compared_now(&self) {
        self.compared_ms.store(self.context.now_ms(), Ordering::Release);
    }

    /// What goes on now.
    fn activity(&self) -> Activity {
        Activity {
            reading: self.texts.is_running(),
            embedding: self.vectors.is_running(),
            filling_lines: self.lines.is_running(),
            dirty: self.dirty.load(Ordering::Acquire),
            behind: self.behind.load(Ordering::Acquire),
            compared_ms: self.compared_ms.load(Ordering::Acquire),
            watch: self.background.lock().as_ref().and_then(Background::watch_health),
        }
    }

    /// The host's `MemoryProviderStatus`. Synchronous, from memory.
    pub(super) fn status(&self) -> Value {
        self.telemetry.status(&self.activity())
    }

    /// Compares the disk with the index: `{status, plan, skipped, origins, usage, unknownLanguages, otherWorkspaces, database,
    /// limits, comparedAtMs, forgettingBegun, forgettingProblem}`; `usage` is what today cost, `database` what its server says of
    /// itself and who indexes, `forgettingProblem` why what was begun to be forgotten is not finished.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn inspect(self: &Arc<Self>) -> Result<Value> {
        let embedder = self.context.provider().embedder().ok().flatten();
        self.telemetry.book_all().await;
        self.blocking(move |indexer, settings| {
            let (store, shutdown) = (indexer.context.store(), indexer.context.shutdown());
            let space = embedder.as_ref().map(|e| e.space().clone());
            let mut plan = plan::plan(store, settings, false, (space.as_ref(), HashSet::new()), shutdown)?;
            indexer.plan_sessions(settings, |sessions| sessions.add_to(&mut plan, space.as_ref()))?;
            indexer.was_cleared()?;
            // A pass that runs will say for itself what it leaves behind.
            if plan.is_stale() || !indexer.texts.is_running() {
                if plan.is_stale() {
                    indexer.mark_dirty();
                    indexer.behind.store(plan.is_only_behind(), Ordering::Release);
                } else {
                    indexer.dirty.store(false, Ordering::Release);
                }
            }
            indexer.compared_now();
            // Has what lines lack counted.
            indexer.line_model(settings)?;
            indexer.telemetry.refresh(shutdown);
            indexer.telemetry.note_lost(plan.lost.clone());
            indexer.telemetry.note_foreign(indexer.is_foreign(settings, shutdown)?);
            let skipped = store.read(|r| r.skipped())?;
            let left = Plans::of(store).left()?;
            Ok(json!({
                "status": indexer.status(),
                "plan": plan,
                "skipped": skipped,
                "origins": indexer.context.settings().origins,
                "limits": embedder.as_ref().map(|e| e.limits()),
                "usage": indexer.telemetry.usage_today(settings)?,
                "unknownLanguages": indexer.telemetry.unknown_languages(embedder.as_deref())?,
                "otherWorkspaces": store.siblings(),
                "database": database_of(store)?,
                "comparedAtMs": indexer.context.now_ms(),
                "forgettingBegun": left.is_some(),
                "forgettingProblem": left.and_then(|left| left.problem),
            }))
        })
        .await
    }

    /// What a sync would do and cost, without doing it; with `rebuild` when all vectors are begun anew. `cost` is in the
    /// user's currency, where the price of a token is set.
    ///
    /// # Errors
    /// When the disk or the store cannot be read.
    pub async fn plan(self: &Arc<Self>, force: bool, rebuild: bool) -> Result<Value> {
        self.plan_after(force, rebuild, Vec::new()).await
    }

    /// The same, once vectors of the texts `taken` are taken over, as [`ImportOutcome::would_take`] names them.
    ///
    /// [`ImportOutcome::would_take`]: super::ImportOutcome::would_take
    ///
    /// # Errors
    /// When the disk or the store cannot be read.
    pub async fn plan_after(self: &Arc<Self>, force: bool, rebuild: bool, taken: Vec<String>) -> Result<Value> {
        let hash = |name: String| Hash::try_from(hex::decode(name).ok()?).ok();
        let taken: HashSet<Hash> = taken.into_iter().filter_map(hash).collect();
        self.blocking(move |indexer, settings| {
            let goes_on = indexer.context.store().read(|r| {
                model_check::follow(&indexer.context, r)?;
                model_check::is_under_way(&indexer.context, r)
            });
            // A provider that cannot be used makes no vectors.
            let goes_on = goes_on.unwrap_or_default();
            let embedder = indexer.context.provider().embedder().ok().flatten();
            let space = embedder.as_ref().map(|e| e.space().clone());
            let anew = rebuild && !goes_on && embedder.as_ref().is_some_and(|e| !e.is_local());
            let space =
                space.map(|s| if anew { s.revised(s.revision.unwrap_or_default().saturating_add(1)) } else { s });
            let (store, shutdown) = (indexer.context.store(), indexer.context.shutdown());
            let mut plan = plan::plan(store, settings, force, (space.as_ref(), taken), shutdown)?;
            indexer.plan_sessions(settings, |sessions| sessions.add_to(&mut plan, space.as_ref()))?;
            Ok(json!({
                "cost": settings.price_of(plan.tokens as u64),
                "plan": plan,
                "paid": indexer.context.provider().is_paid(settings),
                "local": embedder.as_ref().is_none_or(|e| e.is_local()),
            }))
        })
        .await
    }
}

/// What the server of an index in a database says of itself, and which process indexes; null of a file.
fn database_of(store: &Store) -> Result<Value> {
    let Some(server) = store.server()? else { return Ok(Value::Null) };
    let mut told = json!(server);
    if let Some(comparing) = store.comparing()? {
        told["comparing"] = json!(comparing);
        told["compared"] = json!(comparing.to_string());
    }
    let (lease, holders) = store.read(|r| Ok((r.lease()?, r.holders()?)))?;
    told["gateways"] = json!(holders);
    if let Some(lease) = lease.filter(|lease| lease.expires_ms > 0) {
        let LeaseRow { owner, expires_ms, .. } = lease;
        told["lease"] = json!({ "host": owner.host, "pid": owner.pid, "expiresMs": expires_ms });
    }
    Ok(told)
}
