//! A plan on the disk: from its preview, whose id it is, over the moment it is carried out, to the end of the time in which
//! it can be undone. It is the only place where what was taken out still stands, for its owner alone to read.
//!
//! Whoever finds a plan that was begun and not finished, because its process was killed or could not, finishes it.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};

use super::notes::Cut;
use crate::{
    capture::erase::{Places, Words},
    intents::StandingIntent,
    workspace::exclusions::{Exclusions, What},
};
use model::{
    error::{Code, Error, Result},
    own_file,
};
use store::{
    Kept, Store,
    consolidation::{Evidence, RunRow},
    files::Hash,
    unwritable,
};

/// How long a preview can be carried out, in milliseconds: a day.
const PREVIEW_MS: i64 = 24 * 3_600_000;
/// How long what was done can be undone: seven days.
pub(crate) const UNDO_MS: i64 = 7 * 24 * 3_600_000;
/// Characters of an id.
const ID_CHARS: usize = 8;
/// Serialises what changes things, between processes.
const LOCK: &str = "lock";

/// How far a plan has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It was shown.
    #[default]
    Planned,
    /// It is being carried out.
    Applying,
    /// It was carried out.
    Applied,
    /// It is being undone.
    Undoing,
}

/// What is to be forgotten, piece by piece.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Plan {
    /// Its id.
    pub id: String,
    /// How far it is.
    pub state: State,
    /// When it was made, in milliseconds since the epoch.
    pub planned_ms: i64,
    /// When it was carried out.
    pub applied_ms: i64,
    /// Whether it is never to be undone.
    pub is_final: bool,
    /// What is kept out of the index from then on.
    pub whats: Vec<What>,
    /// What leaves the user's files.
    pub cuts: Vec<Cut>,
    /// What leaves the automatic memory.
    pub words: Words,
    /// Where that is.
    pub places: Places,
    /// Standing intents that go.
    pub intents: Vec<StandingIntent>,
    /// Where they are.
    pub intents_folder: Option<PathBuf>,
    /// Claims of consolidation that go, and those of which a use goes, as they were.
    pub evidence: Vec<Evidence>,
    /// Ids of the claims that go.
    pub claims: Vec<String>,
    /// Marks of the conversations whose uses go.
    pub conversations: Vec<String>,
    /// Runs of consolidation whose plan or images name such a claim.
    pub runs: Vec<RunRow>,
    /// Texts whose vectors go, unless another chunk has the same text.
    pub hashes: Vec<Hash>,
    /// What is shown of it.
    pub report: serde_json::Value,
    /// Why it could not be finished, when that was last tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// That something was begun by a process that is not at it any more, and is not finished.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Why, where that was tried.
    pub problem: Option<String>,
}

impl Plan {
    /// The paths that are kept out as a whole.
    pub(crate) fn paths(&self) -> Vec<String> {
        Exclusions::of_these(&self.whats).paths().map(str::to_owned).collect()
    }
}

/// The files of a folder of plans, by name, size and time: what is the same was not written since.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing(Vec<(OsString, u64, Option<SystemTime>)>);

impl Listing {
    /// Whether one is among them that was not written to the end.
    pub(crate) fn has_unfinished(&self) -> bool {
        self.0.iter().any(|(name, ..)| Path::new(name).extension().is_some_and(|extension| extension == "tmp"))
    }
}

/// The plans of one index.
#[derive(Debug, Clone)]
pub(crate) struct Plans {
    folder: PathBuf,
}

impl Plans {
    /// Those of a store.
    pub(crate) fn of(store: &Store) -> Self {
        Self { folder: store.kept(Kept::Forgetting) }
    }

    /// A new id.
    pub(crate) fn new_id() -> String {
        uuid::Uuid::new_v4().simple().to_string().chars().take(ID_CHARS).collect()
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Keeps a plan as it is now, over a power cut too.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn save(&self, plan: &Plan) -> Result<()> {
        let text = serde_json::to_vec(plan)
            .map_err(|error| Error::new(Code::Internal, format!("plan of forgetting: {error}")))?;
        let path = self.path(&plan.id);
        let kept = own_file::create_folder(&self.folder).and_then(|()| own_file::replace(&path, &text));
        kept.map_err(|error| unwritten(&path, &error))
    }

    /// Files of plans that a killed process has not written to the end: nothing says what they hold, and that is what was to
    /// be forgotten.
    fn unfinished(&self) -> impl Iterator<Item = PathBuf> {
        let entries = self.folder.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
    }

    /// Whether there are such files.
    pub(crate) fn has_unfinished(&self) -> bool {
        self.unfinished().next().is_some()
    }

    /// Removes them. Only who has the turn may: who is carried out writes others.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub(crate) fn clear_unfinished(&self, _turn: &File) -> Result<()> {
        self.unfinished().try_for_each(|path| match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, &error)),
            _ => Ok(()),
        })
    }

    /// A plan by its id; none when there is none, or it is over.
    ///
    /// # Errors
    /// [`Code::Argument`] for what is no id, [`Code::Corrupt`] when it cannot be understood, and when it cannot be read.
    pub(crate) fn load(&self, id: &str) -> Result<Option<Plan>> {
        if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(Error::new(Code::Argument, "an id of forgetting has letters and digits only")
                .remedy("`openclaw memory forget --list` shows them"));
        }
        let path = self.path(id);
        let Some(bytes) = own_file::read(&path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|_| {
            Error::new(Code::Corrupt, format!("{} cannot be read", path.display()))
                .remedy("Remove the file; what it undoes cannot be undone then")
        })
    }

    /// Removes a plan with all it holds.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(&self, id: &str) -> Result<()> {
        let path = self.path(id);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, &error)),
            _ => Ok(()),
        }
    }

    /// All plans that can be understood, in no order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn all(&self) -> Result<Vec<Plan>> {
        let entries = match self.folder.read_dir() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| Error::io(&self.folder, &error))?,
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        // What cannot be read is told to who asks for it.
        let plan = |name: &std::ffi::OsString| self.load(name.to_str()?.strip_suffix(".json")?).ok().flatten();
        Ok(names.filter_map(|name| plan(&name)).collect())
    }

    /// Whether one was begun and not finished, by whomever.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn has_begun(&self) -> Result<bool> {
        Ok(!self.begun()?.is_empty())
    }

    /// What is left of those who are not at it any more.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn left(&self) -> Result<Option<Left>> {
        let begun = self.begun()?;
        let is_left = !begun.is_empty() && self.turn().map_or(true, |turn| turn.is_some());
        Ok(is_left.then(|| Left { problem: begun.into_iter().find_map(|plan| plan.problem) }))
    }

    fn begun(&self) -> Result<Vec<Plan>> {
        let is_begun = |plan: &Plan| matches!(plan.state, State::Applying | State::Undoing);
        Ok(self.all()?.into_iter().filter(is_begun).collect())
    }

    /// What lies in the folder now.
    pub(crate) fn listing(&self) -> Listing {
        let entries = self.folder.read_dir().into_iter().flatten().flatten();
        let stamp = |entry: std::fs::DirEntry| {
            let meta = entry.metadata().ok()?;
            Some((entry.file_name(), meta.len(), meta.modified().ok()))
        };
        let mut files: Vec<_> = entries.filter_map(stamp).collect();
        files.sort_unstable();
        Listing(files)
    }

    /// Removes what is over; gives the ids of plans that were begun and not finished.
    ///
    /// # Errors
    /// When the folder cannot be read, or a plan not removed.
    pub(crate) fn tend(&self, now_ms: i64) -> Result<Vec<String>> {
        let mut begun = Vec::new();
        for plan in self.all()? {
            let is_over = match plan.state {
                State::Planned => plan.planned_ms + PREVIEW_MS <= now_ms,
                State::Applied => plan.applied_ms + UNDO_MS <= now_ms,
                State::Applying | State::Undoing => {
                    begun.push(plan.id.clone());
                    false
                }
            };
            if is_over {
                self.remove(&plan.id)?;
            }
        }
        begun.sort_unstable();
        Ok(begun)
    }

    /// The right to change things, until dropped; the system takes it from a process that dies. None while somebody else
    /// has it.
    ///
    /// # Errors
    /// When the lock cannot be opened.
    pub(crate) fn turn(&self) -> Result<Option<File>> {
        let path = self.folder.join(LOCK);
        let open = || own_file::create_folder(&self.folder).and_then(|()| own_file::open_or_create(&path));
        let file = open().map_err(|error| unwritten(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::io(&path, &error)),
        }
    }
}

/// Plans lie beside the index: where they cannot be written it cannot either.
fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    let error = Error::io(path, error);
    if error.code() == Code::ReadOnly { unwritable(error) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(dir: &tempfile::TempDir) -> Plans {
        Plans { folder: dir.path().join("index.forgetting") }
    }

    #[test]
    fn previews_end_after_a_day_and_what_undoes_after_seven() {
        let dir = tempfile::tempdir().unwrap();
        let plans = plans(&dir);
        assert_eq!(plans.tend(0).unwrap(), Vec::<String>::new());
        for (id, state) in [("a", State::Planned), ("b", State::Applied), ("c", State::Applying)] {
            plans.save(&Plan { id: id.into(), state, ..Plan::default() }).unwrap();
        }
        let known = || ["a", "b", "c"].map(|id| plans.load(id).unwrap().is_some());
        assert_eq!((plans.tend(PREVIEW_MS - 1).unwrap(), known()), (vec!["c".to_owned()], [true, true, true]));
        assert_eq!((plans.tend(PREVIEW_MS).unwrap().len(), known()), (1, [false, true, true]));
        assert_eq!((plans.tend(UNDO_MS).unwrap().len(), known()), (1, [false, false, true]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(plans.path("c")).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "nobody else may read what was forgotten");
        }
    }

    // What a process was writing when it was killed stayed, with the words that were to be forgotten.
    #[test]
    fn what_was_not_written_to_the_end_goes() {
        let dir = tempfile::tempdir().unwrap();
        let plans = plans(&dir);
        assert!(!plans.has_unfinished());
        plans.save(&Plan { id: "a".into(), ..Plan::default() }).unwrap();
        std::fs::write(plans.folder.join(".0f.tmp"), "Quokka").unwrap();
        assert!(plans.has_unfinished());
        plans.clear_unfinished(&plans.turn().unwrap().unwrap()).unwrap();
        assert!(!plans.has_unfinished() && plans.load("a").unwrap().is_some());
    }

    #[test]
    fn an_id_leads_nowhere_else_and_damage_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let plans = plans(&dir);
        for id in ["", "../index", "a/b", "a.b", "ä"] {
            assert_eq!(plans.load(id).unwrap_err().code(), Code::Argument, "{id}");
        }
        let _turn = plans.turn().unwrap().unwrap();
        assert!(plans.turn().unwrap().is_none());
        std::fs::write(plans.path("x"), "{").unwrap();
        assert_eq!(plans.load("x").unwrap_err().code(), Code::Corrupt);
    }
}
