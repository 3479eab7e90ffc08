//! The same edits on both stores give the same memory, and the same chunks for the same words.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;

use super::*;
use crate::postgres::{rows::WHERE, words::LOOK_UP};
use crate::{
    files::{NewChunk, NewFile},
    generations::GenerationId,
    ids::ChunkId,
    lexical::{Postings, Term},
};
use model::error::Result;

/// What is done to both.
#[derive(Debug, Clone)]
enum Step {
    /// Files with the words of their chunks, in one transaction; those without chunks are deleted.
    Files(Vec<(u8, Vec<Vec<u8>>)>),
    /// The same in the generation that is being built, and then it is the one that answers.
    Rebuild(Vec<(u8, Vec<Vec<u8>>)>),
    /// What is kept in small pieces becomes fewer.
    Merge,
}

/// Words of our terms' kinds: some in most chunks, some in both cases, some that no index can hold.
fn word(n: u8) -> String {
    match n {
        0..80 => format!("common{}", n % 3),
        80..90 => "Größe".to_owned(),
        90..95 => "UPPER".to_owned(),
        95..100 => "c++/'\"x".to_owned(),
        _ => format!("rare{}", n / 2),
    }
}

fn chunks(words: &[Vec<u8>]) -> Vec<NewChunk> {
    let chunk = |(at, words): (usize, &Vec<u8>)| {
        let terms: Vec<String> = words.iter().map(|n| word(*n)).collect();
        NewChunk {
            start_line: at as u32 + 1,
            end_line: at as u32 + 2,
            hash: [at as u8; 32],
            // Blank, and with a zero in it.
            text: if terms.is_empty() { " ".to_owned() } else { format!("{}\0", terms.join("\n")) },
            line_terms: words.clone(),
            fts_terms: terms.join(" "),
        }
    };
    words.iter().enumerate().map(chunk).collect()
}

fn file(path: &str) -> NewFile<'_> {
    let hash = [path.len() as u8; 32];
    NewFile { source: "memory", path, hash, mtime_ns: -7, size: u64::from(u32::MAX) + 8, lines: u32::MAX, terms: 10 }
}

/// A step in a transaction of either store: they have the same operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let work = || -> Result<()> {
            let (generation, files, flips) = match step {
                Step::Files(files) => (tx.begin_building("words")?.id, files, false),
                Step::Rebuild(files) => {
                    let generation = tx.begin_rebuild("words")?;
                    (generation.id, files, generation.state == crate::generations::GenerationState::Building)
                }
                Step::Merge => return Ok(()),
            };
            for (name, words) in files {
                let path = format!("{}.md", name % 6);
                if words.is_empty() {
                    tx.delete_file(generation, "memory", &path)?;
                } else {
                    let id = tx.replace_file(generation, &file(&path), &chunks(words))?;
                    if words.len() == 3 {
                        tx.touch_file(id, i64::MAX)?;
                    }
                }
            }
            if flips {
                tx.flip(generation)?;
            }
            Ok(())
        };
        work()
    }};
}

/// Where a chunk stands: what both stores call by different ids.
type Where = (String, u32);

/// Such a place, with the last line, the text, its lines and its hash.
type Stored = (Where, u32, String, Vec<u8>, Option<[u8; 32]>);

/// All that is indexed, and what words find.
#[derive(Debug, PartialEq)]
struct Seen {
    files: BTreeMap<String, ([u8; 32], i64, u64, u32, u32)>,
    /// In the order of their ids.
    chunks: Vec<Stored>,
    count: u64,
    /// What is known of files and chunks without reading all of them.
    known: (bool, bool, u64, u64, Vec<(String, String)>),
    times: Vec<i64>,
    up_to: Vec<Vec<Option<Vec<Vec<Where>>>>>,
    among: Vec<Vec<Where>>,
}

macro_rules! seen {
    ($reader:expr, $most:expr) => {{
        let reader = $reader;
        let generation = reader.live()?.map_or(GenerationId::default(), |live| live.id);
        let files = reader.files(generation, "memory")?;
        let ids = reader.chunk_ids(generation)?;
        let rows = reader.chunks(&ids)?;
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
        for row in &rows {
            assert!(reader.chunks_of_file(row.file_id)?.contains(row));
        }
        let places: HashMap<ChunkId, Where> =
            rows.iter().map(|row| (row.id, (row.path.clone(), row.start_line))).collect();
        let placed = |postings: Postings| -> Vec<Vec<Where>> {
            postings.iter().map(|ids| ids.iter().map(|id| places[id].clone()).collect()).collect()
        };
        let middle = ids.get(ids.len() / 2).copied().unwrap_or_default();
        let mut paths = Vec::new();
        for (id, source, path) in reader.file_paths(generation)? {
            assert_eq!(reader.file(generation, &source, &path)?.map(|file| file.id), Some(id));
            paths.push((source, path));
        }
        paths.sort();
        assert_eq!(reader.file(generation, "memory", "nowhere.md")?, None);
        let known = (
            reader.has_files(generation, "memory")?,
            reader.has_files(generation, "sessions")? || reader.has_chunks(generation)?,
            reader.file_count(generation, "memory")?,
            reader.chunks_after(generation, middle)?,
            paths,
        );
        let words: Vec<String> = (0..=255).step_by(3).map(word).collect();
        let mut terms: Vec<&str> = words.iter().map(String::as_str).collect();
        terms.extend(["", "two words", "upper", "GRÖSSE", "nowhere", "tab\tbed"]);
        let concepts: Vec<Vec<Term<'_>>> = terms
            .chunks(3)
            .enumerate()
            .map(|(at, terms)| terms.iter().map(|text| Term { text, is_required: at % 2 == 0 }).collect())
            .collect();
        let mut up_to = Vec::new();
        for most in [0, $most, usize::MAX] {
            let found = reader.postings(generation, &concepts, most)?;
            up_to.push(found.into_iter().map(|postings| postings.map(placed)).collect());
        }
        let mut among = placed(reader.postings_among(generation, &terms, None)?);
        among.extend(placed(reader.postings_among(generation, &terms, Some(&["common1", "", "Upper"]))?));
        among.extend(placed(reader.postings_among(generation, &terms, Some(&[" "]))?));
        Ok(Seen {
            known,
            times: rows.iter().map(|row| row.mtime_ns).collect(),
            files: files
                .into_iter()
                .map(|(path, file)| (path, (file.hash, file.mtime_ns, file.size, file.lines, file.terms)))
                .collect(),
            chunks: rows
                .into_iter()
                .map(|row| ((row.path, row.start_line), row.end_line, row.text, row.line_terms, row.hash))
                .collect(),
            count: reader.chunk_count(generation)?,
            up_to,
            among,
        })
    }};
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..12), 0..5);
    let files = || proptest::collection::vec((any::<u8>(), words.clone()), 0..4);
    let step = prop_oneof![
        8 => files().prop_map(Step::Files),
        1 => files().prop_map(Step::Rebuild),
        2 => Just(Step::Merge),
    ];
    proptest::collection::vec(step, 1..24)
}

#[test]
fn both_stores_hold_and_find_the_same() {
    // As whoever uses it does: an ordinary role, behind the walls.
    let Some((_place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    proptest!(config, |(steps in steps(), most in 1..6usize)| {
        let (_folder, sqlite) = sqlite_beside();
        let agent = open(&database, &schema, &Uuid::new_v4().to_string());
        // SQLite has no table of words before there is a generation.
        for step in [Step::Files(Vec::new())].iter().chain(&steps) {
            let same = step.clone();
            sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            agent.write(|tx| apply!(tx, step)).unwrap();
            if matches!(step, Step::Merge) {
                let live = agent.read(&Cancel::new(), |reader| reader.live()).unwrap();
                let merges = |id| agent.write(|tx| tx.merge_words(id)).unwrap();
                while live.as_ref().is_some_and(|live| merges(live.id)) {}
            }
            while sqlite.write(|tx| tx.retire_step(3)).unwrap() {}
            while agent.write(|tx| tx.retire_step(3)).unwrap() {}
        }
        let expected: Result<Seen> = sqlite.read(|reader| seen!(reader, most));
        let found: Result<Seen> = agent.read(&Cancel::new(), |reader| seen!(reader, most));
        prop_assert_eq!(found.unwrap(), expected.unwrap());
        // A write sees what it has not sent yet.
        let last = Step::Files(vec![(1, vec![vec![1, 2, 200], vec![]]), (2, vec![])]);
        let same = last.clone();
        let expected: Result<Seen> = sqlite.write(move |tx| {
            apply!(tx, &same)?;
            seen!(tx, most)
        });
        let found: Result<Seen> = agent.write(|tx| {
            apply!(tx, &last)?;
            seen!(tx, most)
        });
        prop_assert_eq!(found.unwrap(), expected.unwrap());
        sqlite.close();
    });
}

#[test]
fn however_many_writes_a_search_looks_at_few_segments() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open(&database, &schema, "one");
    let words = |n: u8| vec![vec![n, n.wrapping_mul(7), 1], vec![n / 2, 2]];
    for n in 0..120 {
        agent.write(|tx| apply!(tx, &Step::Files(vec![(n, words(n))]))).unwrap();
        let live = agent.read(&Cancel::new(), |reader| reader.live()).unwrap().unwrap().id;
        while agent.write(|tx| tx.merge_words(live)).unwrap() {}
    }
    assert!(place.numbers("SELECT count(*) FROM segment")[0] <= 8);
    // What is dead is forgotten with the segment that it was in.
    let outside = "SELECT count(*) FROM lex_dead d WHERE NOT EXISTS \
                   (SELECT 1 FROM segment s WHERE d.chunk BETWEEN s.first_chunk AND s.last_chunk)";
    assert_eq!(place.numbers(outside), [0]);
    let gone = (120 - 6) * 2;
    assert!(place.numbers("SELECT count(*) FROM lex_dead")[0] < gone / 2);
    let fresh = open(&database, &schema, "fresh");
    fresh.write(|tx| apply!(tx, &Step::Files((114..120).map(|n| (n, words(n))).collect()))).unwrap();
    let all = agent.read(&Cancel::new(), |reader| -> Result<Seen> { seen!(reader, 3) }).unwrap();
    let once = fresh.read(&Cancel::new(), |reader| -> Result<Seen> { seen!(reader, 3) }).unwrap();
    assert_eq!((all.up_to, all.among, all.count), (once.up_to, once.among, once.count));
}

// Deleting adds nothing that would have to be merged: the list of what is gone grew with every search that had to read it.
#[test]
fn what_is_gone_in_large_numbers_leaves_the_words_as_well() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let agent = open(&Arc::new(place.role()), &schema, "one");
    let words = |chunks: usize| vec![vec![1, 150]; chunks];
    agent.write(|tx| apply!(tx, &Step::Files(vec![(0, words(1_200)), (1, words(3))]))).unwrap();
    agent.write(|tx| apply!(tx, &Step::Files(vec![(0, vec![])]))).unwrap();
    let sums = "SELECT (SELECT count(*) FROM lex_dead), (SELECT count(*) FROM segment), (SELECT sum(bytes)::bigint FROM segment)";
    let before = place.numbers(sums);
    assert_eq!(before[..2], [1_200, 1]);
    let live = agent.read(&Cancel::new(), |reader| reader.live()).unwrap().unwrap().id;
    assert!(agent.write(|tx| tx.merge_words(live)).unwrap());
    assert!(!agent.write(|tx| tx.merge_words(live)).unwrap());
    let after = place.numbers(sums);
    assert!(after[..2] == [0, 1] && after[2] < before[2] / 10, "{before:?} {after:?}");
    let found = agent.read(&Cancel::new(), |reader| reader.postings_among(live, &["common1"], None)).unwrap();
    assert_eq!(found[0].len(), 3);
}

// A condition that is not leakproof may not be one of an index behind a policy: with `@@` a search took two seconds.
#[test]
fn words_and_rows_are_looked_up_by_their_indexes_behind_the_walls_too() {
    let Some(place) = Place::new() else { return };
    prepare(&place.database, &place.schema, true).unwrap();
    let app = place.role();
    let setting = Setting { search_path: &place.schema, tenant: "t", agent: Some(1), ..PLAIN };
    let plan = |sql: &str| {
        let plan = app.transact(&Cancel::new(), &setting, |tx| {
            // Small tables are read as a whole where that is possible at all.
            tx.batch("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")?;
            tx.rows(&format!("EXPLAIN {sql}"), &[])
        });
        plan.unwrap().iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
    };
    let rows = plan(&WHERE.replace("$1", "1").replace("$2", "ARRAY[1, 2]::bigint[]"));
    assert!(rows.contains("Index Cond") && !rows.contains("Seq Scan"), "{rows}");
    let plan = plan(&LOOK_UP.replace("$1", "1").replace("$2", "1").replace("$3", "ARRAY[1, 2]::bigint[]"));
    let by_index = |condition: &str| plan.lines().any(|line| line.contains("Index Cond") && line.contains(condition));
    assert!(!plan.contains("Seq Scan"), "{plan}");
    assert!(by_index("(first <= t.term)") && by_index("(first = l.first)"), "{plan}");
}
