use std::{
    fs,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
};

use notify::{RecursiveMode, WatcherKind, event::Flag};

use super::*;
use crate::workspace::{discover::discover, roots::Limits};

/// Far beyond what any machine needs; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

const NEVER: Duration = Duration::from_secs(86_400);

const QUICK: WatchOptions = WatchOptions { debounce: Duration::from_millis(20), reconcile_every: NEVER };

/// As the addon has it: one thread for what waits, a few for what blocks.
static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime")
});

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(files: &[&str]) -> Self {
        let place = Self { folder: tempfile::tempdir().expect("temporary folder") };
        files.iter().for_each(|file| place.write(file, "x"));
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("ws").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn roots(&self, extra: &[&str]) -> Roots {
        let extra: Vec<String> = extra.iter().map(|path| (*path).to_owned()).collect();
        Roots::new(&self.at("").components().collect::<PathBuf>(), &extra, Limits::default())
    }

    fn watch(&self, extra: &[&str], options: WatchOptions) -> Watched {
        Watched::start(self.roots(extra), options, Box::new(recommended))
    }
}

/// What the index would see if it looked at the disk at a signal.
struct Signal {
    dirty: Dirty,
    found: Vec<String>,
}

struct Watched {
    watcher: Watcher,
    signals: Receiver<Signal>,
}

impl Watched {
    fn start(roots: Roots, options: WatchOptions, backend: Backend) -> Self {
        let (sender, signals) = channel();
        let looked_at = roots.clone();
        let _inside = RUNTIME.enter();
        let watcher = Watcher::start_with(roots, options, backend, move |dirty| {
            let found = discover(&looked_at).entries.into_iter().map(|entry| entry.path).collect();
            // The test may have seen enough and hung up.
            let _ = sender.send(Signal { dirty, found });
        });
        let watched = Self { watcher, signals };
        assert_eq!(watched.next().cause, Cause::Started);
        watched
    }

    fn next(&self) -> Dirty {
        self.signals.recv_timeout(PATIENCE).expect("a signal").dirty
    }

    /// Waits for a signal at which the disk was as expected. Fails when signals end before.
    fn until(&self, expected: &[&str]) {
        while self.signals.recv_timeout(PATIENCE).expect("a signal").found != expected {}
    }

    fn until_touched(&self, path: &Path) {
        while !self.next().paths.is_none_or(|paths| paths.iter().any(|touched| touched == path)) {}
    }
}

#[test]
fn a_written_file_gives_one_signal_with_its_path() {
    let place = Place::new(&["MEMORY.md", "memory/a.md"]);
    let watched = place.watch(&[], WatchOptions { debounce: Duration::from_millis(500), reconcile_every: NEVER });
    assert_eq!(watched.watcher.health().mode, Mode::Native);
    place.write("memory/a.md", "changed");
    assert_eq!(watched.next(), Dirty { cause: Cause::Events, paths: Some(vec![place.at("memory/a.md")]) });
    place.write("MEMORY.md", "changed");
    assert_eq!(watched.next(), Dirty { cause: Cause::Events, paths: Some(vec![place.at("MEMORY.md")]) });
}

#[test]
fn many_writes_in_a_row_are_one_signal() {
    let place = Place::new(&["memory/a.md"]);
    let options = WatchOptions { debounce: Duration::from_secs(2), reconcile_every: NEVER };
    let watched = place.watch(&[], options);
    for at in 0..50 {
        place.write(&format!("memory/{}.md", at % 5), "x");
    }
    let paths = watched.next().paths.expect("few enough to name");
    assert_eq!(paths.len(), 5);
    assert!(watched.signals.try_recv().is_err());
}

#[test]
fn editors_that_save_through_a_temporary_file_are_noticed() {
    let place = Place::new(&["memory/a.md"]);
    let watched = place.watch(&[], QUICK);
    let (file, temporary, backup) = (place.at("memory/a.md"), place.at("memory/.a.md.swp"), place.at("memory/a.md~"));
    // Write beside, then rename over.
    fs::write(&temporary, "1").expect("written");
    fs::rename(&temporary, &file).expect("renamed");
    watched.until_touched(&file);
    // Move the old one aside, then write a new one.
    fs::rename(&file, &backup).expect("renamed");
    fs::write(&file, "2").expect("written");
    watched.until_touched(&file);
    // From another folder.
    fs::write(place.at("draft"), "3").expect("written");
    fs::rename(place.at("draft"), &file).expect("renamed");
    watched.until_touched(&file);
}

#[test]
fn nothing_that_is_not_indexed_gives_a_signal() {
    let place = Place::new(&["memory/a.md", "memory/node_modules/x.md", "AGENTS.md", "src/x.md"]);
    let watched = place.watch(&[], QUICK);
    for path in ["memory/node_modules/x.md", "AGENTS.md", "src/x.md", "memory/notes.txt"] {
        place.write(path, "changed");
    }
    fs::read(place.at("memory/a.md")).expect("read");
    place.write("memory/last.md", "x");
    let touched: Vec<PathBuf> = watched.next().paths.expect("no folder changed");
    assert_eq!(touched, [place.at("memory/last.md")]);
}

#[test]
fn folders_that_appear_are_watched_at_any_depth() {
    let place = Place::new(&["MEMORY.md"]);
    let watched = place.watch(&["../team"], QUICK);
    place.write("memory/a/b/c.md", "x");
    watched.until(&["MEMORY.md", "memory/a/b/c.md"]);
    place.write("memory/a/b/d.md", "x");
    watched.until(&["MEMORY.md", "memory/a/b/c.md", "memory/a/b/d.md"]);
    place.write("../team/sub/t.md", "x");
    let team = place.folder.path().join("team/sub/t.md").display().to_string();
    watched.until(&[&team, "MEMORY.md", "memory/a/b/c.md", "memory/a/b/d.md"]);
}

#[test]
fn a_folder_moved_in_or_out_changes_everything_below() {
    let place = Place::new(&["memory/a/x.md", "aside/keep"]);
    let watched = place.watch(&[], QUICK);
    fs::rename(place.at("memory/a"), place.at("aside/a")).expect("moved out");
    watched.until(&[]);
    place.write("aside/a/later.md", "x");
    fs::rename(place.at("aside/a"), place.at("memory/b")).expect("moved in");
    watched.until(&["memory/b/later.md", "memory/b/x.md"]);
    place.write("memory/b/new.md", "x");
    watched.until(&["memory/b/later.md", "memory/b/new.md", "memory/b/x.md"]);
}

/// The system drops the watch of a folder that moves, and nothing about the folder shows it afterwards.
#[test]
fn a_folder_moved_away_and_back_at_once_is_still_watched() {
    let place = Place::new(&["memory/a/b/x.md"]);
    let watched = place.watch(&[], QUICK);
    fs::rename(place.at("memory/a"), place.at("aside")).expect("moved out");
    fs::rename(place.at("aside"), place.at("memory/a")).expect("moved in");
    watched.until(&["memory/a/b/x.md"]);
    place.write("memory/a/b/y.md", "x");
    watched.until(&["memory/a/b/x.md", "memory/a/b/y.md"]);
}

#[test]
fn the_root_may_be_deleted_renamed_and_made_again() {
    let place = Place::new(&["MEMORY.md", "memory/a.md"]);
    let watched = place.watch(&[], QUICK);
    fs::remove_dir_all(place.at("")).expect("deleted");
    watched.until(&[]);
    place.write("memory/b.md", "x");
    watched.until(&["memory/b.md"]);
    place.write("memory/c.md", "x");
    watched.until(&["memory/b.md", "memory/c.md"]);

    let aside = place.folder.path().join("aside");
    fs::rename(place.at(""), &aside).expect("renamed away");
    watched.until(&[]);
    fs::rename(&aside, place.at("")).expect("renamed back");
    watched.until(&["memory/b.md", "memory/c.md"]);
    place.write("memory/d.md", "x");
    watched.until(&["memory/b.md", "memory/c.md", "memory/d.md"]);
}

#[test]
fn deleting_and_making_the_root_at_once_loses_nothing() {
    let place = Place::new(&["memory/a.md"]);
    let watched = place.watch(&[], QUICK);
    for round in 0..20 {
        fs::remove_dir_all(place.at("")).expect("deleted");
        let name = format!("memory/{round}.md");
        place.write(&name, "x");
        watched.until(&[&name]);
    }
    place.write("memory/last.md", "x");
    watched.until(&["memory/19.md", "memory/last.md"]);
}

#[test]
fn a_burst_of_20000_files_needs_no_more_watches_and_is_seen_to_its_end() {
    let place = Place::new(&["memory/a.md"]);
    let watched = place.watch(&[], WatchOptions { debounce: Duration::from_millis(200), reconcile_every: NEVER });
    let folders = watched.watcher.health().folders;
    for at in 0..20_000 {
        fs::write(place.at(&format!("memory/{at}.md")), "x").expect("written");
    }
    while watched.signals.recv_timeout(PATIENCE).expect("a signal").found.len() < 20_001 {}
    let health = watched.watcher.health();
    assert_eq!((health.mode, health.folders), (Mode::Native, folders));
}

/// The queue of the system is made to overflow: what it drops then, nobody ever hears of, but that it dropped something.
#[cfg(target_os = "linux")]
#[test]
fn events_that_the_system_drops_end_in_a_look_at_everything() {
    let queue: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    let place = Place::new(&["memory/a.md"]);
    let watched = place.watch(&[], QUICK);
    let folders = watched.watcher.health().folders;
    let names = ["a", "b"];
    {
        // Nothing is taken out of the queue while the receiver of the events has to wait.
        let _state = watched.watcher.shared.state.lock();
        for at in 0..queue {
            fs::rename(
                place.at(&format!("memory/{}.md", names[at % 2])),
                place.at(&format!("memory/{}.md", names[(at + 1) % 2])),
            )
            .expect("renamed");
        }
        place.write("memory/late/b.md", "x");
    }
    let last = format!("memory/{}.md", names[queue % 2]);
    watched.until(&[&last, "memory/late/b.md"]);
    // Its creation was lost, and yet the folder is watched soon.
    let began = Instant::now();
    while watched.watcher.health().folders == folders {
        assert!(began.elapsed() < PATIENCE, "nobody looked at the folders");
        std::thread::sleep(Duration::from_millis(5));
    }
    place.write("memory/late/c.md", "x");
    watched.until(&[&last, "memory/late/b.md", "memory/late/c.md"]);
}

#[test]
fn without_events_the_reconciliation_period_signals() {
    let place = Place::new(&["memory/a.md"]);
    let watched = place.watch(&[], WatchOptions { reconcile_every: Duration::from_millis(5), ..QUICK });
    assert_eq!(watched.next(), Dirty { cause: Cause::Reconcile, paths: None });
    assert_eq!(watched.next(), Dirty { cause: Cause::Reconcile, paths: None });
}

#[test]
fn dropping_ends_the_watch_even_from_inside_the_callback() {
    let place = Place::new(&["memory/a.md"]);
    for _ in 0..50 {
        let watched = place.watch(&[], QUICK);
        drop(watched.watcher);
        // The callback, and the sender it owns, are gone.
        assert_eq!(watched.signals.recv_timeout(PATIENCE).err(), Some(RecvTimeoutError::Disconnected));
    }

    let slot: Arc<Mutex<Option<Watcher>>> = Arc::default();
    let (sender, dropped) = channel();
    let own = Arc::clone(&slot);
    let guard = slot.lock();
    let _inside = RUNTIME.enter();
    let watcher = Watcher::start(place.roots(&[]), QUICK.debounce, move |_| {
        drop(own.lock().take());
        sender.send(()).expect("open");
    });
    let mut guard = guard;
    *guard = Some(watcher);
    drop(guard);
    dropped.recv_timeout(PATIENCE).expect("dropped inside its callback");
    assert_eq!(dropped.recv_timeout(PATIENCE).err(), Some(RecvTimeoutError::Disconnected));
}

/// A watcher that does what the test wants when a folder is watched, and delivers nothing by itself.
struct Fake<W>(W);

impl<W: FnMut(&Path) -> notify::Result<()>> notify::Watcher for Fake<W> {
    fn new<F: notify::EventHandler>(_: F, _: notify::Config) -> notify::Result<Self> {
        unreachable!("made by the test")
    }

    fn watch(&mut self, path: &Path, _: RecursiveMode) -> notify::Result<()> {
        (self.0)(path)
    }

    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }

    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

/// A fake backend, and the way to send events through it.
fn fake<W>(on_watch: W) -> (Backend, Receiver<Arc<Shared>>)
where
    W: FnMut(&Path) -> notify::Result<()> + Clone + Send + 'static,
{
    let (handle, shared) = channel();
    let backend: Backend = Box::new(move |shared| {
        let _ = handle.send(shared);
        Ok(Box::new(Fake(on_watch.clone())))
    });
    (backend, shared)
}

/// Refuses after so many folders, as the kernel does at its limit.
fn limited(
    left: &Arc<AtomicUsize>,
    error: fn() -> notify::Error,
) -> impl FnMut(&Path) -> notify::Result<()> + Clone + Send + 'static {
    let left = Arc::clone(left);
    move |_| match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(error()),
    }
}

/// On Linux every folder has a watch, so a folder below one that is just being watched needs a second look.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_appears_while_its_parent_is_being_watched_is_not_missed() {
    let place = Place::new(&["memory/a.md"]);
    let late = place.at("memory/late");
    let (backend, _shared) = fake(move |path: &Path| {
        if path.ends_with("memory") {
            fs::create_dir_all(&late).expect("folder");
        }
        Ok(())
    });
    let watched = Watched::start(place.roots(&[]), QUICK, backend);
    assert_eq!(watched.watcher.health().folders, 3);
}

#[test]
fn at_the_limit_of_the_system_it_polls_and_comes_back_by_itself() {
    let place = Place::new(&["memory/a/b.md"]);
    let errors: [fn() -> notify::Error; 2] =
        [|| notify::Error::new(ErrorKind::MaxFilesWatch), || notify::Error::io(std::io::Error::from_raw_os_error(24))];
    for error in errors {
        let left = Arc::new(AtomicUsize::new(2));
        let options = WatchOptions { reconcile_every: Duration::from_millis(5), ..QUICK };
        let watched = Watched::start(place.roots(&[]), options, fake(limited(&left, error)).0);
        let health = watched.watcher.health();
        assert_eq!((health.mode, health.folders), (Mode::Polling, 0));
        assert!(health.reason.is_some_and(|reason| !reason.is_empty()));
        assert_eq!(watched.next().cause, Cause::Reconcile);
        left.store(100, Ordering::SeqCst);
        while watched.watcher.health().mode == Mode::Polling {
            watched.next();
        }
        assert_eq!(watched.watcher.health().folders, 3);
    }
}

#[test]
fn folders_without_permission_are_counted_and_do_not_end_the_watch() {
    let place = Place::new(&["memory/a/b.md"]);
    let left = Arc::new(AtomicUsize::new(2));
    let denied = || notify::Error::io(std::io::ErrorKind::PermissionDenied.into());
    let watched = Watched::start(place.roots(&[]), QUICK, fake(limited(&left, denied)).0);
    let health = watched.watcher.health();
    assert_eq!((health.mode, health.folders, health.unwatched), (Mode::Native, 2, 1));
}

#[test]
fn lost_events_give_a_signal_for_everything_and_a_late_failure_ends_in_polling() {
    let place = Place::new(&["memory/a.md"]);
    let left = Arc::new(AtomicUsize::new(1000));
    let refusal = || notify::Error::new(ErrorKind::MaxFilesWatch);
    let (backend, shared) = fake(limited(&left, refusal));
    let watched = Watched::start(place.roots(&[]), QUICK, backend);
    let shared = shared.recv_timeout(PATIENCE).expect("backend");
    shared.record(Ok(Event::new(notify::EventKind::Other).set_flag(Flag::Rescan)));
    assert_eq!(watched.next(), Dirty { cause: Cause::Events, paths: None });
    left.store(0, Ordering::SeqCst);
    shared.record(Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
    assert_eq!(watched.next(), Dirty { cause: Cause::Events, paths: None });
    assert_eq!(watched.watcher.health().mode, Mode::Polling);
}

#[cfg(unix)]
#[test]
fn events_under_the_real_path_of_a_linked_workspace_count() {
    let place = Place::new(&["memory/a.md"]);
    let link = place.folder.path().join("link");
    std::os::unix::fs::symlink(place.at(""), &link).expect("link");
    let (backend, shared) = fake(|_: &Path| Ok(()));
    let watched = Watched::start(Roots::new(&link, &[], Limits::default()), QUICK, backend);
    let real = place.at("memory/a.md").canonicalize().expect("real");
    let event = Event::new(notify::EventKind::Create(notify::event::CreateKind::File)).add_path(real);
    shared.recv_timeout(PATIENCE).expect("backend").record(Ok(event));
    assert_eq!(watched.next().paths, Some(vec![link.join("memory/a.md")]));
}
