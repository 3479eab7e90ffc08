//! Blocks of vectors: they hold what the single rows hold, or are not believed.

use rusqlite::OptionalExtension;

use super::*;
use crate::{code_blocks::Packing, embeddings::NewEmbedding, error::SqlResult, vectors::Vectors};
use model::error::{Code, Error};

const PACKING: Packing = Packing { block: 8, from: 1, least: 2, step: 1 };

/// An index of so many texts with a vector each, of which most are in blocks.
fn packed(texts: usize) -> Fixture<Sqlite> {
    let fixture = Fixture::<Sqlite>::new();
    let texts: Vec<String> = (0..texts).map(|n| format!("text {n}")).collect();
    fixture.put("a.md", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let vector = |n: usize| (0..70).map(|i| ((n * 31 + i * 17) % 101) as f32 - 50.0).collect();
    let made = texts.iter().enumerate().map(|(n, text)| NewEmbedding { hash: hash(text), vector: vector(n) });
    let made: Vec<NewEmbedding> = made.collect();
    fixture
        .store
        .write(move |tx| {
            let space = tx.get_or_create_space("k")?.id;
            tx.insert_embeddings(space, &made)?;
            tx.set_active_space(space)
        })
        .unwrap();
    while pack(&fixture).unwrap() {}
    fixture
}

fn pack(fixture: &Fixture<Sqlite>) -> Result<bool> {
    fixture.store.write(|tx| tx.live()?.map_or(Ok(false), |live| tx.pack_codes(live.id, PACKING)))
}

fn blocks(fixture: &Fixture<Sqlite>) -> usize {
    let counted = |r: &Reader<'_>| r.conn()?.query_row("SELECT count(*) FROM code_block", [], |row| row.get(0)).sql();
    fixture.store.read(counted).unwrap()
}

/// Each chunk with its cosine, from codes that are read by somebody who has read nothing before.
fn cosines(fixture: &Fixture<Sqlite>) -> Vec<(ChunkId, u64)> {
    let store = fixture.open();
    let vectors: Vectors = store.vectors().unwrap().unwrap();
    let query: Vec<f32> = (0..70).map(|i| ((i * 13) % 29) as f32 - 14.0).collect();
    let found = store.read(|r| {
        let ids = r.chunk_ids(r.live()?.unwrap().id)?;
        r.nearest(&vectors, &query, &[], None)?.unwrap().cosines(r, &ids, 0)
    });
    let mut found: Vec<(ChunkId, u64)> = found.unwrap().into_iter().map(|(id, c)| (id, c.to_bits())).collect();
    found.sort_unstable();
    store.close();
    found
}

fn run(fixture: &Fixture<Sqlite>, sql: &'static str) {
    fixture.store.write(move |tx| tx.conn()?.execute_batch(sql).sql()).unwrap();
}

#[test]
fn a_damaged_block_is_not_believed() {
    let fixture = packed(20);
    assert_eq!(blocks(&fixture), 2);
    let sound = cosines(&fixture);
    assert_eq!(sound.len(), 20);
    for damage in [
        "UPDATE code_block SET rows = zeroblob(length(rows))",
        "UPDATE code_block SET codes = zeroblob(length(codes))",
        "UPDATE code_block SET rows = substr(rows, 1, length(rows) - 1)",
        "UPDATE code_block SET codes = x''",
        "UPDATE code_block SET rows = (SELECT rows FROM code_block ORDER BY id LIMIT 1)",
        "UPDATE code_block SET has_codes = 0, codes = NULL",
        "DELETE FROM code_block WHERE id = 1",
        "DELETE FROM code_block",
    ] {
        let fixture = packed(20);
        run(&fixture, damage);
        assert_eq!(cosines(&fixture), sound, "{damage}");
    }
}

#[test]
fn what_is_forgotten_is_in_no_block() {
    let fixture = packed(32);
    assert_eq!(blocks(&fixture), 4);
    let left = |fixture: &Fixture<Sqlite>| {
        let sql = "SELECT id FROM embedding WHERE hash = ?1";
        let id = |r: &Reader<'_>| r.conn()?.query_row(sql, [hash("text 9")], |row| row.get(0)).optional().sql();
        fixture.store.read(id).unwrap()
    };
    let id: i64 = left(&fixture).unwrap();
    let texts: Vec<String> = (0..32).filter(|n| *n != 9).map(|n| format!("text {n}")).collect();
    fixture.put("a.md", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(fixture.store.write(|tx| tx.purge_texts(&[hash("text 9")])).unwrap(), 1);
    assert_eq!((left(&fixture), blocks(&fixture)), (None, 3));
    let before = cosines(&fixture);
    // The others of its block become a block of their own.
    while pack(&fixture).unwrap() {}
    assert_eq!(blocks(&fixture), 4);
    assert_eq!(cosines(&fixture), before);
    let (id, holds) = (id.to_le_bytes(), "SELECT count(*) FROM code_block WHERE instr(rows, ?1) > 0");
    let holding = fixture.store.read(|r| r.conn()?.query_row(holds, [&id[..]], |row| row.get::<_, u64>(0)).sql());
    assert_eq!(holding.unwrap(), 0);
}

// Each pass read all texts of the index, to compare three of them with the model.
#[test]
fn samples_end_with_the_first_texts_that_fit() {
    let fixture = packed(1);
    let plan = fixture.store.read(|r| {
        let mut statement = r.conn()?.prepare(&format!("EXPLAIN QUERY PLAN {}", crate::embeddings::SAMPLES)).sql()?;
        let steps = statement.query_map([1, 1, 1, 1], |row| row.get::<_, String>(3)).sql()?;
        steps.collect::<rusqlite::Result<Vec<_>>>().sql()
    });
    let plan = plan.unwrap();
    assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:?}");
}

// Each result of a search looked at every file of the index, to say when its own was changed.
#[test]
fn when_a_file_changed_is_looked_up_by_its_path() {
    let fixture = packed(1);
    let plan = fixture.store.read(|r| {
        let mut statement = r.conn()?.prepare(&format!("EXPLAIN QUERY PLAN {}", crate::changed::CHANGED)).sql()?;
        let steps = statement.query_map(["1", "memory", "sessions", "a.md"], |row| row.get::<_, String>(3)).sql()?;
        steps.collect::<rusqlite::Result<Vec<_>>>().sql()
    });
    let plan = plan.unwrap();
    assert!(plan.iter().any(|step| step.contains("source=? AND path=?")), "{plan:?}");
    let (generation, changed) = fixture
        .store
        .read(|r| {
            let live = r.live()?.unwrap().id;
            Ok((live, r.changed_ms(live, &["a.md", "none.md", "a.md"])?))
        })
        .unwrap();
    assert_eq!((generation.number(), changed.len()), (1, 1));
    assert!(changed.contains_key("a.md"));
}

#[test]
fn a_block_that_was_not_finished_is_none() {
    let fixture = packed(20);
    let before = cosines(&fixture);
    run(&fixture, "DELETE FROM code_block");
    let killed: Result<()> = fixture.store.write(|tx| {
        tx.pack_codes(tx.live()?.unwrap().id, PACKING)?;
        Err(Error::new(Code::Cancelled, "killed"))
    });
    assert!(killed.is_err());
    assert_eq!((blocks(&fixture), cosines(&fixture)), (0, before.clone()));
    assert!(pack(&fixture).unwrap());
    assert_eq!((blocks(&fixture), cosines(&fixture)), (1, before));
}
