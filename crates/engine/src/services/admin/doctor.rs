//! `memory doctor`: looks at everything that can be wrong with an index, repairs what it can, and says what it did.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{
    super::{
        context::Service,
        indexer::{SyncCall, VectorCall},
        model_check::{self, Record},
        telemetry::Coverage,
    },
    Admin, database,
};
use crate::{
    capture::collect::one_line,
    exchange,
    index::{
        lost,
        plan::{self, Plan},
    },
    workspace::{
        exclusions::{Exclusions, list_path},
        skipped::{SkipCode, Skipped},
    },
};
use embed::factory::Selected;
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
};
use store::{others::Sibling, recover::with_suffix};

/// Most notes that a check names.
const MOST_NAMED: usize = 3;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether all is well now.
    pub ok: bool,
    /// What was found, in a sentence.
    pub found: String,
    /// What was done about it; none when nothing was, or had to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did: Option<String>,
    /// What the user can do, when it is not well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Check {
    pub(super) fn well(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, ok: true, found: found.into(), did: None, remedy: None }
    }

    pub(super) fn bad(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, ok: false, found: found.into(), did: None, remedy: Some(remedy.into()) }
    }

    pub(super) fn repaired(name: &'static str, found: impl Into<String>, did: impl Into<String>) -> Self {
        Self { name, ok: true, found: found.into(), did: Some(did.into()), remedy: None }
    }

    pub(super) fn failed(name: &'static str, error: &Error) -> Self {
        let remedy = error.remedy.clone().map(Into::into);
        Self { name, ok: false, found: error.message.clone(), did: None, remedy }
    }
}

/// What makes the vectors that are missing.
const INDEX_AGAIN: &str = "`openclaw memory index` makes them; until then these are found by keywords";
/// How an index of another workspace is removed.
const REMOVE_SIBLING: &str = "One that no running gateway uses, and nobody needs any more, is removed by deleting that \
    file and those of the same name with -wal and -shm; its vectors are then paid for again. Where a gateway has another \
    workspace than this command, as with agents of an old configuration, that one is in use";
/// What to say when a repair was not asked for.
pub(super) const RUN_DOCTOR: &str = "`openclaw memory doctor` repairs it";

impl Admin {
    /// Looks at the file, its integrity, its rows, the disk, the list of forgotten things and the provider.
    ///
    /// # Errors
    /// Only when the engine was closed: everything else is a check that is not well.
    pub async fn doctor(self: &Arc<Self>, repair: bool) -> Result<Vec<Check>> {
        let mut checks = self
            .blocking(move |admin, settings| {
                let mut checks = vec![admin.writable(), admin.permissions(repair)];
                match admin.context.store().server() {
                    Ok(server) => checks.extend(server.iter().flat_map(database::checks)),
                    Err(error) => checks.push(Check::failed("database", &error)),
                }
                if settings.vector_enabled
                    && let Ok(Some(comparing)) = admin.context.store().comparing()
                {
                    checks.push(database::compared(&comparing));
                }
                match admin.context.store().read(|r| r.holders()) {
                    Ok(holders) if holders.is_empty() => {}
                    Ok(holders) => checks.push(database::gateways(&holders, admin.context.now_ms())),
                    Err(error) => checks.push(Check::failed("gateways", &error)),
                }
                if exchange::is_wanted(settings) {
                    let status = exchange::status(admin.context.store());
                    checks.push(status.map_or_else(|error| Check::failed("notes", &error), |it| database::notes(&it)));
                }
                checks.push(admin.integrity(repair));
                checks.push(admin.leftovers(settings, repair));
                checks.push(admin.unfinished(settings, repair));
                checks.push(other_workspaces(&admin.context.store().siblings()));
                checks.push(forget_list(settings));
                Ok(checks)
            })
            .await?;
        checks.push(self.begun(repair).await);
        checks.push(self.disk(repair).await);
        checks.push(self.rows(repair).await);
        checks.extend(self.model(repair).await);
        checks.push(self.embeddings(repair).await);
        Ok(checks)
    }

    fn writable(&self) -> Check {
        // A write of nothing shows whether the disk takes one.
        match self.context.store().write(|_| Ok(())) {
            Ok(()) if self.context.store().admin().is_none() => Check::well("file", "the database can be written"),
            Ok(()) => Check::well("file", format!("{} can be written", self.context.store().path().display())),
            Err(error) => Check::failed("file", &error),
        }
    }

    /// The index holds private text.
    fn permissions(&self, repair: bool) -> Check {
        let name = "permissions";
        if self.context.store().admin().is_none() {
            return Check::well(name, "who may read it is the database's affair");
        }
        let open = open_to_others(self.context.store().path());
        match (open.is_empty(), repair) {
            (true, _) => Check::well(name, "nobody else can read the index"),
            (false, false) => Check::bad(name, format!("others can read {}", list(&open)), RUN_DOCTOR),
            (false, true) => match open.iter().try_for_each(|path| close_to_others(path)) {
                Ok(()) => Check::repaired(name, format!("others could read {}", list(&open)), "made them private"),
                Err(error) => Check::failed(name, &error),
            },
        }
    }

    /// Damage inside the file.
    fn integrity(&self, repair: bool) -> Check {
        let name = "integrity";
        let Some(admin) = self.context.store().admin() else {
            return Check::well(name, "whoever runs the database looks after it");
        };
        let found = match admin.verify(self.context.shutdown()) {
            Ok(()) => return Check::well(name, "no damage found"),
            Err(error) if error.code() == Code::Corrupt => error.message,
            Err(error) => return Check::failed(name, &error),
        };
        if !repair {
            return Check::bad(name, found, RUN_DOCTOR);
        }
        match admin.recover() {
            Ok(recovery) => {
                let aside = recovery.set_aside.map_or_else(String::new, |path| format!(" as {}", path.display()));
                let did = format!("set it aside{aside}, saved {} vectors, and indexed anew", recovery.salvaged);
                Check::repaired(name, found, did)
            }
            Err(error) => Check::failed(name, &error),
        }
    }

    /// Files beside the index that nobody needs any more.
    fn leftovers(&self, settings: &Settings, repair: bool) -> Check {
        let name = "leftovers";
        let admin = self.context.store().admin();
        let (abandoned, mut left) = admin.map(|file| (file.abandoned(), file.set_aside())).unwrap_or_default();
        left.extend(
            [".part", "-journal"]
                .map(|end| with_suffix(&settings.database_path, end))
                .into_iter()
                .filter(|p| p.exists()),
        );
        if left.is_empty() && abandoned.is_empty() {
            return Check::well(name, "no files left behind");
        }
        if !repair {
            left.extend(abandoned);
            return Check::bad(name, format!("left behind: {}", list(&left)), RUN_DOCTOR);
        }
        // The damaged file of a repair that was just made is for whoever wants to know why.
        let fresh = |path: &PathBuf| {
            fs::metadata(path)
                .and_then(|m| m.modified())
                .is_ok_and(|t| t.elapsed().is_ok_and(|age| age.as_secs() < 24 * 3600))
        };
        let (kept, mut old): (Vec<_>, Vec<_>) = left.into_iter().partition(fresh);
        old.extend(abandoned);
        let remove = |path: &PathBuf| if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match old.iter().try_for_each(|path| remove(path).map_err(|e| Error::io(path, &e))) {
            Err(error) => Check::failed(name, &error),
            Ok(()) if old.is_empty() => Check::well(name, format!("kept for a day: {}", list(&kept))),
            Ok(()) => Check::repaired(name, format!("left behind: {}", list(&old)), "removed them"),
        }
    }

    /// Rows that do not belong together.
    async fn rows(self: &Arc<Self>, repair: bool) -> Check {
        let name = "rows";
        let found = match self.blocking(|admin, _| admin.context.store().read(|r| r.inconsistencies())).await {
            Ok(found) => found,
            Err(error) => return Check::failed(name, &error),
        };
        if found.orphans + found.without_terms + found.full_text + found.vectors == 0 {
            return Check::well(name, "files, chunks, full text and vectors belong together");
        }
        let text = format!(
            "{} rows without owner, {} chunks without terms, {} chunks that differ in the full text, {} vectors of a wrong length",
            found.orphans, found.without_terms, found.full_text, found.vectors
        );
        if !repair {
            return Check::bad(name, text, RUN_DOCTOR);
        }
        let outcome = async {
            let lease = self.writer.take_soon().await?;
            let removed = self.blocking(|admin, _| admin.context.store().remove_inconsistent()).await;
            lease.give_back().await?;
            removed?;
            if found.need_rebuild() {
                let call = SyncCall { reason: "doctor".to_owned(), force: true, text_only: true };
                self.indexer.sync(call, Cancel::new(), None).await?;
            }
            Ok(())
        };
        match outcome.await {
            Ok(()) if found.need_rebuild() => {
                Check::repaired(name, text, "removed them and indexed the text anew; vectors were kept")
            }
            Ok(()) => Check::repaired(name, text, "removed them"),
            Err(error) => Check::failed(name, &error),
        }
    }

    /// Whether the index shows what is on disk.
    async fn disk(self: &Arc<Self>, repair: bool) -> Check {
        let name = "disk";
        let compare = |admin: &Arc<Self>, settings: &Settings| {
            plan::plan(admin.context.store(), settings, false, (None, HashSet::new()), admin.context.shutdown())
        };
        let plan = match self.blocking(compare).await {
            Ok(plan) => plan,
            Err(error) => return Check::failed(name, &error),
        };
        // Nothing here brings them back, and everything else would say that all is well.
        if let Some(told) = lost::told(&plan.lost) {
            return Check::bad(name, format!("notes are missing: {told}"), lost::REMEDY);
        }
        if !plan.is_stale() {
            return self.left_out(name, &plan);
        }
        let text = plan.differences();
        if !repair {
            return Check::bad(name, text, "`openclaw memory index` brings it up to date");
        }
        let call = SyncCall { reason: "doctor".to_owned(), force: false, text_only: false };
        match self.indexer.sync(call, Cancel::new(), None).await {
            Ok(_) if plan.is_only_behind() => Check::repaired(name, text, "exchanged the notes"),
            Ok(report) => {
                Check::repaired(name, text, format!("read {} and removed {}", report.changed, report.removed))
            }
            Err(error) => Check::failed(name, &error),
        }
    }

    /// Whether what an index leaves out that shows everything else is left out on purpose.
    fn left_out(&self, name: &'static str, plan: &Plan) -> Check {
        let nameless = exchange::ahead::nameless(&self.context.settings().settings, &plan.skipped);
        if nameless > 0 {
            return Check::bad(
                name,
                format!(
                    "{nameless} notes are not indexed: no database keeps names that are too long or hold a tab or a line break"
                ),
                "Rename them; `openclaw memory status` names them",
            );
        }
        if let Some((count, named)) = named(&plan.skipped, SkipCode::Unreadable) {
            let found = format!("{count} notes cannot be read: {named}");
            return Check::bad(name, found, "Let the user that the gateway runs as read them (chown or chmod)");
        }
        let left = plan.skipped.len() + plan.more_skipped;
        let found = format!("the index shows all {} files; {left} are left out", plan.files);
        Check::well(
            name,
            match named(&plan.skipped, SkipCode::WrongContent) {
                Some((count, named)) => format!("{found}, of them {count} by what they hold: {named}"),
                None => found,
            },
        )
    }

    /// Whether the chosen provider can be used, and has done its work. Nothing is sent but, to repair, the texts that it
    /// refused and those that still wait.
    async fn embeddings(self: &Arc<Self>, repair: bool) -> Check {
        let name = "embeddings";
        let choice = self.context.provider().choice();
        let selected = match &*choice {
            Err(error) => return Check::failed(name, error),
            Ok(Selected { embedder: None, .. }) => {
                return Check::well(name, "none in use; search works on keywords");
            }
            Ok(Selected { fallback_from: Some(from), fallback_reason, .. }) => {
                return Check::bad(
                    name,
                    format!("\"{from}\" failed ({})", fallback_reason.as_deref().unwrap_or("unknown")),
                    "The fallback is in use; `openclaw memory status --deep` asks the provider again",
                );
            }
            Ok(selected) => selected,
        };
        let mut covered = match self.covered().await {
            Ok(covered) => covered,
            Err(error) => return Check::failed(name, &error),
        };
        let (refused_before, pending_before) = (covered.refused, covered.pending);
        if repair && refused_before + pending_before > 0 {
            // A failure is kept, and told below.
            let call = VectorCall { ask_refused: refused_before > 0 };
            let _ = self.indexer.sync_vectors(call, &Cancel::new(), None).await;
            covered = match self.covered().await {
                Ok(covered) => covered,
                Err(error) => return Check::failed(name, &error),
            };
        }
        let provider = &selected.provider;
        let Coverage { pending, refused, failure, refusal } = covered;
        if let Some(failure) = failure {
            let remedy = failure.remedy.clone().unwrap_or_else(|| INDEX_AGAIN.into());
            let cause = failure.message.strip_suffix(&format!(". {remedy}")).unwrap_or(&failure.message);
            return Check::bad(name, format!("{provider}: {pending} chunks have no vector: {cause}"), remedy);
        }
        if pending > 0 {
            return Check::bad(name, format!("{provider}: {pending} chunks have no vector yet"), INDEX_AGAIN);
        }
        if let Some(refusal) = refusal {
            let found =
                format!("{provider}: {refused} chunks are refused, {} for one: {}", refusal.path, refusal.reason);
            return Check::bad(
                name,
                found,
                "They are found by their words and asked again by themselves, at once by `openclaw memory index --force`",
            );
        }
        if refused_before > 0 {
            let found = format!("{provider}: {refused_before} chunks had been refused");
            return Check::repaired(name, found, "asked again: they have a vector now");
        }
        if pending_before > 0 {
            return Check::repaired(name, format!("{provider}: {pending_before} chunks had no vector"), "made them");
        }
        Check::well(name, format!("{provider}: every chunk has a vector"))
    }

    /// Whether the model behind the provider's name is the one that made the vectors, asked now; without repair nothing is
    /// sent, and what was seen last counts. None when nothing was compared.
    async fn model(self: &Arc<Self>, repair: bool) -> Option<Check> {
        let name = "model";
        let known = if repair {
            // What is wrong with the provider is told where its vectors are.
            self.indexer.ask_model().await.ok().flatten()
        } else {
            self.blocking(|admin, _| admin.context.store().read(|r| model_check::known(&admin.context, r)))
                .await
                .ok()?
        };
        let record = known.filter(Record::is_compared)?;
        Some(match record.refusal() {
            Some(refusal) => Check::failed(name, &refusal),
            None => Check::well(name, "the embedding model answers as when the notes were embedded"),
        })
    }

    async fn covered(self: &Arc<Self>) -> Result<Coverage> {
        self.blocking(|admin, _| Ok(admin.telemetry.coverage())).await
    }
}

/// What the agent's other workspaces keep. Only a person knows whether they are still wanted.
fn other_workspaces(siblings: &[Sibling]) -> Check {
    let name = "other workspaces";
    let told: Vec<String> = siblings.iter().map(sibling_text).collect();
    match &told[..] {
        [] => Check::well(name, "no index of another workspace of this agent"),
        told => Check::well(name, format!("{}. {REMOVE_SIBLING}", told.join("; "))),
    }
}

/// How many files are left out for a reason, and the first of them by name; none where there are none.
fn named(skipped: &[Skipped], code: SkipCode) -> Option<(usize, String)> {
    let paths: Vec<&str> = skipped.iter().filter(|one| one.code == code).map(|one| one.path.as_str()).collect();
    let named = paths.iter().take(MOST_NAMED).map(|path| one_line(path)).collect::<Vec<_>>().join(", ");
    let more = match paths.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!paths.is_empty()).then(|| (paths.len(), format!("{named}{more}")))
}

fn sibling_text(Sibling { path, workspace, is_gone, bytes }: &Sibling) -> String {
    let path = path.display();
    let megabytes = bytes.div_ceil(100_000);
    let size = format!("{}.{} MB", megabytes / 10, megabytes % 10);
    let gone = if *is_gone { ", which is not there any more" } else { "" };
    match workspace {
        Some(workspace) => format!("{path} ({size}) belongs to {}{gone}", workspace.display()),
        None => format!("{path} ({size}) does not say whose it is"),
    }
}

fn forget_list(settings: &Settings) -> Check {
    let name = "forgotten";
    let list = Exclusions::of(&settings.database_path);
    match (list.check(), list.unreadable()) {
        (Err(error), _) => Check::failed(name, &error),
        (Ok(()), 0) => Check::well(name, "the list of forgotten things can be read"),
        (Ok(()), n) => Check::bad(
            name,
            format!("{n} lines of {} are no entries", list_path(&settings.database_path).display()),
            "What they named may be indexed again: repair them by hand, or run `openclaw memory forget` once more",
        ),
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The files of the index that somebody else may read.
fn open_to_others(database: &Path) -> Vec<PathBuf> {
    let files = ["", "-wal", "-shm"].map(|end| with_suffix(database, end)).into_iter().chain([list_path(database)]);
    files.filter(|path| is_open_to_others(path)).collect()
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| Error::io(path, &error))
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
