//! What is kept in memory of words: never what the database no longer holds, and no older than was said.

use std::{collections::BTreeMap, time::Instant};

use super::*;
use crate::{
    chunks::ChunkRow,
    files::{NewChunk, NewFile},
    generations::{GenerationId, GenerationState},
    ids::ChunkId,
    lexical::Term,
    line_vectors::LineData,
    order::Place,
    postgres::agent::Reader,
};
use model::error::{Error, Result};

fn put(agent: &Agent, live: GenerationId, path: &str, words: &str) {
    let (text, fts_terms) = ("text".to_owned(), words.to_owned());
    let chunk = NewChunk { start_line: 1, end_line: 1, hash: [1; 32], text, line_terms: Vec::new(), fts_terms };
    let file = NewFile { source: "memory", path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
    agent.write(|tx| tx.replace_file(live, &file, &[chunk])).unwrap();
}

/// In how many chunks each of some words is.
fn counted(agent: &Agent, live: GenerationId, words: &[&str]) -> Vec<usize> {
    let terms: Vec<_> = words.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    let found = agent.read(&Cancel::new(), |reader| reader.postings(live, &terms, 100)).unwrap();
    found.into_iter().map(|postings| postings.unwrap()[0].len()).collect()
}

const TABLES: [&str; 6] = ["generation", "file", "chunk", "segment", "lex", "lex_dead"];

// A block is found by the number of its segment, which a backup that was played back gives to another one.
#[test]
fn words_of_a_history_that_is_gone_are_not_found() {
    let Some((place, schema, database)) = prepared() else { return };
    let (agent, other) = (open(&database, &schema, "one"), open(&database, &schema, "one"));
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    put(&agent, live, "a.md", "tea");
    let words = ["tea", "coffee", "cocoa"];
    assert_eq!(counted(&agent, live, &words), [1, 0, 0]);
    place.change("CREATE TABLE old_agent AS SELECT version, next_id, writes FROM agent");
    for table in TABLES {
        place.change(&format!("CREATE TABLE old_{table} AS SELECT * FROM {table}"));
    }
    put(&agent, live, "b.md", "coffee");
    assert_eq!(counted(&agent, live, &words), [1, 1, 0]);
    place.change("UPDATE agent SET version = o.version, next_id = o.next_id, writes = o.writes FROM old_agent o");
    for table in TABLES {
        place.change(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM old_{table}"));
    }
    assert_eq!(counted(&agent, live, &words), [1, 0, 0], "as it was then");
    // The same number of writes, and the same number for the segment.
    put(&other, live, "b.md", "cocoa");
    assert_eq!(counted(&agent, live, &words), [1, 0, 1]);
    assert_eq!(counted(&other, live, &words), [1, 0, 1]);
}

#[test]
fn what_another_process_writes_is_seen_after_a_while_at_most_and_what_this_one_writes_at_once() {
    let Some((place, schema, database)) = prepared() else { return };
    let patient = Options { max_staleness: Duration::from_secs(3_600), ..options(&place.url) };
    let (agent, other) = (open(&Arc::new(super::database(&patient)), &schema, "one"), open(&database, &schema, "one"));
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    put(&agent, live, "a.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [1]);
    put(&other, live, "b.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [1], "it need not ask");
    let before = agent.database().waits();
    assert_eq!(counted(&agent, live, &["tea"]), [1]);
    assert_eq!(agent.database().waits(), before, "nor does it");
    put(&agent, live, "c.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [3]);
}

#[test]
fn what_another_process_writes_is_seen_while_a_third_stands_in_the_middle_of_a_long_read() {
    let Some((place, schema, database)) = prepared() else { return };
    let apart = Arc::new(super::database(&Options { pool_size: 2, ..options(&place.url) }));
    let (agent, other) = (open(&database, &schema, "one"), open(&apart, &schema, "one"));
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    let long = Setting { search_path: &place.schema, ..PLAIN };
    let stands = place.database.transact(&Cancel::new(), &long, |tx| {
        tx.rows("SELECT a.version FROM agent a, generation g", &[])?;
        for n in 1..=3 {
            put(&other, live, &format!("{n}.md"), "tea");
            assert_eq!(counted(&agent, live, &["tea"]), [n]);
        }
        Ok(())
    });
    stands.unwrap();
}

/// What is kept in memory of an index, read through a snapshot.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    rows: Vec<ChunkRow>,
    codes: Vec<(ChunkId, Option<Vec<u8>>)>,
    signs: Vec<(ChunkId, Vec<u8>)>,
    words: Vec<Option<Vec<Vec<ChunkId>>>>,
    places: Vec<Place>,
    changed: BTreeMap<String, i64>,
    has: [bool; 3],
    noted: Option<String>,
}

fn seen(reader: &Reader<'_>) -> Result<Seen> {
    let Some(live) = reader.live()?.map(|live| live.id) else { return Ok(Seen::default()) };
    let words = ["w0", "w1", "w2", "w3"].map(|text| vec![Term { text, is_required: true }]);
    reader.expect_terms(live, || vec!["w0".to_owned(), "w1".to_owned()])?;
    let words = reader.postings(live, &words, 100)?;
    let mut ids = reader.chunk_ids(live)?;
    ids.reverse();
    ids.push(ChunkId::new(i64::MAX));
    let order = reader.chunk_order()?;
    let rows = reader.chunks(&ids)?;
    let paths: Vec<&str> = rows.iter().map(|row| row.path.as_str()).collect();
    let space = reader.space("lines")?.map(|space| space.id);
    let of_lines =
        space.map(|space| Ok::<_, Error>((reader.line_codes(space, &ids)?, reader.line_signs(space, &ids)?)));
    let (codes, signs) = of_lines.transpose()?.unwrap_or_default();
    Ok(Seen {
        places: rows.iter().map(|row| order.place(row.id)).collect(),
        changed: reader.changed_ms(live, &paths)?.into_iter().collect(),
        has: [
            reader.has_files(live, "memory")?,
            reader.has_files(live, "sessions")?,
            space.map_or(Ok(false), |space| reader.has_line_vectors(space))?,
        ],
        noted: reader.meta("noted")?,
        rows,
        codes,
        signs,
        words,
    })
}

// Rows, lines and answers that are in memory say when they were read; whoever forgot to look would show an index that is gone.
#[test]
fn what_is_kept_is_what_is_there_whoever_writes() {
    let Some((_place, schema, database)) = prepared() else { return };
    let mut random = fastrand::Rng::with_seed(7);
    let [writing, reading] = [(); 2].map(|()| open(&database, &schema, "one"));
    let mut again = 0;
    for step in 0..120_u32 {
        let (n, path) = (random.u8(0..8), format!("{}.md", random.u8(0..5)));
        let source = if random.u8(0..3) == 0 { "sessions" } else { "memory" };
        let agent = if random.u8(0..4) == 0 { &reading } else { &writing };
        let what = random.u8(0..8);
        agent
            .write(|tx| {
                let live = tx.begin_building("words")?.id;
                match what {
                    0 => drop(tx.delete_file(live, source, &path)?),
                    1 => tx.set_meta("noted", &step.to_string())?,
                    2 => {
                        let space = tx.get_or_create_space("lines")?.id;
                        tx.insert_lines(space, &[LineData { hash: [n; 32], codes: vec![step as u8], signs: vec![n] }])?;
                    }
                    3 => {
                        if let Some(file) = tx.file(live, source, &path)? {
                            tx.touch_file(file.id, i64::from(step) * 1_000_000)?;
                        }
                    }
                    4 => {
                        let again = tx.begin_rebuild("words")?;
                        if again.state == GenerationState::Building {
                            tx.flip(again.id)?;
                        }
                    }
                    _ => {
                        let chunk = |at: u8| NewChunk {
                            start_line: u32::from(at),
                            end_line: u32::from(at),
                            hash: [(n + at) % 8; 32],
                            text: format!("text {n} {step}"),
                            line_terms: vec![n],
                            fts_terms: format!("w{}", (n + at) % 4),
                        };
                        let chunks: Vec<NewChunk> = (0..=n % 3).map(chunk).collect();
                        let mtime_ns = i64::from(n) * 1_000_000;
                        let file =
                            NewFile { source, path: &path, hash: [n; 32], mtime_ns, size: 1, lines: 9, terms: 1 };
                        tx.replace_file(live, &file, &chunks)?;
                    }
                }
                Ok(())
            })
            .unwrap();
        let fresh = open(&database, &schema, "one").read(&Cancel::new(), seen).unwrap();
        for since in [Some(Instant::now()), None] {
            let mut runs = 0;
            let found = reading.look(&Cancel::new(), since, |reader| {
                runs += 1;
                seen(reader)
            });
            assert_eq!(found.unwrap(), fresh, "step {step}: {what}");
            again += usize::from(runs > 1);
        }
        // All is in memory now.
        let before = reading.database().waits();
        reading.look(&Cancel::new(), None, |reader| reader.live()).unwrap();
        assert_eq!(reading.database().waits(), before);
    }
    assert!(again > 40, "what others wrote was not seen at first: {again}");
}
