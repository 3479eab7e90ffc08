//! Runs on a workspace: planned, carried out, taken back. One at a time, whichever process asks, and whole or not at all.
//!
//! A run is written down before a file is touched. Whoever comes after a process that was killed finds it, and finishes it
//! or takes it back: MEMORY.md decides, because it changes in one step.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::{File, TryLockError},
    path::PathBuf,
    sync::Arc,
};

use jiff::{ToSpan, civil::Date};
use serde::{Deserialize, Serialize};

use super::{
    claim::{claim_id, fingerprint},
    edit::Edit,
    evidence::{self, ARCHIVE, Observed},
    gates::{self, Refusal},
    plan::{self, Embed, Input, Plan},
    report, schedule,
    section::Document,
    writer,
};
use crate::workspace::{notes::Notes, roots::Roots};
use model::{
    config::{
        consolidation::{Consolidation, Mode, Writer},
        paths::OWN_FOLDER,
        settings::Settings,
    },
    error::{Code, Error, Result},
    own_file,
};
use store::{
    Store,
    consolidation::{Claim, Evidence, RunRow},
};
use text::time::date_in;

/// Claims that are kept.
const MOST_CLAIMS: usize = 5000;
/// Smallest bootstrap limit that is believed.
const LEAST_CHARS: usize = 200;
/// Runs that are listed: those of a year of nights, and some.
const LISTED_RUNS: usize = 500;
/// Characters of the id of a run.
const RUN_ID_CHARS: usize = 12;
mod due;
mod files;
mod known;
mod outcome;
mod replay;
mod undo;
mod unlearn;

use known::merged;
pub use outcome::{Answer, Applied, Explained, Listed, Planned, Question, Status, Tokens, Undone};
use outcome::{iso, listed};
pub use replay::{Replay, Replayed, ReplayedDay, RolledBack, SaidOn};
use undo::withdrawn_of;
pub use unlearn::Unlearned;

/// The states of a run.
mod state {
    pub(super) const PLANNED: &str = "planned";
    pub(super) const APPLYING: &str = "applying";
    pub(super) const APPLIED: &str = "applied";
    pub(super) const UNDONE: &str = "undone";
    pub(super) const FAILED: &str = "failed";
}

/// What a run changed.
#[derive(Serialize, Deserialize)]
struct Images {
    edits: Vec<Edit>,
    /// Additions that are carried out, which may be fewer than were planned.
    plan: Plan,
}

/// Consolidation of one workspace.
pub struct Runs {
    store: Arc<Store>,
    notes: Notes,
    roots: Roots,
    settings: Consolidation,
    /// The smallest bootstrap limit of the agents of the workspace.
    bootstrap_chars: usize,
    zone: String,
    lock: PathBuf,
    now_ms: i64,
    embed: Box<Embed<'static>>,
}

impl Runs {
    /// Consolidation of the workspace of these settings, at a moment.
    #[must_use]
    pub fn new(
        store: Arc<Store>,
        settings: &Settings,
        consolidation: Consolidation,
        bootstrap_chars: usize,
        now_ms: i64,
    ) -> Self {
        let zone =
            if consolidation.time_zone.is_empty() { settings.zone_name() } else { consolidation.time_zone.clone() };
        let real = settings.workspace_dir.canonicalize().unwrap_or_else(|_| settings.workspace_dir.clone());
        let name = format!("consolidation-{}.lock", fingerprint(&real.to_string_lossy()));
        Self {
            store,
            notes: Notes::of(settings),
            roots: Roots::of(settings),
            bootstrap_chars,
            zone,
            lock: settings.state_dir.join(OWN_FOLDER).join(name),
            settings: consolidation,
            now_ms,
            embed: Box::new(|texts| vec![None; texts.len()]),
        }
    }

    /// Notes what happened. Nothing while consolidation is off.
    ///
    /// # Errors
    /// When a note or the store cannot be read or written.
    pub fn observe(&self, observed: &Observed) -> Result<usize> {
        let found = evidence::of_observed(observed, &self.notes, self.now_ms, self.today(), &self.zone)?;
        let unsaid = evidence::unsaid(observed, self.now_ms, &self.zone);
        let count = found.len();
        if count > 0 || !unsaid.is_empty() {
            self.store.write(move |tx| {
                tx.unsay(&unsaid)?;
                found.iter().try_for_each(|found| tx.add_evidence(found, ""))
            })?;
        }
        Ok(count)
    }

    /// The evidence of this agent, for the run of another agent of the same workspace.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn evidence(&self) -> Result<Vec<Evidence>> {
        let since = self.since();
        let mut found = self.store.read(|reader| reader.evidence(&since))?;
        for Evidence { claim, uses } in &mut found {
            let all = uses.len();
            uses.retain(|used| used.kind != evidence::kind::ASKED);
            claim.requested |= uses.len() < all;
        }
        Ok(found)
    }

    /// Plans a run and writes nothing but the plan.
    ///
    /// # Errors
    /// When files or the store cannot be read, or the marks of the section are damaged.
    pub fn plan(&self, others: Vec<Evidence>) -> Result<Planned> {
        let _turn = self.turn()?;
        self.finish_killed()?;
        let run_id = short_id();
        let plan = self.planned(run_id, others)?;
        let question = self.question(&plan)?;
        self.save(&RunRow {
            id: plan.run_id.clone(),
            state: state::PLANNED.to_owned(),
            started_ms: self.now_ms,
            month: self.today().strftime("%Y-%m").to_string(),
            plan: json_of(&plan)?,
            images: None,
            input_tokens: 0,
            output_tokens: 0,
        })?;
        self.trim()?;
        Ok(Planned { plan, question })
    }

    fn planned(&self, run_id: String, others: Vec<Evidence>) -> Result<Plan> {
        let path = self.memory_path()?;
        let memory = self.text(&path)?;
        let (user, archive) = (self.text("USER.md")?.unwrap_or_default(), self.text(ARCHIVE)?.unwrap_or_default());
        let notes = RefCell::new(HashMap::new());
        let mut evidence = self.evidence()?;
        evidence.extend(others);
        evidence.extend(self.noted()?);
        let mut plan = plan::plan(Input {
            run_id,
            evidence: merged(evidence),
            path: &path,
            memory: memory.as_deref(),
            user: &user,
            archive: &archive,
            settings: &self.settings,
            max_chars: self.max_chars(),
            today: self.today(),
            zone: &self.zone,
            stands: &|claim: &Claim| self.stands(&claim.path, &claim.id, &notes),
            written: self.written()?,
            embed: &*self.embed,
        })?;
        plan.model_calls = usize::from(self.settings.writer == Writer::Abstractive && !plan.add.is_empty());
        Ok(plan)
    }

    /// What a model is to be asked for a plan that was made before; none when it needs no model.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such plan, and when MEMORY.md cannot be read.
    pub fn question_of(&self, run: &str) -> Result<Option<Question>> {
        self.question(&parsed(&self.find(Some(run), state::PLANNED)?.plan)?)
    }

    fn question(&self, plan: &Plan) -> Result<Option<Question>> {
        if plan.model_calls == 0 {
            return Ok(None);
        }
        let memory = self.text(&plan.path)?.unwrap_or_default();
        let section: Vec<String> = Document::parse(&memory)?.entries().into_iter().map(|entry| entry.text).collect();
        Ok(Some(Question { system: writer::SYSTEM, prompt: writer::prompt(plan, &section, &self.settings) }))
    }

    /// Carries a plan out: that of `run`, or the latest; only the additions of these ids, if any are named.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such plan, [`Code::Argument`] when it is stale (files or sources have changed),
    /// [`Code::Busy`] while another run is at work, and when files or the store cannot be written.
    pub fn apply(&self, run: Option<&str>, only: &[String], answer: Option<&Answer>) -> Result<Applied> {
        let _turn = self.turn()?;
        self.finish_killed()?;
        let mut row = self.find(run, state::PLANNED)?;
        let mut plan: Plan = parsed(&row.plan)?;
        if !only.is_empty() {
            plan.only(only);
        }
        let memory = self.text(&plan.path)?;
        let notes = RefCell::new(HashMap::new());
        let mut sources = plan.add.iter().flat_map(|addition| &addition.sources);
        if fingerprint(memory.as_deref().unwrap_or_default()) != plan.file_hash
            || !sources.all(|source| self.stands(&source.path, &source.hash, &notes))
        {
            return Err(Error::new(Code::Argument, format!("the plan {} is stale: its files have changed", row.id))
                .remedy("Run: openclaw memory consolidate plan"));
        }
        let mut diary = None;
        if let Some(answer) = answer {
            let before = plan.clone();
            (diary, _) = writer::take_over(&mut plan, &answer.text, &self.settings, self.today(), &self.zone);
            let text = self.changed(&plan, memory.as_deref())?;
            if super::section::chars_of(&text) > plan.max_chars {
                plan = before;
            }
            row.input_tokens += answer.input_tokens;
            row.output_tokens += answer.output_tokens;
        }
        let edits = self.edits(&plan, memory.as_deref(), diary.as_deref())?;
        // Before the run is begun, so that the plan stays.
        let mut files = edits.iter().map(|edit| edit.path.as_str()).filter(|path| *path != report::DIARY);
        files.try_for_each(|path| self.notes.check_not_written(path))?;
        let images = Images { edits, plan };
        row.images = Some(json_of(&images)?);
        row.plan = json_of(&images.plan)?;
        if images.edits.is_empty() {
            row.images = None;
            row.state = state::APPLIED.to_owned();
            self.save(&row)?;
        } else {
            row.state = state::APPLYING.to_owned();
            self.save(&row)?;
            if let Err(error) = self.carry_out(&images.edits) {
                self.finish_killed()?;
                return Err(error);
            }
            row.state = state::APPLIED.to_owned();
            self.save(&row)?;
        }
        self.trim()?;
        let Images { plan, .. } = images;
        Ok(Applied { run_id: row.id, path: plan.path, added: plan.add.len(), moved: plan.moved.len() })
    }

    /// Takes runs back: that of `run`, the latest, or all. The entries do not come again.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such run, and as [`Self::apply`].
    pub fn undo(&self, run: Option<&str>, all: bool) -> Result<Undone> {
        let _turn = self.turn()?;
        self.finish_killed()?;
        let mut undone = Undone::default();
        let rows = if all {
            let rows = self.store.read(|reader| reader.runs(usize::from(u16::MAX)))?;
            rows.into_iter().filter(|row| row.state == state::APPLIED && row.images.is_some()).collect()
        } else {
            vec![self.find(run, state::APPLIED)?]
        };
        for mut row in rows {
            let images: Images = parsed(row.images.as_deref().unwrap_or_default())?;
            self.take_back(&images, &mut undone)?;
            let ids: Vec<String> = images.plan.add.iter().flat_map(|addition| addition.claims.clone()).collect();
            let additions: Vec<Evidence> = images.plan.add.iter().flat_map(|a| withdrawn_of(a, self.now_ms)).collect();
            row.state = state::UNDONE.to_owned();
            undone.runs.push(row.id.clone());
            self.store.write(move |tx| {
                additions.iter().try_for_each(|found| tx.add_evidence(found, ""))?;
                tx.withdraw_claims(&ids, true)?;
                tx.save_run(&row)
            })?;
        }
        Ok(undone)
    }

    /// The runs, latest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self) -> Result<Vec<Listed>> {
        let rows = self.store.read(|reader| reader.runs(LISTED_RUNS))?;
        Ok(rows.iter().map(listed).collect())
    }

    /// A run with its plan.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none of that id.
    pub fn run(&self, id: &str) -> Result<(Listed, Plan)> {
        let row = self.store.read(|reader| reader.run(id))?.ok_or_else(|| no_run(id, ""))?;
        Ok((listed(&row), parsed(&row.plan)?))
    }

    /// Claims that a text names: by id, by path, or by words.
    ///
    /// # Errors
    /// When files or the store cannot be read.
    pub fn explain(&self, what: &str) -> Result<Vec<Explained>> {
        let mut evidence = self.evidence()?;
        evidence.extend(self.noted()?);
        let (wanted, lower) = (claim_id(what), what.to_lowercase());
        let is_meant = |claim: &Claim| {
            claim.id == what
                || claim.id.starts_with(what) && what.len() >= 4
                || Some(&claim.id) == wanted.as_ref()
                || (claim.path == what)
                || (lower.len() >= 4 && claim.text.to_lowercase().contains(&lower))
        };
        let found = merged(evidence).into_iter().filter(|found| is_meant(&found.claim));
        Ok(found
            .map(|evidence| {
                let strength = gates::strength(&evidence);
                let verdict = gates::admit(&evidence, strength, &self.settings, self.today(), &self.zone);
                let verdict = verdict.map_or_else(Refusal::code, |()| "ok").to_owned();
                Explained { days: strength.days, use_count: strength.uses, verdict, evidence }
            })
            .collect())
    }

    /// How things stand.
    ///
    /// # Errors
    /// When files or the store cannot be read.
    pub fn status(&self) -> Result<Status> {
        let (claims, uses) = self.store.read(|reader| reader.count_evidence())?;
        let tokens = self.store.read(|reader| reader.run_tokens())?;
        let clock = self.store.read(|reader| reader.consolidation_clock())?;
        let last = self.store.read(|reader| reader.runs(1))?;
        let memory = self.text(&self.memory_path()?)?.unwrap_or_default();
        let Consolidation { mode, schedule, .. } = &self.settings;
        let problem = (*mode != Mode::Off).then(|| schedule::check(schedule, &self.zone, self.now_ms).err()).flatten();
        // One that was due by other settings does not come.
        let clock = clock.filter(|clock| clock.schedule == self.clock_text());
        Ok(Status {
            settings: self.settings.clone(),
            claims,
            uses,
            next_run_at: clock.map(|clock| iso(clock.due_ms)),
            problem: problem.map(Into::into),
            last_run: last.first().map(listed),
            tokens: tokens
                .into_iter()
                .map(|(month, input_tokens, output_tokens)| Tokens { month, input_tokens, output_tokens })
                .collect(),
            max_chars: self.max_chars(),
            chars: super::section::chars_of(&memory),
        })
    }

    /// The day of the run, where the user is.
    fn today(&self) -> Date {
        date_in(self.now_ms, &self.zone)
    }

    /// The first day that evidence counts of.
    fn since(&self) -> String {
        let days = i64::try_from(self.settings.lookback_days).unwrap_or(i64::MAX).days();
        let since = self.today().checked_sub(days).unwrap_or(Date::MIN);
        since.to_string()
    }

    fn max_chars(&self) -> usize {
        let host = if self.bootstrap_chars >= LEAST_CHARS { self.bootstrap_chars } else { usize::MAX };
        self.settings.max_file_chars.min(host)
    }

    /// The memory file that is there; hosts know two spellings.
    fn memory_path(&self) -> Result<String> {
        let old = self.notes.bytes("MEMORY.md")?.is_none() && self.notes.bytes("memory.md")?.is_some();
        Ok(if old { "memory.md" } else { "MEMORY.md" }.to_owned())
    }

    /// A file as text; none when there is none.
    fn text(&self, path: &str) -> Result<Option<String>> {
        let bytes = self.notes.bytes(path)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| {
            Error::new(Code::Argument, format!("{path} is no UTF-8 text, so it cannot be changed without harm"))
                .remedy("Save the file as UTF-8")
        })
    }

    /// The run of an id, or the latest in a state.
    fn find(&self, id: Option<&str>, state: &str) -> Result<RunRow> {
        let rows = match id {
            Some(id) => self.store.read(|reader| reader.run(id))?.into_iter().collect(),
            None => self.store.read(|reader| reader.runs(usize::from(u16::MAX)))?,
        };
        let found =
            rows.into_iter().find(|row| row.state == state && (state == state::PLANNED || row.images.is_some()));
        found.ok_or_else(|| match id {
            Some(id) if state == state::PLANNED => no_run(id, " that waits to be carried out"),
            Some(id) => no_run(id, " that can be taken back"),
            None if state == state::PLANNED => {
                Error::new(Code::NotFound, "there is no planned run").remedy("Run: openclaw memory consolidate plan")
            }
            None => Error::new(Code::NotFound, format!("no {state} run has changed anything that could be put back"))
                .remedy("Run: openclaw memory consolidate runs"),
        })
    }

    fn save(&self, row: &RunRow) -> Result<()> {
        let row = row.clone();
        self.store.write(move |tx| tx.save_run(&row))
    }

    fn trim(&self) -> Result<()> {
        let (since, keep) = (self.since(), self.settings.keep_runs);
        self.store.write(move |tx| {
            tx.trim_evidence(&since, MOST_CLAIMS)?;
            tx.trim_runs(keep)
        })
    }

    /// The right to run, until dropped; the system takes it from a process that dies.
    fn turn(&self) -> Result<File> {
        let io = |error: &std::io::Error| Error::io(&self.lock, error);
        if let Some(folder) = self.lock.parent() {
            own_file::create_folder(folder).map_err(|error| io(&error))?;
        }
        let file = own_file::open_or_create(&self.lock).map_err(|error| io(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(Code::Busy, "another run of consolidation is at work")
                    .remedy("Wait until it has finished"))
            }
            Err(TryLockError::Error(error)) => Err(io(&error)),
        }
    }
}

/// An id that somebody can type.
fn short_id() -> String {
    uuid::Uuid::new_v4().simple().to_string().chars().take(RUN_ID_CHARS).collect()
}

fn json_of(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(Code::Internal, format!("consolidation: {error}")))
}

fn parsed<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::new(Code::Corrupt, format!("a kept run of consolidation cannot be read: {error}")))
}

fn no_run(id: &str, what: &str) -> Error {
    Error::new(Code::NotFound, format!("there is no run \"{id}\"{what}"))
        .remedy("Run: openclaw memory consolidate runs")
}

#[cfg(test)]
pub(crate) mod tests;
