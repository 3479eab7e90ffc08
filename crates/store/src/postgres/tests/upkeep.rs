//! What is done between writes: room of words that were merged, vectors that nobody uses.

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
};

fn chunk(hash: Hash, words: String) -> NewChunk {
    NewChunk { start_line: 1, end_line: 1, hash, text: "text".to_owned(), line_terms: Vec::new(), fts_terms: words }
}

fn put(agent: &Agent, live: GenerationId, path: &str, chunks: &[NewChunk]) {
    let file = NewFile { source: "memory", path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
    agent.write(|tx| tx.replace_file(live, &file, chunks)).unwrap();
}

// Vectors of texts that were gone stayed for ever, whatever `cache.maxEntries` said.
#[test]
fn a_vector_goes_when_no_agent_of_the_tenant_has_its_text_and_the_longest_unused_goes_first() {
    let Some((_place, schema, database)) = prepared() else { return };
    let agents = [open(&database, &schema, "one"), open(&database, &schema, "two")];
    let stranger = open_in(&database, &schema, "another", "one");
    let live =
        [&agents[0], &agents[1], &stranger].map(|agent| agent.write(|tx| tx.begin_building("words")).unwrap().id);
    let texts = |of: &[u8]| of.iter().map(|n| chunk([*n; 32], String::new())).collect::<Vec<_>>();
    let vectors: Vec<_> = (1..=5).map(|n| NewEmbedding { hash: [n; 32], vector: vec![1.0, f32::from(n)] }).collect();
    let space = agents[0].write(|tx| tx.get_or_create_space("a")).unwrap().id;
    let theirs = stranger.write(|tx| tx.get_or_create_space("a")).unwrap().id;
    agents[0].write(|tx| tx.insert_embeddings(space, &vectors)).unwrap();
    stranger.write(|tx| tx.insert_embeddings(theirs, &vectors)).unwrap();
    put(&agents[0], live[0], "a.md", &texts(&[1, 2, 3, 4, 5]));
    put(&agents[1], live[1], "b.md", &texts(&[2]));
    let there = |agent: &Agent, space| {
        agent
            .read(&Cancel::new(), |reader| {
                (1..=5).try_fold(Vec::new(), |mut there, n| {
                    there.extend(reader.has_embedding(space, &[n; 32])?.then_some(n));
                    Ok(there)
                })
            })
            .unwrap()
    };
    let prune = |agent: &Agent, most| {
        let unused = agent.read(&Cancel::new(), |reader| reader.prunable(most, 100)).unwrap();
        agent.write(|tx| tx.prune(&unused)).unwrap()
    };
    assert_eq!((prune(&agents[0], 0), prune(&agents[1], 0)), (0, 0), "all are in use");
    // The third goes first, then the first; the second stays with the other agent, the fifth where it was.
    std::thread::sleep(Duration::from_millis(5));
    put(&agents[0], live[0], "a.md", &texts(&[1, 2, 4, 5]));
    std::thread::sleep(Duration::from_millis(5));
    put(&agents[0], live[0], "a.md", &texts(&[4, 5]));
    assert_eq!((prune(&agents[1], 4), there(&agents[0], space)), (1, vec![1, 2, 4, 5]));
    assert_eq!((prune(&agents[0], 0), there(&agents[1], space)), (1, vec![2, 4, 5]));
    // Chosen, and back before it was removed.
    put(&agents[0], live[0], "a.md", &texts(&[5]));
    let unused = agents[1].read(&Cancel::new(), |reader| reader.prunable(0, 100)).unwrap();
    assert_eq!(unused, [(space, [4; 32])]);
    put(&agents[1], live[1], "c.md", &texts(&[4]));
    assert_eq!(agents[1].write(|tx| tx.prune(&unused)).unwrap(), 0);
    // Neither the rows of others are seen after that, nor those of another tenant.
    agents[0]
        .read(&Cancel::new(), |reader| {
            assert!(reader.prunable(0, 1)?.is_empty());
            assert_eq!(reader.files(live[0], "memory")?.len(), 1);
            Ok(())
        })
        .unwrap();
    assert_eq!(there(&stranger, theirs), [1, 2, 3, 4, 5]);
}

// Of a rebuild only the texts that are gone with it were in use until then.
#[test]
fn a_generation_that_is_retired_leaves_vectors_of_now() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open(&database, &schema, "one");
    let old = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    let space = agent.write(|tx| tx.get_or_create_space("a")).unwrap().id;
    let vectors: Vec<_> = (1..=2).map(|n| NewEmbedding { hash: [n; 32], vector: vec![1.0] }).collect();
    agent.write(|tx| tx.insert_embeddings(space, &vectors)).unwrap();
    put(&agent, old, "a.md", &[chunk([1; 32], String::new()), chunk([2; 32], String::new())]);
    place.change("UPDATE embedding SET used_ms = 7");
    let new = agent.write(|tx| tx.begin_rebuild("words")).unwrap().id;
    put(&agent, new, "a.md", &[chunk([2; 32], String::new())]);
    agent.write(|tx| tx.flip(new)).unwrap();
    while agent.write(|tx| tx.retire_step(1)).unwrap() {}
    let used = "SELECT count(*) FILTER (WHERE used_ms = 7 AND get_byte(hash, 0) = 2), \
                count(*) FILTER (WHERE used_ms > 7 AND get_byte(hash, 0) = 1) FROM embedding";
    assert_eq!(place.numbers(used), [1, 1]);
}

// The short form of `cargo bench --bench fleet` with 10,000 writes: who writes single files, and merges and clears after
// each as the engine does, has few segments and not many times the words.
#[test]
fn single_writes_leave_few_segments_and_little_dead_room() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let agent = open(&Arc::new(database(&options(&place.url))), &schema, "one");
    let mut random = fastrand::Rng::with_seed(7);
    let mut chunks = || {
        let mut words =
            || (0..300).map(|_| format!("w{}", (200_000_f64.powf(random.f64())) as u32)).collect::<Vec<_>>().join(" ");
        (0..8).map(|_| chunk([1; 32], words())).collect::<Vec<_>>()
    };
    let files: Vec<_> = (0..320).map(|_| chunks()).collect();
    let size = "SELECT pg_relation_size('lex'), (SELECT max(n) FROM (SELECT count(*) AS n FROM segment GROUP BY generation) s)";
    let all_at_once = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    agent
        .write(|tx| {
            files.iter().enumerate().try_for_each(|(n, chunks)| {
                let path = format!("{n}.md");
                let file =
                    NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
                tx.replace_file(all_at_once, &file, chunks).map(drop)
            })
        })
        .unwrap();
    let fresh = place.numbers(size)[0];
    place.change("TRUNCATE lex, lex_dead, segment, merge, chunk, file, generation");
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    let (mut cleared, mut most) = (0, 0);
    for (n, chunks) in files.iter().enumerate() {
        put(&agent, live, &format!("{n}.md"), chunks);
        while agent.write(|tx| tx.merge_words(live)).unwrap() {}
        if n % 20 == 19 {
            // The database counts what is dead with a delay of a second: a person who writes is slower than this.
            std::thread::sleep(Duration::from_millis(1_200));
        }
        cleared += u32::from(agent.vacuum_words(&Cancel::new()).unwrap());
        most = most.max(place.numbers(size)[1]);
    }
    let left = place.numbers(size);
    println!("{fresh} bytes at once, {} in single writes; {most} segments at most, cleared {cleared} times", left[0]);
    assert!(most <= 8);
    assert!(left[0] < 3 * fresh, "{left:?} {fresh}");
}
