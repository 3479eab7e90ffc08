//! Servers that are killed and engines that stand still, at whatever moment: nothing is half there, nothing that was said to
//! be done is lost, and who has lost the lease writes nothing.

use std::{
    collections::BTreeMap,
    fs::File,
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use parking_lot::Mutex;
use tempfile::TempDir;

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    lease::Lease,
};
use model::error::{Code, Result};

/// How long a server may take, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server of our own, by the programs of the one that other tests use.
struct Server {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    /// Whom root runs it as: it refuses to run as root.
    user: Option<(u32, u32)>,
    process: Child,
}

impl Server {
    /// None, and one line that says so, where its programs are not on this machine.
    fn start(place: &Place) -> Option<Self> {
        let sql = "SELECT setting FROM pg_catalog.pg_config WHERE name = 'BINDIR'";
        let row = place.database.transact(&Cancel::new(), &PLAIN, |tx| tx.row(sql, &[])).unwrap().unwrap();
        let programs = PathBuf::from(row.get::<_, &str>(0));
        if !programs.join("initdb").exists() {
            println!("skipped: the programs of the server are not on this machine");
            return None;
        }
        let number = |args: &[&str]| -> Option<u32> {
            let answer = Command::new("id").args(args).output().ok()?;
            String::from_utf8_lossy(&answer.stdout).trim().parse().ok()
        };
        let service = |name| Some((number(&["-u", name])?, number(&["-g", name])?));
        let user = (number(&["-u"]) == Some(0)).then(|| service("postgres").or_else(|| service("nobody")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let made = command(&programs.join("initdb"), user)
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success(), "initdb: {made}");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = spawn(&folder, &programs, user, port);
        Some(Self { folder, programs, port, user, process })
    }

    fn url(&self) -> String {
        format!("postgresql://postgres:none@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends it at once, and starts it again as soon as its processes are gone.
    fn kill(&mut self, signal: &str) {
        send(signal, self.process.id());
        self.process.wait().unwrap();
        self.process = spawn(&self.folder, &self.programs, self.user, self.port);
    }

    /// Waits until it answers. It does not start while processes of the one before are there.
    fn wait(&mut self) {
        let started = Instant::now();
        let options = Options { connect_timeout: Duration::from_secs(5), ..options(&self.url()) };
        while run(&database(&options), "SELECT 1").is_err() {
            assert!(started.elapsed() < PATIENCE, "the server does not start");
            if self.process.try_wait().unwrap().is_some() {
                self.process = spawn(&self.folder, &self.programs, self.user, self.port);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        send("QUIT", self.process.id());
        let _ = self.process.wait();
    }
}

fn command(program: &std::path::Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").env_clear().env("LC_ALL", "C");
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

fn spawn(folder: &TempDir, programs: &std::path::Path, user: Option<(u32, u32)>, port: u16) -> Child {
    let log = File::options().create(true).append(true).open(folder.path().join("log")).unwrap();
    let mut server = command(&programs.join("postgres"), user);
    // What a killed process has written is in the memory of the machine: nothing has to reach the disk.
    server.args(["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-p"]);
    server.arg(port.to_string()).arg("-D").arg(folder.path().join("data"));
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// How many chunks the nth write has.
fn count(n: u32) -> usize {
    n as usize % 5 + 1
}

fn hash(n: u32, at: usize) -> Hash {
    let mut hash = [7; 32];
    hash[..4].copy_from_slice(&n.to_le_bytes());
    hash[4] = at as u8;
    hash
}

/// The nth write: a file whose chunks all say so, with words and vectors.
fn write(agent: &Agent, n: u32) -> Result<()> {
    let path = format!("{}.md", n % 7);
    let chunk = |at| NewChunk {
        start_line: at as u32,
        end_line: at as u32,
        hash: hash(n, at),
        text: n.to_string(),
        line_terms: Vec::new(),
        fts_terms: format!("all n{n}"),
    };
    let chunks: Vec<NewChunk> = (0..count(n)).map(chunk).collect();
    let vectors: Vec<NewEmbedding> =
        (0..count(n)).map(|at| NewEmbedding { hash: hash(n, at), vector: vec![1.0, n as f32, at as f32] }).collect();
    agent.write_indexed(|tx| {
        let generation = tx.begin_building("words")?.id;
        let space = tx.get_or_create_space("a")?.id;
        tx.set_active_space(space)?;
        let file = NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: n };
        tx.replace_file(generation, &file, &chunks)?;
        tx.insert_embeddings(space, &vectors)
    })
}

/// By file the write that it is of, after all has been compared with that.
fn stored(agent: &Agent) -> BTreeMap<u32, u32> {
    let read = |reader: &crate::postgres::agent::Reader<'_>| {
        let live = reader.live()?.unwrap().id;
        let mut stored = BTreeMap::new();
        for (path, file) in reader.files(live, "memory")? {
            let n = file.terms;
            assert_eq!(path, format!("{}.md", n % 7));
            let chunks = reader.chunks_of_file(file.id)?;
            assert_eq!(chunks.len(), count(n), "all of a write, or nothing");
            assert!(chunks.iter().all(|chunk| chunk.text == n.to_string()));
            let ids: Vec<_> = chunks.iter().map(|chunk| chunk.id).collect();
            assert_eq!(reader.postings_among(live, &[&format!("n{n}")], None)?, [ids]);
            stored.insert(n % 7, n);
        }
        let all = reader.chunk_ids(live)?;
        assert_eq!(reader.chunk_count(live)?, all.len() as u64);
        assert_eq!(reader.postings_among(live, &["all"], None)?, [all]);
        Ok(stored)
    };
    let stored = agent.read(&Cancel::new(), read).unwrap();
    let vectors = agent.vectors(&Cancel::new()).unwrap().unwrap();
    assert_eq!(vectors.len(), stored.values().map(|n| count(*n)).sum::<usize>());
    stored
}

#[test]
fn a_server_that_is_killed_keeps_what_it_has_acknowledged_and_nothing_by_halves() {
    let Some(place) = Place::new() else { return };
    let Some(mut server) = Server::start(&place) else { return };
    server.wait();
    let direct = database(&options(&server.url()));
    run(&direct, "CREATE EXTENSION vector SCHEMA public").unwrap();
    let schema = prepare(&direct, "killed", true).unwrap();
    let database = Arc::new(direct);
    let agent = open(&database, &schema, "one");
    agent.acquire_lease().unwrap();
    write(&agent, 0).unwrap();
    // The last of each file that was acknowledged, and what was tried after it.
    let acknowledged = Mutex::new((BTreeMap::from([(0, 0)]), BTreeMap::new(), (1_i64, 0_i64)));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 1.. {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let done = write(&agent, n);
                let mut acknowledged = acknowledged.lock();
                let (known, tried, writes) = &mut *acknowledged;
                match done {
                    Ok(()) => {
                        known.insert(n % 7, n);
                        writes.0 += 1;
                    }
                    // The server was away so long that it could not be asked: either may be.
                    Err(error) => {
                        assert!(matches!(error.code(), Code::Io | Code::Busy), "{error:?}");
                        tried.insert(n % 7, n);
                        writes.1 += 1;
                        drop(acknowledged);
                        std::thread::sleep(Duration::from_millis(20));
                        // Time may have run out for the lease meanwhile.
                        let _ = agent.acquire_lease();
                    }
                }
            }
        });
        for round in 0..10 {
            let before = acknowledged.lock().2.0;
            // Each time in the middle of writing.
            let started = Instant::now();
            while acknowledged.lock().2.0 == before {
                assert!(started.elapsed() < PATIENCE && !writer.is_finished(), "writing does not go on");
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(fastrand::u64(0..150)));
            server.kill(if round % 2 == 0 { "QUIT" } else { "KILL" });
            server.wait();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    let (known, tried, (writes, failed)) = acknowledged.into_inner();
    let found = stored(&agent);
    for (file, n) in &known {
        let newer = tried.get(file).filter(|tried| *tried > n);
        assert!(found[file] == *n || Some(&found[file]) == newer, "{file}: {n} is lost, {} is there", found[file]);
    }
    // Each write counts itself once, and taking the lease does not.
    let unsaid = found.iter().filter(|(file, n)| known.get(file) != Some(n)).count() as i64;
    let version = agent.version().unwrap();
    assert!((writes + unsaid..=writes + failed).contains(&version), "{version}: {writes} {unsaid} {failed}");
    println!("{writes} writes, {failed} of which nothing is known or which were not done, {unsaid} of these were");
    // Whoever comes new sees the same.
    assert_eq!(stored(&open(&database, &schema, "one")), found);
    drop(agent);
}

#[test]
fn who_stands_still_in_the_middle_of_a_write_does_not_hold_up_the_others() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let slow = Options { statement_timeout: Duration::from_secs(1), ..options(&place.url) };
    let slow = open(&Arc::new(database(&slow)), &schema, "one");
    let patient = Options { statement_timeout: PATIENCE, ..options(&place.url) };
    let other = open(&Arc::new(database(&patient)), &schema, "one");
    let error = slow
        .write(|tx| {
            tx.set_meta("by", "slow")?;
            // Waits for the row until the server ends the one that does nothing with it.
            other.write(|tx| tx.set_meta("by", "other"))
        })
        .unwrap_err();
    assert_eq!(error.code(), Code::Io);
    assert_eq!(other.read(&Cancel::new(), |reader| reader.meta("by")).unwrap().as_deref(), Some("other"));
    slow.write(|tx| tx.set_meta("by", "slow")).unwrap();
}

/// Where the schema is named to a process that holds a lease.
const HOLDER: &str = "MEMORY_CORE_TEST_HOLDER";

/// What the process of the test below does: takes the lease, and writes until it has lost it.
#[test]
#[ignore = "run as a process of its own by another test"]
fn holder() {
    let schema = std::env::var(HOLDER).unwrap();
    let options = Options { statement_timeout: Duration::from_secs(2), ..options(&server().unwrap()) };
    let database = Arc::new(database(&options));
    let schema = prepare(&database, &schema, false).unwrap();
    let agent = open(&database, &schema, "one");
    assert!(matches!(agent.acquire_lease().unwrap(), Lease::Held { .. }));
    loop {
        match agent.write_indexed(|tx| tx.set_meta("by", "holder")) {
            Ok(()) => {}
            // What it had begun was undone while it stood still.
            Err(error) if error.code() == Code::Io => {}
            Err(error) => return assert_eq!(error.code(), Code::Busy),
        }
    }
}

#[test]
fn a_holder_that_was_paused_writes_nothing_after_another_took_over() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let patient = Options { statement_timeout: PATIENCE, ..options(&place.url) };
    let database = Arc::new(database(&patient));
    for round in 0..3 {
        let next = open(&database, &schema, "one");
        let before = next.version().unwrap();
        let mut holder = Command::new(std::env::current_exe().unwrap())
            .args(["postgres::tests::killing::holder", "--exact", "--ignored"])
            .env(HOLDER, &place.schema)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while next.version().unwrap() < before + 5 {
            assert!(started.elapsed() < PATIENCE && holder.try_wait().unwrap().is_none(), "nobody writes");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_micros(fastrand::u64(0..5_000)));
        send("STOP", holder.id());
        // As if the time of the lease had run out.
        let setting = Setting { search_path: &place.schema, ..PLAIN };
        let late = "UPDATE agent SET expires_ms = 0, host = 'another machine'";
        database.transact(&Cancel::new(), &setting, |tx| tx.batch(late)).unwrap();
        assert!(matches!(next.acquire_lease().unwrap(), Lease::Held { .. }));
        next.write_indexed(|tx| tx.set_meta("by", &round.to_string())).unwrap();
        let version = next.version().unwrap();
        send("CONT", holder.id());
        assert!(holder.wait().unwrap().success(), "it is told that it has lost the lease");
        let by = next.read(&Cancel::new(), |reader| reader.meta("by")).unwrap();
        assert_eq!((by, next.version().unwrap()), (Some(round.to_string()), version));
        next.release_lease().unwrap();
    }
}
