//! Files, chunks, full text and embeddings: what goes in comes out.

use super::*;
use crate::{
    candidates::Wanted,
    codes::{CodeCursor, CodeRow},
    embeddings::NewEmbedding,
    ids::{ChunkId, EmbeddingId},
    lexical::Term,
    line_vectors::LineData,
};
use model::{config::settings::FtsTokenizer, source::Source};

fn rowids<B: Backend>(fixture: &Fixture<B>, generation: GenerationId, term: &str) -> Vec<ChunkId> {
    fixture.store.read(|reader| holding(reader, generation, term)).unwrap()
}

fn a_file_is_stored_and_replaced_as_a_whole<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("MEMORY.md", &["alpha beta", "beta gamma"]);
    let before = fixture.store.read(|reader| reader.chunk_ids(generation)).unwrap();
    assert_eq!(rowids(&fixture, generation, "beta"), before);

    fixture.put("MEMORY.md", &["delta"]);
    let after = fixture.store.read(|reader| reader.chunk_ids(generation)).unwrap();
    assert_eq!(after.len(), 1);
    assert!(after[0] > before[1], "ids are never used again");
    assert_eq!(rowids(&fixture, generation, "beta"), []);
    assert_eq!(rowids(&fixture, generation, "delta"), after);

    let rows = fixture.store.read(|reader| reader.chunks(&[after[0], before[0]])).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].text.as_str(), rows[0].path.as_str(), rows[0].hash),
        ("delta", "MEMORY.md", Some(hash("delta")))
    );
    let files = fixture.store.read(|reader| reader.files(generation, "memory")).unwrap();
    assert_eq!(files["MEMORY.md"].size, 8);
}

fn every_term_is_one_token<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let terms = [
        "a.b_c",
        "err-1234",
        "c++",
        "it's",
        "say\"so\"",
        "x/y:z",
        "東京",
        "ที่",
        "naïve",
        "#tag",
        "a*b",
        "^",
        "(",
        "and",
        "not",
        "100%",
    ];
    let generation = fixture.put("MEMORY.md", &[&terms.join(" ")]);
    for term in terms {
        assert_eq!(rowids(&fixture, generation, term).len(), 1, "{term}");
    }
    for term in ["a.b", "err", "京", "a", "", " ", "a.b_c err-1234", "\0"] {
        assert_eq!(rowids(&fixture, generation, term).len(), 0, "{term:?}");
    }
}

fn embeddings_are_found_by_text_and_never_missing_twice<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two", "  \n"]);
    fixture.put("b.md", &["two"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap();
    let missing = fixture.store.read(|reader| reader.missing_embeddings(generation, space.id, None, 10)).unwrap();
    assert_eq!(missing.len(), 2, "distinct, and never a blank text");
    let first_page = fixture.store.read(|reader| reader.missing_embeddings(generation, space.id, None, 1)).unwrap();
    let second_page =
        fixture.store.read(|r| r.missing_embeddings(generation, space.id, Some(&first_page[0].hash), 1)).unwrap();
    assert_eq!([&first_page[..], &second_page[..]].concat(), missing);

    let new = |text: &str, vector: [f32; 2]| NewEmbedding { hash: hash(text), vector: vector.into() };
    let embeddings = vec![new("one", [1.0, 0.0]), new("two", [1.0, 1.0])];
    fixture.store.write(move |tx| tx.insert_embeddings(space.id, &embeddings)).unwrap();
    assert!(fixture.store.read(|r| r.missing_embeddings(generation, space.id, None, 10)).unwrap().is_empty());
    let coverage = fixture.store.read(|reader| reader.coverage(generation, space.id)).unwrap();
    assert_eq!((coverage.chunks, coverage.embedded, coverage.refused), (3, 3, 0));

    let mut seen = Vec::new();
    let load = |since, seen: &mut Vec<EmbeddingId>| {
        let read = |row: CodeRow<'_>| {
            seen.push(row.embedding_id);
            Ok(())
        };
        fixture.store.read(|r| r.for_each_code(generation, (space.id, 2), true, since, read)).unwrap()
    };
    let cursor = load(CodeCursor::default(), &mut seen);
    assert_eq!(seen.len(), 3);
    fixture.put("c.md", &["two", "three"]);
    let cursor = load(cursor, &mut seen);
    assert_eq!(seen.len(), 4, "a new chunk with an old text");
    let embedding = new("three", [0.0, 2.0]);
    fixture.store.write(move |tx| tx.insert_embeddings(space.id, &[embedding])).unwrap();
    let cursor = load(cursor, &mut seen);
    assert_eq!(seen.len(), 5, "an old chunk with a new embedding");
    load(cursor, &mut seen);
    assert_eq!(seen.len(), 5);

    let gone = EmbeddingId::new(i64::MAX);
    let asked = [&seen[..], &[gone]].concat();
    let cosine = fixture.store.read(|r| r.exact_cosine(space.id, &asked, &[1.0, 0.0])).unwrap();
    assert_eq!(cosine.iter().map(|(id, _)| *id).collect::<Vec<_>>(), seen);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let expected = [1.0, half, half, half, 0.0];
    assert_eq!(cosine.len(), 5);
    for ((_, similarity), expected) in cosine.iter().zip(expected) {
        assert!((similarity.unwrap() - expected).abs() < 1e-6);
    }
}

// A refused text was never asked about again.
fn a_refusal_rests_for_a_growing_while_and_ends_with_a_vector<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let waits = |fixture: &Fixture<B>| {
        fixture
            .store
            .read(|r| {
                let missing = r.missing_embeddings(generation, space, None, 10)?.len();
                let coverage = r.coverage(generation, space)?;
                Ok((missing, coverage.refused, r.latest_refusal(generation, space)?.is_some()))
            })
            .unwrap()
    };
    let refuse = || fixture.store.write(move |tx| tx.refuse_text(space, &hash("one"), "too odd")).unwrap();
    refuse();
    assert_eq!(waits(&fixture), (1, 1, true));
    let refusal = fixture.store.read(|r| r.latest_refusal(generation, space)).unwrap().unwrap();
    assert_eq!((refusal.path.as_str(), refusal.reason.as_str()), ("a.md", "too odd"));
    assert_eq!(refusal.asked_again_at_ms - refusal.refused_at_ms, 86_400_000);
    let age = |days: i64| fixture.store.write(move |tx| tx.age_refusals(days * 86_400_000 + 60_000)).unwrap();
    for days in [1, 2, 4, 8, 16, 32, 32] {
        age(days - 1);
        assert_eq!(waits(&fixture), (1, 1, true), "{days}");
        age(1);
        assert_eq!(waits(&fixture), (2, 0, false), "{days}");
        refuse();
    }
    // A clock that was set back must not make it wait for years.
    age(-10_000);
    assert_eq!(waits(&fixture), (2, 0, false));
    refuse();
    fixture.store.write(|tx| tx.ask_refused_again()).unwrap();
    assert_eq!(waits(&fixture), (2, 0, false));
    refuse();
    let embedding = NewEmbedding { hash: hash("one"), vector: vec![1.0] };
    fixture.store.write(move |tx| tx.insert_embeddings(space, &[embedding])).unwrap();
    assert_eq!(waits(&fixture), (1, 0, false));
    let coverage = fixture.store.read(|r| r.coverage(generation, space)).unwrap();
    assert_eq!((coverage.embedded, coverage.refused), (1, 0), "not counted twice");
}

fn a_vector_that_would_spoil_comparisons_is_refused<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let try_insert = |vector: Vec<f32>| {
        let embedding = NewEmbedding { hash: hash("x"), vector };
        fixture.store.write(move |tx| tx.insert_embeddings(space, &[embedding]))
    };
    for bad in [vec![], vec![f32::NAN], vec![1.0, f32::INFINITY]] {
        assert_eq!(try_insert(bad).unwrap_err().code(), model::error::Code::ProviderResponse);
    }
    assert_eq!(fixture.store.read(|r| r.space("k")).unwrap().unwrap().dims, None, "a refused vector decides nothing");
    try_insert(vec![1.0, 2.0]).unwrap();
    assert_eq!(try_insert(vec![1.0]).unwrap_err().code(), model::error::Code::ProviderResponse);
    let write = move |tx: &mut Tx<'_>| {
        let embedding = NewEmbedding { hash: hash("y"), vector: vec![1.0] };
        assert!(tx.insert_embeddings(space, &[embedding]).is_err(), "and whoever goes on stores nothing of it");
        Ok(())
    };
    fixture.store.write(write).unwrap();
    assert_eq!(fixture.store.read(|r| r.embedding_count()).unwrap(), 1);
}

fn the_compatible_index_is_built_in_steps_and_kept_current<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["the quick fox", "a slow fox", "nothing"]);
    let step = |limit| fixture.store.write(move |tx| tx.compat_build_step(generation, FtsTokenizer::Unicode61, limit));
    assert!(step(1).unwrap());
    fixture.put("b.md", &["fox while building"]);
    fixture.put("a.md", &["quick fox", "gone"]);
    while step(1).unwrap() {}
    assert!(fixture.store.read(|r| r.compat_is_ready(generation, FtsTokenizer::Unicode61)).unwrap());
    let search = |query: &'static str| {
        fixture.store.read(move |r| r.compat_search(generation, Some(query), &[], (&["memory"], None), 10)).unwrap()
    };
    assert_eq!(search("\"fox\"").len(), 2);
    assert_eq!(search("\"quick\" AND \"fox\"").len(), 1);
    assert!(search("\"slow\"").is_empty());
    let like = fixture
        .store
        .read(|r| r.compat_search(generation, None, &["gon".into(), "e".into()], (&[], None), 10))
        .unwrap();
    assert_eq!(like.len(), 1);
}

fn a_term_is_looked_for_among_the_chunks_of_others<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["tea boiler", "tea", "boiler fence", "tea c++ fence"]);
    let ids = fixture.store.read(|reader| reader.chunk_ids(generation)).unwrap();
    let among = |term: &str, others: &[&str]| {
        let found = fixture.store.read(|reader| reader.postings_among(generation, &[term], Some(others))).unwrap();
        found[0].iter().map(|id| ids.iter().position(|known| known == id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(among("tea", &["boiler", "c++"]), [0, 3]);
    assert_eq!(among("fence", &["boiler", "", "no such"]), [2]);
    assert_eq!(among("tea", &[]), [0; 0]);
    let up_to = |most| {
        let tea = vec![Term { text: "tea", is_required: true }];
        let mut found = fixture.store.read(|reader| reader.postings(generation, &[tea], most)).unwrap();
        found.remove(0).map(|postings| postings.concat())
    };
    // Whatever was asked before.
    for _ in 0..2 {
        assert_eq!((up_to(3).map(|ids| ids.len()), up_to(2), up_to(1)), (Some(3), None, None));
    }
    let generation = fixture.put("a.md", &["tea boiler", "tea", "boiler fence"]);
    let up_to = |most| {
        let tea = vec![Term { text: "tea", is_required: true }];
        let mut found = fixture.store.read(|reader| reader.postings(generation, &[tea], most)).unwrap();
        found.remove(0).map(|postings| postings.concat())
    };
    assert_eq!((up_to(2).map(|ids| ids.len()), up_to(1)), (Some(2), None), "a word is no longer common");
}

fn terms_are_common_or_not_as_of_now_whatever_was_asked_before<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let terms = ["tea", "boiler", "no-such", ""];
    let common = |generation, most| fixture.store.read(|r| r.are_common(generation, &terms, most)).unwrap();
    let generation = fixture.put("a.md", &["tea boiler", "tea", "tea fence"]);
    for _ in 0..2 {
        assert_eq!(common(generation, 2), [true, false, false, false]);
        assert_eq!(common(generation, 0), [true, true, false, false]);
        assert_eq!(common(generation, 3), [false; 4]);
    }
    let generation = fixture.put("a.md", &["boiler", "boiler", "tea boiler"]);
    for _ in 0..2 {
        assert_eq!(
            common(generation, 2),
            [false, true, false, false],
            "what was rare is common, and the other way round"
        );
    }
}

fn a_concept_without_a_required_term_that_is_rare_enough_is_too_common<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["tea boiler", "tea", "boiler fence"]);
    let ids = fixture.store.read(|reader| reader.chunk_ids(generation)).unwrap();
    let term = |text, is_required| Term { text, is_required };
    let concepts = [
        vec![term("fence", true), term("tea", false), term("boiler", false)],
        vec![term("fence", true), term("tea", true)],
        vec![term("no-such", true)],
        vec![],
    ];
    let found = fixture.store.read(|reader| reader.postings(generation, &concepts, 1)).unwrap();
    assert_eq!(
        found,
        [Some(vec![vec![ids[2]], vec![], vec![]]), None, Some(vec![vec![]]), Some(vec![])],
        "a term that need not be there says nothing when it is too common"
    );
    let found = fixture.store.read(|reader| reader.postings(generation, &concepts[1..2], 2)).unwrap();
    assert_eq!(found, [Some(vec![vec![ids[2]], vec![ids[0], ids[1]]])]);
}

fn the_candidates_of_a_search_come_once_and_with_their_cosines<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("b.md", &["one", "two", "three"]);
    fixture.put("a.md", &["four", "five"]);
    let vectors: Vec<NewEmbedding> = [("one", [1.0, 0.0]), ("two", [1.0, 1.0]), ("four", [0.0, 1.0])]
        .map(|(text, vector)| NewEmbedding { hash: hash(text), vector: vector.into() })
        .into();
    let add = move |tx: &mut Tx<'_>| {
        let space = tx.get_or_create_space("k")?;
        tx.insert_embeddings(space.id, &vectors)?;
        tx.set_active_space(space.id)
    };
    fixture.store.write(add).unwrap();
    let vectors = fixture.store.vectors().unwrap().unwrap();
    let found = |most_by_words, sources: &[Source], exact| {
        let read = |reader: &Reader<'_>| {
            let ids = reader.chunk_ids(generation)?;
            let files: Vec<_> = reader
                .file_paths(generation)?
                .into_iter()
                .filter_map(|(id, _, path)| (path == "a.md").then_some(id))
                .collect();
            let nearest = reader.nearest(&vectors, &[1.0, 0.0], &[], None)?.unwrap();
            assert!((nearest.mean() - (1.0 + std::f64::consts::FRAC_1_SQRT_2) / 3.0).abs() < 1e-3);
            let found = reader.candidates(&Wanted {
                by_words: &[ChunkId::new(i64::MAX), ids[2], ids[0]],
                most_by_words,
                sources,
                nearest: Some(&nearest),
                most_nearest: 2,
                exact,
                files: &files,
                most_of_files: 1,
                also: &[ids[1], ids[2]],
                lines: None,
            })?;
            let some = [ids[2], ids[1], ids[0]];
            assert_eq!(nearest.top_of(reader, &some, 2)?, [ids[0], ids[1]], "the third has no vector");
            assert_eq!(nearest.top_of(reader, &some[..2], 2)?, [ids[1]]);
            let text = |id: ChunkId| found.rows.iter().find(|row| row.id == id).unwrap().text.clone();
            let cosines: Vec<_> = found.cosines.iter().map(|(id, cosine)| (text(*id), *cosine)).collect();
            let by_words: Vec<_> = found.by_words.iter().map(|id| text(*id)).collect();
            Ok((found.rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>(), by_words, cosines))
        };
        fixture.store.read(read).unwrap()
    };
    let (rows, by_words, cosines) = found(3, &[], 9);
    assert_eq!(
        (rows, by_words),
        (["four", "one", "two", "three"].map(str::to_owned).into(), vec!["three".into(), "one".into()])
    );
    let expected = [("one", 1.0), ("two", std::f64::consts::FRAC_1_SQRT_2), ("four", 0.0)];
    assert!(cosines.len() == 3 && cosines.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6));
    let (rows, by_words, _) = found(1, &[Source::Memory], 0);
    assert_eq!((rows.len(), by_words.len()), (4, 1), "an id that is gone takes no place");
    let (rows, by_words, _) = found(3, &[Source::Sessions], 0);
    assert_eq!((rows.len(), by_words.len()), (4, 0), "what is wanted in any case is");
}

/// Paths and texts in the order of content, asked for after every change.
fn ordered<B: Backend>(changes: &[(&str, &[&str])]) -> Vec<(String, String)> {
    let fixture = Fixture::<B>::new();
    let mut found = Vec::new();
    for (path, texts) in changes {
        let generation = fixture.put(path, texts);
        let read = |reader: &crate::Reader<'_>| {
            let (order, mut ids) = (reader.chunk_order()?, reader.chunk_ids(generation)?);
            assert!(order.places(ids.iter().copied()).eq(ids.iter().map(|id| order.place(*id))));
            ids.sort_by_key(|id| order.place(*id));
            reader.chunks(&ids)
        };
        found = fixture.store.read(read).unwrap();
        // Another connection has seen nothing of it yet.
        let fresh = B::read_fresh(&fixture.store, read).unwrap();
        assert_eq!(found, fresh);
    }
    found.into_iter().map(|row| (row.path, row.text)).collect()
}

// Equals were told apart by their ids, which tell when a chunk was written.
fn the_order_of_chunks_knows_files_and_lines_and_no_history<B: Backend>() {
    let fresh = ordered::<B>(&[("a.md", &["1", "2"]), ("b.md", &["3", "4"]), ("c.md", &["5"])]);
    assert_eq!(fresh.len(), 5);
    let other = ordered::<B>(&[
        ("c.md", &["old"]),
        ("b.md", &["3", "4"]),
        ("c.md", &["5"]),
        ("a.md", &["old", "older"]),
        ("b.md", &["3", "4"]),
        ("a.md", &["1", "2"]),
    ]);
    assert_eq!(other, fresh);
}

fn lines_of_an_index_from_before_pieces_are_made_again<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let missing = |_: ()| fixture.store.read(|r| r.missing_line_vectors(generation, space, None, 10)).unwrap();
    let all = missing(());
    assert_eq!(all.len(), 2);
    let lines: Vec<LineData> =
        all.iter().map(|text| LineData { hash: text.hash, codes: vec![1, 2], signs: vec![1, 7] }).collect();
    fixture.store.write(move |tx| tx.insert_lines(space, &lines)).unwrap();
    assert!(missing(()).is_empty());
    let pending = |space| fixture.store.read(|r| r.pending_lines(generation, space)).unwrap();
    assert_eq!((pending(Some(space)), pending(None)), (0, 2));
    let ids: Vec<ChunkId> = all.iter().map(|text| text.chunk_id).collect();
    let signs = fixture.store.read(|r| r.line_signs(space, &ids)).unwrap();
    assert_eq!(signs.iter().map(|(_, signs)| signs.as_slice()).collect::<Vec<_>>(), [[1, 7], [1, 7]]);

    // As an older engine left them.
    fixture.store.write(|tx| B::drop_pieces(tx)).unwrap();
    assert_eq!(missing(()).len(), 2, "their vectors are there, their pieces are not");
    assert_eq!(pending(Some(space)), 2);
    assert_eq!(fixture.store.read(|r| r.line_codes(space, &ids)).unwrap().len(), 2, "searches use what there is");

    fixture.put("a.md", &["three"]);
    assert_eq!(fixture.store.write(|tx| tx.prune_lines(10)).unwrap(), 2, "what no note says any more goes");
}

fn what_has_vectors_is_not_counted_again_and_what_comes_or_goes_is<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two", "one"]);
    let (space, other) =
        fixture.store.write(|tx| Ok((tx.get_or_create_space("k")?.id, tx.get_or_create_space("other")?.id))).unwrap();
    let state = |space| {
        let read = |r: &Reader<'_>| {
            let counts = r.coverage(generation, space)?;
            Ok((counts.chunks, counts.embedded, r.missing_embeddings(generation, space, None, 10)?.len()))
        };
        fixture.store.read(read).unwrap()
    };
    let embed = |space| {
        let missing = fixture.store.read(|r| r.missing_embeddings(generation, space, None, 10)).unwrap();
        let vectors =
            missing.into_iter().map(|m| NewEmbedding { hash: m.hash, vector: vec![1.0, 2.0] }).collect::<Vec<_>>();
        fixture.store.write(move |tx| tx.insert_embeddings(space, &vectors)).unwrap();
    };
    assert_eq!(state(space), (3, 0, 2));
    embed(space);
    for _ in 0..2 {
        assert_eq!((state(space), state(other)), ((3, 3, 0), (3, 0, 2)), "one space says nothing of another");
    }
    fixture.put("b.md", &["three", "two"]);
    assert_eq!(state(space), (5, 4, 1));
    embed(space);
    assert_eq!(state(space), (5, 5, 0));
    fixture.put("a.md", &["two"]);
    assert_eq!(state(space), (3, 3, 0), "chunks that went are not counted");
    fixture.put("c.md", &["four"]);
    let missing = fixture.store.read(|r| r.missing_embeddings(generation, space, None, 10)).unwrap();
    let four = missing[0].hash;
    fixture.store.write(move |tx| tx.refuse_text(space, &four, "odd")).unwrap();
    assert_eq!(state(space), (4, 3, 0), "a refused text has no vector");

    // Another process believes what was kept: here all chunks but the last.
    let vector = NewEmbedding { hash: four, vector: vec![1.0, 2.0] };
    fixture.store.write(move |tx| tx.insert_embeddings(space, &[vector])).unwrap();
    assert_eq!(state(space), (4, 4, 0));
    let kept = |of: &Store| of.read(|r| r.covered_until(generation, space)).unwrap();
    let news = |worth| fixture.store.read(|r| r.covered_news_of(generation, space, worth)).unwrap();
    assert!(news(1000).is_none(), "so few are not worth a write");
    assert_eq!(kept(&fixture.open()), ChunkId::default());
    let some = news(1).unwrap();
    fixture.store.write(move |tx| tx.keep_covered(&some)).unwrap();
    assert!(news(1).is_none());
    assert_eq!(kept(&fixture.open()), kept(&fixture.store));
    assert_ne!(kept(&fixture.store), ChunkId::default());

    // Vectors that are no good are gone, whoever counted them.
    fixture.store.write(|tx| B::spoil_a_vector(tx)).unwrap();
    fixture.store.acquire_lease().unwrap();
    fixture.store.remove_inconsistent().unwrap();
    let (chunks, embedded, missing) = state(space);
    assert!((chunks, missing) == (4, 1) && embedded < 4, "{embedded}");
    assert_eq!(kept(&fixture.open()), ChunkId::default());
}

// A note that is changed or forgotten while the model is at its lines must not leave them behind.
fn lines_of_a_text_that_has_left_meanwhile_are_not_kept<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let page = fixture.store.read(|r| r.missing_line_vectors(generation, space, None, 10)).unwrap();
    let late = LineData { hash: page[0].hash, codes: vec![1, 2], signs: vec![1, 7] };
    fixture.put("a.md", &["two"]);
    fixture.store.write(move |tx| tx.insert_lines(space, &[late])).unwrap();
    assert!(!fixture.store.read(|r| r.has_line_vectors(space)).unwrap());
}

// In the order of their hashes, two chunks that overlap were far apart: what one repeats of the other went through the model twice,
// a sixth of all that a first index of long pages takes.
fn lines_are_asked_for_in_the_order_of_their_chunks<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let texts: Vec<String> = (0..20).map(|n| format!("text {n}")).collect();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    // One stands there twice, and is asked for once.
    let generation = fixture.put("a.md", &[&all[..], &["text 3"]].concat());
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let page = |after: Option<Hash>| {
        fixture.store.read(|r| r.missing_line_vectors(generation, space, after.as_ref(), 3)).unwrap()
    };
    let (mut seen, mut after) = (Vec::new(), None);
    while let Some(last) = page(after).last() {
        seen.extend(page(after).into_iter().map(|missing| missing.text));
        after = Some(last.hash);
    }
    assert_eq!(seen, texts);
    let of = |after| page(after).into_iter().map(|missing| missing.text).collect::<Vec<_>>();
    assert_eq!(of(Some([7; 32])), texts[..3], "from the beginning where the last text has left");
    let filled = LineData { hash: page(None)[1].hash, codes: vec![1, 2], signs: vec![1, 7] };
    fixture.store.write(move |tx| tx.insert_lines(space, &[filled])).unwrap();
    assert_eq!(of(None), [&*texts[0], &*texts[2], &*texts[3]]);
}

fn lines_that_a_model_has_not_come_to_are_told_from_those_of_no_text<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let generation = fixture.put("a.md", &["one", "two"]);
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    let page = fixture.store.read(|r| r.missing_line_vectors(generation, space, None, 10)).unwrap();
    let ids: Vec<ChunkId> = page.iter().map(|text| text.chunk_id).collect();
    let first = LineData { hash: page[0].hash, codes: vec![1, 2], signs: vec![1, 7] };
    fixture.store.write(move |tx| tx.insert_lines(space, &[first])).unwrap();
    let mut codes = fixture.store.read(|r| r.line_codes(space, &ids)).unwrap();
    codes.sort_by_key(|(id, _)| *id != ids[0]);
    assert_eq!(codes, [(ids[0], Some(vec![1, 2])), (ids[1], None)]);
}

for_every_backend!(
    a_file_is_stored_and_replaced_as_a_whole,
    every_term_is_one_token,
    a_refusal_rests_for_a_growing_while_and_ends_with_a_vector,
    a_vector_that_would_spoil_comparisons_is_refused,
    a_term_is_looked_for_among_the_chunks_of_others,
    terms_are_common_or_not_as_of_now_whatever_was_asked_before,
    a_concept_without_a_required_term_that_is_rare_enough_is_too_common,
    the_candidates_of_a_search_come_once_and_with_their_cosines,
    the_order_of_chunks_knows_files_and_lines_and_no_history,
    lines_of_a_text_that_has_left_meanwhile_are_not_kept,
    lines_are_asked_for_in_the_order_of_their_chunks,
    lines_that_a_model_has_not_come_to_are_told_from_those_of_no_text,
    ; of_files:
    embeddings_are_found_by_text_and_never_missing_twice,
    the_compatible_index_is_built_in_steps_and_kept_current,
    lines_of_an_index_from_before_pieces_are_made_again,
    what_has_vectors_is_not_counted_again_and_what_comes_or_goes_is,
);
