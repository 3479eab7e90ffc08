//! What a search is confined to: days, paths, conversations. Files are chosen by it before anything is ranked.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use unicode_normalization::UnicodeNormalization;

use model::{
    config::extra_path::ExtraPath,
    error::{Code, Error, Result},
    source::Source,
    stamp::Stamp,
};
use store::{
    Reader,
    generations::GenerationId,
    within::{FileFacts, Within},
};
use text::time::{self, DateRange, note_date};

use super::days;

/// What the caller names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// The first day, as people write it.
    pub since: Option<String>,
    /// The last day, likewise.
    pub until: Option<String>,
    /// Files, folders or globs as results show them; empty = all.
    pub paths: Vec<String>,
}

/// Files that a search may look at.
#[derive(Debug)]
pub struct Confine {
    days: DateRange,
    today: Date,
    paths: Vec<Wanted>,
    workspace_dir: PathBuf,
    zone: TimeZone,
    /// Ids of the only conversations that may be found; none = all.
    conversations: Option<HashSet<String>>,
}

/// A path that is wished for.
#[derive(Debug)]
struct Wanted {
    /// As it is written.
    written: Vec<ExtraPath>,
    /// With composed letters; empty where there are none that could be.
    composed: Vec<ExtraPath>,
}

/// All days.
const ALWAYS: DateRange = DateRange { start: Date::MIN, end: Date::MAX };

impl Confine {
    /// What is wished for, at `now_ms` in the time zone `zone`; none when that is everything.
    ///
    /// # Errors
    /// `Argument` when a day or a path cannot be understood, or the days are in the wrong order.
    pub fn of(
        wish: &Wish,
        conversations: Option<Vec<String>>,
        workspace_dir: &Path,
        (now_ms, zone): (i64, &str),
    ) -> Result<Option<Self>> {
        let today = time::date_in(now_ms, zone);
        let day = |name, written: &Option<String>| {
            written.as_deref().map(|written| days::read(name, written, today, zone)).transpose()
        };
        let (since, until) = (day("since", &wish.since)?, day("until", &wish.until)?);
        let start = since.map_or(ALWAYS.start, |days| days.start);
        let days = DateRange { start, end: until.map_or(ALWAYS.end, |days| days.end) };
        if days.start > days.end {
            let message = format!("since ({}) lies after until ({})", days.start, days.end);
            return Err(Error::new(Code::Argument, message).remedy("Name the earlier day as `since`"));
        }
        if days == ALWAYS && wish.paths.is_empty() && conversations.is_none() {
            return Ok(None);
        }
        let mut paths = Vec::new();
        for written in &wish.paths {
            paths.push(Wanted::of(written, workspace_dir)?);
        }
        let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
        let conversations = conversations.map(HashSet::from_iter);
        Ok(Some(Self { days, today, paths, workspace_dir: workspace_dir.to_owned(), zone, conversations }))
    }

    /// The files of a generation that may be looked at. A path that no file has as it is written is that of files whose
    /// names only have their letters composed otherwise: keyboards write composed ones, some systems store decomposed ones.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn within(&self, reader: &Reader<'_>, generation: GenerationId) -> Result<Within> {
        let mut unmet: Vec<bool> = self.paths.iter().map(|wanted| !wanted.composed.is_empty()).collect();
        let within = reader.within(generation, |file| {
            let full = self.workspace_dir.join(file.path);
            for (wanted, unmet) in self.paths.iter().zip(&mut unmet).filter(|(_, unmet)| **unmet) {
                *unmet = !is_at_one(&wanted.written, &full);
            }
            self.allows(file, &[])
        })?;
        if unmet.contains(&true) { reader.within(generation, |file| self.allows(file, &unmet)) } else { Ok(within) }
    }

    /// Whether a file may be looked at; `loose` names the paths for which it does not matter how letters are composed.
    fn allows(&self, file: FileFacts<'_>, loose: &[bool]) -> bool {
        self.allows_day(file) && self.allows_path(file.path, loose) && self.allows_conversation(file)
    }

    /// What to say when no file is left.
    #[must_use]
    pub fn nothing_left(&self) -> Option<String> {
        let of_days = self.days != ALWAYS;
        let what = match (of_days, self.paths.is_empty()) {
            (true, true) => "is of these days",
            (false, false) => "has this path",
            (true, false) => "has this path and is of these days",
            (false, true) => return None,
        };
        Some(format!("No indexed file {what}"))
    }

    /// A dated note is of the day in its name, everything else of the day when it last changed.
    fn allows_day(&self, file: FileFacts<'_>) -> bool {
        if self.days == ALWAYS {
            return true;
        }
        let changed = || match Timestamp::from_nanosecond(i128::from(file.mtime_ns)) {
            Ok(time) if file.mtime_ns != Stamp::UNSETTLED => Some(self.zone.to_datetime(time).date()),
            // A note that was read while it was being changed; a conversation that is still being read has no time yet.
            _ => (Source::of(file.source) == Source::Memory).then_some(self.today),
        };
        note_date(file.path).or_else(changed).is_none_or(|day| self.days.contains(day))
    }

    fn allows_path(&self, path: &str, loose: &[bool]) -> bool {
        let full = self.workspace_dir.join(path);
        let is_loosely_at = |wanted: &Wanted| is_at_one(&wanted.composed, &composed(&full));
        self.paths.is_empty()
            || self.paths.iter().any(|wanted| is_at_one(&wanted.written, &full))
            || self.paths.iter().zip(loose).any(|(wanted, loose)| *loose && is_loosely_at(wanted))
    }

    fn allows_conversation(&self, file: FileFacts<'_>) -> bool {
        let Some(allowed) = &self.conversations else { return true };
        let id = || file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl"));
        Source::of(file.source) == Source::Memory || id().is_some_and(|id| allowed.contains(id))
    }
}

impl Wanted {
    fn of(written: &str, workspace_dir: &Path) -> Result<Self> {
        let composed = match written.is_ascii() {
            true => Vec::new(),
            false => patterns(&written.nfc().collect::<String>(), &composed(workspace_dir))?,
        };
        Ok(Self { written: patterns(written, workspace_dir)?, composed })
    }
}

fn is_at_one(patterns: &[ExtraPath], full: &Path) -> bool {
    patterns.iter().any(|pattern| pattern.contains(full))
}

/// A path with composed letters.
fn composed(path: &Path) -> PathBuf {
    path.to_string_lossy().nfc().collect::<String>().into()
}

/// A path as results show it, a folder, or a glob; a bare name is looked for in every folder.
fn patterns(written: &str, workspace_dir: &Path) -> Result<Vec<ExtraPath>> {
    let written = written.trim().trim_end_matches(['/', '\\']);
    if written.is_empty() {
        return Err(Error::new(Code::Argument, "a path is empty").remedy("Name a file, a folder or a glob"));
    }
    let parse = |written: &str| {
        ExtraPath::parse(written, workspace_dir)
            .map_err(|error| Error::new(Code::Argument, error.message).remedy("Name a file, a folder or a glob"))
    };
    let mut found = vec![parse(written)?];
    if !written.contains(['/', '\\']) {
        found.push(parse(&format!("**/{written}"))?);
        found.push(parse(&format!("**/{written}/**"))?);
    } else if found.iter().any(ExtraPath::is_glob) {
        found.push(parse(&format!("{written}/**"))?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saturday 2024-06-15 12:00 UTC.
    const NOW: (i64, &str) = (1_718_452_800_000, "UTC");

    fn days(since: Option<&str>, until: Option<&str>) -> Result<DateRange> {
        let wish = Wish { since: since.map(str::to_owned), until: until.map(str::to_owned), paths: Vec::new() };
        Ok(Confine::of(&wish, None, Path::new("/ws"), NOW)?.map_or(ALWAYS, |confine| confine.days))
    }

    #[test]
    fn days_are_in_their_order() {
        assert_eq!(days(None, Some("last week")).unwrap().end.to_string(), "2024-06-09");
        assert_eq!(days(None, None).unwrap(), ALWAYS);
        assert_eq!(days(Some("today"), Some("yesterday")).unwrap_err().code(), Code::Argument);
    }

    fn allows(paths: &[&str], path: &str) -> bool {
        let wish = Wish { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..Wish::default() };
        let confine = Confine::of(&wish, None, Path::new("/ws"), NOW).unwrap().unwrap();
        confine.allows(FileFacts { source: "memory", path, mtime_ns: 0 }, &[])
    }

    #[test]
    fn paths_are_files_folders_globs_and_bare_names() {
        let note = "memory/projects/falcon.md";
        for wanted in [
            "memory/projects/falcon.md",
            "./memory/projects",
            "memory",
            "memory/",
            "memory/*/falcon.md",
            "memory/**",
            "memory/pro*",
            "falcon.md",
            "projects",
            "*.md",
            "/ws/memory",
        ] {
            assert!(allows(&[wanted], note), "{wanted}");
        }
        for other in ["memory/falcon.md", "memo", "mem", "falcon", "/memory", "memory/*.md", "*.txt"] {
            assert!(!allows(&[other], note), "{other}");
        }
        assert!(allows(&["nothing.md", "falcon.md"], note));
        assert!(allows(&["/vault"], "/vault/a.md"));
        assert!(allows(&["sessions"], "sessions/main/a.jsonl"));
        for bad in ["", "  ", "memory/{a"] {
            let wish = Wish { paths: vec![bad.to_owned()], ..Wish::default() };
            let error = Confine::of(&wish, None, Path::new("/ws"), NOW).map(|_| ()).expect_err(bad);
            assert_eq!(error.code(), Code::Argument);
        }
    }

    #[test]
    fn a_note_is_of_the_day_in_its_name_and_other_files_of_their_last_change() {
        let wish = Wish { since: Some("2024-06-01".into()), until: Some("2024-06-10".into()), ..Wish::default() };
        let zone = (NOW.0, "Asia/Tokyo");
        let confine = Confine::of(&wish, None, Path::new("/ws"), zone).unwrap().unwrap();
        let at = |time: &str| i64::try_from(time.parse::<Timestamp>().unwrap().as_nanosecond()).unwrap();
        let allows = |path, mtime_ns| confine.allows(FileFacts { source: "memory", path, mtime_ns }, &[]);
        assert!(allows("memory/2024-06-10-call.md", at("2026-01-01T00:00:00Z")));
        assert!(!allows("memory/2024-06-11.md", at("2024-06-05T00:00:00Z")));
        assert!(allows("MEMORY.md", at("2024-06-10T14:59:00Z")));
        // The day after in Tokyo.
        assert!(!allows("MEMORY.md", at("2024-06-10T15:01:00Z")));
        // It was found by a search of any day.
        assert!(!allows("MEMORY.md", Stamp::UNSETTLED));
        let conversation = FileFacts { source: "sessions", path: "sessions/main/a.jsonl", mtime_ns: Stamp::UNSETTLED };
        assert!(confine.allows(conversation, &[]));
    }
}
