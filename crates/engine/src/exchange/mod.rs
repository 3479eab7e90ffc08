//! The notes themselves in a database (`store.postgres.notes`): an empty workspace gets them back, and what changes on one side
//! is passed on to the other. What was changed on both is kept side by side.
//!
//! Before each text pass, under the writer lease, so that gateways come one after the other. Whatever is replaced is compared
//! right before, here under the note's lock and there in the statement itself; what differs by then is left to the next round.

pub(crate) mod ahead;
mod apply;
mod decide;
mod local;
mod names;
mod record;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use self::{
    apply::Work,
    decide::{Sides, Step, decide, forget},
    local::Local,
    record::{Known, Record},
};
use crate::{
    index::{Progress, owner},
    workspace::{
        discover::{Discovery, discover},
        note_names::{LONGEST, is_note},
        roots::Roots,
    },
};
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
};
use store::{
    Kept, Store,
    files::Hash,
    notes::{NoteRow, NoteState},
};

/// How often it is begun again in one pass, when something changed meanwhile or a text was kept beside another.
const ROUNDS: usize = 3;
/// From this many deleted notes on, more than half of all are no everyday tidying.
const FEW: usize = 3;
/// From this many notes on, a workspace of which nothing was ever exchanged and that mostly has others is another one.
const MANY: usize = 10;

/// What was exchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Exchanged {
    /// Notes written or deleted in the workspace.
    pub taken: usize,
    /// Notes written or deleted in the database.
    pub given: usize,
    /// Texts that were kept beside another.
    pub conflicts: usize,
    /// Notes that could not be exchanged.
    pub refused: usize,
    /// Notes whose names no database keeps.
    pub nameless: usize,
    /// The database's are of another workspace, and nothing was exchanged.
    pub is_foreign: bool,
    /// Most notes vanished from the workspace at once, and nothing was exchanged: how many, of how many. Nothing is to be indexed
    /// either, or it would be that of this workspace and of others in turns.
    pub emptied: Option<(usize, usize)>,
}

impl Exchanged {
    /// Whether the workspace is none that the index can be of now.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.is_foreign || self.emptied.is_some()
    }
}

/// The notes in the database, as `status` tells of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotesStatus {
    /// Notes that the workspace and the database have.
    pub notes: usize,
    /// When something was last exchanged, or found to be the same without a record of that, in milliseconds since the epoch; none = never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanged_at_ms: Option<i64>,
    /// Texts that are kept beside another, until somebody deletes or renames them.
    pub conflicts: Vec<String>,
    /// Notes that could not be exchanged the last time.
    pub refused: usize,
    /// Why nothing is exchanged and nothing indexed, and what ends it; none when all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Exchanges the notes of a workspace with its database.
pub(crate) struct Exchange<'a> {
    /// The database; its writer lease is held by this process.
    pub store: &'a Store,
    /// The settings.
    pub settings: &'a Settings,
    /// Whether the workspace is taken as it is, also where it is another one or most of it is gone.
    pub force: bool,
    /// The time, in milliseconds since the epoch.
    pub now_ms: i64,
    /// Stops it between notes.
    pub cancel: &'a Cancel,
    /// Listens.
    pub progress: &'a Progress,
}

/// What one round found.
enum Round {
    /// Both have the same, but for what cannot be exchanged.
    Done,
    /// Something changed meanwhile, or there is more.
    Again,
}

/// Whether notes of an agent are kept in a database.
pub(crate) fn is_wanted(settings: &Settings) -> bool {
    settings.sources.memory && settings.database.as_ref().is_some_and(|database| database.notes)
}

/// Whether somebody else has changed notes in the database since the last exchange. One small question.
///
/// # Errors
/// When the database or the record cannot be read.
pub(crate) fn is_behind(store: &Store, cancel: &Cancel) -> Result<bool> {
    let record = Record::load(store)?;
    // What was refused is tried again with each pass, which is no reason to make one.
    Ok(record.refused == 0 && store.read_with(cancel, |reader| reader.notes_mark())? != record.mark)
}

/// What `status` says, from the record alone.
///
/// # Errors
/// When the record cannot be read.
pub(crate) fn status(store: &Store) -> Result<NotesStatus> {
    let record = Record::load(store)?;
    Ok(NotesStatus {
        notes: record.notes.len(),
        exchanged_at_ms: (record.exchanged_ms > 0).then_some(record.exchanged_ms),
        conflicts: record.notes.keys().filter(|path| names::is_conflict(path)).cloned().collect(),
        refused: record.refused,
        stopped: record.vanished.map(|vanished| stopped(store, vanished)),
    })
}

/// Why nothing is exchanged, and what ends it.
fn stopped(store: &Store, (gone, known): (usize, usize)) -> String {
    format!(
        "{gone} of {known} notes vanished from the workspace at once: nothing was exchanged with the database, and the index is as it \
         was. Bring them back; or run `openclaw memory index --force` if this was done on purpose, which deletes them there too; \
         or delete {} and run `openclaw memory index` to have them restored from the database",
        store.kept(Kept::Exchanged).display()
    )
}

/// What a person should know of an exchange; none when all went well.
pub(crate) fn warning(store: &Store, exchanged: &Exchanged) -> Option<String> {
    let mut told = Vec::new();
    told.extend(exchanged.emptied.map(|vanished| stopped(store, vanished)));
    if exchanged.conflicts > 0 {
        told.push(format!(
            "{} notes were changed here and in the database: both are kept, one of them as NAME.conflict-….md in memory/. \
             `openclaw memory status` lists them; bring together what is needed, and delete the other",
            exchanged.conflicts
        ));
    }
    if exchanged.refused > 0 {
        told.push(format!(
            "{} notes were not exchanged with the database: they are damaged, too large, or have a name that cannot be used here, \
             or that something else than a plain file has",
            exchanged.refused
        ));
    }
    if exchanged.nameless > 0 {
        told.push(format!(
            "{} notes have names that no database keeps, and are not indexed: too long, or with a tab or a line break. Rename \
             them; `openclaw memory status` names them",
            exchanged.nameless
        ));
    }
    (!told.is_empty()).then(|| told.join(". "))
}

impl Exchange<'_> {
    /// Exchanges what changed on either side.
    ///
    /// # Errors
    /// When the database or the record cannot be read or written, or when cancelled. What was exchanged by then stays. A note
    /// that cannot be read or written is counted, and no error.
    pub(crate) fn run(&self) -> Result<Exchanged> {
        let mut exchanged = Exchanged::default();
        for _ in 0..ROUNDS {
            exchanged.refused = 0;
            if matches!(self.round(&mut exchanged)?, Round::Done) {
                break;
            }
        }
        self.tell(&exchanged);
        Ok(exchanged)
    }

    fn round(&self, exchanged: &mut Exchanged) -> Result<Round> {
        let roots = Roots::of(self.settings);
        roots.forgotten.check()?;
        let discovery = discover(&roots);
        exchanged.nameless = ahead::nameless(self.settings, &discovery.skipped.records);
        self.cancel.check()?;
        let before = Record::load(self.store)?;
        let local = Local::look(&roots, &discovery, &before, self.cancel)?;
        let mark = self.store.read_with(self.cancel, |reader| reader.notes_mark())?;
        if mark.is_some() && mark == before.mark && local.is_as_recorded(&before) {
            return Ok(Round::Done);
        }
        let is_empty = local.is_empty() && discovery.uncertain.is_empty();
        // A workspace that lost all its notes is a new one.
        let record = if is_empty && !self.force { Record::default() } else { before.clone() };
        let rows = match &record.mark {
            Some(known) if mark.as_ref() == Some(known) => as_recorded(&record),
            _ => rows_of(self.store, &roots, self.cancel)?,
        };
        if self.is_foreign(&local, &rows, &record)? {
            exchanged.is_foreign = true;
            return Ok(Round::Done);
        }
        let gateway = owner::gateway_of(self.store)?;
        let view = View {
            roots: &roots,
            gateway: gateway.as_deref(),
            discovery: &discovery,
            local: &local,
            record: &record,
            rows: &rows,
        };
        let plan = view.plan(self.settings.max_file_bytes);
        if !self.force
            && let Some(emptied) = plan.emptied(&view)
        {
            exchanged.emptied = Some(emptied);
            if before.vanished != Some(emptied) {
                Record { vanished: Some(emptied), ..before }.save(self.store)?;
            }
            return Ok(Round::Done);
        }
        let mut work = Work::new(self, &local, record.clone(), mark, exchanged);
        work.carry_out(&plan)?;
        let (now, again) = work.end();
        if now != before {
            now.save(self.store)?;
        }
        Ok(if again { Round::Again } else { Round::Done })
    }

    /// Whether the workspace has mostly other notes than the database, of which nothing was ever exchanged.
    fn is_foreign(&self, local: &Local, rows: &HashMap<String, NoteRow>, record: &Record) -> Result<bool> {
        Ok(!self.force && record.notes.is_empty() && refuses(self.store, self.settings, self.cancel, local, rows)?)
    }

    /// Says what happened, without a path or a text.
    fn tell(&self, exchanged: &Exchanged) {
        let agent = self.settings.agent_id.as_str();
        let Exchanged { taken, given, conflicts, refused, nameless: _, is_foreign: _, emptied } = *exchanged;
        if taken + given > 0 {
            tracing::debug!(agent, taken, given, "notes were exchanged with the database");
        }
        if conflicts > 0 {
            tracing::warn!(
                agent,
                conflicts,
                "NOTES_CONFLICT: notes were changed here and in the database; both texts are kept side by side"
            );
        }
        if refused > 0 {
            tracing::warn!(agent, refused, "NOTES_REFUSED: notes could not be exchanged with the database");
        }
        if let Some((gone, known)) = emptied {
            tracing::warn!(
                agent,
                gone,
                known,
                "NOTES_VANISHED: most notes vanished from the workspace; nothing was exchanged with the database"
            );
        }
    }
}

/// What the database has. What is no note is refused when it is planned what to do.
fn rows_of(store: &Store, roots: &Roots, cancel: &Cancel) -> Result<HashMap<String, NoteRow>> {
    let most = roots.limits.files;
    let rows = store.read_with(cancel, |reader| reader.notes(most + 1, LONGEST))?;
    if rows.len() > most {
        return Err(Error::new(Code::Corrupt, format!("the database holds more than {most} notes of this agent"))
            .remedy("Delete those that are not needed, or leave out store.postgres.notes"));
    }
    Ok(rows.into_iter().map(|row| (row.path.clone(), row)).collect())
}

/// Whether a workspace of which nothing was ever exchanged has mostly other notes than the database.
fn refuses(
    store: &Store,
    settings: &Settings,
    cancel: &Cancel,
    local: &Local,
    rows: &HashMap<String, NoteRow>,
) -> Result<bool> {
    if local.notes.is_empty() {
        return Ok(false);
    }
    let foreign = owner::is_foreign(store, settings, cancel)?;
    if rows.values().all(|row| row.hash().is_none()) {
        return Ok(foreign);
    }
    let is_known = |(path, note): &(&String, &local::Note)| {
        rows.get(*path).is_some_and(|row| row.hash() == Some(note.hash) || row.had(&note.hash))
    };
    let own = local.notes.len() - local.notes.iter().filter(is_known).count();
    Ok(foreign && own >= MANY && own * 2 > local.notes.len())
}

/// What the database has, where it is as the record says.
fn as_recorded(record: &Record) -> HashMap<String, NoteRow> {
    let row = |(path, known): (&String, &Known)| {
        let state = NoteState::Kept { hash: known.hash, size: known.stamp.size };
        (path.clone(), NoteRow { path: path.clone(), state, former: Vec::new() })
    };
    record.notes.iter().map(row).collect()
}

/// Both sides, and what was last exchanged.
struct View<'a> {
    roots: &'a Roots,
    /// As which this gateway is known to others.
    gateway: Option<&'a str>,
    discovery: &'a Discovery,
    local: &'a Local,
    record: &'a Record,
    rows: &'a HashMap<String, NoteRow>,
}

/// What is to be done about a note.
#[derive(Debug)]
struct Planned {
    step: Step,
    /// What the database has: its hash and size.
    theirs: Option<(Hash, u64)>,
}

/// What is to be done.
#[derive(Debug, Default)]
struct Plan {
    /// By path, but for those of which nothing is to be done.
    steps: BTreeMap<String, Planned>,
    /// Notes of which nothing can be done.
    refused: usize,
}

impl View<'_> {
    fn plan(&self, most_bytes: u64) -> Plan {
        let mut plan = Plan::default();
        let paths: BTreeSet<&String> =
            self.local.notes.keys().chain(self.record.notes.keys()).chain(self.rows.keys()).collect();
        for path in paths {
            let row = self.rows.get(path);
            let local = self.local.notes.get(path).map(|note| note.hash);
            let known = self.record.notes.get(path).map(|known| known.hash);
            if !is_note(path) || row.is_some_and(|row| !is_usable(row, most_bytes)) {
                plan.refused += 1;
                continue;
            }
            let theirs = row.and_then(NoteRow::hash);
            let step = if self.roots.forgotten.path(path).is_some() {
                forget(known, row, self.roots.forgotten.is_forgotten_elsewhere(path, self.gateway))
            } else if local.is_none() && !self.local.lacks(self.roots, self.discovery, path) {
                plan.refused += usize::from(theirs.is_some() && theirs != known);
                Step::Nothing
            } else {
                decide(Sides { local, known, row })
            };
            // A stamp that is settled by now is worth remembering.
            let is_restamped = local.is_some() && local == known && !self.is_stamped(path);
            let step = if step == Step::Nothing && is_restamped { Step::Same } else { step };
            if step != Step::Nothing {
                let theirs = row.and_then(|row| match row.state {
                    NoteState::Kept { hash, size } => Some((hash, size)),
                    NoteState::Deleted | NoteState::Damaged => None,
                });
                plan.steps.insert(path.clone(), Planned { step, theirs });
            }
        }
        plan
    }

    /// Whether the record knows a note by the stamp that it has.
    fn is_stamped(&self, path: &str) -> bool {
        let stamp = self.local.notes.get(path).map(|note| note.stamp);
        stamp == self.record.notes.get(path).map(|known| known.stamp)
    }
}

/// Whether something of ours can have written a row.
fn is_usable(row: &NoteRow, most_bytes: u64) -> bool {
    match row.state {
        NoteState::Kept { size, .. } => size <= most_bytes,
        NoteState::Deleted => true,
        NoteState::Damaged => false,
    }
}

impl Plan {
    /// How many notes are gone from the workspace, and of how many, where more are than anybody tidies away. One that has
    /// another name now is not gone.
    fn emptied(&self, view: &View<'_>) -> Option<(usize, usize)> {
        let contents = view.local.contents();
        let is_gone = |(path, planned): &(&String, &Planned)| match planned.step {
            Step::GiveDeletion(hash) => !contents.contains(&hash) && view.roots.forgotten.path(path).is_none(),
            _ => false,
        };
        let (gone, known) = (self.steps.iter().filter(is_gone).count(), view.record.notes.len());
        (gone >= FEW && gone * 2 > known).then_some((gone, known))
    }
}
