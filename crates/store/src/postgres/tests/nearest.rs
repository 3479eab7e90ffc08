//! What is near a query: the same chunks on both stores, as near, and equals in the same order.

use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};

use proptest::prelude::*;

use super::*;
use crate::{
    candidates::Wanted,
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    generations::{GenerationId, GenerationState},
    ids::{ChunkId, FileId},
    postgres::codes::OF_SOME,
    within::FileFacts,
};
use model::{error::Result, source::Source};

const DIMS: usize = 24;
/// Texts, of which some have the same vector.
const TEXTS: u8 = 40;

/// What is done to both stores, in the first of two spaces or in the second.
#[derive(Debug, Clone)]
enum Step {
    File(u8, Vec<u8>),
    Rebuild(Vec<(u8, Vec<u8>)>),
    Embed(bool, Vec<u8>),
    Use(bool),
}

fn hash(n: u8) -> Hash {
    [n % TEXTS; 32]
}

fn vector(n: u8) -> Vec<f32> {
    let n = f32::from(n % TEXTS / 2);
    match n {
        0.0 => vec![0.0; DIMS],
        n => (0..DIMS).map(|at| (n * 1.7 + at as f32 * (n + 0.3)).sin()).collect(),
    }
}

fn query() -> Vec<f32> {
    (0..DIMS).map(|at| (at as f32 * 0.9).cos()).collect()
}

fn chunk(n: u8) -> NewChunk {
    let text = if n.is_multiple_of(TEXTS) { " ".to_owned() } else { format!("text {}", n % TEXTS) };
    NewChunk { start_line: 1, end_line: 1, hash: hash(n), text, line_terms: Vec::new(), fts_terms: String::new() }
}

/// Both stores have the operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let put = |generation: GenerationId, name: u8, texts: &[u8]| -> Result<()> {
            let path = format!("{}.md", name % 6);
            let source = if name % 6 < 4 { "memory" } else { "sessions" };
            let mut chunks: Vec<NewChunk> = texts.iter().map(|n| chunk(*n)).collect();
            for (at, chunk) in chunks.iter_mut().enumerate() {
                chunk.start_line = at as u32 / 2;
            }
            if chunks.is_empty() {
                tx.delete_file(generation, source, &path)?;
            } else {
                let mtime_ns = i64::from(name);
                let file = NewFile { source, path: &path, hash: [0; 32], mtime_ns, size: 1, lines: 1, terms: 1 };
                tx.replace_file(generation, &file, &chunks)?;
            }
            Ok(())
        };
        let space = |second: bool| tx.get_or_create_space(if second { "b" } else { "a" });
        let work = || -> Result<()> {
            match step {
                Step::File(name, texts) => put(tx.begin_building("words")?.id, *name, texts)?,
                Step::Rebuild(files) => {
                    let generation = tx.begin_rebuild("words")?;
                    for (name, texts) in files {
                        put(generation.id, *name, texts)?;
                    }
                    if generation.state == GenerationState::Building {
                        tx.flip(generation.id)?;
                    }
                }
                Step::Embed(second, texts) => {
                    let new = |n: &u8| NewEmbedding { hash: hash(*n), vector: vector(*n) };
                    tx.insert_embeddings(space(*second)?.id, &texts.iter().map(new).collect::<Vec<_>>())?;
                }
                Step::Use(second) => tx.set_active_space(space(*second)?.id)?,
            }
            Ok(())
        };
        work()
    }};
}

/// Where a chunk stands: what both stores call by different ids.
type Where = (String, String, usize);

/// What is near.
#[derive(Debug, Clone, Default)]
struct Near {
    top: Vec<Where>,
    mean: f64,
    best: Vec<(Where, f64)>,
    rows: Vec<(Where, String)>,
    by_words: Vec<Where>,
    cosines: Vec<(Where, f64)>,
}

#[derive(Debug, Clone, Default)]
struct Seen {
    vectors: usize,
    within: BTreeSet<Where>,
    /// All chunks in the order that tells equals apart.
    order: Vec<Where>,
    /// Of all chunks, and of those within.
    near: Vec<Option<Near>>,
}

macro_rules! seen {
    ($reader:expr, $vectors:expr, $wanted:expr, $best:expr, $candidates:expr) => {{
        let (reader, (sources, most)): (_, (&[Source], usize)) = (&*$reader, $wanted);
        let work = || -> Result<Seen> {
            let Some(live) = reader.live()? else { return Ok(Seen::default()) };
            let ids = reader.chunk_ids(live.id)?;
            let is_wanted = |facts: FileFacts<'_>| facts.mtime_ns % 2 == 0 && facts.path != "1.md";
            let within = reader.within(live.id, is_wanted)?;
            let files = reader.file_paths(live.id)?.into_iter().map(|(id, _, _)| id);
            let mut files: Vec<FileId> = files.filter(|id| within.has_file(*id)).collect();
            files.sort();
            let order = reader.chunk_order()?;
            let mut in_order = ids.clone();
            in_order.sort_by_key(|id| order.place(*id));
            // Chunks are looked at before any is in memory.
            let (query, mut looked) = (query(), Vec::new());
            for within in [None, Some(&within)] {
                let Some(vectors) = $vectors else { break };
                let Some(nearest) = reader.nearest(vectors, &query, sources, within)? else {
                    looked.push(None);
                    continue;
                };
                let mut by_words: Vec<ChunkId> = in_order.iter().copied().step_by(3).collect();
                by_words.reverse();
                by_words.push(ChunkId::new(i64::MAX));
                let wanted = Wanted {
                    by_words: &by_words,
                    most_by_words: most + 1,
                    sources,
                    nearest: Some(&nearest),
                    most_nearest: most,
                    exact: most / 2,
                    files: &files,
                    most_of_files: most,
                    also: &[],
                    lines: reader.active_space()?.map(|space| space.id),
                };
                let found = $candidates(reader, &wanted)?;
                looked.push(Some((nearest.top(most), nearest.mean(), $best(reader, &nearest, most)?, found)));
            }
            let rows = reader.chunks(&ids)?;
            let mut of_file: HashMap<FileId, usize> = HashMap::new();
            let places: HashMap<ChunkId, Where> = rows
                .iter()
                .map(|row| {
                    let at = of_file.entry(row.file_id).or_default();
                    *at += 1;
                    (row.id, (row.source.clone(), row.path.clone(), *at))
                })
                .collect();
            let named = |ids: Vec<ChunkId>| ids.iter().map(|id| places[id].clone()).collect::<Vec<_>>();
            let scored = |found: Vec<(ChunkId, f64)>| {
                found.into_iter().map(|(id, cosine)| (places[&id].clone(), cosine)).collect::<Vec<_>>()
            };
            let near = looked.into_iter().map(|looked| {
                looked.map(|(top, mean, best, found)| Near {
                    top: named(top),
                    mean,
                    best: scored(best),
                    rows: found.rows.into_iter().map(|row| (places[&row.id].clone(), row.text)).collect(),
                    by_words: named(found.by_words),
                    cosines: scored(found.cosines),
                })
            });
            let near = near.collect();
            Ok(Seen {
                vectors: $vectors.map_or(0, |vectors: &crate::vectors::Vectors| vectors.len()),
                within: ids.iter().filter(|id| within.has(**id)).map(|id| places[id].clone()).collect(),
                order: named(in_order),
                near,
            })
        };
        work()
    }};
}

fn as_near(found: &[(Where, f64)], expected: &[(Where, f64)]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|((a, x), (b, y))| a == b && (x - y).abs() < 1e-6)
}

/// Equal but for the last bits of cosines.
fn check(found: &Seen, expected: &Seen) -> std::result::Result<(), TestCaseError> {
    prop_assert_eq!(found.vectors, expected.vectors);
    prop_assert_eq!(&found.within, &expected.within);
    prop_assert_eq!(&found.order, &expected.order);
    prop_assert_eq!(found.near.len(), expected.near.len());
    for (found, expected) in found.near.iter().zip(&expected.near) {
        let (Some(found), Some(expected)) = (found, expected) else {
            prop_assert!(found.is_none() && expected.is_none());
            continue;
        };
        prop_assert_eq!(&found.top, &expected.top);
        prop_assert_eq!(&found.rows, &expected.rows);
        prop_assert_eq!(&found.by_words, &expected.by_words);
        prop_assert!((found.mean - expected.mean).abs() < 1e-6, "{} is not {}", found.mean, expected.mean);
        prop_assert!(as_near(&found.best, &expected.best), "{:?} is not {:?}", found.best, expected.best);
        prop_assert!(as_near(&found.cosines, &expected.cosines), "{:?} is not {:?}", found.cosines, expected.cosines);
    }
    Ok(())
}

fn seen_by(agent: &Agent, wanted: (&[Source], usize)) -> Seen {
    agent
        .look(&Cancel::new(), Some(Instant::now()), |reader| {
            let vectors = reader.vectors()?;
            seen!(
                reader,
                vectors.as_ref(),
                wanted,
                |reader: &crate::postgres::agent::Reader<'_>, nearest, most| reader.best(nearest, most),
                |reader: &crate::postgres::agent::Reader<'_>, wanted| reader.candidates(wanted)
            )
        })
        .unwrap()
}

/// Vectors that were there before the chunks could see them.
fn write_codes(agent: &Agent, at_a_time: usize) {
    let state = |reader: &crate::postgres::agent::Reader<'_>| Ok((reader.live()?, reader.active_space()?));
    if let (Some(live), Some(space)) = agent.read(&Cancel::new(), state).unwrap() {
        let mut next = Some(ChunkId::default());
        while let Some(after) = next {
            next = agent.write(|tx| tx.write_codes(live.id, space.id, after, at_a_time)).unwrap();
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let texts = || proptest::collection::vec(any::<u8>(), 0..9);
    let file = || (any::<u8>(), texts());
    let step = prop_oneof![
        6 => file().prop_map(|(name, texts)| Step::File(name, texts)),
        1 => proptest::collection::vec(file(), 0..5).prop_map(Step::Rebuild),
        5 => (prop::bool::weighted(0.2), texts()).prop_map(|(second, texts)| Step::Embed(second, texts)),
        1 => prop::bool::weighted(0.3).prop_map(Step::Use),
    ];
    proptest::collection::vec(step, 1..24)
}

#[test]
fn both_stores_find_the_same_near_and_as_near() {
    let Some((_place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    let mut compared = 0;
    let compared = std::sync::Mutex::new(&mut compared);
    proptest!(config, |(steps in steps(), most in 1..12usize, confined in any::<bool>())| {
        let (_folder, sqlite) = sqlite_beside();
        // A tenant of its own: vectors are the tenant's.
        let tenant = Uuid::new_v4().to_string();
        // The second one never writes: what it knows is always of before.
        let [agent, other] = [(); 2].map(|()| open_in(&database, &schema, &tenant, "one"));
        let sources: &[Source] = if confined { &[Source::Memory] } else { &[] };
        let both = |step: &Step| {
            let same = step.clone();
            sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            agent.write(|tx| apply!(tx, step)).unwrap();
        };
        // Most texts have vectors at once.
        both(&Step::Use(false));
        both(&Step::Embed(false, (0..TEXTS).step_by(3).collect()));
        for step in &steps {
            both(step);
            write_codes(&agent, 3);
            let vectors = sqlite.vectors().unwrap();
            let best = |reader: &crate::Reader<'_>, nearest: &crate::vectors::Nearest<'_>, most| nearest.best(reader, most);
            let candidates = |reader: &crate::Reader<'_>, wanted: &Wanted<'_>| reader.candidates(wanted);
            let expected = sqlite
                .read(|reader| seen!(reader, vectors.as_ref(), (sources, most), best, candidates))
                .unwrap();
            **compared.lock().unwrap() += expected.near.iter().flatten().map(|near| near.best.len()).sum::<usize>();
            for agent in [&agent, &other] {
                check(&seen_by(agent, (sources, most)), &expected)?;
            }
            while sqlite.write(|tx| tx.retire_step(3)).unwrap() {}
            while agent.write(|tx| tx.retire_step(3)).unwrap() {}
        }
        // Whoever reads all at once sees what whoever read bit by bit sees.
        let again = open_in(&database, &schema, &tenant, "one");
        check(&seen_by(&again, (sources, most)), &seen_by(&agent, (sources, most)))?;
        sqlite.close();
    });
    assert!(**compared.lock().unwrap() > 100, "vectors were compared");
}

/// Chunks of an agent that are near, as everybody sees them.
fn found(agent: &Agent) -> usize {
    seen_by(agent, (&[], 100)).near.into_iter().flatten().map(|near| near.top.len()).max().unwrap_or(0)
}

#[test]
fn a_vector_that_another_agent_has_brought_is_found_after_the_next_pass() {
    let Some((_place, schema, database)) = prepared() else { return };
    let [one, other] = ["one", "other"].map(|name| open_in(&database, &schema, "t", name));
    for agent in [&one, &other] {
        agent.write(|tx| apply!(tx, &Step::Use(false))).unwrap();
        agent.write(|tx| apply!(tx, &Step::File(0, vec![3, 4, 5]))).unwrap();
    }
    one.write(|tx| apply!(tx, &Step::Embed(false, vec![3, 4]))).unwrap();
    assert_eq!((found(&one), found(&other)), (2, 0));
    write_codes(&other, 1);
    assert_eq!(found(&other), 2);
    // A chunk that comes when the vector is there needs no pass.
    other.write(|tx| apply!(tx, &Step::File(2, vec![4]))).unwrap();
    assert_eq!((found(&one), found(&other)), (2, 3));
}

#[test]
fn codes_of_writers_that_race_are_all_seen_by_whoever_reads_on() {
    let Some((place, schema, database)) = prepared() else { return };
    let reading = open_in(&database, &schema, "t", "one");
    reading.write(|tx| apply!(tx, &Step::Use(false))).unwrap();
    reading.write(|tx| apply!(tx, &Step::Embed(false, (0..TEXTS).collect()))).unwrap();
    reading.write(|tx| tx.begin_building("words")).unwrap();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3_u8)
            .map(|writer| {
                let agent = open_in(&database, &schema, "t", "one");
                scope.spawn(move || {
                    for n in 0..12_u8 {
                        agent.write(|tx| apply!(tx, &Step::File(writer, vec![n + 2; usize::from(n) + 1]))).unwrap();
                    }
                })
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            reading.vectors(&Cancel::new()).unwrap();
        }
    });
    let all = reading.vectors(&Cancel::new()).unwrap().unwrap().len();
    assert_eq!((all, place.numbers("SELECT count(*) FROM code")[0]), (36, 36));
}

#[test]
fn codes_are_read_by_their_index_behind_the_walls_too() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let agent = open_in(&Arc::new(place.role()), &schema, "t", "one");
    let plan = |sql: &str| {
        agent
            .read(&Cancel::new(), |reader| {
                let rows = reader.tx.rows(&format!("EXPLAIN {sql}"), &[])?;
                Ok(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n"))
            })
            .unwrap()
    };
    let plan = plan(
        "SELECT k.seq, k.chunk, k.code FROM code k WHERE k.agent = 1 AND k.generation = 2 AND k.space = 3 \
         AND (k.seq, k.chunk) > (4, 5) ORDER BY k.seq, k.chunk LIMIT 6",
    );
    assert!(plan.contains("Index Cond") && plan.contains("ROW(seq, chunk) > ROW(") && !plan.contains("Sort"), "{plan}");
}

// Of tables that had just been filled nothing was known, and each chunk was compared with all codes: 50 million rows were read
// for the first index of 7,000 chunks, and for one of 12,000 it took twelve times as long as in a file.
#[test]
fn codes_that_are_missing_are_looked_for_one_by_one_in_tables_of_which_nothing_is_known() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open_in(&database, &schema, "t", "one");
    place.change("ALTER TABLE code SET (autovacuum_enabled = off); ALTER TABLE chunk SET (autovacuum_enabled = off)");
    place.change(
        "INSERT INTO code SELECT 1, 1, 1, n, n, 1, '', '' FROM generate_series(1, 2000) n; \
         INSERT INTO chunk SELECT 1, n, 1, 1, 1, 1, '', '', '' FROM generate_series(1, 2000) n",
    );
    let sql = ["1", "'t'", "1", "1", "1", "500", "1900"]
        .into_iter()
        .zip(1..)
        .fold(OF_SOME.to_owned(), |sql, (value, n)| sql.replace(&format!("${n}"), value));
    let plan = agent.write(|tx| tx.tx.rows(&format!("EXPLAIN {sql}"), &[])).unwrap();
    let plan = plan.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n");
    for by in ["chunk = c.id", "hash = c.hash", "id > 1900"] {
        assert!(plan.lines().any(|line| line.contains("Index Cond") && line.contains(by)), "{plan}");
    }
}
