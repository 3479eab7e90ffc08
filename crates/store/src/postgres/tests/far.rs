//! Near chunks that the database finds: nearly the same as an exact comparison of all, and never too few.

use std::{
    collections::{HashMap, HashSet},
    time::Instant,
};

use tokio_postgres::types::Type;

use super::*;
use crate::{
    candidates::Wanted,
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    ids::ChunkId,
    postgres::{
        agent::{Reader, int8, text},
        connect::Param,
        far::compare,
    },
};
use model::{config::settings::NearIn, error::Result, source::Source};

const WANTED: usize = 128;
/// Chunks of a file.
const OF_FILE: usize = 50;

/// Vectors in clusters, as those of a model are: of few dimensions that count, seen in many.
struct Cloud {
    random: fastrand::Rng,
    seen: Vec<Vec<f32>>,
    clusters: Vec<Vec<f32>>,
}

impl Cloud {
    fn new(dims: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(11);
        let mut gauss = |n: usize| (0..n).map(|_| normal(&mut random)).collect::<Vec<f32>>();
        let seen = (0..96).map(|_| gauss(dims)).collect();
        let clusters = (0..400).map(|_| gauss(96)).collect();
        Self { random, seen, clusters }
    }

    fn vector(&mut self) -> Vec<f32> {
        let cluster = self.random.usize(..self.clusters.len());
        let latent: Vec<f32> = self.clusters[cluster].iter().map(|x| x + 0.8 * normal(&mut self.random)).collect();
        let mut vector = vec![0.0; self.seen[0].len()];
        for (weight, direction) in latent.iter().zip(&self.seen) {
            vector.iter_mut().zip(direction).for_each(|(sum, x)| *sum += weight * x);
        }
        vector
    }
}

/// About normally distributed.
fn normal(random: &mut fastrand::Rng) -> f32 {
    (0..12).map(|_| random.f32()).sum::<f32>() - 6.0
}

fn hash(n: usize) -> Hash {
    let mut hash = [0; 32];
    // As content is hashed: whatever is near has hashes that are not.
    hash[..8].copy_from_slice(&xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes()).to_be_bytes());
    hash
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The text of each chunk is its number; each third file is of conversations.
fn fill(agent: &Agent, vectors: &[Vec<f32>]) {
    for (at, part) in vectors.chunks(OF_FILE).enumerate() {
        let number = |n: usize| at * OF_FILE + n;
        let chunk = |n: usize| NewChunk {
            start_line: n as u32 + 1,
            end_line: n as u32 + 1,
            hash: hash(number(n)),
            text: number(n).to_string(),
            line_terms: Vec::new(),
            fts_terms: String::new(),
        };
        let chunks: Vec<NewChunk> = (0..part.len()).map(chunk).collect();
        let new = |(n, vector): (usize, &Vec<f32>)| NewEmbedding { hash: hash(number(n)), vector: vector.clone() };
        let embeddings: Vec<NewEmbedding> = part.iter().enumerate().map(new).collect();
        let (path, source) = (format!("{at}.md"), if at % 3 == 2 { "sessions" } else { "memory" });
        let write = |tx: &crate::postgres::Tx<'_>| {
            let space = tx.get_or_create_space("a")?.id;
            if at == 0 {
                tx.set_active_space(space)?;
            }
            let file = NewFile { source, path: &path, hash: [0; 32], mtime_ns: 0, size: 1, lines: 1, terms: 1 };
            tx.replace_file(tx.begin_building("words")?.id, &file, &chunks)?;
            tx.insert_embeddings(space, &embeddings)
        };
        agent.write(write).unwrap();
    }
}

struct Asked {
    /// Share of the nearest that were found.
    recall: f64,
    /// Milliseconds of the median question.
    median_ms: f64,
}

/// Asks for the nearest of vectors, and compares with all of them.
fn asked(agent: &Agent, cloud: &mut Cloud, vectors: &[Vec<f32>], questions: usize) -> Asked {
    let read = |reader: &Reader<'_>| {
        let live = reader.live()?.unwrap().id;
        let rows = reader.chunks(&reader.chunk_ids(live)?)?;
        Ok(rows.into_iter().map(|row| (row.id, row.text.parse().unwrap())).collect())
    };
    let numbers: HashMap<ChunkId, usize> = agent.read(&Cancel::new(), read).unwrap();
    let (mut hits, mut times) = (0, Vec::new());
    for at in 0..questions {
        let query = cloud.vector();
        let sources: &[Source] = if at % 4 == 3 { &[Source::Sessions] } else { &[] };
        let is_wanted = |n: usize| sources.is_empty() || n / OF_FILE % 3 == 2;
        let mut exact: Vec<(f64, usize)> =
            vectors.iter().enumerate().filter(|(n, _)| is_wanted(*n)).map(|(n, v)| (cosine(&query, v), n)).collect();
        let mean = exact.iter().map(|(cosine, _)| cosine).sum::<f64>() / exact.len() as f64;
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best: HashSet<usize> = exact.iter().take(WANTED).map(|(_, n)| *n).collect();
        let look = |reader: &Reader<'_>| -> Result<_> {
            let vectors = reader.vectors()?.unwrap();
            assert_eq!(vectors.bytes(), 0, "they are not in memory");
            let began = Instant::now();
            let nearest = reader.nearest(&vectors, &query, sources, None)?.unwrap();
            let took = began.elapsed();
            let wanted = Wanted { nearest: Some(&nearest), most_nearest: WANTED, exact: 24, ..Wanted::default() };
            let found = reader.candidates(&Wanted { sources, ..wanted })?;
            Ok((nearest.top(WANTED), nearest.mean(), found, took))
        };
        let (top, about, found, took) = agent.look(&Cancel::new(), Some(Instant::now()), look).unwrap();
        assert_eq!((top.len(), found.rows.len()), (WANTED, WANTED), "never too few");
        assert!((about - mean).abs() < 0.01, "{about} is not {mean}");
        for (id, near) in &found.cosines {
            assert!((near - cosine(&query, &vectors[numbers[id]])).abs() < 1e-5, "cosines are exact");
        }
        hits += top.iter().filter(|id| best.contains(&numbers[id])).count();
        times.push(took.as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Asked { recall: hits as f64 / (questions * WANTED) as f64, median_ms: times[times.len() / 2] }
}

/// An agent whose vectors are compared where it is said.
fn compared_in(place: &Place, schema: &Schema, near_in: NearIn, arena_bytes: usize) -> Agent {
    let options = Options { near_in, arena_bytes, ..options(&place.url) };
    open(&Arc::new(database(&options)), schema, "one")
}

#[test]
fn the_database_finds_what_is_near_also_behind_an_index_of_neighbours() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let (mut cloud, dims) = (Cloud::new(128), 128);
    let vectors: Vec<Vec<f32>> = (0..5_000).map(|_| cloud.vector()).collect();
    let agent = compared_in(&place, &schema, NearIn::Database, 0);
    fill(&agent, &vectors);
    let recall = asked(&agent, &mut cloud, &vectors, 12).recall;
    assert!(recall >= 0.99, "{recall}");
    // Somebody else has one made: behind a filter it knows some forty neighbours.
    place.change(&format!(
        "CREATE INDEX ON code USING hnsw ((bits::bit({dims})) public.bit_hamming_ops); \
         CREATE INDEX ON embedding USING hnsw ((v::public.vector({dims})) public.vector_cosine_ops); ANALYZE code"
    ));
    let recall = asked(&agent, &mut cloud, &vectors, 12).recall;
    assert!(recall >= 0.99, "{recall}");
    // Of one file all that it has.
    let look = |reader: &Reader<'_>| {
        let (live, vectors) = (reader.live()?.unwrap().id, reader.vectors()?.unwrap());
        let within = reader.within(live, |file| file.path == "7.md")?;
        let query = cloud.vector();
        Ok(reader.nearest(&vectors, &query, &[], Some(&within))?.unwrap().top(WANTED).len())
    };
    let mut look = look;
    assert_eq!(agent.look(&Cancel::new(), None, |reader| look(reader)).unwrap(), OF_FILE);
    // By itself only where memory does not suffice.
    for (most, is_far) in [(1_000_000, false), (100_000, true)] {
        let agent = compared_in(&place, &schema, NearIn::Auto, most);
        let held = agent.vectors(&Cancel::new()).unwrap().unwrap();
        assert_eq!((held.bytes() == 0, held.len(), held.dims()), (is_far, vectors.len(), dims), "{most}");
    }
    // What is written later is found, and what is gone is not.
    let mut more = vectors.clone();
    more[..OF_FILE].iter_mut().for_each(|vector| *vector = cloud.vector());
    agent
        .write(|tx| {
            let live = tx.begin_building("words")?.id;
            tx.delete_file(live, "memory", "0.md")
        })
        .unwrap();
    let look = |reader: &Reader<'_>| {
        let held = reader.vectors()?.unwrap();
        let nearest = reader.nearest(&held, &vectors[0], &[], None)?.unwrap().top(WANTED);
        Ok(reader.chunks(&nearest)?.into_iter().map(|row| row.path).collect::<Vec<_>>())
    };
    let paths = agent.look(&Cancel::new(), Some(Instant::now()), look).unwrap();
    assert!(paths.len() == WANTED && !paths.contains(&"0.md".to_owned()), "{paths:?}");
}

/// Makes sure that the server has seen what was written, as its own vacuum does after a while.
fn seen_by_vacuum(place: &Place) {
    let vacuum = ["code", "chunk", "embedding"].map(|table| format!("{}.{table}", place.schema)).join(", ");
    RUNTIME.block_on(outside_of_transactions(&place.url, &format!("VACUUM (ANALYZE) {vacuum}")));
}

/// Makes the server plan as if all rows of codes had been seen by vacuum: how many it sees hangs on what other tests read.
fn all_codes_seen(place: &Place) {
    let code = format!("{}.code", place.schema);
    for sql in [
        format!("ALTER TABLE {code} SET (autovacuum_enabled = off)"),
        format!("UPDATE pg_catalog.pg_class SET relallvisible = relpages WHERE oid = '{code}'::regclass"),
    ] {
        RUNTIME.block_on(outside_of_transactions(&place.url, &sql));
    }
}

// All rows were read for their signs, eight times as many bytes, and a question took twice as long.
#[test]
fn signs_are_read_from_an_index_alone_behind_the_walls_too() {
    let Some((place, schema, database)) = prepared() else { return };
    let (mut cloud, agent) = (Cloud::new(1_536), open(&database, &schema, "one"));
    let vectors: Vec<Vec<f32>> = (0..2_000).map(|_| cloud.vector()).collect();
    fill(&agent, &vectors);
    seen_by_vacuum(&place);
    all_codes_seen(&place);
    let of_source = "EXISTS (SELECT 1 FROM file f WHERE f.agent = $1 AND f.id = k.file AND f.source = ANY ($8))";
    for (files, of_files, of_sources) in [
        (Vec::<i64>::new(), "cardinality($7) = 0", "cardinality($8) = 1"),
        (vec![1, 2, 3], "k.file = ANY ($7)", of_source),
    ] {
        let explain = |reader: &Reader<'_>| {
            let (generation, space) = (reader.live()?.unwrap().id, reader.active_space()?.unwrap().id);
            let sources = vec!["memory"];
            let params: [Param<'_>; 8] = [
                int8(&reader.agent),
                text(&reader.tenant),
                int8(&generation),
                int8(&space),
                (&vectors[0] as _, Type::FLOAT4_ARRAY),
                (&128_i64 as _, Type::INT8),
                (&files as _, Type::INT8_ARRAY),
                (&sources as _, Type::TEXT_ARRAY),
            ];
            // So few rows are read in a row soonest.
            reader.tx.batch("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")?;
            let rows = reader.tx.rows(&format!("EXPLAIN {}", compare(of_files, of_sources)), &params)?;
            Ok(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n"))
        };
        let plan = agent.read(&Cancel::new(), explain).unwrap();
        assert!(plan.contains("Index Only Scan using code_signs") && !plan.contains("Seq Scan on code"), "{plan}");
    }
}

#[test]
#[ignore = "takes minutes; figures for docs/fleet.md"]
fn fifty_thousand_vectors_of_a_hosted_model_are_compared_in_time() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let mut cloud = Cloud::new(1_536);
    let vectors: Vec<Vec<f32>> = (0..50_000).map(|_| cloud.vector()).collect();
    let agent = compared_in(&place, &schema, NearIn::Database, 0);
    fill(&agent, &vectors);
    seen_by_vacuum(&place);
    let Asked { recall, median_ms } = asked(&agent, &mut cloud, &vectors, 12);
    println!("recall {recall:.4}, {median_ms:.1} ms");
    assert!(recall >= 0.99, "{recall}");
}
