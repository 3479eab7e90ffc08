//! Copies whose process is killed: what is there is right, and the next one goes on with what is missing.

use std::{
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Instant,
};

use super::{
    backend::{served, store_in},
    cluster::PATIENCE,
    *,
};
use crate::{
    copying::VectorsCopied,
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
};

/// How many vectors are copied.
const VECTORS: u32 = 6_000;

/// Where the folder with the file is named to a process that copies it.
const FOLDER: &str = "MEMORY_CORE_TEST_COPY_FROM";
/// The schema that it copies to.
const SCHEMA: &str = "MEMORY_CORE_TEST_COPY_TO";

fn hash(n: u32) -> Hash {
    let mut hash = [9; 32];
    hash[..4].copy_from_slice(&n.to_be_bytes());
    hash
}

/// Numbers that no detour through a text or another width would leave as they are.
fn vector(n: u32) -> Vec<f32> {
    (0..64).map(|at| (n as f32 * 0.37 + at as f32).sin() / 3.0).collect()
}

fn file_in(folder: &std::path::Path) -> Arc<Store> {
    Store::open(&folder.join("index.sqlite"), OpenOptions::default()).unwrap()
}

/// What the process of the test below does.
#[test]
#[ignore = "run as a process of its own by another test"]
fn copier() {
    let (folder, schema) = (PathBuf::from(std::env::var(FOLDER).unwrap()), std::env::var(SCHEMA).unwrap());
    let file = file_in(&folder);
    let database = store_in(&server().unwrap(), &schema, &folder.join("beside"), OpenOptions::default());
    file.copy_vectors_to(&database, &Cancel::new(), |_, _| ()).unwrap();
}

fn copy_elsewhere(folder: &std::path::Path, schema: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["postgres::tests::copying_killed::copier", "--exact", "--ignored"])
        .env(FOLDER, folder)
        .env(SCHEMA, schema)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The vectors of the space that a store has, bit by bit.
fn all(store: &Store) -> Vec<(u32, Vec<u32>)> {
    let found = store
        .read(|reader| {
            let space = reader.space("a space")?.unwrap().id;
            reader.vectors_of(space, &(0..VECTORS + 1).map(hash).collect::<Vec<_>>())
        })
        .unwrap();
    let number = |hash: Hash| u32::from_be_bytes(hash[..4].try_into().unwrap());
    let bits = |vector: Vec<f32>| vector.into_iter().map(f32::to_bits).collect();
    let mut all: Vec<_> = found.into_iter().map(|(hash, vector)| (number(hash), bits(vector))).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_copy_that_is_killed_goes_on_where_it_was_and_comes_back_bit_by_bit() {
    let Some((backend, database)) = served() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("beside")).unwrap();
    let file = file_in(folder.path());
    file.write(|tx| {
        let space = tx.get_or_create_space("a space")?.id;
        let vectors: Vec<_> = (0..VECTORS).map(|n| NewEmbedding { hash: hash(n), vector: vector(n) }).collect();
        tx.insert_embeddings(space, &vectors)
    })
    .unwrap();
    let expected = all(&file);
    file.close();

    let copied = || backend.place.numbers("SELECT count(*) FROM embedding")[0];
    let mut in_the_middle = 0;
    for _ in 0..5 {
        let before = copied();
        let mut child = copy_elsewhere(folder.path(), &backend.place.schema);
        let started = Instant::now();
        // What is there already is read at once, and is no progress.
        while copied() == before && child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < PATIENCE, "nothing is copied");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(fastrand::u64(0..40)));
        child.kill().unwrap();
        let killed = child.wait().unwrap().signal().is_some();
        in_the_middle += u32::from(killed && copied() < i64::from(VECTORS));
        let there = all(&database);
        assert!(there.len() as i64 >= before, "nothing that was copied is lost");
        assert!(there.iter().all(|one| expected.binary_search(one).is_ok()), "what is there is whole");
    }
    assert!(in_the_middle > 0, "at least one was killed in the middle");

    let file = file_in(folder.path());
    let known = copied() as u64;
    let done = file.copy_vectors_to(&database, &Cancel::new(), |_, _| ()).unwrap();
    assert_eq!(done, VectorsCopied { vectors: u64::from(VECTORS), known }, "only what was missing is written");
    assert_eq!(all(&database), expected);

    // A database gives back what its agent has texts of.
    let chunk = |n| NewChunk {
        start_line: n,
        end_line: n,
        hash: hash(n),
        text: n.to_string(),
        line_terms: Vec::new(),
        fts_terms: String::new(),
    };
    database
        .write(move |tx| {
            let generation = tx.begin_building("words")?.id;
            let note =
                NewFile { source: "memory", path: "a.md", hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
            tx.replace_file(generation, &note, &(0..VECTORS).map(chunk).collect::<Vec<_>>())
        })
        .unwrap();
    let (_other, back) = sqlite_beside();
    database.copy_vectors_to(&back, &Cancel::new(), |_, _| ()).unwrap();
    assert_eq!(all(&back), expected);
}
