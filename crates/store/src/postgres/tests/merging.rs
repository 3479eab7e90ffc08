//! A merge in steps: whoever searches in between finds what was found before, whatever is written meanwhile, and whoever
//! goes on with it.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::{
    files::{NewChunk, NewFile},
    generations::GenerationId,
};
use model::error::Result;

/// Files by name, the words of each chunk.
type Files = BTreeMap<u8, Vec<BTreeSet<u16>>>;

/// So many words that those of a chunk fill a block.
fn words(seed: u64) -> BTreeSet<u16> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..400).map(|_| if random.bool() { random.u16(..4_000) } else { random.u16(..40) }).collect()
}

fn chunks(of_file: &[BTreeSet<u16>]) -> Vec<NewChunk> {
    let chunk = |(at, words): (usize, &BTreeSet<u16>)| NewChunk {
        start_line: at as u32,
        end_line: at as u32,
        hash: [1; 32],
        text: "text".to_owned(),
        line_terms: Vec::new(),
        fts_terms: words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" "),
    };
    of_file.iter().enumerate().map(chunk).collect()
}

fn put(agent: &Agent, generation: GenerationId, name: u8, of_file: &[BTreeSet<u16>]) {
    let path = format!("{name}.md");
    agent
        .write(|tx| {
            if of_file.is_empty() {
                return tx.delete_file(generation, "memory", &path).map(drop);
            }
            let file =
                NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
            tx.replace_file(generation, &file, &chunks(of_file)).map(drop)
        })
        .unwrap();
}

/// Of some words the files and lines they are in: as they were written, and as they are found.
fn expected(files: &Files) -> Vec<BTreeSet<(String, u32)>> {
    let of_word = |word: u16| {
        let of_file = |(name, chunks): (&u8, &Vec<BTreeSet<u16>>)| {
            let lines = chunks.iter().enumerate().filter(|(_, words)| words.contains(&word));
            lines.map(|(at, _)| (format!("{name}.md"), at as u32)).collect::<Vec<_>>()
        };
        files.iter().flat_map(of_file).collect()
    };
    (0..4_000).step_by(9).map(of_word).collect()
}

fn found(agent: &Agent, generation: GenerationId) -> Vec<BTreeSet<(String, u32)>> {
    let words: Vec<String> = (0..4_000).step_by(9).map(|word| format!("w{word}")).collect();
    let terms: Vec<&str> = words.iter().map(String::as_str).collect();
    let find = |reader: &crate::postgres::agent::Reader<'_>| -> Result<_> {
        let rows = reader.chunks(&reader.chunk_ids(generation)?)?;
        let places: BTreeMap<_, _> = rows.into_iter().map(|row| (row.id, (row.path, row.start_line))).collect();
        let postings = reader.postings_among(generation, &terms, None)?;
        // What is gone must not be among them: it would count as a place where the word stands.
        Ok(postings.into_iter().map(|ids| ids.iter().map(|id| places[id].clone()).collect()).collect())
    };
    agent.read(&Cancel::new(), find).unwrap()
}

/// What happens between two steps of a merge.
#[derive(Debug, Clone)]
enum Between {
    Nothing,
    Write(u8, Vec<u64>),
}

#[test]
fn whoever_searches_between_two_steps_finds_the_same() {
    let Some((place, schema, database)) = prepared() else { return };
    let between = prop_oneof![
        2 => Just(Between::Nothing),
        1 => (0..14_u8, proptest::collection::vec(any::<u64>(), 0..3)).prop_map(|(name, seeds)| Between::Write(name, seeds)),
    ];
    let config = cases(8, file!());
    proptest!(config, |(seed in any::<u64>(), blocks in 1..3_i64, between in proptest::collection::vec(between, 40))| {
        let name = Uuid::new_v4().to_string();
        // Two take turns: what one has begun the other goes on with.
        let agents = [open(&database, &schema, &name), open(&database, &schema, &name)];
        let live = agents[0].write(|tx| tx.begin_building("words")).unwrap().id;
        let mut files = Files::new();
        for at in 0..11_u8 {
            let of_file: Vec<_> = (0..3).map(|n| words(seed.wrapping_add(u64::from(at) * 3 + n))).collect();
            put(&agents[0], live, at, &of_file);
            files.insert(at, of_file);
        }
        let (mut steps, mut all) = (0, between.iter().cycle());
        while agents[steps % 2].write(|tx| tx.merge_words_by(live, blocks)).unwrap() {
            prop_assert_eq!(found(&agents[(steps + 1) % 2], live), expected(&files), "after step {}", steps);
            steps += 1;
            // It ends however much is written, as long as that gets less.
            if let Some(Between::Write(name, seeds)) = all.next().filter(|_| steps < 40) {
                let of_file: Vec<_> = seeds.iter().map(|seed| words(*seed)).collect();
                put(&agents[0], live, *name, &of_file);
                files.insert(*name, of_file);
                prop_assert_eq!(found(&agents[1], live), expected(&files), "after a write before step {}", steps);
            }
        }
        prop_assert!(blocks > 1 || steps > 4, "it took several steps: {}", steps);
        prop_assert_eq!(found(&agents[0], live), expected(&files));
        // Nothing is left of what was merged.
        let agent = agents[0].read(&Cancel::new(), |reader| Ok(reader.agent)).unwrap();
        let left = format!(
            "SELECT (SELECT count(*) FROM merge WHERE agent = {agent}), (SELECT count(*) FROM lex l WHERE agent = {agent} \
             AND NOT EXISTS (SELECT 1 FROM segment s WHERE s.agent = {agent} AND s.id = l.segment)), \
             (SELECT count(*) FROM segment WHERE agent = {agent} AND bytes <> (SELECT coalesce(sum(length(data)), 0) FROM lex l \
              WHERE l.agent = {agent} AND l.segment = segment.id)), (SELECT count(*) FROM segment WHERE agent = {agent})"
        );
        let left = place.numbers(&left);
        prop_assert_eq!(&left[..3], &[0, 0, 0]);
        prop_assert!(left[3] <= 8);
    });
}

#[test]
fn room_of_merged_words_is_used_again_by_whoever_may_clear_it() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let [ordinary, owner] = [place.role(), database(&options(&place.url))].map(Arc::new);
    let agents = [open(&ordinary, &schema, "one"), open(&owner, &schema, "one")];
    let live = agents[0].write(|tx| tx.begin_building("words")).unwrap().id;
    let of_file = [words(1), words(2), words(3)];
    let (mut cleared, mut sizes) = (0, Vec::new());
    let started = std::time::Instant::now();
    // Until it was cleared twice: the database says with a delay what is dead.
    while cleared < 2 {
        assert!(started.elapsed() < Duration::from_secs(180), "nothing is cleared: {sizes:?}");
        for name in 0..40 {
            put(&agents[1], live, name, &of_file);
            while agents[1].write(|tx| tx.merge_words(live)).unwrap() {}
        }
        assert!(!agents[0].vacuum_words(&Cancel::new()).unwrap(), "the table is another's");
        if agents[1].vacuum_words(&Cancel::new()).unwrap() {
            cleared += 1;
            sizes.push(place.numbers("SELECT pg_relation_size('lex')")[0]);
        }
    }
    let vacuums = "SELECT vacuum_count FROM pg_stat_user_tables WHERE relid = 'lex'::regclass";
    while place.numbers(vacuums)[0] < 2 {
        assert!(started.elapsed() < Duration::from_secs(180), "it was not cleared");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(found(&agents[0], live).iter().map(BTreeSet::len).sum::<usize>(), {
        expected(&(0..40).map(|name| (name, of_file.to_vec())).collect()).iter().map(BTreeSet::len).sum::<usize>()
    });
}
