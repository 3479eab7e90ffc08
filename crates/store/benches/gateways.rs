//! Many gateways on one server: each with an agent and connections of its own, searching and writing at the pace of people.
//! `npm run lab -- fleet` runs it, and says what it takes. What it prints is of a whole run, and checked at its end.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a measurement says what is wrong by failing")]

use std::{
    collections::BTreeMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use model::cancel::Cancel;
use parking_lot::Mutex;
use store::{
    Location, OpenOptions, Store,
    candidates::Wanted,
    database::{InDatabase, Options},
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    lease::Lease,
    lexical::Term,
    postgres::connect::{Database, Setting, WRITE},
};
use tokio::runtime::Runtime;

/// Chunks of a file, words of a chunk and of all, and numbers of a vector.
const OF_FILE: usize = 8;
const WORDS: usize = 120;
const ALL_WORDS: f64 = 200_000.0;
const DIMS: usize = 384;

/// What is looked for: words that many, some and few chunks hold.
const QUERY: [&str; 4] = ["w12", "w150", "w900", "w4000"];

/// Threads that do what people ask of all gateways.
const PEOPLE: usize = 8;

/// A number out of the environment.
fn asked(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

/// One gateway with its agent.
struct Gateway {
    store: Arc<Store>,
    number: usize,
    files: AtomicUsize,
}

/// How long each kind of work took.
#[derive(Default)]
struct Times(Mutex<BTreeMap<&'static str, Vec<Duration>>>);

impl Times {
    fn of<T>(&self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let value = work();
        self.0.lock().entry(what).or_default().push(began.elapsed());
        value
    }

    /// Each kind with its number and three shares, in milliseconds.
    fn tell(&self) {
        for (what, times) in self.0.lock().iter_mut() {
            times.sort_unstable();
            let share = |hundredths: usize| {
                times.get(times.len() * hundredths / 100).map_or(0.0, |time| time.as_secs_f64() * 1e3)
            };
            let [half, most, nearly_all] = [50, 95, 99].map(share);
            println!(
                "{what:<16} {:>7} times  p50 {half:>7.1} ms  p95 {most:>7.1} ms  p99 {nearly_all:>7.1} ms",
                times.len()
            );
        }
    }
}

fn hash(gateway: usize, file: usize, at: usize) -> Hash {
    let mut hash = [9; 32];
    hash[..8].copy_from_slice(&(gateway as u64).to_le_bytes());
    hash[8..16].copy_from_slice(&(file as u64).to_le_bytes());
    hash[16] = at as u8;
    hash
}

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMS).map(|_| random.f32() - 0.5).collect()
}

impl Gateway {
    fn open(number: usize, url: &str, schema: &str, folder: &std::path::Path) -> Self {
        // A name of its own, so that it shares no connection with another one.
        let url = format!("{url}?application_name=gateway{number}");
        let place = InDatabase {
            options: Options {
                schema: schema.to_owned(),
                connect_timeout: Duration::from_secs(60),
                ..Options::new(url)
            },
            agent: format!("agent{number}"),
            migrate: true,
            beside: folder.join(format!("{number}/index.sqlite")),
        };
        let store = Store::open_at(&Location::Database(Box::new(place)), OpenOptions::default()).expect("opened");
        Self { store, number, files: AtomicUsize::new(0) }
    }

    /// A note is written and indexed, with its vectors, as a pass does it.
    fn write(&self) {
        let (gateway, file) = (self.number, self.files.load(Ordering::SeqCst));
        while !matches!(self.store.acquire_lease().expect("asked for"), Lease::Held { .. }) {
            thread::sleep(Duration::from_millis(20));
        }
        let write = move |tx: &mut store::Tx<'_>| {
            let mut random = fastrand::Rng::with_seed((gateway * 100_003 + file) as u64);
            let chunk = |at: usize, random: &mut fastrand::Rng| NewChunk {
                start_line: at as u32 + 1,
                end_line: at as u32 + 1,
                hash: hash(gateway, file, at),
                text: "text ".repeat(180),
                line_terms: vec![7; 120],
                fts_terms: (0..WORDS)
                    .map(|_| format!("w{}", ALL_WORDS.powf(random.f64()) as usize))
                    .chain([format!("of{gateway}")])
                    .collect::<Vec<_>>()
                    .join(" "),
            };
            let chunks: Vec<NewChunk> = (0..OF_FILE).map(|at| chunk(at, &mut random)).collect();
            let vectors: Vec<NewEmbedding> = (0..OF_FILE)
                .map(|at| NewEmbedding { hash: hash(gateway, file, at), vector: vector(&mut random) })
                .collect();
            let generation = tx.begin_building("words")?.id;
            let space = tx.get_or_create_space("a")?.id;
            tx.set_active_space(space)?;
            let path = format!("memory/{file}.md");
            let new =
                NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
            tx.replace_file(generation, &new, &chunks)?;
            tx.insert_embeddings(space, &vectors)
        };
        self.store.write_indexed(write).expect("written");
        self.store.release_lease().expect("given back");
        self.files.store(file + 1, Ordering::SeqCst);
    }

    /// What a search asks of a store: words, what is near, and the rows of both.
    fn search(&self, query: &[f32]) {
        let vectors = self.store.vectors().expect("read").expect("there are some");
        let find = |reader: &store::Reader<'_>| {
            let live = reader.live()?.expect("there is one").id;
            let terms: Vec<Vec<Term<'_>>> = QUERY.iter().map(|text| vec![Term { text, is_required: false }]).collect();
            let postings = reader.postings(live, &terms, 20_000)?;
            let by_words: Vec<_> = postings.into_iter().flatten().flatten().flatten().collect();
            let nearest = reader.nearest(&vectors, query, &[], None)?;
            let wanted = Wanted {
                by_words: &by_words,
                most_by_words: 64,
                nearest: nearest.as_ref(),
                most_nearest: 64,
                exact: 48,
                ..Wanted::default()
            };
            reader.candidates(&wanted)
        };
        let found = self.store.read(find).expect("found");
        assert!(!found.cosines.is_empty(), "something is near");
    }

    /// What it wrote, and nothing of another one.
    fn check(&self) {
        let written = self.files.load(Ordering::SeqCst) * OF_FILE;
        let (own, other) = (format!("of{}", self.number), format!("of{}", self.number + 1));
        let check = |reader: &store::Reader<'_>| {
            let live = reader.live()?.expect("there is one").id;
            let found = reader.postings_among(live, &[&own, &other], None)?;
            assert_eq!((found[0].len(), found[1].len()), (written, 0));
            assert_eq!(reader.chunk_count(live)?, written as u64);
            Ok(())
        };
        self.store.read(check).expect("read");
        assert_eq!(self.store.vectors().expect("read").expect("there are some").len(), written);
    }
}

/// Processor time of the processes of a server on this machine, in seconds; 0 elsewhere.
fn processor_time(pids: &[i32]) -> f64 {
    let ticks = |pid: &i32| -> Option<f64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
    };
    pids.iter().filter_map(ticks).sum::<f64>() / 100.0
}

/// Memory of this process that is in use, in MB.
fn resident_mb() -> f64 {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.as_deref().and_then(|text| text.split_whitespace().nth(1)).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0.0) * 4096.0 / 1e6
}

fn main() {
    let Some(url) = std::env::var("MEMORY_CORE_TEST_PG").ok().filter(|url| !url.is_empty()) else {
        println!(
            "skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start --server pgbouncer` starts one"
        );
        return;
    };
    let gateways = asked("MEMORY_CORE_LAB_ENGINES", 200) as usize;
    let files = asked("MEMORY_CORE_LAB_FILES", 20) as usize;
    let lasts = Duration::from_secs(asked("MEMORY_CORE_LAB_SECONDS", 600));
    // How often somebody asks each gateway, and how often a note of it changes, in seconds.
    let (searches, writes) = (asked("MEMORY_CORE_LAB_SEARCH_S", 20), asked("MEMORY_CORE_LAB_WRITE_S", 120));
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = Runtime::new().expect("a runtime");
    let database = Database::new(&Options::new(url.clone()), runtime.handle().clone()).expect("an address");
    let schema = format!("lab_{}", std::process::id());
    let setting = Setting { begin: WRITE, search_path: "public", tenant: "", agent: None };
    let ask = |sql: &str| database.transact(&Cancel::new(), &setting, |tx| tx.rows(sql, &[])).expect("answered");
    let number = |sql: &str| ask(sql)[0].get::<_, i64>(0);
    let pids = || -> Vec<i32> {
        let sql = "SELECT pid FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend'";
        ask(sql).iter().map(|row| row.get(0)).collect()
    };
    let log = || number("SELECT (pg_current_wal_lsn() - '0/0')::bigint");
    ask("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");

    let times = Times::default();
    let began = Instant::now();
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Gateway>> = Mutex::default();
    // The tables first: all others find them.
    all.lock().push(Gateway::open(0, &url, &schema, folder.path()));
    next.store(1, Ordering::SeqCst);
    thread::scope(|scope| {
        for _ in 0..PEOPLE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= gateways {
                        return;
                    }
                    let gateway = times.of("opening", || Gateway::open(number, &url, &schema, folder.path()));
                    all.lock().push(gateway);
                }
            });
        }
    });
    let mut all = all.into_inner();
    all.sort_by_key(|gateway| gateway.number);
    let all = all;
    println!(
        "{gateways} gateways after {:.1} s; {:.0} MB in this process",
        began.elapsed().as_secs_f64(),
        resident_mb()
    );
    thread::scope(|scope| {
        for person in 0..PEOPLE {
            let (all, times) = (&all, &times);
            scope.spawn(move || {
                for gateway in all.iter().filter(|gateway| gateway.number % PEOPLE == person) {
                    (0..files).for_each(|_| times.of("first writes", || gateway.write()));
                }
            });
        }
    });
    println!(
        "{} chunks after {:.0} s; {:.0} MB",
        gateways * files * OF_FILE,
        began.elapsed().as_secs_f64(),
        resident_mb()
    );

    // What people do, at random moments.
    let (before, time_before, began) = (log(), processor_time(&pids()), Instant::now());
    let busy = AtomicU64::new(0);
    thread::scope(|scope| {
        for person in 0..PEOPLE {
            let (all, times, busy) = (&all, &times, &busy);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(person as u64);
                let own: Vec<&Gateway> = all.iter().filter(|gateway| gateway.number % PEOPLE == person).collect();
                if own.is_empty() {
                    return;
                }
                let pause = |random: &mut fastrand::Rng, every: u64| {
                    Duration::from_secs_f64(-(1.0 - random.f64()).ln() * every as f64 / own.len() as f64)
                };
                let mut due = [pause(&mut random, searches), pause(&mut random, writes)];
                loop {
                    let is_search = due[0] <= due[1];
                    let at = due[usize::from(!is_search)];
                    if at >= lasts {
                        return;
                    }
                    let now = began.elapsed();
                    if at > now {
                        thread::sleep(at - now);
                    } else if now - at > Duration::from_secs(1) {
                        busy.fetch_add(1, Ordering::SeqCst);
                    }
                    let gateway = own[random.usize(..own.len())];
                    if is_search {
                        let query = vector(&mut random);
                        times.of("searches", || gateway.search(&query));
                        due[0] += pause(&mut random, searches);
                    } else {
                        times.of("writes", || gateway.write());
                        due[1] += pause(&mut random, writes);
                    }
                }
            });
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let (written, processor) = (log() - before, processor_time(&pids()) - time_before);
    times.tell();
    println!("{seconds:.0} s; {written} bytes of log; {processor:.1} s of processor time at the server's connections");
    println!("{} connections of the server; {} times more than a second late", pids().len(), busy.into_inner());
    let size = |table: &str| number(&format!("SELECT pg_total_relation_size('{schema}.{table}')"));
    for table in ["chunk", "lex", "code", "embedding", "file", "segment", "agent"] {
        println!("{table:<10} {:>12} bytes", size(table));
    }
    println!("{:.0} MB in this process", resident_mb());
    all.iter().for_each(Gateway::check);
    println!("all {gateways} hold what they wrote, and nothing else");
    all.iter().for_each(|gateway| gateway.store.close());
    ask(&format!("DROP SCHEMA {schema} CASCADE"));
}
