//! The one executor of plans: carries out, undoes, and finishes what a killed process has begun. Each step can be done
//! again, and the plan on the disk says how far it is.

use std::{
    fs::File,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    super::{
        super::{carried::carry, context::Service, indexer::SyncCall, iso, mapper, writer::PATIENCE},
        Admin,
    },
    ForgetReport,
    check::{check, check_undoable},
    report_of, undo_until,
};
use crate::{
    capture::{erase, jsonl, prompts::PromptLog},
    forgetting::{
        plan::{Plan, Plans, State},
        shared,
    },
    index::owner,
    intents::{Intents, StandingIntent},
    workspace::{
        exclusions::{Entry, What},
        notes::Notes,
        unfinished::{self, Which},
    },
};
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
};
use store::Kept;

/// What was put back.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgetUndone {
    /// The id of what was undone.
    pub id: String,
    /// Whether everything was put back that was taken out; else it was only let into the index again.
    pub complete: bool,
    /// Lines put back into files of the workspace.
    pub lines: usize,
    /// Notes put back.
    pub notes: usize,
    /// Notes that could not be put back, because something else has their name by now.
    pub kept: Vec<String>,
    /// Captures, waiting turns and records of the short-term memory put back.
    pub words: usize,
    /// Standing intents put back.
    pub intents: usize,
    /// Claims of consolidation put back.
    pub claims: usize,
}

/// Where transcripts are, as results name them.
const TRANSCRIPTS: &str = "sessions/";
/// Why a plan cannot be worked on now.
const BUSY: &str = "another process is forgetting at this moment";
/// How long a plan waits for another to be carried out, and how often it looks whether it is.
const TURN: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
const LOOK: Duration = Duration::from_millis(100);

impl Admin {
    /// Carries out the plan of an id. With `is_final` nothing is kept that could undo it; that can be asked for later, too.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such plan, [`Code::Argument`] when a note has changed since it was made,
    /// [`Code::Busy`] while another process is at it, and what the list, the disk or the store give.
    pub async fn apply_forget(self: &Arc<Self>, id: String, is_final: bool) -> Result<ForgetReport> {
        let left = self.try_to_finish().await.err();
        let turn = self.turn(&format!("forget --apply {id}")).await?;
        let (plan, turn) = self
            .blocking(move |admin, settings| {
                let plans = Plans::of(admin.context.store());
                let mut plan = plans.load(&id)?.ok_or_else(|| missing(&id))?;
                match plan.state {
                    State::Planned => check(&plan, settings)?,
                    State::Applied if is_final => {}
                    State::Applying | State::Undoing => return Err(unfinished(&id, left)),
                    State::Applied => {
                        return Err(Error::new(Code::Argument, format!("\"{id}\" was carried out already"))
                            .remedy("`openclaw memory forget --list` shows what is forgotten"));
                    }
                }
                admin.check_shared()?;
                plan.is_final |= is_final;
                if plan.state == State::Planned {
                    plan.state = State::Applying;
                    plan.applied_ms = admin.context.now_ms();
                }
                plans.save(&plan)?;
                Ok((plan, turn))
            })
            .await?;
        self.carry_out(plan, turn).await
    }

    /// All of a plan that is begun. Why it could not be finished is kept with it, for whoever asks.
    async fn carry_out(self: &Arc<Self>, plan: Plan, turn: File) -> Result<ForgetReport> {
        let held = turn.try_clone().map_err(lock_lost)?;
        let id = plan.id.clone();
        let done = self.do_all(plan, turn).await;
        if let Err(error) = &done {
            self.note_problem(id, held, error).await;
        }
        done
    }

    async fn note_problem(self: &Arc<Self>, id: String, turn: File, error: &Error) {
        let problem = error.message.clone();
        let kept = self
            .blocking(move |admin, _| {
                let _turn = turn;
                let plans = Plans::of(admin.context.store());
                let is_new = |plan: &Plan| {
                    matches!(plan.state, State::Applying | State::Undoing) && plan.problem.as_ref() != Some(&problem)
                };
                match plans.load(&id)?.filter(is_new) {
                    Some(plan) => plans.save(&Plan { problem: Some(problem), ..plan }),
                    None => Ok(()),
                }
            })
            .await;
        if let Err(error) = kept {
            self.context.warn(&error, "why what was begun to be forgotten is not finished could not be kept");
        }
    }

    async fn do_all(self: &Arc<Self>, plan: Plan, turn: File) -> Result<ForgetReport> {
        let plan = self
            .blocking(move |admin, settings| {
                admin.list(&plan, settings)?;
                let notes = Notes::of(settings);
                for cut in &plan.cuts {
                    cut.take(&notes)?;
                }
                erase::take(&plan.places, &plan.words)?;
                // Nobody knows whose words a killed process was writing.
                unfinished::remove(settings, &plan.places.folders(), Which::All)?;
                admin.forget_prompts(&plan)?;
                if let Some(folder) = &plan.intents_folder {
                    let ids: Vec<&str> = plan.intents.iter().map(|intent| intent.id.as_str()).collect();
                    Intents::of(folder).remove(&ids, admin.context.now_ms())?;
                }
                Ok(plan)
            })
            .await?;
        let mut report = ForgetReport { dry_run: false, is_final: plan.is_final, ..report_of(&plan)? };
        report.undo_until = undo_until(&plan);
        let sync = SyncCall { reason: "forget".to_owned(), force: false, text_only: false };
        match self.indexer.sync(sync, Cancel::new().within(PATIENCE), None).await {
            Ok(synced) => report.embedding_error.clone_from(&synced.embedding_error),
            // The list is written: whoever indexes now follows it with the next look at the disk.
            Err(error) if error.code() == Code::Deadline => report.pending = true,
            Err(error) => return Err(error),
        }
        self.blocking(move |admin, settings| {
            let plans = Plans::of(admin.context.store());
            let (claims, paths, conversations) = (plan.claims.clone(), plan.paths(), plan.conversations.clone());
            let hashes = plan.hashes.clone();
            admin.context.store().write(move |tx| {
                tx.forget_claims(&claims, &paths, &conversations)?;
                // A landmark of the map may be the vector of one text.
                tx.delete_meta(mapper::KEY)?;
                tx.purge_texts(&hashes)
            })?;
            // Once more: a turn may have been shown it while it was still in the index.
            admin.forget_prompts(&plan)?;
            if let Some(file) = admin.context.store().admin() {
                file.scrub(admin.context.shutdown())?;
                file.remove_copies();
            }
            if plan.is_final {
                admin.end_for_good(&plans, &plan, settings)?;
            } else {
                plans.save(&Plan { state: State::Applied, problem: None, report: without_words(&plan)?, ..plan })?;
            }
            admin.telemetry.refresh(admin.context.shutdown());
            drop(turn);
            Ok(())
        })
        .await?;
        Ok(report)
    }

    /// Takes back what was done under an id: puts back what was taken out, as long as that is kept, and lets the rest into
    /// the index again.
    ///
    /// # Errors
    /// [`Code::NotFound`] when nothing was forgotten under it, [`Code::Argument`] when that was final, and as
    /// [`Self::apply_forget`].
    pub async fn undo_forget(self: &Arc<Self>, id: String) -> Result<ForgetUndone> {
        let left = self.try_to_finish().await.err();
        let turn = self.turn(&format!("forget --undo {id}")).await?;
        let restored = self
            .blocking(move |admin, settings| {
                let _turn = turn;
                let plans = Plans::of(admin.context.store());
                // Another gateway may have forgotten it, or ended it for good.
                admin.indexer.share_forgotten(settings, None)?;
                let plan = plans.load(&id)?.filter(|plan| plan.state != State::Planned);
                if plan.as_ref().is_some_and(|plan| plan.state == State::Applying && plan.is_final) {
                    return Err(unfinished(&id, left));
                }
                let entries = admin.entries(&id)?;
                if entries.iter().any(|entry| entry.is_final) {
                    return Err(Error::new(Code::Argument, format!("\"{id}\" was forgotten for good"))
                        .remedy("Write it into a note in other words, and memory has it again"));
                }
                match plan {
                    Some(plan) => {
                        admin.check_shared()?;
                        // One that is not finished is put back as far as it came, also where a note that hinders it is as it was.
                        if plan.state == State::Applied {
                            check_undoable(&plan, &Notes::of(settings))?;
                        }
                        plans.save(&Plan { state: State::Undoing, problem: None, ..plan.clone() })?;
                        admin.put_back(&plan, settings)
                    }
                    None if entries.is_empty() => Err(missing(&id)),
                    None => {
                        admin.unlist(&id, settings)?;
                        Ok(ForgetUndone { id, ..ForgetUndone::default() })
                    }
                }
            })
            .await?;
        let sync = SyncCall { reason: "forget --undo".to_owned(), force: false, text_only: false };
        // A provider that fails is kept for `status`; the text is back all the same.
        self.indexer.sync(sync, Cancel::new(), None).await?;
        Ok(restored)
    }

    /// Finishes what was begun by a process that is gone, or could not be finished, and removes what is over. Nothing while another
    /// process is at it. One that cannot be finished keeps no other from it.
    ///
    /// # Errors
    /// As [`Self::apply_forget`]: the first of those that are left.
    pub async fn finish_forgetting(self: &Arc<Self>) -> Result<()> {
        let begun = self
            .blocking(|admin, _| {
                let plans = Plans::of(admin.context.store());
                if plans.tend(admin.context.now_ms())?.is_empty() && !plans.has_unfinished() {
                    return Ok(None);
                }
                let Some(turn) = plans.turn()? else { return Ok(None) };
                plans.clear_unfinished(&turn)?;
                let ids = plans.tend(admin.context.now_ms())?;
                let begun: Vec<Plan> = ids.iter().filter_map(|id| plans.load(id).transpose()).collect::<Result<_>>()?;
                Ok(Some((begun, turn)))
            })
            .await?;
        let Some((begun, turn)) = begun else { return Ok(()) };
        let mut finished = Ok(());
        for plan in begun {
            let done = self.finish(plan, turn.try_clone().map_err(lock_lost)?).await;
            finished = finished.and(done);
        }
        finished
    }

    async fn finish(self: &Arc<Self>, plan: Plan, turn: File) -> Result<()> {
        match plan.state {
            State::Undoing => {
                let (id, held) = (plan.id.clone(), turn);
                let done = self.blocking(move |admin, settings| admin.put_back(&plan, settings).map(drop)).await;
                if let Err(error) = &done {
                    self.note_problem(id, held, error).await;
                }
                done
            }
            State::Applying => self.carry_out(plan, turn).await.map(drop),
            State::Planned | State::Applied => Ok(()),
        }
    }

    /// Refuses what a shared database could not be told of now: whatever is begun is finished once it can, and nobody expects
    /// that of what failed.
    fn check_shared(&self) -> Result<()> {
        let store = self.context.store();
        if store.admin().is_some() { Ok(()) } else { store.write(|_| Ok(())) }
    }

    fn forget_prompts(&self, plan: &Plan) -> Result<()> {
        let folder = plan.places.folder.as_deref();
        folder.map_or(Ok(()), |folder| PromptLog::of(folder).forget(self.context.now_ms()))
    }

    /// The right to change things, for which another process is waited for; `command` goes on where that takes too long.
    async fn turn(self: &Arc<Self>, command: &str) -> Result<File> {
        let until = Instant::now() + TURN;
        loop {
            if let Some(turn) = self.blocking(|admin, _| Plans::of(admin.context.store()).turn()).await? {
                return Ok(turn);
            }
            if Instant::now() >= until {
                return Err(
                    Error::new(Code::Busy, BUSY).remedy(format!("Go on in a moment: openclaw memory {command}"))
                );
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Puts the plan on the list of what is forgotten, once.
    fn list(&self, plan: &Plan, settings: &Settings) -> Result<()> {
        let at = iso(plan.applied_ms);
        let by = owner::gateway_of(self.context.store())?;
        let entry = |what: &What| {
            let (id, at, by, what) = (plan.id.clone(), at.clone(), by.clone(), what.clone());
            Entry { id, at, is_final: plan.is_final, by, what }
        };
        let lines: Vec<String> = plan.whats.iter().map(entry).map(|entry| text_of(&entry)).collect::<Result<_>>()?;
        if lines.is_empty() {
            return Ok(());
        }
        jsonl::update(&self.context.store().kept(Kept::Forgotten), |mut known| {
            known.retain(|line| Entry::of(line).is_none_or(|entry| entry.id != plan.id));
            known.extend(lines);
            Some(known)
        })?;
        self.indexer.share_forgotten(settings, Some(&plan.id))?;
        carry(settings)
    }

    pub(super) fn unlist(&self, id: &str, settings: &Settings) -> Result<()> {
        // Another index may have been used since: its list has the same, and would bring it back.
        carry(settings)?;
        shared::undo(self.context.store(), id)?;
        jsonl::update(&self.context.store().kept(Kept::Forgotten), |known| {
            let is_other = |line: &String| Entry::of(line).is_none_or(|entry| entry.id != id);
            let kept: Vec<String> = known.iter().filter(|line| is_other(line)).cloned().collect();
            (kept.len() < known.len()).then_some(kept)
        })?;
        carry(settings)
    }

    pub(super) fn entries(&self, id: &str) -> Result<Vec<Entry>> {
        let lines = jsonl::all(&self.context.store().kept(Kept::Forgotten))?;
        Ok(lines.iter().filter_map(|line| Entry::of(line)).filter(|entry| entry.id == id).collect())
    }

    /// Keeps nothing that could undo a plan: neither itself, nor a preview, which may hold the same words, nor what undoes
    /// an earlier act that was about a part of it.
    fn end_for_good(&self, plans: &Plans, plan: &Plan, settings: &Settings) -> Result<()> {
        for other in plans.all()?.into_iter().filter(|other| other.id != plan.id) {
            // A transcript that is out of the index already is in no later plan; its conversation is.
            let is_transcript = |what: &What| matches!(what, What::Path { path, .. } if path.starts_with(TRANSCRIPTS));
            let is_covered = |what: &What| plan.whats.iter().any(|wider| wider.covers(what));
            let is_part = other.whats.iter().all(|what| is_covered(what) || is_transcript(what))
                && other.whats.iter().any(is_covered);
            match other.state {
                State::Planned => plans.remove(&other.id)?,
                State::Applied if is_part => {
                    self.list(&Plan { is_final: true, ..other.clone() }, settings)?;
                    plans.remove(&other.id)?;
                }
                _ => {}
            }
        }
        plans.remove(&plan.id)
    }

    /// Puts back all that a plan has taken out, and ends it.
    fn put_back(&self, plan: &Plan, settings: &Settings) -> Result<ForgetUndone> {
        self.unlist(&plan.id, settings)?;
        let notes = Notes::of(settings);
        let mut restored = ForgetUndone { id: plan.id.clone(), complete: true, ..ForgetUndone::default() };
        for cut in &plan.cuts {
            if !cut.put_back(&notes)? {
                restored.kept.push(cut.path.clone());
            } else if cut.whole.is_some() {
                restored.notes += 1;
            } else {
                restored.lines += cut.lines.len();
            }
        }
        erase::put_back(&plan.places, &plan.words)?;
        restored.words = plan.words.captures.len() + plan.words.turns.len() + plan.words.records();
        if let Some(folder) = plan.intents_folder.as_ref().filter(|_| !plan.intents.is_empty()) {
            let intents: &[StandingIntent] = &plan.intents;
            Intents::of(folder).put_back(intents, self.context.now_ms())?;
            restored.intents = intents.len();
        }
        restored.claims = plan.claims.len();
        let (evidence, runs) = (plan.evidence.clone(), plan.runs.clone());
        self.context.store().write(move |tx| {
            for found in &evidence {
                tx.add_evidence(found, "")?;
                tx.withdraw_claims(std::slice::from_ref(&found.claim.id), found.claim.withdrawn)?;
            }
            runs.iter().try_for_each(|run| tx.save_run(run))
        })?;
        Plans::of(self.context.store()).remove(&plan.id)?;
        Ok(restored)
    }
}

/// The report of a plan without words: those of passages stand in the user's files and nowhere else from now on.
fn without_words(plan: &Plan) -> Result<serde_json::Value> {
    let mut report = report_of(plan)?;
    for shown in [&mut report.passages, &mut report.lines, &mut report.quotes] {
        shown.iter_mut().for_each(|passage| passage.text.clear());
    }
    serde_json::to_value(&report).map_err(|error| Error::new(Code::Internal, format!("report: {error}")))
}

/// What was begun under an id and could not be finished, with the reason.
fn unfinished(id: &str, left: Option<Error>) -> Error {
    let left = left.unwrap_or_else(|| Error::new(Code::Busy, BUSY).remedy("Try again in a moment"));
    left.context(format!("\"{id}\" was begun and is not finished"))
}

fn missing(id: &str) -> Error {
    Error::new(Code::NotFound, format!("nothing is planned or forgotten under \"{id}\""))
        .remedy("A preview holds for a day, an undo for seven; `openclaw memory forget --list` shows what is forgotten")
}

fn lock_lost(error: std::io::Error) -> Error {
    Error::new(Code::Io, "the lock of forgetting cannot be kept").caused_by(error)
}

pub(super) fn text_of(entry: &Entry) -> Result<String> {
    serde_json::to_string(entry).map_err(|error| Error::new(Code::Internal, format!("forget list: {error}")))
}
