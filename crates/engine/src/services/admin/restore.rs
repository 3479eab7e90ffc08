//! `memory restore`: a copy takes the place of the index. What was there is kept beside it, what was forgotten stays
//! forgotten, and what was paid for stays paid.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{
    super::{
        carried::carry,
        context::Service,
        writer::{NOT_GIVEN_BACK, PATIENCE},
    },
    Admin,
    reset::{Cleared, totals},
};
use crate::{
    capture::jsonl,
    consolidation::evidence::mark_of_conversation,
    index::{Progress, index_text::TextPass, session_pass::Scope},
    workspace::exclusions::{Entry, Exclusions, FOLLOWED, list_path},
};
use model::{
    config::settings::Settings,
    error::{Code, Error, Result},
    own_file,
};
use store::{OpenOptions, Store, backup::AGENT, place::Workspace, restore::Staged};

/// What restoring a copy comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The copy.
    pub path: PathBuf,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The agent whose index it is a copy of; none where it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Indexed files in it.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Vectors in it.
    pub vectors: u64,
    /// What it replaces.
    pub replaced: Cleared,
    /// Where that is kept, to be restored again; none when it held nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
    /// Acts of forgetting in the list of the copy of which the present list lacked something.
    pub forgotten: usize,
}

impl Admin {
    /// Puts a copy in the place of the index, or tells what that would replace. The next sync brings it up to date.
    ///
    /// # Errors
    /// What [`Staged::take`] gives when the file cannot be restored, [`Code::Busy`] when somebody indexes for too long,
    /// and what the disk gives: the index is then as it was.
    pub async fn restore(self: &Arc<Self>, file: PathBuf, dry_run: bool) -> Result<Restored> {
        let copy = file.clone();
        let staged = self.blocking(move |admin, settings| admin.stage(&copy, settings)).await?;
        if dry_run {
            return self.blocking(move |admin, _| admin.restored(&file, &staged, None, 0, true)).await;
        }
        let turn = self.writer.alone(PATIENCE).await?;
        let done = self.blocking(move |admin, settings| admin.exchange(&file, staged, settings)).await;
        drop(turn);
        // A lease that is not given back runs out by itself.
        self.context.told(self.writer.give_back().await, NOT_GIVEN_BACK);
        done
    }

    fn stage(&self, file: &Path, settings: &Settings) -> Result<Staged> {
        Staged::take(file, self.context.store().path(), Some(&Workspace::at(&settings.workspace_dir)))
    }

    /// The exchange itself, with the lease and no pass beside it.
    fn exchange(self: &Arc<Self>, file: &Path, staged: Staged, settings: &Settings) -> Result<Restored> {
        let forgotten = take_list_over(file, &settings.database_path)?;
        carry(settings)?;
        self.leave_out(&staged, settings)?;
        let kept = self.keep_present()?;
        let report = self.restored(file, &staged, kept, forgotten, false)?;
        let file_of_index = self.context.store().file()?;
        file_of_index.restore(staged)?;
        file_of_index.thin_replaced();
        self.indexer.begin_anew();
        self.indexer.forget_comparison();
        self.telemetry.refresh(self.context.shutdown());
        Ok(report)
    }

    /// Keeps what is there now, if it is anything. A damaged index is set aside, as ever.
    fn keep_present(&self) -> Result<Option<PathBuf>> {
        let kept = totals(self.context.store()).and_then(|present| {
            let holds = present.files + present.vectors > 0;
            holds.then(|| self.context.store().file()?.keep_present()).transpose()
        });
        match kept {
            Err(error) if error.code() == Code::Corrupt => {
                let aside = self.context.store().file()?.recover()?.set_aside;
                self.context.store().acquire_lease()?;
                Ok(aside)
            }
            kept => kept,
        }
    }

    /// Takes out of a copy what was forgotten since it was written, before anybody can find it.
    fn leave_out(&self, staged: &Staged, settings: &Settings) -> Result<()> {
        let list = Exclusions::of(&settings.database_path);
        list.check()?;
        let copy = Store::open(&staged.path(), OpenOptions::default())?;
        let outcome = self.apply(&list, &copy, settings);
        // Tidy and without a log, so that it is one file.
        copy.close();
        outcome
    }

    /// Makes an index follow the list of what is forgotten.
    fn apply(&self, list: &Exclusions, copy: &Store, settings: &Settings) -> Result<()> {
        if copy.read(|r| r.meta(FOLLOWED))?.unwrap_or_default() == list.version() {
            return Ok(());
        }
        copy.acquire_lease()?;
        let (noted, quiet): (_, Progress) = (HashSet::new(), Arc::new(|_| {}));
        TextPass {
            store: copy,
            settings,
            force: false,
            is_exchanged: false,
            followed: None,
            sessions: Scope::None,
            noted: &noted,
            host: None,
            cancel: self.context.shutdown(),
            progress: &quiet,
        }
        .run()?;
        let conversations: Vec<String> = list.sessions().map(mark_of_conversation).collect();
        let paths: Vec<String> = list.paths().map(str::to_owned).collect();
        copy.write(move |tx| {
            tx.forget_claims(&[], &paths, &conversations)?;
            // Nobody can tell which of them hold what was taken out of notes since.
            tx.scrub_runs()
        })?;
        copy.file()?.scrub(self.context.shutdown())
    }

    fn restored(
        &self,
        file: &Path,
        staged: &Staged,
        kept: Option<PathBuf>,
        forgotten: usize,
        dry_run: bool,
    ) -> Result<Restored> {
        let copy = Store::open(&staged.path(), OpenOptions::default())?;
        let inside = totals(&copy).and_then(|totals| Ok((totals, copy.read(|r| r.meta(AGENT))?)));
        copy.close();
        let (Cleared { files, chunks, vectors, .. }, agent) = inside?;
        // A damaged index holds nothing that can be told.
        let replaced = totals(self.context.store()).unwrap_or_default();
        Ok(Restored { path: file.to_path_buf(), dry_run, agent, files, chunks, vectors, replaced, kept, forgotten })
    }
}

/// Adds to the list of what is forgotten the entries of a copy's list that it lacks; gives of how many acts they are. What was
/// forgotten once does not come back with a copy.
fn take_list_over(file: &Path, database: &Path) -> Result<usize> {
    let Some(bytes) = own_file::read(&list_path(file))? else { return Ok(0) };
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::new(Code::Corrupt, format!("{} is not text", list_path(file).display()))
            .remedy("Move it away to restore without it; what it names may then come back")
    })?;
    let entries: Vec<(&str, String)> = text.lines().filter_map(|line| Some((line, Entry::of(line)?.id))).collect();
    if entries.is_empty() {
        return Ok(0);
    }
    let mut acts = HashSet::new();
    jsonl::update(&list_path(database), |mut known| {
        for (entry, id) in entries {
            if !known.iter().any(|line| line == entry) {
                known.push(entry.to_owned());
                acts.insert(id);
            }
        }
        (!acts.is_empty()).then_some(known)
    })?;
    Ok(acts.len())
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
