//! Rebuilding beside the live index, and the budget of the cache.

use super::*;
use crate::{
    embeddings::NewEmbedding,
    generations::{Generation, GenerationState},
};
use std::time::Duration;

fn begin<B: Backend>(fixture: &Fixture<B>, identity: &'static str) -> Generation {
    fixture.store.write(move |tx| tx.begin_building(identity)).unwrap()
}

fn the_first_generation_is_live_at_once_and_the_next_grows_beside_it<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let first = begin(&fixture, "v1");
    assert_eq!(first.state, GenerationState::Live);
    assert_eq!(begin(&fixture, "v1"), first);

    let second = begin(&fixture, "v2");
    assert_eq!(second.state, GenerationState::Building);
    assert_eq!(begin(&fixture, "v2"), second, "an interrupted rebuild goes on");
    assert_eq!(fixture.store.read(|r| r.live()).unwrap(), Some(first.clone()));

    let third = begin(&fixture, "v3");
    assert_ne!(third.id, second.id, "another identity gives the unfinished one up");
    let (a, b) = (first.id, second.id);
    assert!(fixture.store.write(move |tx| tx.flip(a)).is_err());
    assert!(fixture.store.write(move |tx| tx.flip(b)).is_err());
    fixture.store.write(move |tx| tx.flip(third.id)).unwrap();
    assert_eq!(fixture.store.read(|r| r.live()).unwrap().unwrap().id, third.id);
    assert_eq!(fixture.store.read(|r| r.building()).unwrap(), None);
}

fn going_back_to_the_live_identity_gives_the_rebuild_up<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let first = begin(&fixture, "v1");
    begin(&fixture, "v2");
    assert_eq!(begin(&fixture, "v1"), first);
    assert_eq!(fixture.store.read(|r| r.building()).unwrap(), None);
    assert!(fixture.store.read(|r| r.has_retired()).unwrap());
}

fn a_retired_generation_goes_in_small_steps_and_leaves_nothing<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let old = fixture.put("a.md", &["one", "two", "three"]);
    fixture.put("b.md", &["four"]);
    let new = fixture.store.write(|tx| tx.begin_rebuild("test")).unwrap().id;
    fixture.store.write(move |tx| tx.replace_file(new, &file("a.md"), &[chunk("one")])).unwrap();
    fixture.store.write(move |tx| tx.flip(new)).unwrap();
    let mut steps = 0;
    while fixture.store.write(|tx| tx.retire_step(2)).unwrap() {
        steps += 1;
        assert!(steps < 20);
    }
    assert!(steps >= 2, "four chunks, two at a time");
    fixture
        .store
        .read(|r| {
            assert_eq!(r.chunk_count(old)?, 0);
            assert!(r.files(old, "memory")?.is_empty());
            assert_eq!(B::indexed(r, old), None, "its full text is gone");
            assert_eq!((r.chunk_count(new)?, B::indexed(r, new), B::line_rows(r)?), (1, Some(1), 1));
            Ok(())
        })
        .unwrap();
}

fn the_cache_loses_the_longest_unused_first_and_never_what_is_in_use<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["in use"]);
    for text in ["first", "second", "third"] {
        fixture.put(text, &[text]);
    }
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let embeddings: Vec<_> = ["in use", "first", "second", "third"]
        .iter()
        .map(|text| NewEmbedding { hash: hash(text), vector: vec![1.0] })
        .collect();
    fixture.store.write(move |tx| tx.insert_embeddings(space, &embeddings)).unwrap();
    for text in ["third", "first", "second"] {
        fixture.clock.advance(Duration::from_secs(1));
        fixture.store.write(move |tx| tx.delete_file(generation, "memory", text)).unwrap();
    }
    let prune = |entries| {
        let ids = fixture.store.read(|r| r.prunable(entries, 100)).unwrap();
        fixture.store.write(move |tx| tx.prune(&ids)).unwrap()
    };
    let has = |text: &str| fixture.store.read(|r| r.has_embedding(space, &hash(text))).unwrap();
    assert_eq!(prune(10), 0);
    assert_eq!(prune(3), 1);
    assert!(!has("third") && has("first") && has("second"));
    assert_eq!(prune(0), 2);
    assert!(has("in use"));

    // Between choosing and removing, a text may come into use again.
    fixture.put("b.md", &["back"]);
    let back = NewEmbedding { hash: hash("back"), vector: vec![1.0] };
    fixture.store.write(move |tx| tx.insert_embeddings(space, &[back])).unwrap();
    fixture.store.write(move |tx| tx.delete_file(generation, "memory", "b.md")).unwrap();
    let ids = fixture.store.read(|r| r.prunable(0, 100)).unwrap();
    assert_eq!(ids.len(), 1);
    fixture.put("b.md", &["back"]);
    assert_eq!(fixture.store.write(move |tx| tx.prune(&ids)).unwrap(), 0);
}

fn forgetting_removes_the_vectors_of_texts_that_are_gone<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["secret", "kept"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let embeddings: Vec<_> =
        ["secret", "kept"].iter().map(|text| NewEmbedding { hash: hash(text), vector: vec![1.0] }).collect();
    fixture.store.write(move |tx| tx.insert_embeddings(space, &embeddings)).unwrap();
    fixture.store.write(move |tx| tx.replace_file(generation, &file("a.md"), &[chunk("kept")])).unwrap();
    let forget = vec![hash("secret"), hash("kept")];
    assert_eq!(fixture.store.write(move |tx| tx.forget_embeddings(&forget)).unwrap(), 1);
    assert!(fixture.store.read(|r| r.has_embedding(space, &hash("kept"))).unwrap());
}

fn free_pages_go_back_to_the_file_system<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let text = "word ".repeat(2000);
    let generation = fixture.put("a.md", &[text.as_str(); 50]);
    fixture.store.write(move |tx| tx.delete_file(generation, "memory", "a.md")).unwrap();
    let before = fixture.store.sizes().unwrap();
    assert!(before.free > 400_000);
    while fixture.store.write(|tx| tx.vacuum_step(50)).unwrap() {}
    let after = fixture.store.sizes().unwrap();
    assert_eq!(after.free, 0);
    assert!(after.database < before.database - 400_000);
}

fn a_full_text_index_merges_in_steps_and_stays_whole<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let mut generation = GenerationId::default();
    for n in 0..40 {
        generation = fixture.put(&format!("{n}.md"), &[&format!("common word{n}")]);
    }
    let mut start = true;
    while fixture.store.write(move |tx| tx.merge_fts_step(generation, 1, start)).unwrap() {
        start = false;
    }
    B::check(&fixture.store, generation);
    assert_eq!(fixture.store.read(|r| chunks_with(r, generation, "common")).unwrap(), 40);
}

// Every note that changed had the whole full-text index written anew: 95 ms of a core and 4 MB at 10,000 chunks.
fn a_note_that_changes_is_no_reason_to_merge_the_whole_index<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let is_scattered = |generation| fixture.store.read(|r| r.is_scattered(generation)).unwrap();
    let texts: Vec<String> = (0..300).map(|n| format!("common word{n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let generation = fixture.put("a.md", &texts);
    assert!(is_scattered(generation));
    fixture.store.write(|tx| tx.note_merged()).unwrap();
    fixture.put("b.md", &["common"]);
    assert!(!is_scattered(generation));
    fixture.put("a.md", &texts);
    assert!(is_scattered(generation), "as much again was written");
}

// The triggers that count chunks set a savepoint for each, and there FTS5 wrote the words of the chunk before as a segment: a
// fifth of the processor time of an index went into merging them.
fn the_words_of_files_that_are_written_together_are_one_segment<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("0.md", &["one", "two"]);
    let segments = move |r: &Reader<'_>| {
        let sql = format!("SELECT count(DISTINCT segid) FROM {}_idx", lexical::table(generation));
        r.conn()?.query_row(&sql, [], |row| row.get::<_, u32>(0)).sql()
    };
    assert_eq!(fixture.store.read(segments).unwrap(), 1);
    let write = move |tx: &mut Tx<'_>| {
        let (a, b) = ([chunk("three"), chunk("four")], [chunk("five"), chunk("six")]);
        tx.replace_files(generation, &[(file("1.md"), &a), (file("0.md"), &b), (file("2.md"), &a)])
    };
    fixture.store.write(write).unwrap();
    assert_eq!(fixture.store.read(segments).unwrap(), 2);
}

fn files_that_are_written_together_are_found_as_if_one_by_one<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("old.md", &["common old"]);
    let write = move |tx: &mut Tx<'_>| {
        let (first, second, third) = ([chunk("common first")], [chunk("common second")], [chunk("common third")]);
        // The same path twice: the last one holds.
        let files =
            [(file("old.md"), &first[..]), (file("a.md"), &second), (file("a.md"), &third), (file("b.md"), &[])];
        tx.replace_files(generation, &files)
    };
    fixture.store.write(write).unwrap();
    let counts = ["common", "old", "first", "second", "third"]
        .map(|term| fixture.store.read(|r| chunks_with(r, generation, term)).unwrap());
    assert_eq!(counts, [2, 0, 1, 0, 1]);
    assert_eq!(fixture.store.read(|r| r.file_count(generation, "memory")).unwrap(), 3);
    B::check(&fixture.store, generation);
}

fn skipped_files_and_counts_are_per_source<B: Backend>() {
    use crate::skipped::Skipped;
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two"]);
    let skipped = |source: &str, path: &str| Skipped {
        source: source.into(),
        path: path.into(),
        code: "too-large".into(),
        reason: "too large".into(),
        seen_ms: 5,
    };
    let (memory, sessions) = (vec![skipped("memory", "m.md")], vec![skipped("sessions", "s.jsonl")]);
    let expected = [memory.clone(), sessions.clone()].concat();
    fixture.store.write(move |tx| tx.set_skipped("memory", &memory)).unwrap();
    fixture.store.write(move |tx| tx.set_skipped("sessions", &sessions)).unwrap();
    assert_eq!(fixture.store.read(|r| r.skipped()).unwrap(), expected);
    fixture.store.write(|tx| tx.set_skipped("memory", &[])).unwrap();
    assert_eq!(fixture.store.read(|r| r.skipped()).unwrap(), expected[1..]);
    let counts = fixture.store.read(|r| r.source_counts(generation)).unwrap();
    assert_eq!((counts[0].source.as_str(), counts[0].files, counts[0].chunks), ("memory", 1, 2));
}

for_every_backend!(
    the_first_generation_is_live_at_once_and_the_next_grows_beside_it,
    going_back_to_the_live_identity_gives_the_rebuild_up,
    a_retired_generation_goes_in_small_steps_and_leaves_nothing,
    forgetting_removes_the_vectors_of_texts_that_are_gone,
    a_full_text_index_merges_in_steps_and_stays_whole,
    files_that_are_written_together_are_found_as_if_one_by_one,
    skipped_files_and_counts_are_per_source,
    the_cache_loses_the_longest_unused_first_and_never_what_is_in_use,
    ; of_files:
    free_pages_go_back_to_the_file_system,
    a_note_that_changes_is_no_reason_to_merge_the_whole_index,
    the_words_of_files_that_are_written_together_are_one_segment,
);
