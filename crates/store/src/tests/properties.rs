//! What holds for every sequence of edits, and after every failure in the middle of one.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    Reader, Tx,
    code_blocks::Packing,
    codes::{CodeCursor, CodeRow, Coded},
    embeddings::{MissingText, NewEmbedding},
    ids::{ChunkId, EmbeddingId, SpaceId},
};

/// One edit of a small workspace: which file, and its new chunks (none = deleted).
type Edit = (u8, Option<Vec<u8>>);

/// Files by name, as lists of texts.
type Model = BTreeMap<String, Vec<String>>;

/// A text of two terms, so that files share terms.
fn text(n: u8) -> String {
    format!("t{} t{}", n % 5, n % 7)
}

fn apply<B: Backend>(fixture: &Fixture<B>, model: &mut Model, (name, chunks): &Edit) {
    let name = format!("{name}.md");
    match chunks {
        Some(chunks) => {
            let texts: Vec<String> = chunks.iter().map(|n| text(*n)).collect();
            fixture.put(&name, &texts.iter().map(String::as_str).collect::<Vec<_>>());
            model.insert(name, texts);
        }
        None => {
            let gone = name.clone();
            let removed = fixture
                .store
                .write(move |tx| {
                    let generation = tx.begin_building("test")?.id;
                    tx.delete_file(generation, "memory", &gone)
                })
                .unwrap();
            assert_eq!(removed, model.remove(&name).is_some());
        }
    }
}

/// Everything a search could see, by path.
fn content(reader: &Reader<'_>, generation: GenerationId) -> model::error::Result<Model> {
    let mut model = Model::new();
    for (path, file) in reader.files(generation, "memory")? {
        model.insert(path, reader.chunks_of_file(file.id)?.into_iter().map(|chunk| chunk.text).collect());
    }
    Ok(model)
}

fn check<B: Backend>(fixture: &Fixture<B>, model: &Model) {
    fixture
        .store
        .read(|reader| {
            let generation = reader.live()?.map(|live| live.id).unwrap_or_default();
            assert_eq!(&content(reader, generation)?, model);
            let ids = reader.chunk_ids(generation)?;
            let rows = reader.chunks(&ids)?;
            assert_eq!(rows.len(), ids.len());
            assert_eq!(reader.chunk_count(generation)?, ids.len() as u64);
            let counts = reader.source_counts(generation)?;
            assert_eq!(counts.iter().map(|source| source.chunks).sum::<u64>(), ids.len() as u64);
            assert_eq!(reader.inconsistencies()?.orphans, 0);
            assert_eq!(B::indexed(reader, generation), Some(ids.len() as u64));
            for term in (0..7).map(|n| format!("t{n}")) {
                let found = holding(reader, generation, &term)?;
                let expected: Vec<_> =
                    rows.iter().filter(|row| row.text.split(' ').any(|t| t == term)).map(|row| row.id).collect();
                assert_eq!(found, expected, "{term}");
            }
            Ok(())
        })
        .unwrap();
}

fn any_sequence_of_edits_gives_what_was_put_in<B: Backend>() {
    let edit = (0..4u8, proptest::option::weighted(0.8, proptest::collection::vec(any::<u8>(), 0..5)));
    let config = ProptestConfig {
        cases: ProptestConfig::default().cases / 8,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    proptest!(config, |(edits in proptest::collection::vec(edit, 1..20))| {
        let fixture = Fixture::<B>::new();
        let mut model = Model::new();
        fixture.put("first.md", &["t0 t0"]);
        model.insert("first.md".to_owned(), vec!["t0 t0".to_owned()]);
        for edit in &edits {
            apply(&fixture, &mut model, edit);
        }
        check(&fixture, &model);
    });
}

/// Gives some of the texts without a vector in a space one of their own.
fn embed<B: Backend>(fixture: &Fixture<B>, space: SpaceId, most: usize) {
    let missing = fixture.store.read(|r| match r.live()? {
        Some(live) => r.missing_embeddings(live.id, space, None, most),
        None => Ok(Vec::new()),
    });
    let vector = |hash: &[u8; 32]| hash[..4].iter().map(|&byte| f32::from(byte) - 127.5).collect();
    let made = |text: &MissingText| NewEmbedding { hash: text.hash, vector: vector(&text.hash) };
    let made: Vec<NewEmbedding> = missing.unwrap().iter().map(made).collect();
    fixture.store.write(move |tx| tx.insert_embeddings(space, &made)).unwrap();
}

/// Dimensions of the vectors that [`embed`] makes.
const DIMS: usize = 4;

/// A chunk, its embedding, its source and the code.
type Code = (ChunkId, EmbeddingId, String, Vec<u8>);

/// The codes that are read since a cursor, and how many of them from blocks.
fn codes_since<B: Backend>(fixture: &Fixture<B>, space: SpaceId, since: CodeCursor) -> (Vec<Code>, CodeCursor, usize) {
    let (mut codes, mut packed) = (Vec::new(), 0);
    let read = |row: CodeRow<'_>| {
        let code = match row.code {
            Coded::Single(code) => code,
            Coded::Packed(row) => {
                packed += 1;
                row.code.unwrap()
            }
        };
        codes.push((row.chunk_id, row.embedding_id, row.source.to_owned(), code.to_vec()));
        Ok(())
    };
    let cursor = fixture.store.read(|r| match r.live()? {
        Some(live) => r.for_each_code(live.id, (space, DIMS), true, since, read),
        None => Ok(since),
    });
    codes.sort();
    (codes, cursor.unwrap(), packed)
}

/// Packs all that can be packed, in small blocks.
fn pack_codes<B: Backend>(fixture: &Fixture<B>, packing: Packing) {
    let step = move |tx: &mut Tx<'_>| tx.live()?.map_or(Ok(false), |live| tx.pack_codes(live.id, packing));
    while fixture.store.write(step).unwrap() {}
}

// All codes at once are read another way than those that are new: from blocks, where there are some.
fn codes_read_at_once_are_those_read_one_by_one<B: Backend>() {
    let edit = (0..4u8, proptest::option::weighted(0.8, proptest::collection::vec(any::<u8>(), 0..5)));
    let packing = (1..5usize, 0..6i64, 1..3usize, 1..4usize);
    let packing = packing.prop_map(|(block, from, least, step)| Packing { block, from, least, step });
    let step = (edit, 0..4usize, any::<bool>(), proptest::option::of(packing), any::<bool>());
    let config = ProptestConfig {
        cases: ProptestConfig::default().cases / 4,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in proptest::collection::vec(step, 1..16))| {
        let fixture = Fixture::<B>::new();
        fixture.put("first.md", &["t0 t0"]);
        let mut model = Model::from([("first.md".to_owned(), vec!["t0 t0".to_owned()])]);
        let spaces = fixture.store.write(|tx| Ok([tx.get_or_create_space("a")?.id, tx.get_or_create_space("b")?.id]));
        let spaces = spaces.unwrap();
        for (edit, most, which, packing, prunes) in &steps {
            let space = spaces[usize::from(*which)];
            apply(&fixture, &mut model, edit);
            embed(&fixture, space, *most);
            fixture.store.write(move |tx| tx.set_active_space(space)).unwrap();
            if *prunes {
                let unused = fixture.store.read(|r| r.prunable(0, 2)).unwrap();
                fixture.store.write(move |tx| tx.prune(&unused)).unwrap();
            }
            if let Some(packing) = *packing {
                pack_codes(&fixture, packing);
            }
        }
        for space in spaces {
            let before_all = CodeCursor { chunk_id: ChunkId::default(), embedding_id: EmbeddingId::new(-1) };
            let one_by_one = codes_since(&fixture, space, before_all);
            let at_once = codes_since(&fixture, space, CodeCursor::default());
            let counted = |r: &Reader<'_>| r.coverage(r.live()?.map(|live| live.id).unwrap_or_default(), space);
            let embedded = fixture.store.read(counted).unwrap().embedded;
            prop_assert_eq!(at_once.0.len() as u64, embedded);
            prop_assert_eq!((&at_once.0, at_once.1), (&one_by_one.0, one_by_one.1));
        }
    });
}

fn a_write_that_fails_at_any_step_leaves_nothing_behind<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let mut model = Model::new();
    apply(&fixture, &mut model, &(1, Some(vec![1, 2, 3])));
    let edit = |tx: &Tx<'_>| {
        let generation = tx.begin_building("test")?.id;
        tx.replace_file(generation, &file("1.md"), &[chunk(&text(4)), chunk(&text(5))])?;
        tx.replace_file(generation, &file("2.md"), &[chunk(&text(6))])
    };
    let mut failures = 0;
    let failed = |n| fixture.store.write(move |tx| B::fail_at(tx, n).and_then(|()| edit(tx))).is_err();
    while failed(failures) {
        check(&fixture, &model);
        failures += 1;
    }
    assert_eq!(failures, B::CHANGES);
    model.insert("1.md".to_owned(), vec![text(4), text(5)]);
    model.insert("2.md".to_owned(), vec![text(6)]);
    check(&fixture, &model);
}

for_every_backend!(
    any_sequence_of_edits_gives_what_was_put_in,
    a_write_that_fails_at_any_step_leaves_nothing_behind,
    ; of_files:
    codes_read_at_once_are_those_read_one_by_one,
);
