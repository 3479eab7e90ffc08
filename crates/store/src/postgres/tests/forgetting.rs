//! What is forgotten is gone: as on SQLite for one agent, and not from under another agent of the tenant.

use proptest::prelude::*;

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    forget::StoredFile,
    generations::GenerationState,
    line_vectors::LineData,
};
use model::error::Result;

#[derive(Debug, Clone)]
enum Step {
    File(u8, Vec<u8>),
    Rebuild(u8, Vec<u8>),
    Embed(bool, Vec<u8>),
    Purge(u8),
    PurgeTexts(Vec<u8>),
}

fn hash(n: u8) -> Hash {
    [n % 10; 32]
}

/// Both stores have the operations, and no type in common yet. Gives what was removed.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let work = || -> Result<usize> {
            let put = |generation, name: &u8, texts: &[u8]| {
                let chunk = |n: &u8| NewChunk {
                    start_line: 1,
                    end_line: 1,
                    hash: hash(*n),
                    text: format!("text {}", n % 10),
                    line_terms: Vec::new(),
                    fts_terms: String::new(),
                };
                let path = format!("{}.md", name % 4);
                let file =
                    NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
                tx.replace_file(generation, &file, &texts.iter().map(chunk).collect::<Vec<_>>()).map(drop)
            };
            let live = tx.begin_building("words")?.id;
            match step {
                Step::File(name, texts) => put(live, name, texts)?,
                Step::Rebuild(name, texts) => {
                    let rebuilt = tx.begin_rebuild("words")?;
                    put(rebuilt.id, name, texts)?;
                    if rebuilt.state == GenerationState::Building {
                        tx.flip(rebuilt.id)?;
                    }
                }
                Step::Embed(second, texts) => {
                    let space = tx.get_or_create_space(if *second { "b" } else { "a" })?.id;
                    let new = |n: &u8| NewEmbedding { hash: hash(*n), vector: vec![1.0, f32::from(*n)] };
                    tx.insert_embeddings(space, &texts.iter().map(new).collect::<Vec<_>>())?;
                    let lines = |n: &u8| LineData { hash: hash(*n), codes: vec![*n], signs: Vec::new() };
                    tx.insert_lines(space, &texts.iter().map(lines).collect::<Vec<_>>())?;
                    tx.refuse_text(space, &hash(texts.len() as u8), "no")?;
                }
                Step::Purge(name) => {
                    let (source, path) = ("memory".to_owned(), format!("{}.md", name % 4));
                    return Ok(usize::from(tx.purge_file(&StoredFile { generation: live, source, path })?));
                }
                Step::PurgeTexts(texts) => {
                    return tx.purge_texts(&texts.iter().map(|n| hash(*n)).collect::<Vec<_>>());
                }
            }
            Ok(0)
        };
        work()
    }};
}

/// Files, vectors of each text, hashes of files, lines that are missing and whether a text is refused.
type Seen = (Vec<String>, Vec<u64>, Vec<Vec<Hash>>, u64, bool);

macro_rules! seen {
    ($reader:expr) => {{
        let reader = $reader;
        let read = || -> Result<Seen> {
            let files = reader.files_of_all_generations()?;
            let mut hashes = Vec::new();
            for file in &files {
                let mut of_file = reader.chunk_hashes(file.generation, &file.source, &file.path)?;
                of_file.sort();
                hashes.push(of_file);
            }
            let vectors = (0..10).map(|n| reader.vector_count_of(&[hash(n)])).collect::<Result<_>>()?;
            let live = reader.live()?.map(|live| live.id).unwrap_or_default();
            let space = reader.space("a")?.map(|space| space.id);
            let refused = reader.latest_refusal(live, space.unwrap_or_default())?.is_some();
            let paths = files.into_iter().map(|file| file.path).collect();
            Ok((paths, vectors, hashes, reader.pending_lines(live, space)?, refused))
        };
        read()
    }};
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let texts = || proptest::collection::vec(any::<u8>(), 0..6);
    let step = prop_oneof![
        4 => (any::<u8>(), texts()).prop_map(|(name, texts)| Step::File(name, texts)),
        1 => (any::<u8>(), texts()).prop_map(|(name, texts)| Step::Rebuild(name, texts)),
        4 => (any::<bool>(), texts()).prop_map(|(second, texts)| Step::Embed(second, texts)),
        3 => any::<u8>().prop_map(Step::Purge),
        2 => texts().prop_map(Step::PurgeTexts),
    ];
    proptest::collection::vec(step, 1..24)
}

#[test]
fn both_stores_forget_the_same() {
    let Some((_place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    proptest!(config, |(steps in steps())| {
        let (_folder, sqlite) = sqlite_beside();
        let tenant = Uuid::new_v4().to_string();
        let agent = open_in(&database, &schema, &tenant, "one");
        // One that has none of the texts.
        open_in(&database, &schema, &tenant, "other");
        for step in &steps {
            let same = step.clone();
            let expected = sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            prop_assert_eq!(agent.write(|tx| apply!(tx, step)).unwrap(), expected, "{:?}", step);
            let expected: Result<Seen> = sqlite.read(|reader| seen!(reader));
            let found: Result<Seen> = agent.read(&Cancel::new(), |reader| seen!(reader));
            prop_assert_eq!(found.unwrap(), expected.unwrap());
        }
        sqlite.close();
    });
}

#[test]
fn a_vector_goes_when_the_last_agent_of_the_tenant_forgets_its_text() {
    let Some((_place, schema, database)) = prepared() else { return };
    let [one, other] = ["one", "other"].map(|name| open_in(&database, &schema, "t", name));
    let foreign = open_in(&database, &schema, "u", "one");
    for agent in [&one, &other, &foreign] {
        agent.write(|tx| apply!(tx, &Step::File(0, vec![3, 4]))).unwrap();
    }
    other.write(|tx| apply!(tx, &Step::File(0, vec![3]))).unwrap();
    for agent in [&one, &foreign] {
        agent.write(|tx| apply!(tx, &Step::Embed(false, vec![3, 4]))).unwrap();
    }
    let left = |agent: &Agent| -> [u64; 2] {
        let count = |n| agent.read(&Cancel::new(), |reader| reader.vector_count_of(&[hash(n)])).unwrap();
        [count(3), count(4)]
    };
    assert_eq!((left(&one), left(&other), left(&foreign)), ([1, 1], [1, 1], [1, 1]));
    assert_eq!(one.write(|tx| apply!(tx, &Step::Purge(0))).unwrap(), 1);
    assert_eq!((left(&one), left(&foreign)), ([1, 0], [1, 1]), "the other agent has the first still");
    // The rows of the agent that asked are seen again, in the same transaction too.
    let files = one.write(|tx| {
        tx.purge_texts(&[hash(3)])?;
        apply!(tx, &Step::File(1, vec![5]))?;
        Ok(tx.files_of_all_generations()?.len())
    });
    assert_eq!(files.unwrap(), 1);
    assert_eq!(other.write(|tx| apply!(tx, &Step::Purge(0))).unwrap(), 1);
    assert_eq!((left(&other), left(&foreign)), ([0, 0], [1, 1]));
}
