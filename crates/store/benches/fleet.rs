//! Both stores beside each other, on 100,000 chunks: `cargo bench -p store --features postgres --bench fleet`, with the
//! address of a server in `MEMORY_CORE_TEST_PG` (`npm run pg -- start`). Takes some minutes to begin.
#![expect(clippy::expect_used, clippy::print_stderr, reason = "a bench says what is wrong by failing")]

use std::sync::{Arc, LazyLock};

use divan::Bencher;
use model::cancel::Cancel;
use store::{
    OpenOptions, Store,
    files::{NewChunk, NewFile},
    ids::GenerationId,
    lexical::Term,
    postgres::{
        agent::{Agent, AgentOptions},
        config::Options,
        connect::{Database, Setting, WRITE},
        schema,
    },
};
use tokio::runtime::Runtime;

const CHUNKS: usize = 100_000;
/// Chunks of a file, and files of a write.
const OF_FILE: usize = 8;
const OF_WRITE: usize = 8;
/// Words of a chunk, and of all.
const WORDS: usize = 200;
const ALL_WORDS: f64 = 760_000.0;

/// Some of which are in each eighth chunk, some in few.
const QUERY: [usize; 8] = [100, 10_000, 300, 140, 1_000, 3_000, 500, 700];

struct Stores {
    runtime: Runtime,
    folder: tempfile::TempDir,
    sqlite: Arc<Store>,
    database: Arc<Database>,
    schema: String,
    agent: Agent,
    live: [GenerationId; 2],
}

static STORES: LazyLock<Option<Stores>> = LazyLock::new(|| {
    let url = std::env::var("MEMORY_CORE_TEST_PG").ok().filter(|url| !url.is_empty())?;
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default()).expect("an index");
    let name = format!("bench_{}", std::process::id());
    let database = Database::new(&Options::new(url), runtime.handle().clone()).expect("an address");
    let database = Arc::new(database);
    let schema = schema::prepare(&database, &name, true).expect("the tables");
    let OpenOptions { owner, clock, .. } = OpenOptions::default();
    let options = AgentOptions { tenant: "bench".to_owned(), name: "bench".to_owned(), owner, clock };
    let agent = Agent::open(Arc::clone(&database), schema, options).expect("an agent");
    let first = sqlite.write(|tx| tx.begin_building("bench")).expect("a generation").id;
    let second = agent.write(|tx| tx.begin_building("bench")).expect("a generation").id;
    let stores = Stores { runtime, folder, sqlite, database, schema: name, agent, live: [first, second] };
    for files in (0..CHUNKS / OF_FILE).collect::<Vec<_>>().chunks(OF_WRITE) {
        stores.write(files);
        while stores.agent.write(|tx| tx.merge_words(second)).expect("merged") {}
    }
    while stores.sqlite.write(move |tx| tx.merge_fts_step(first, 2_000, true)).expect("merged") {}
    Some(stores)
});

impl Stores {
    fn write(&self, files: &[usize]) {
        let made: Vec<(usize, Vec<NewChunk>)> = files.iter().map(|file| (*file, chunks(*file))).collect();
        write_postgres(&self.agent, self.live[1], &made);
        write_sqlite(&self.sqlite, self.live[0], made);
    }
}

/// Single files that are written one by one, or as many as `MEMORY_CORE_SINGLE_WRITES` says.
const SINGLE: usize = 2_000;

fn single() -> usize {
    std::env::var("MEMORY_CORE_SINGLE_WRITES").ok().and_then(|number| number.parse().ok()).unwrap_or(SINGLE)
}

/// Of so many hundredths at most.
fn share(times: &[std::time::Duration], hundredths: usize) -> std::time::Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() * hundredths / 100).copied().unwrap_or_default()
}

impl Stores {
    fn numbers(&self, sql: &str) -> Vec<i64> {
        let setting = Setting { begin: WRITE, search_path: &self.schema, tenant: "", agent: None };
        let row =
            self.database.transact(&Cancel::new(), &setting, |tx| tx.row(sql, &[])).expect("read").expect("a row");
        (0..row.len()).map(|at| row.get(at)).collect()
    }

    /// How much the words of single writes take, and how much was written for them: merged whenever there is something to
    /// merge, beside the same words built at once.
    fn write_single_files(&self) {
        let size = "SELECT pg_total_relation_size('lex'), (SELECT coalesce(sum(bytes), 0)::bigint FROM segment), \
                    (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'lex'::regclass), \
                    (SELECT autovacuum_count FROM pg_stat_user_tables WHERE relid = 'lex'::regclass)";
        let written = || self.numbers("SELECT (pg_current_wal_lsn() - '0/0')::bigint")[0];
        let setting = Setting { begin: WRITE, search_path: &self.schema, tenant: "", agent: None };
        let clear = || {
            let all = "TRUNCATE lex, lex_dead, segment, merge, chunk, file, generation";
            self.database.transact(&Cancel::new(), &setting, |tx| tx.batch(all)).expect("emptied");
        };
        let begin = || self.agent.write(|tx| tx.begin_rebuild("bench")).expect("a generation").id;
        let merge = |live| {
            let (mut steps, mut longest) = (0, std::time::Duration::ZERO);
            loop {
                let started = std::time::Instant::now();
                if !self.agent.write(|tx| tx.merge_words(live)).expect("merged") {
                    return (steps, longest);
                }
                (steps, longest) = (steps + 1, longest.max(started.elapsed()));
            }
        };
        clear();
        let live = begin();
        let files: Vec<usize> = (0..single()).collect();
        for part in files.chunks((single() / 4).max(1)) {
            let made: Vec<_> = part.iter().map(|file| (*file, chunks(*file))).collect();
            write_postgres(&self.agent, live, &made);
        }
        eprintln!("at once: {:?}", self.numbers(size));
        clear();
        let (live, before, started) = (begin(), written(), std::time::Instant::now());
        let (mut steps, mut longest, mut vacuums) = (0, std::time::Duration::ZERO, Vec::new());
        let (mut writes, mut most) = (Vec::new(), 0);
        for file in files {
            let made = [(file, chunks(file))];
            let began = std::time::Instant::now();
            write_postgres(&self.agent, live, &made);
            writes.push(began.elapsed());
            let (more, long) = merge(live);
            (steps, longest) = (steps + more, longest.max(long));
            if file.is_multiple_of(50) {
                let started = std::time::Instant::now();
                if self.agent.vacuum_words(&Cancel::new()).expect("cleared") {
                    vacuums.push(started.elapsed());
                }
            }
            if (file + 1).is_multiple_of((single() / 8).max(1)) {
                most = most.max(self.numbers("SELECT count(*) FROM segment")[0]);
                let [half, most_writes] = [50, 95].map(|hundredths| share(&writes, hundredths));
                eprintln!(
                    "{} single writes, {:?}: {:?}; {most} segments at most, a write {half:?} p50 and {most_writes:?} p95",
                    file + 1,
                    started.elapsed(),
                    self.numbers(size)
                );
                writes.clear();
            }
        }
        let log = written() - before;
        eprintln!("{log} bytes of log, {steps} steps of merges, the longest {longest:?}, vacuums {vacuums:?}");
    }
}

/// Words as rare as those of a language.
fn chunks(file: usize) -> Vec<NewChunk> {
    let mut random = fastrand::Rng::with_seed(file as u64);
    let mut word = || ALL_WORDS.powf(random.f64()) as usize;
    let mut chunk = |at: usize| NewChunk {
        start_line: at as u32 + 1,
        end_line: at as u32 + 1,
        hash: [0; 32],
        text: "text ".repeat(300),
        line_terms: vec![7; 600],
        fts_terms: (0..WORDS).map(|_| format!("w{}", word())).collect::<Vec<_>>().join(" "),
    };
    (0..OF_FILE).map(&mut chunk).collect()
}

fn file(path: &str) -> NewFile<'_> {
    NewFile { source: "memory", path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 }
}

fn write_sqlite(store: &Store, live: GenerationId, files: Vec<(usize, Vec<NewChunk>)>) {
    let write = move |tx: &mut store::Tx<'_>| {
        files
            .iter()
            .try_for_each(|(name, chunks)| tx.replace_file(live, &file(&format!("{name}.md")), chunks).map(drop))
    };
    store.write(write).expect("written");
}

fn write_postgres(agent: &Agent, live: GenerationId, files: &[(usize, Vec<NewChunk>)]) {
    let write = |tx: &store::postgres::agent::Tx<'_>| {
        files
            .iter()
            .try_for_each(|(name, chunks)| tx.replace_file(live, &file(&format!("{name}.md")), chunks).map(drop))
    };
    agent.write(write).expect("written");
}

fn main() {
    if STORES.is_none() {
        eprintln!("skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start` starts one");
        return;
    }
    divan::main();
    if let Some(stores) = &*STORES {
        let table =
            || stores.numbers("SELECT sum(bytes)::bigint, pg_total_relation_size('lex'), count(*) FROM segment");
        eprintln!("bytes of words, of their table with what is dead, segments: {:?}", table());
        stores.write_single_files();
        let setting = Setting { begin: WRITE, search_path: &stores.schema, tenant: "", agent: None };
        let dropped = stores
            .database
            .transact(&Cancel::new(), &setting, |tx| tx.batch(&format!("DROP SCHEMA {} CASCADE", stores.schema)));
        dropped.expect("dropped");
        stores.sqlite.close();
        let _ = (&stores.runtime, &stores.folder);
    }
}

fn concepts(words: usize) -> Vec<String> {
    QUERY[..words].iter().map(|word| format!("w{word}")).collect()
}

#[divan::bench(args = [3, 8])]
fn words_sqlite(bencher: Bencher<'_, '_>, words: usize) {
    let Some(stores) = &*STORES else { return };
    let words = concepts(words);
    let terms: Vec<_> = words.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    bencher.bench(|| stores.sqlite.read(|reader| reader.postings(stores.live[0], &terms, 20_000)).expect("found"));
}

#[divan::bench(args = [3, 8])]
fn words_postgres(bencher: Bencher<'_, '_>, words: usize) {
    let Some(stores) = &*STORES else { return };
    let words = concepts(words);
    let terms: Vec<_> = words.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    let find = || stores.agent.read(&Cancel::new(), |reader| reader.postings(stores.live[1], &terms, 20_000));
    bencher.bench(|| find().expect("found"));
}

/// A transaction with nothing in it.
#[divan::bench]
fn empty_read_postgres(bencher: Bencher<'_, '_>) {
    let Some(stores) = &*STORES else { return };
    bencher.bench(|| stores.agent.read(&Cancel::new(), |_| Ok(())).expect("read"));
}

#[divan::bench]
fn write_a_file_sqlite(bencher: Bencher<'_, '_>) {
    let Some(stores) = &*STORES else { return };
    bencher
        .with_inputs(|| vec![(7, chunks(7))])
        .bench_values(|made| write_sqlite(&stores.sqlite, stores.live[0], made));
}

#[divan::bench]
fn write_a_file_postgres(bencher: Bencher<'_, '_>) {
    let Some(stores) = &*STORES else { return };
    let made = vec![(7, chunks(7))];
    bencher.bench(|| write_postgres(&stores.agent, stores.live[1], &made));
}
