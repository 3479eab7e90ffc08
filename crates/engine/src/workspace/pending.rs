//! What events have told since the last signal, reduced to what matters: which files, whether the folders changed,
//! and when it has been quiet long enough.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    time::{Duration, Instant},
};

use notify::{
    ErrorKind, Event,
    event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RemoveKind},
};

use super::roots::Roots;

/// Paths that are remembered one by one; beyond, everything counts as changed.
const MAX_PATHS: usize = 1000;

/// A stream of changes that never rests is signalled after this many quiet times.
const LONGEST_WAIT: u32 = 4;

/// Changes that have not been signalled yet. Bounded, whatever happens on disk.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Markdown files that were touched.
    pub paths: BTreeSet<PathBuf>,
    /// Paths that may be folders that came, went or changed.
    pub folders: BTreeSet<PathBuf>,
    /// Events were lost or too many to remember: anything may have changed, folders too.
    pub everything: bool,
    /// Watching itself failed.
    pub failure: Option<String>,
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Pending {
    /// Takes one event into account.
    pub(super) fn record(&mut self, roots: &Roots, event: notify::Result<Event>, now: Instant) {
        let is_news = match event {
            Ok(event) => self.event(roots, &event),
            Err(error) => self.error(&error),
        };
        if is_news {
            self.first.get_or_insert(now);
            self.last = Some(now);
        }
    }

    /// When to signal: after a quiet time, or at the latest a few quiet times after the first change.
    pub(super) fn due(&self, quiet: Duration) -> Option<Instant> {
        let (first, last) = (self.first?, self.last?);
        Some((last + quiet).min(first + quiet * LONGEST_WAIT))
    }

    fn event(&mut self, roots: &Roots, event: &Event) -> bool {
        if event.need_rescan() {
            self.forget_details();
            return true;
        }
        let is_folder =
            matches!(event.kind, EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder));
        let may_be_folder = match event.kind {
            // Only the end of a write is news; opening and reading is what the index itself does.
            EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Modify(ModifyKind::Data(_)) => false,
            EventKind::Access(_) => return false,
            EventKind::Create(CreateKind::File) | EventKind::Remove(RemoveKind::File) => false,
            _ => true,
        };
        let mut is_news = false;
        for path in &event.paths {
            if !is_folder && roots.is_indexed(path) {
                self.paths.insert(path.clone());
                is_news = true;
            }
            if may_be_folder && roots.concerns_folder(path) {
                self.folders.insert(path.clone());
                is_news = true;
            }
        }
        if self.paths.len() > MAX_PATHS || self.folders.len() > MAX_PATHS {
            self.forget_details();
        }
        is_news
    }

    fn error(&mut self, error: &notify::Error) -> bool {
        match error.kind {
            // A folder that went before it could be watched.
            ErrorKind::PathNotFound | ErrorKind::WatchNotFound => self.forget_details(),
            _ => self.failure = Some(error.to_string()),
        }
        true
    }

    fn forget_details(&mut self) {
        self.everything = true;
        self.paths.clear();
        self.folders.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use notify::event::{DataChange, Flag, MetadataKind, RenameMode};

    use super::*;
    use crate::workspace::roots::Limits;

    const QUIET: Duration = Duration::from_millis(1500);

    fn roots() -> Roots {
        Roots::new(Path::new("/ws"), &["/srv/team".into()], Limits::default())
    }

    fn after(events: &[(EventKind, &str)]) -> Pending {
        let mut pending = Pending::default();
        for (kind, path) in events {
            pending.record(&roots(), Ok(Event::new(*kind).add_path(path.into())), Instant::now());
        }
        pending
    }

    fn texts(paths: &BTreeSet<PathBuf>) -> Vec<&str> {
        paths.iter().filter_map(|path| path.to_str()).collect()
    }

    #[test]
    fn only_indexed_markdown_and_folders_that_matter_are_news() {
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let pending = after(&[
            (written, "/ws/memory/a.md"),
            (EventKind::Modify(ModifyKind::Data(DataChange::Any)), "/srv/team/b.md"),
            (EventKind::Remove(RemoveKind::File), "/ws/USER.md"),
            (EventKind::Create(CreateKind::Folder), "/ws/memory/new.md"),
            (EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), "/ws/memory/sub"),
        ]);
        assert_eq!(texts(&pending.paths), ["/srv/team/b.md", "/ws/USER.md", "/ws/memory/a.md"]);
        assert_eq!(texts(&pending.folders), ["/ws/memory/new.md", "/ws/memory/sub"]);

        let open = EventKind::Access(AccessKind::Open(AccessMode::Any));
        let quiet = after(&[
            (open, "/ws/memory/a.md"),
            (written, "/ws/memory/a.md.tmp"),
            (written, "/ws/AGENTS.md"),
            (written, "/ws/memory/.git/x.md"),
            (EventKind::Create(CreateKind::Folder), "/ws/src"),
            (EventKind::Create(CreateKind::Folder), "/ws/memory/node_modules"),
        ]);
        assert!(quiet.due(QUIET).is_none() && quiet.paths.is_empty() && quiet.folders.is_empty());
    }

    #[test]
    fn an_atomic_save_is_news_of_the_file_it_replaces() {
        let to = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        assert_eq!(texts(&after(&[(to, "/ws/MEMORY.md")]).paths), ["/ws/MEMORY.md"]);
    }

    #[test]
    fn lost_events_and_too_many_paths_mean_everything() {
        let mut pending = Pending::default();
        pending.record(&roots(), Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)), Instant::now());
        assert!(pending.everything && pending.due(QUIET).is_some());

        let mut pending = Pending::default();
        for at in 0..20_000 {
            let event = Event::new(EventKind::Create(CreateKind::File)).add_path(format!("/ws/memory/{at}.md").into());
            pending.record(&roots(), Ok(event), Instant::now());
            assert!(pending.paths.len() <= MAX_PATHS);
        }
        assert!(pending.everything);
    }

    #[test]
    fn every_change_puts_the_signal_off_but_not_for_ever() {
        let start = Instant::now();
        let mut pending = Pending::default();
        let kind = EventKind::Create(CreateKind::File);
        let mut record = |ms: u64| {
            let at = start + Duration::from_millis(ms);
            pending.record(&roots(), Ok(Event::new(kind).add_path("/ws/MEMORY.md".into())), at);
            pending.due(QUIET).expect("news").duration_since(start).as_millis()
        };
        assert_eq!([record(0), record(1000), record(4400), record(5900)], [1500, 2500, 5900, 6000]);
    }

    #[test]
    fn a_failure_of_the_watch_is_kept_for_the_worker() {
        let mut pending = Pending::default();
        pending.record(&roots(), Err(notify::Error::new(ErrorKind::MaxFilesWatch)), Instant::now());
        assert!(pending.failure.is_some());
        let mut pending = Pending::default();
        pending.record(&roots(), Err(notify::Error::path_not_found()), Instant::now());
        assert!(pending.failure.is_none() && pending.everything);
    }
}
