//! The words that the automatic memory keeps beside the index, in the journal and the short-term memory with their rotated
//! files: found, taken out, and put back (`memory forget`).

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    journal::{FORMER_CAPTURES, FORMER_TURNS, Journal},
    jsonl::{self, SetAside},
    log,
    queue::Job,
    short_term,
};
use model::{
    config::automatic::people_folder,
    error::{Error, Result},
};

/// What stands in the journal where the text of a capture was.
pub(crate) const BLANK: &str = "(forgotten)";

/// Where the automatic memory of an agent keeps its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Places {
    /// The agent's folder.
    pub folder: Option<PathBuf>,
    /// The agent's file of short-term memory.
    pub short_term: Option<PathBuf>,
}

impl Places {
    /// The folders in which files of it are.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let agent = self.folder.iter().flat_map(|folder| [folder.clone(), people_folder(folder)]);
        agent.chain(self.short_term.as_ref().and_then(|path| path.parent()).map(Path::to_path_buf)).collect()
    }
}

/// Which words are meant.
pub(crate) struct Wanted<'a> {
    /// Whether a capture is.
    pub capture: &'a dyn Fn(&log::Entry) -> bool,
    /// Whether a waiting turn is.
    pub turn: &'a dyn Fn(&Job) -> bool,
    /// Whether a record of the short-term memory is.
    pub record: &'a dyn Fn(&short_term::Entry) -> bool,
}

/// Words that were found, as they stand on the disk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Words {
    /// Captures. They stay without their text: they know which messages were judged already.
    pub captures: Vec<log::Entry>,
    /// Turns that wait.
    pub turns: Vec<Job>,
    /// Lines of other files, oldest first: records of the short-term memory, and what 0.1.0 made of its log by and by.
    pub lines: Vec<FileLines>,
    /// Files that go because nobody can say what they hold.
    pub damaged: usize,
}

/// Lines of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileLines {
    /// The file.
    pub file: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Words {
    /// How many records of the short-term memory are among them, damaged files included.
    pub(crate) fn records(&self) -> usize {
        self.lines.iter().map(|file| file.lines.len()).sum()
    }
}

/// Whether nothing is kept at all.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn is_nothing_kept(places: &Places) -> Result<bool> {
    let has_journal = places.folder.as_deref().is_some_and(|folder| Journal::new(folder).exists());
    let Files { whole, damaged } = files_of(places)?;
    Ok(!has_journal && whole.is_empty() && damaged.is_empty())
}

/// Finds words. Changes nothing but that damage which nobody has met yet is set aside.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn find(places: &Places, wanted: &Wanted<'_>) -> Result<Words> {
    let mut words = Words::default();
    if let Some(folder) = &places.folder {
        let journal = Journal::new(folder);
        if journal.exists() {
            let state = journal.read()?;
            let is_meant = |entry: &&log::Entry| entry.text != BLANK && (wanted.capture)(entry);
            words.captures = state.captures().filter(is_meant).cloned().collect();
            let (waiting, surplus) = state.turns();
            words.turns = surplus.into_iter().chain(waiting).filter(|job| (wanted.turn)(job)).cloned().collect();
        }
    }
    let Files { whole, damaged } = files_of(places)?;
    words.damaged = damaged.len();
    for file in whole {
        words.damaged += usize::from(jsonl::has_damage(&file)?);
        let is_meant = |line: &String| match serde_json::from_str::<short_term::Entry>(line) {
            Ok(record) => (wanted.record)(&record),
            Err(_) => serde_json::from_str(line).is_ok_and(|entry: log::Entry| (wanted.capture)(&entry)),
        };
        let lines: Vec<String> = jsonl::all(&file)?.into_iter().filter(is_meant).collect();
        if !lines.is_empty() {
            words.lines.push(FileLines { file, lines });
        }
    }
    Ok(words)
}

/// Takes words out, and with them everything that is over or damaged. Those that are gone already are passed over.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn take(places: &Places, words: &Words) -> Result<()> {
    if let Some(folder) = &places.folder {
        let captures: HashSet<&str> = words.captures.iter().map(|entry| entry.id.as_str()).collect();
        let turns: HashSet<&str> = words.turns.iter().map(|job| job.id.as_str()).collect();
        Journal::new(folder).change(false, |state| {
            let blanked = state.change_captures(|entry| captures.contains(entry.id.as_str()) && blank(entry));
            blanked + state.remove_turns(|job| turns.contains(job.id.as_str()))
        })?;
    }
    mend(&files_of(places)?.whole)?;
    let Files { whole, damaged } = files_of(places)?;
    for file in damaged {
        std::fs::remove_file(&file).map_err(|e| Error::io(&file, &e))?;
    }
    let gone: HashSet<&String> = words.lines.iter().flat_map(|file| &file.lines).collect();
    if gone.is_empty() {
        return Ok(());
    }
    // In all files: what was in one may have been rotated since it was found.
    for file in whole {
        jsonl::update(&file, |lines| {
            let before = lines.len();
            let kept: Vec<String> = lines.into_iter().filter(|line| !gone.contains(line)).collect();
            (kept.len() < before).then_some(kept)
        })?;
    }
    Ok(())
}

/// Puts words back where they were. Those that are there are passed over.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn put_back(places: &Places, words: &Words) -> Result<()> {
    if let Some(folder) = &places.folder
        && !(words.captures.is_empty() && words.turns.is_empty())
    {
        let journal = Journal::new(folder);
        let known: HashMap<&str, &log::Entry> = words.captures.iter().map(|e| (e.id.as_str(), e)).collect();
        journal.change(false, |state| {
            state.change_captures(|entry| {
                let former = known.get(entry.id.as_str()).filter(|_| entry.text == BLANK);
                former.is_some_and(|former| {
                    former.text.clone_into(&mut entry.text);
                    entry.reason.clone_from(&former.reason);
                    true
                })
            })
        })?;
        words.turns.iter().try_for_each(|job| journal.push(job))?;
    }
    for FileLines { file, lines } in &words.lines {
        jsonl::update(file, |mut known| {
            let before = known.len();
            for line in lines {
                if !known.contains(line) {
                    let at = known.iter().position(|other| time_of(other) > time_of(line)).unwrap_or(known.len());
                    known.insert(at, line.clone());
                }
            }
            (known.len() > before).then_some(known)
        })?;
    }
    Ok(())
}

/// When a record was made; they stand in this order.
fn time_of(line: &str) -> Option<String> {
    let record: serde_json::Value = serde_json::from_str(line).ok()?;
    record.get("ts")?.as_str().map(str::to_owned)
}

fn blank(entry: &mut log::Entry) -> bool {
    let has_text = entry.text != BLANK;
    BLANK.clone_into(&mut entry.text);
    entry.reason = None;
    has_text
}

/// The files beside the journal, and those that were set aside.
#[derive(Default)]
struct Files {
    whole: Vec<PathBuf>,
    damaged: Vec<PathBuf>,
}

fn files_of(places: &Places) -> Result<Files> {
    let mut files = Files::default();
    if let Some(path) = &places.short_term {
        files.whole.extend(with_rotated(path)?);
        files.damaged.extend(jsonl::set_aside(path)?);
    }
    if let Some(folder) = &places.folder {
        files.whole.extend(jsonl::rotated(&folder.join(FORMER_CAPTURES))?);
        files.damaged.extend(set_aside_of_captures(folder)?);
        let (damaged, whole) = sorted_files_of_people(folder)?;
        files.whole.extend(whole);
        files.damaged.extend(damaged);
    }
    Ok(files)
}

/// The files that were set aside, and the others.
fn sorted_files_of_people(agent_folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    Ok(files_of_people(agent_folder)?.into_iter().partition(|file| jsonl::is_set_aside(file)))
}

/// Sets damaged lines of files aside, so that they go with what was set aside before.
fn mend(files: &[PathBuf]) -> Result<()> {
    files.iter().try_for_each(|file| jsonl::mend(file).map(drop))
}

fn files_of_people(agent_folder: &Path) -> Result<Vec<PathBuf>> {
    let folder = people_folder(agent_folder);
    let files = match folder.read_dir() {
        Ok(entries) => {
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(&folder, &e)),
    };
    Ok(files.collect())
}

/// What was set aside of an agent's files because it was damaged; what is found damaged now is set aside first.
/// `short_term` is the agent's file of short-term memory.
///
/// # Errors
/// When a folder cannot be read.
pub fn set_aside(folder: &Path, short_term: &Path) -> Result<Vec<SetAside>> {
    let mut found = Vec::new();
    mend_or_tell(&with_rotated(short_term)?);
    mend_or_tell(&jsonl::rotated(&folder.join(FORMER_CAPTURES))?);
    if let Err(error) = Journal::new(folder).captures() {
        jsonl::notice(format!("automatic memory cannot read its journal: {error}"));
    }
    found.extend(jsonl::set_aside(short_term)?);
    found.extend(set_aside_of_captures(folder)?);
    mend_or_tell(&sorted_files_of_people(folder)?.1);
    found.extend(sorted_files_of_people(folder)?.0);
    Ok(found.into_iter().map(SetAside::at).collect())
}

/// What was set aside of the journal, and of what came before it.
fn set_aside_of_captures(folder: &Path) -> Result<Vec<PathBuf>> {
    let journal = Journal::new(folder).path();
    let files = [journal, folder.join(FORMER_CAPTURES), folder.join(FORMER_TURNS)];
    files.iter().map(|file| jsonl::set_aside(file)).collect::<Result<Vec<_>>>().map(|found| found.concat())
}

/// A file that cannot be mended keeps nobody from hearing of the others.
fn mend_or_tell(files: &[PathBuf]) {
    for file in files {
        if let Err(error) = jsonl::mend(file) {
            jsonl::notice(format!("damaged lines are passed over: {error}"));
        }
    }
}

/// A file and what rotation made of it, as far as they exist.
fn with_rotated(path: &Path) -> Result<Vec<PathBuf>> {
    let mut files = jsonl::rotated(path)?;
    files.extend(path.exists().then(|| path.to_owned()));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::config::automatic::Limits;

    const SECRET: &str = "4711";

    /// Finds the words and takes them out; gives what was found.
    fn forget(places: &Places) -> Words {
        let wanted = Wanted {
            capture: &|entry| entry.text.contains(SECRET),
            turn: &|_| false,
            record: &|record| record.input.contains(SECRET),
        };
        let words = find(places, &wanted).unwrap();
        take(places, &words).unwrap();
        words
    }

    fn at(dir: &tempfile::TempDir) -> Places {
        let folder = dir.path().to_path_buf();
        Places { short_term: Some(folder.join("short-term.jsonl")), folder: Some(folder) }
    }

    #[test]
    fn records_go_from_the_file_and_its_rotated_ones_and_come_back_to_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("short-term.jsonl");
        let now: jiff::Zoned = "2026-03-17T01:41:00+00:00[UTC]".parse().unwrap();
        let limits = Limits { max_entries: 2, ..Limits::default() };
        let later = |seconds| &now + jiff::Span::new().seconds(seconds);
        for (n, text) in ["the code is 4711", "tea", "the code is 4711 again", "milk"].iter().enumerate() {
            short_term::record(&path, &limits, text, "ok", &later(n as i64)).unwrap();
        }
        std::fs::write(dir.path().join("short-term-notes.jsonl"), "4711\n").unwrap();
        let read =
            || ["short-term-2026-03-17.jsonl", "short-term.jsonl"].map(|n| std::fs::read(dir.path().join(n)).ok());
        let before = read();
        let words = forget(&at(&dir));
        assert_eq!(words.records(), 2);
        assert_eq!(forget(&at(&dir)).records(), 0);
        let rotated = std::fs::read_to_string(dir.path().join("short-term-2026-03-17.jsonl")).unwrap();
        assert!(rotated.contains("tea") && !rotated.contains(SECRET), "{rotated}");
        for _ in 0..2 {
            put_back(&at(&dir), &words).unwrap();
            assert_eq!(read(), before, "byte for byte, however often");
        }
    }

    #[test]
    fn what_was_set_aside_as_damaged_goes_with_the_first_words_that_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let people = people_folder(dir.path());
        std::fs::create_dir(&people).unwrap();
        for file in
            [dir.path().join("short-term-damaged-2026-03-17.jsonl"), people.join("0a-damaged-2026-03-17-2.jsonl")]
        {
            std::fs::write(file, "\0\0 the code is 4711").unwrap();
        }
        std::fs::write(people.join("0a.jsonl"), "\n").unwrap();
        for found in [2, 0] {
            let all = set_aside(dir.path(), at(&dir).short_term.as_ref().unwrap()).unwrap();
            assert_eq!((all.len(), forget(&at(&dir)).damaged), (found, found));
        }
    }

    // A damaged line between others stayed where it was, whatever it held.
    #[test]
    fn damaged_lines_go_with_the_first_words_that_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let people = people_folder(dir.path());
        std::fs::create_dir(&people).unwrap();
        let files = [dir.path().join("short-term.jsonl"), people.join("0a.jsonl"), Journal::new(dir.path()).path()];
        let lines = ["[1]", "[2]"];
        let records = [r#"{"done":"a"}"#, r#"{"done":"b"}"#];
        for (file, [first, last]) in files.iter().zip([lines, lines, records]) {
            std::fs::write(file, format!("{first}\n\0\0 the code is 4711\n{last}\n")).unwrap();
        }
        for found in [3, 0] {
            assert_eq!(forget(&at(&dir)).damaged, found);
        }
        for (file, left) in files.iter().zip(["[1]\n[2]\n", "[1]\n[2]\n", "{\"done\":\"a\"}\n{\"done\":\"b\"}\n"]) {
            assert_eq!(std::fs::read_to_string(file).unwrap(), left);
        }
        assert_eq!(set_aside(dir.path(), &files[0]).unwrap(), []);
    }

    #[test]
    fn captures_keep_their_fingerprints_without_their_text_until_it_is_put_back() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        let entry = log::Entry {
            id: "a".into(),
            ts: "2026-11-21T00:00:00Z".into(),
            status: log::Status::Stored,
            text: "The code is 4711.".into(),
            reason: None,
            category: None,
            path: None,
            session_key: Some("agent:main:main".into()),
            session_id: None,
            message: "print".into(),
            heard: Vec::new(),
        };
        journal.add_capture(entry.clone()).unwrap();
        let words = forget(&at(&dir));
        let kept = journal.captures().unwrap();
        assert_eq!((kept[0].text.as_str(), kept[0].message.as_str()), (BLANK, "print"));
        assert!(!std::fs::read_to_string(journal.path()).unwrap().contains(SECRET));
        put_back(&at(&dir), &words).unwrap();
        assert_eq!(journal.captures().unwrap(), [entry]);
        let nowhere = Places { folder: Some(dir.path().join("nowhere")), short_term: None };
        assert_eq!(forget(&nowhere), Words::default());
    }
}
