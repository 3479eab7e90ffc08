//! Vectors by content: as on SQLite for one agent, and paid for once by all of a tenant.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::{
    embeddings::{Coverage, NewEmbedding},
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
    ids::SpaceId,
};
use model::error::{Code, Result};

const DIMS: usize = 5;

/// What is done to both stores, in the first of two spaces or in the second.
#[derive(Debug, Clone)]
enum Step {
    File(u8, Vec<u8>),
    Embed(bool, Vec<u8>),
    Refuse(bool, u8),
    AskAgain,
    Use(bool),
    NoUse,
}

fn hash(n: u8) -> Hash {
    [n % 12; 32]
}

/// Numbers that no detour through a text or another width would leave as they are; for one text none but zeros.
fn vector(n: u8) -> Vec<f32> {
    let n = n % 12;
    let number = |at: usize| (f32::from(n) * 0.37 + at as f32).sin() / 3.0;
    let mut vector: Vec<f32> = (0..DIMS).map(number).collect();
    match n {
        0 => vector.fill(0.0),
        1 => vector[0] = f32::MIN_POSITIVE / 8.0,
        2 => vector[1] = -0.0,
        _ => {}
    }
    vector
}

/// Both stores have the operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let work = || -> Result<()> {
            let generation = tx.begin_building("words")?.id;
            let space = |second: bool| tx.get_or_create_space(if second { "b" } else { "a" });
            match step {
                Step::File(name, texts) => {
                    let path = format!("{}.md", name % 4);
                    let file = NewFile {
                        source: "memory",
                        path: &path,
                        hash: [0; 32],
                        mtime_ns: 1,
                        size: 1,
                        lines: 1,
                        terms: 1,
                    };
                    let chunk = |n: &u8| NewChunk {
                        start_line: 1,
                        end_line: 1,
                        hash: hash(*n),
                        text: if n % 12 == 11 { " ".to_owned() } else { format!("text {}", n % 12) },
                        line_terms: Vec::new(),
                        fts_terms: String::new(),
                    };
                    tx.replace_file(generation, &file, &texts.iter().map(chunk).collect::<Vec<_>>())?;
                }
                Step::Embed(second, texts) => {
                    let new = |n: &u8| NewEmbedding { hash: hash(*n), vector: vector(*n) };
                    tx.insert_embeddings(space(*second)?.id, &texts.iter().map(new).collect::<Vec<_>>())?;
                }
                Step::Refuse(second, n) => tx.refuse_text(space(*second)?.id, &hash(*n), "no\0thanks")?,
                Step::AskAgain => tx.ask_refused_again()?,
                Step::Use(second) => tx.set_active_space(space(*second)?.id)?,
                Step::NoUse => tx.delete_meta(crate::embeddings::ACTIVE_SPACE)?,
            }
            Ok(())
        };
        work()
    }};
}

#[derive(Debug, PartialEq)]
struct Seen {
    missing: Vec<(Hash, String)>,
    coverage: Coverage,
    /// Bit by bit.
    vectors: Vec<(Hash, Vec<u32>)>,
    of_chunks: Vec<Option<Vec<u32>>>,
    refusal: Option<String>,
    is_active: bool,
    dims: Option<u32>,
}

macro_rules! seen {
    ($reader:expr, $key:expr) => {{
        let reader = $reader;
        let generation = reader.live()?.map_or(GenerationId::default(), |live| live.id);
        let space = reader.space($key)?;
        let id = space.as_ref().map(|space| space.id).unwrap_or_default();
        let bits = |vector: Vec<f32>| vector.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let (mut missing, mut after) = (Vec::new(), None);
        loop {
            let page = reader.missing_embeddings(generation, id, after.as_ref(), 2)?;
            let Some(last) = page.last() else { break };
            after = Some(last.hash);
            missing.extend(page.into_iter().map(|text| (text.hash, text.text)));
        }
        let all: Vec<Hash> = (0..14).map(hash).collect();
        let found: HashMap<Hash, Vec<f32>> = reader.vectors_of(id, &all)?;
        let mut vectors: Vec<_> = found.into_iter().map(|(hash, vector)| (hash, bits(vector))).collect();
        vectors.sort();
        let of_chunk = |chunk| Ok(reader.vector(id, chunk)?.map(bits));
        let chunks = reader.chunk_ids(generation)?;
        Ok(Seen {
            missing,
            coverage: reader.coverage(generation, id)?,
            vectors,
            of_chunks: chunks.into_iter().map(of_chunk).collect::<Result<_>>()?,
            refusal: reader.latest_refusal(generation, id)?.map(|refused| refused.reason.replace('\0', " ")),
            is_active: reader.active_space()?.is_some_and(|active| active.key == $key),
            dims: space.and_then(|space| space.dims),
        })
    }};
}

fn step() -> impl Strategy<Value = Step> {
    let texts = || proptest::collection::vec(any::<u8>(), 0..6);
    prop_oneof![
        4 => (any::<u8>(), texts()).prop_map(|(name, texts)| Step::File(name, texts)),
        4 => (any::<bool>(), texts()).prop_map(|(second, texts)| Step::Embed(second, texts)),
        2 => (any::<bool>(), any::<u8>()).prop_map(|(second, n)| Step::Refuse(second, n)),
        1 => Just(Step::AskAgain),
        2 => any::<bool>().prop_map(Step::Use),
        1 => Just(Step::NoUse),
    ]
}

#[test]
fn both_stores_keep_the_same_vectors_bit_by_bit() {
    let Some((_place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    proptest!(config, |(steps in proptest::collection::vec(step(), 1..20))| {
        let (_folder, sqlite) = sqlite_beside();
        // A tenant of its own: vectors are the tenant's.
        let agent = open_in(&database, &schema, &Uuid::new_v4().to_string(), "one");
        for step in &steps {
            let same = step.clone();
            sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            agent.write(|tx| apply!(tx, step)).unwrap();
            // What a look has counted is not counted again by the next.
            let expected: Result<Seen> = sqlite.read(|reader| seen!(reader, "a"));
            let found: Result<Seen> = agent.read(&Cancel::new(), |reader| seen!(reader, "a"));
            prop_assert_eq!(found.unwrap(), expected.unwrap());
        }
        for key in ["a", "b", "c"] {
            let expected: Result<Seen> = sqlite.read(|reader| seen!(reader, key));
            let found: Result<Seen> = agent.read(&Cancel::new(), |reader| seen!(reader, key));
            prop_assert_eq!(found.unwrap(), expected.unwrap());
        }
        sqlite.close();
    });
}

/// One file of texts, in the live generation.
fn put(agent: &Agent, texts: &[u8]) {
    agent.write(|tx| apply!(tx, &Step::File(0, texts.to_vec()))).unwrap();
}

fn missing(agent: &Agent) -> usize {
    let count = |reader: &crate::postgres::agent::Reader<'_>| -> Result<usize> {
        let live = reader.live()?.unwrap().id;
        let space = reader.space("a")?.map(|space| space.id).unwrap_or_default();
        Ok(reader.missing_embeddings(live, space, None, 100)?.len())
    };
    agent.read(&Cancel::new(), count).unwrap()
}

#[test]
fn a_text_is_paid_for_once_by_all_agents_of_a_tenant_and_by_each_tenant() {
    let Some((_place, schema, database)) = prepared() else { return };
    let [one, other] = ["one", "other"].map(|name| open_in(&database, &schema, "t", name));
    let foreign = open_in(&database, &schema, "u", "one");
    for agent in [&one, &other, &foreign] {
        put(agent, &[3, 4, 5]);
        assert_eq!(missing(agent), 3);
    }
    one.write(|tx| apply!(tx, &Step::Embed(false, vec![3, 4]))).unwrap();
    assert_eq!([&one, &other, &foreign].map(missing), [1, 1, 3]);
    foreign.write(|tx| apply!(tx, &Step::Embed(false, vec![5]))).unwrap();
    assert_eq!([&one, &other, &foreign].map(missing), [1, 1, 2]);
}

// One changed note among 58,631 chunks took 4.3 s: all of them were looked at five times for what has a vector, three times for what
// has none, and once for what has no code.
#[test]
fn what_was_counted_is_not_counted_again_but_by_who_opens_the_memory_and_where_the_database_is_another() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open_in(&database, &schema, "t", "one");
    let counts = |agent: &Agent| {
        let coverage = agent.read(&Cancel::new(), |reader| {
            let live = reader.live()?.unwrap().id;
            reader.coverage(live, reader.space("a")?.unwrap().id)
        });
        let coverage = coverage.unwrap();
        (coverage.chunks, coverage.embedded, missing(agent))
    };
    put(&agent, &[3, 4, 5]);
    agent.write(|tx| apply!(tx, &Step::Embed(false, vec![3, 4]))).unwrap();
    assert_eq!(counts(&agent), (3, 2, 1));
    agent.write(|tx| apply!(tx, &Step::Embed(false, vec![5]))).unwrap();
    assert_eq!(counts(&agent), (3, 3, 0));
    // Behind its back, so that it shows which were looked at.
    place.change("DELETE FROM embedding WHERE get_byte(hash, 0) = 3");
    assert_eq!(counts(&agent), (3, 3, 0));
    agent.write(|tx| apply!(tx, &Step::File(1, vec![6, 7]))).unwrap();
    assert_eq!(counts(&agent), (5, 3, 2));
    agent.write(|tx| apply!(tx, &Step::Embed(false, vec![6, 7]))).unwrap();
    assert_eq!(counts(&agent), (5, 5, 0));
    assert_eq!(counts(&open_in(&database, &schema, "t", "one")), (5, 4, 1), "who opens it counts");
    // A backup that was played back has other writes under the same numbers.
    place.change("UPDATE agent SET writes = ARRAY(SELECT w + 1 FROM unnest(writes) w)");
    assert_eq!(counts(&agent), (5, 4, 1), "another history");
}

#[test]
fn agents_that_store_the_same_texts_at_once_do_not_lock_each_other_out() {
    let Some((_place, schema, database)) = prepared() else { return };
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (database, schema) = (&database, &schema);
            scope.spawn(move || {
                let agent = open_in(database, schema, "t", &format!("agent {n}"));
                for _ in 0..10 {
                    let texts = if n % 2 == 0 { (0..12).collect() } else { (0..12).rev().collect() };
                    agent.write(|tx| apply!(tx, &Step::Embed(false, texts))).unwrap();
                }
            });
        }
    });
}

#[test]
fn cosines_are_those_of_the_stored_numbers_and_wrong_vectors_are_refused() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let agent = open_in(&Arc::new(place.role()), &schema, "t", "one");
    put(&agent, &[0, 3, 4, 5, 11]);
    agent.write(|tx| apply!(tx, &Step::Embed(false, vec![0, 3, 4]))).unwrap();
    let query: Vec<f32> = (0..DIMS).map(|at| (at as f32 - 1.5) / 7.0).collect();
    let cosine = |n: u8| -> f64 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let vector = vector(n);
        dot(&vector, &query) / (dot(&vector, &vector) * dot(&query, &query)).sqrt()
    };
    agent
        .read(&Cancel::new(), |reader| {
            let live = reader.live()?.unwrap().id;
            let space = reader.space("a")?.unwrap().id;
            let mut chunks = reader.chunk_ids(live)?;
            chunks.reverse();
            let found = reader.cosines(space, &chunks, &query)?;
            assert_eq!(
                found.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
                chunks[2..],
                "those with a vector, in order"
            );
            assert_eq!(found[2].1, None, "zeros have no direction");
            for ((_, found), n) in found.iter().zip([4, 3]) {
                assert!((found.unwrap() - cosine(n)).abs() < 1e-6);
            }
            assert_eq!(reader.cosines(space, &chunks, &query[1..]).unwrap_err().code(), Code::Argument);
            assert_eq!(reader.cosines(SpaceId::new(i64::MAX), &chunks, &query)?, []);
            Ok(())
        })
        .unwrap();
    for wrong in [vec![], vec![1.0; DIMS + 1], vec![f32::NAN; DIMS], vec![f32::INFINITY; DIMS]] {
        let refused = agent.write(|tx| {
            let space = tx.get_or_create_space("a")?.id;
            let right = NewEmbedding { hash: hash(5), vector: vector(5) };
            tx.insert_embeddings(space, &[right, NewEmbedding { hash: hash(6), vector: wrong }])
        });
        assert_eq!(refused.unwrap_err().code(), Code::ProviderResponse);
    }
    assert_eq!(missing(&agent), 1, "nothing of them was stored");
}
