//! Taking words out of what the automatic memory keeps beside the index (`memory forget`): the journal and the short-term
//! memory, rotated files included.

use std::path::{Path, PathBuf};

use super::{
    journal::{FORMER_CAPTURES, FORMER_TURNS, Journal},
    jsonl::{self, SetAside},
    log, short_term,
};
use model::{
    config::automatic::people_folder,
    error::{Error, Result},
};

/// What stands in the journal where the text of a capture was.
pub(crate) const BLANK: &str = "(forgotten)";

/// Blanks the text of captures. The entries stay: they know which messages were judged already. Gives their number.
///
/// # Errors
/// When a file cannot be read or written.
pub fn captures(folder: &Path, dry_run: bool, concerns: impl Fn(&log::Entry) -> bool) -> Result<usize> {
    let mut blank = |entry: &mut log::Entry| {
        let is_concerned = entry.text != BLANK && concerns(entry);
        if is_concerned {
            BLANK.clone_into(&mut entry.text);
            entry.reason = None;
        }
        is_concerned
    };
    let journal = Journal::new(folder);
    let blanked = journal.change_captures(dry_run, &mut blank)?;
    // What 0.1.0 made of its log by and by.
    let former = jsonl::rotated(&folder.join(FORMER_CAPTURES))?;
    let damaged = mend(&former, dry_run)? + remove(&set_aside_of_captures(folder)?, dry_run)?;
    let in_former = rewrite(former, dry_run, |line| {
        let mut entry: log::Entry = serde_json::from_str(line).ok()?;
        blank(&mut entry).then(|| serde_json::to_string(&entry).ok())
    })?;
    Ok(blanked + damaged + in_former)
}

/// Removes records of the short-term memory; gives their number.
///
/// # Errors
/// When a file cannot be read or written.
pub fn short_term(path: &Path, dry_run: bool, concerns: impl Fn(&short_term::Entry) -> bool) -> Result<usize> {
    let files = with_rotated(path)?;
    let mended = mend(&files, dry_run)?;
    Ok(mended + remove(&jsonl::set_aside(path)?, dry_run)? + rewrite(files, dry_run, without(concerns))?)
}

/// The same in the files of people that an agent keeps apart.
///
/// # Errors
/// As [`short_term`].
pub(crate) fn short_term_of_people(
    agent_folder: &Path,
    dry_run: bool,
    concerns: impl Fn(&short_term::Entry) -> bool,
) -> Result<usize> {
    let (_, whole) = sorted_files_of_people(agent_folder)?;
    let mended = mend(&whole, dry_run)?;
    let (damaged, whole) = sorted_files_of_people(agent_folder)?;
    Ok(mended + remove(&damaged, dry_run)? + rewrite(whole, dry_run, without(concerns))?)
}

/// The files that were set aside, and the others.
fn sorted_files_of_people(agent_folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    Ok(files_of_people(agent_folder)?.into_iter().partition(|file| jsonl::is_set_aside(file)))
}

/// Sets damaged lines of files aside, so that they go with what was set aside before. In a dry run it gives the number of
/// files that would be made by it, else none.
fn mend(files: &[PathBuf], dry_run: bool) -> Result<usize> {
    let mut would = 0;
    for file in files {
        if dry_run {
            would += usize::from(jsonl::has_damage(file)?);
        } else {
            jsonl::mend(file)?;
        }
    }
    Ok(would)
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

/// Removes what was set aside as damaged: nobody can say whether it holds the words. Gives the number of files.
fn remove(files: &[PathBuf], dry_run: bool) -> Result<usize> {
    for file in files.iter().filter(|_| !dry_run) {
        std::fs::remove_file(file).map_err(|e| Error::io(file, &e))?;
    }
    Ok(files.len())
}

fn without(concerns: impl Fn(&short_term::Entry) -> bool) -> impl Fn(&str) -> Option<Option<String>> {
    move |line| serde_json::from_str(line).is_ok_and(|entry| concerns(&entry)).then_some(None)
}

/// Goes through the lines of files: `judge` gives none to leave a line as it is, else what comes in its place. Gives the
/// number of lines changed.
fn rewrite(files: Vec<PathBuf>, dry_run: bool, mut judge: impl FnMut(&str) -> Option<Option<String>>) -> Result<usize> {
    let mut changed = 0;
    for file in files {
        jsonl::update(&file, |lines| {
            let judged: Vec<Option<Option<String>>> = lines.iter().map(|line| judge(line)).collect();
            let here = judged.iter().flatten().count();
            changed += here;
            let kept = judged.into_iter().zip(lines).filter_map(|(verdict, line)| verdict.unwrap_or(Some(line)));
            (here > 0 && !dry_run).then(|| kept.collect())
        })?;
    }
    Ok(changed)
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

    #[test]
    fn records_go_from_the_file_and_its_rotated_ones_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("short-term.jsonl");
        let now: jiff::Zoned = "2026-03-17T01:41:00+00:00[UTC]".parse().unwrap();
        let limits = Limits { max_entries: 2, ..Limits::default() };
        for text in ["the code is 4711", "tea", "the code is 4711 again"] {
            short_term::record(&path, &limits, text, "ok", &now).unwrap();
        }
        std::fs::write(dir.path().join("short-term-notes.jsonl"), "4711\n").unwrap();
        let concerns = |entry: &short_term::Entry| entry.input.contains("4711");
        assert_eq!(short_term(&path, true, concerns).unwrap(), 2);
        assert_eq!(short_term(&path, false, concerns).unwrap(), 2);
        assert_eq!(short_term(&path, false, concerns).unwrap(), 0);
        let rotated = std::fs::read_to_string(dir.path().join("short-term-2026-03-17.jsonl")).unwrap();
        assert!(rotated.contains("tea") && !rotated.contains("4711"), "{rotated}");
    }

    #[test]
    fn what_was_set_aside_as_damaged_goes_with_the_first_words_that_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("short-term.jsonl");
        let people = people_folder(dir.path());
        std::fs::create_dir(&people).unwrap();
        for file in
            [dir.path().join("short-term-damaged-2026-03-17.jsonl"), people.join("0a-damaged-2026-03-17-2.jsonl")]
        {
            std::fs::write(file, "\0\0 the code is 4711").unwrap();
        }
        std::fs::write(people.join("0a.jsonl"), "\n").unwrap();
        for (dry_run, found) in [(true, 1), (false, 1), (false, 0)] {
            let all = set_aside(dir.path(), &path).unwrap();
            assert_eq!(all.len(), 2 * found);
            assert_eq!(short_term(&path, dry_run, |_| false).unwrap(), found);
            assert_eq!(short_term_of_people(dir.path(), dry_run, |_| false).unwrap(), found);
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
        for (dry_run, found) in [(true, 1), (false, 1), (false, 0)] {
            assert_eq!(short_term(&files[0], dry_run, |_| false).unwrap(), found);
            assert_eq!(short_term_of_people(dir.path(), dry_run, |_| false).unwrap(), found);
            assert_eq!(captures(dir.path(), dry_run, |_| false).unwrap(), found);
        }
        for (file, left) in files.iter().zip(["[1]\n[2]\n", "[1]\n[2]\n", "{\"done\":\"a\"}\n{\"done\":\"b\"}\n"]) {
            assert_eq!(std::fs::read_to_string(file).unwrap(), left);
        }
        assert_eq!(set_aside(dir.path(), &files[0]).unwrap(), []);
    }

    #[test]
    fn captures_keep_their_fingerprints_without_their_text() {
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
            message: "print".into(),
        };
        journal.add_capture(entry).unwrap();
        assert_eq!(captures(dir.path(), false, |e| e.session_key.as_deref() == Some("agent:main:main")).unwrap(), 1);
        let kept = journal.captures().unwrap();
        assert_eq!((kept[0].text.as_str(), kept[0].message.as_str()), (BLANK, "print"));
        assert_eq!(captures(&dir.path().join("nowhere"), false, |_| true).unwrap(), 0);
    }
}
