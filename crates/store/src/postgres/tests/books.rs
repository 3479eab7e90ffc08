//! Transcripts that grow, and what is written down beside the index: the same on both stores.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    files::{NewChunk, NewFile},
    generations::GenerationState,
    skipped::Skipped,
    stats::SourceCounts,
    transcripts::NewTranscript,
    usage::{ModelUsage, Spent},
};
use model::{
    batch::{BatchJob, BatchLedger},
    error::Result,
    usage::Usage,
};

/// What is done to both stores.
#[derive(Debug, Clone)]
enum Step {
    /// What was read of a transcript: chunks from a line on.
    Extend {
        name: u8,
        from_line: u8,
        words: Vec<u8>,
    },
    Touch(u8, u8),
    Delete(u8),
    Note(u8, usize),
    Rebuild(u8),
    Skip(bool, Vec<(u8, u8)>),
    Spend(u8, u8, u16),
    Job(u8, u8),
    Submitted(u8),
    Close(u8),
}

fn path(name: u8) -> String {
    format!("sessions/{}.jsonl", name % 4)
}

fn file<'a>(source: &'a str, path: &'a str, n: u8) -> NewFile<'a> {
    let n = u32::from(n);
    NewFile { source, path, hash: [n as u8; 32], mtime_ns: 7, size: u64::from(n), lines: n, terms: n }
}

fn chunks(from: u8, words: &[u8]) -> Vec<NewChunk> {
    let chunk = |(at, n): (usize, &u8)| NewChunk {
        start_line: u32::from(from) + at as u32 / 2,
        end_line: u32::from(from) + at as u32 / 2 + 1,
        hash: [n % 5; 32],
        text: if n % 5 == 0 { " ".to_owned() } else { format!("{n}\0") },
        line_terms: vec![*n],
        fts_terms: format!("all w{}", n % 9),
    };
    words.iter().enumerate().map(chunk).collect()
}

fn skipped(source: &str, files: &[(u8, u8)]) -> Vec<Skipped> {
    let skip = |(name, n): &(u8, u8)| Skipped {
        source: source.to_owned(),
        path: format!("{}Ä", name % 5),
        code: format!("C{n}"),
        reason: format!("because {n}"),
        seen_ms: i64::from(*n),
    };
    files.iter().map(skip).collect()
}

fn job(token: u8, space: u8) -> BatchJob {
    BatchJob {
        token: format!("t{token}"),
        id: None,
        space: format!("s{}", space % 2),
        hashes: vec![[token; 32]; usize::from(token % 3)],
        created_ms: u64::from(token % 4),
    }
}

/// Both stores have the operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let work = || -> Result<()> {
            let generation = tx.begin_building("words")?.id;
            let put = |generation, name: u8, from: u8, words: &[u8]| {
                let (path, part) = (path(name), format!("part\0 of {from}"));
                let transcript = NewTranscript {
                    file: file("sessions", &path, from),
                    session_key: (from % 2 == 0).then_some("key"),
                    cursor: &format!("cursor {from}"),
                    part_line: u32::from(from),
                    part: &part,
                    final_terms: words.len() as u32,
                };
                tx.extend_transcript(generation, &transcript, u32::from(from), &chunks(from, words))
            };
            match step {
                Step::Extend { name, from_line, words } => put(generation, *name, *from_line, words)?,
                Step::Touch(name, n) => {
                    if let Some(file) = tx.transcripts(generation)?.get(&path(*name)) {
                        tx.touch_transcript(file.file_id, i64::from(*n), u64::from(*n), "touched")?;
                    }
                }
                Step::Delete(name) => drop(tx.delete_file(generation, "sessions", &path(*name))?),
                Step::Note(name, count) => {
                    let path = format!("{name}.md");
                    let file = file("memory", &path, *name);
                    tx.replace_file(generation, &file, &chunks(1, &vec![3; *count]))?;
                }
                Step::Rebuild(name) => {
                    let rebuilt = tx.begin_rebuild("words")?;
                    put(rebuilt.id, *name, 1, &[1, 2, 3])?;
                    if rebuilt.state == GenerationState::Building {
                        tx.flip(rebuilt.id)?;
                    }
                }
                Step::Skip(first, files) => {
                    let source = if *first { "memory" } else { "sessions" };
                    tx.set_skipped(source, &skipped(source, files))?;
                }
                Step::Spend(day, model, n) => {
                    let n = u64::from(*n);
                    let sent = Usage { requests: 1, texts: n, tokens: n * (1 << 40) };
                    let spent = Spent { sent, needed: n, embedded: n / 2 };
                    tx.add_usage(&format!("2026-11-{:02}", day % 30), "p", &format!("m{}", model % 3), &spent)?;
                }
                Step::Job(..) | Step::Submitted(_) | Step::Close(_) => {}
            }
            Ok(())
        };
        work()
    }};
}

/// What is done outside of transactions of the caller. A token twice is refused by both.
fn ledger(ledger: &impl BatchLedger, step: &Step) -> bool {
    match step {
        Step::Job(token, space) => ledger.open(&job(*token, *space)).is_ok(),
        Step::Submitted(token) => ledger.submitted(&format!("t{token}"), "named").is_ok(),
        Step::Close(token) => ledger.close(&format!("t{token}")).is_ok(),
        _ => true,
    }
}

/// Of a chunk its lines, text, terms and hash.
type Stored = (u32, u32, String, Vec<u8>, Option<[u8; 32]>);

/// Of a transcript what is known, its growing part, and its chunks.
type Transcript = (i64, u64, Option<String>, String, u32, Option<String>, Vec<Stored>);

#[derive(Debug, PartialEq)]
struct Seen {
    transcripts: BTreeMap<String, Transcript>,
    /// Path and first line of the chunks with some words.
    found: Vec<Vec<(String, u32)>>,
    counts: Vec<SourceCounts>,
    chunks: u64,
    skipped: Vec<Skipped>,
    usage: Vec<ModelUsage>,
}

macro_rules! seen {
    ($reader:expr) => {{
        let reader = $reader;
        let read = || -> Result<Option<Seen>> {
            let Some(live) = reader.live()?.map(|live| live.id) else { return Ok(None) };
            let mut transcripts = BTreeMap::new();
            for (path, row) in reader.transcripts(live)? {
                let chunks = reader.chunks_of_file(row.file_id)?;
                let chunks =
                    chunks.into_iter().map(|c| (c.start_line, c.end_line, c.text, c.line_terms, c.hash)).collect();
                let part = reader.growing_part(row.file_id)?;
                let known = (row.mtime_ns, row.size, row.session_key, row.cursor, row.final_terms, part, chunks);
                transcripts.insert(path, known);
            }
            let words: Vec<String> = (0..9).map(|n| format!("w{n}")).chain(["all".to_owned()]).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut found = Vec::new();
            for ids in reader.postings_among(live, &words, None)? {
                let mut places: Vec<(String, u32)> =
                    reader.chunks(&ids)?.into_iter().map(|row| (row.path, row.start_line)).collect();
                places.sort();
                found.push(places);
            }
            Ok(Some(Seen {
                transcripts,
                found,
                counts: reader.source_counts(live)?,
                chunks: reader.chunk_count(live)?,
                skipped: reader.skipped()?,
                usage: reader.usage_of("2026-11-03", "2026-11-25")?,
            }))
        };
        read()
    }};
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = proptest::collection::vec(any::<u8>(), 0..6);
    let step = prop_oneof![
        8 => (any::<u8>(), 0..20_u8, words).prop_map(|(name, from_line, words)| Step::Extend { name, from_line, words }),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(name, n)| Step::Touch(name, n)),
        1 => any::<u8>().prop_map(Step::Delete),
        1 => (0..3_u8, 0..4_usize).prop_map(|(name, count)| Step::Note(name, count)),
        1 => any::<u8>().prop_map(Step::Rebuild),
        2 => (any::<bool>(), proptest::collection::vec((any::<u8>(), any::<u8>()), 0..5))
            .prop_map(|(first, files)| Step::Skip(first, files)),
        3 => (any::<u8>(), any::<u8>(), any::<u16>()).prop_map(|(day, model, n)| Step::Spend(day, model, n)),
        3 => (0..6_u8, any::<u8>()).prop_map(|(token, space)| Step::Job(token, space)),
        1 => (0..6_u8).prop_map(Step::Submitted),
        2 => (0..6_u8).prop_map(Step::Close),
    ];
    proptest::collection::vec(step, 1..30)
}

#[test]
fn both_stores_keep_the_same_transcripts_and_books() {
    let Some((place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    proptest!(config, |(steps in steps())| {
        let (_folder, sqlite) = sqlite_beside();
        let agent = open(&database, &schema, &Uuid::new_v4().to_string());
        for step in &steps {
            let same = step.clone();
            sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            agent.write(|tx| apply!(tx, step)).unwrap();
            prop_assert_eq!(ledger(&agent, step), ledger(&*sqlite, step));
            while sqlite.write(|tx| tx.retire_step(3)).unwrap() {}
            while agent.write(|tx| tx.retire_step(3)).unwrap() {}
        }
        let expected: Result<Option<Seen>> = sqlite.read(|reader| seen!(reader));
        let found: Result<Option<Seen>> = agent.read(&Cancel::new(), |reader| seen!(reader));
        prop_assert_eq!(found.unwrap(), expected.unwrap());
        for space in ["s0", "s1", "s2"] {
            prop_assert_eq!(agent.jobs(space).unwrap(), sqlite.jobs(space).unwrap());
        }
        sqlite.close();
    });
    // However a file leaves the index, nothing of what was said stays behind.
    let left = "SELECT count(*) FROM transcript t WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.agent = t.agent AND f.id = t.file)";
    assert_eq!(place.numbers(left), [0]);
}

#[test]
fn books_of_one_agent_are_no_other_agents() {
    let Some((_place, schema, database)) = prepared() else { return };
    let [one, other] = ["one", "other"].map(|name| open(&database, &schema, name));
    for step in
        [Step::Spend(10, 1, 5), Step::Skip(true, vec![(1, 2)]), Step::Extend { name: 1, from_line: 1, words: vec![1] }]
    {
        one.write(|tx| apply!(tx, &step)).unwrap();
    }
    one.open(&job(1, 1)).unwrap();
    other.write(|tx| tx.begin_building("words")).unwrap();
    let seen = |agent: &Agent| -> Seen { agent.read(&Cancel::new(), |reader| seen!(reader)).unwrap().unwrap() };
    let (full, empty) = (seen(&one), seen(&other));
    assert_eq!((full.skipped.len(), full.usage.len(), full.transcripts.len()), (1, 1, 1));
    assert_eq!((empty.skipped.len(), empty.usage.len(), empty.transcripts.len()), (0, 0, 0));
    assert_eq!((one.jobs("s1").unwrap().len(), other.jobs("s1").unwrap().len()), (1, 0));
}
