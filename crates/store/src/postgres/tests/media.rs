//! Pictures, texts that link to them, and lines of texts: the same on both stores.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{
    embeddings::{MissingText, NewEmbedding},
    files::{Hash, NewChunk, NewFile},
    generations::GenerationState,
    line_vectors::LineData,
    media::{is_media, media_hash},
};
use model::error::Result;

/// What is done to both stores.
#[derive(Debug, Clone)]
enum Step {
    Note(u8, Vec<u8>),
    Picture(u8, u8),
    Rebuild(u8, Vec<u8>),
    Embed(Vec<u8>),
    Refuse(u8),
    Lines(bool, Vec<u8>),
}

/// Of the nth text; every third is a picture.
fn hash(n: u8) -> Hash {
    let content = [n % 12; 32];
    if n.is_multiple_of(3) { media_hash(&content) } else { content }
}

fn chunk(n: u8) -> NewChunk {
    let link = if n.is_multiple_of(2) { "![\0](x.png)" } else { "plain" };
    NewChunk {
        start_line: 1,
        end_line: 1,
        hash: hash(n),
        text: format!("{link} {}", n % 12),
        line_terms: Vec::new(),
        fts_terms: String::new(),
    }
}

/// Both stores have the operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let work = || -> Result<()> {
            let put = |generation, path: &str, chunks: &[NewChunk]| {
                let file = NewFile { source: "memory", path, hash: [1; 32], mtime_ns: 1, size: 2, lines: 3, terms: 4 };
                tx.replace_file(generation, &file, chunks).map(drop)
            };
            let notes = |texts: &[u8]| texts.iter().map(|n| chunk(*n)).collect::<Vec<_>>();
            let live = tx.begin_building("words")?.id;
            let space = |second: bool| Ok(tx.get_or_create_space(if second { "b" } else { "a" })?.id);
            match step {
                Step::Note(name, texts) => {
                    let ending = if name.is_multiple_of(2) { "md" } else { "MD" };
                    put(live, &format!("{}.{ending}", name % 5), &notes(texts))?;
                }
                Step::Picture(name, n) => put(live, &format!("{}.png", name % 5), &notes(&[n / 3 * 3]))?,
                Step::Rebuild(name, texts) => {
                    let rebuilt = tx.begin_rebuild("words")?;
                    put(rebuilt.id, &format!("{}.md", name % 5), &notes(texts))?;
                    if rebuilt.state == GenerationState::Building {
                        tx.flip(rebuilt.id)?;
                    }
                }
                Step::Embed(texts) => {
                    let new = |n: &u8| NewEmbedding { hash: hash(*n), vector: vec![f32::from(*n), 1.0] };
                    tx.insert_embeddings(space(false)?, &texts.iter().map(new).collect::<Vec<_>>())?;
                }
                Step::Refuse(n) => tx.refuse_text(space(false)?, &hash(*n), "no")?,
                Step::Lines(second, texts) => {
                    let lines = |n: &u8| LineData { hash: hash(*n), codes: vec![*n, 0, 1], signs: vec![1, *n] };
                    tx.insert_lines(space(*second)?, &texts.iter().map(lines).collect::<Vec<_>>())?;
                }
            }
            Ok(())
        };
        work()
    }};
}

/// Hash, text and path of what is missing.
type Missing = Vec<(Hash, String, Option<String>)>;

#[derive(Debug, PartialEq)]
struct Seen {
    all: Missing,
    texts: Missing,
    media: Missing,
    lines: BTreeSet<(Hash, String)>,
    pending: (u64, u64),
    files: Vec<(String, Hash, String, u32)>,
    linking: Vec<(String, String)>,
    every: BTreeSet<(String, String, String)>,
    codes: Vec<Option<Vec<u8>>>,
    signs: Vec<Vec<u8>>,
    has_lines: bool,
}

/// All pages.
fn pages<T>(mut page: impl FnMut(Option<&Hash>) -> Result<Vec<T>>, hash: impl Fn(&T) -> Hash) -> Result<Vec<T>> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let next = page(after.as_ref())?;
        let Some(last) = next.last() else { return Ok(all) };
        after = Some(hash(last));
        all.extend(next);
    }
}

macro_rules! seen {
    ($reader:expr, $key:expr) => {{
        let reader = $reader;
        let read = || -> Result<Option<Seen>> {
            let Some(live) = reader.live()?.map(|live| live.id) else { return Ok(None) };
            let known = reader.space($key)?.map(|space| space.id);
            let space = known.unwrap_or_default();
            let of_text = |text: MissingText| (text.hash, text.text, None);
            let texts = |found: Vec<MissingText>| found.into_iter().map(of_text).collect::<Missing>();
            let hash = |text: &MissingText| text.hash;
            let media = pages(|after| reader.missing_media(live, space, after, 2), |missing| missing.hash)?;
            let mut linking = Vec::new();
            reader
                .for_each_linking_text(live, "memory", |path, text| linking.push((path.to_owned(), text.to_owned())))?;
            let (mut every, mut first) = (BTreeSet::new(), 0);
            reader.for_each_text(|source, path, text| {
                every.insert((source.to_owned(), path.to_owned(), text.to_owned()));
                true
            })?;
            reader.for_each_text(|_, _, _| {
                first += 1;
                false
            })?;
            assert_eq!(first, every.len().min(1), "no more is read than is wanted");
            let chunks = reader.chunk_ids(live)?;
            Ok(Some(Seen {
                all: texts(pages(|after| reader.missing_embeddings(live, space, after, 2), hash)?),
                texts: texts(pages(|after| reader.unembedded_texts(live, space, after, 2), hash)?),
                media: media.into_iter().map(|missing| (missing.hash, missing.text, Some(missing.path))).collect(),
                lines: pages(|after| reader.missing_line_vectors(live, space, after, 2), hash)?
                    .into_iter()
                    .map(|missing| (missing.hash, missing.text))
                    .collect(),
                pending: (reader.pending_lines(live, known)?, reader.pending_lines(live, None)?),
                files: reader
                    .media_files(live, "memory")?
                    .into_iter()
                    .map(|file| (file.path, file.hash, file.text, file.row.terms))
                    .collect(),
                linking,
                every,
                codes: reader.line_codes(space, &chunks)?.into_iter().map(|(_, codes)| codes).collect(),
                signs: reader.line_signs(space, &chunks)?.into_iter().map(|(_, signs)| signs).collect(),
                has_lines: reader.has_line_vectors(space)?,
            }))
        };
        read()
    }};
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let texts = || proptest::collection::vec(any::<u8>(), 0..6);
    let step = prop_oneof![
        4 => (any::<u8>(), texts()).prop_map(|(name, texts)| Step::Note(name, texts)),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(name, n)| Step::Picture(name, n)),
        1 => (any::<u8>(), texts()).prop_map(|(name, texts)| Step::Rebuild(name, texts)),
        2 => texts().prop_map(Step::Embed),
        1 => any::<u8>().prop_map(Step::Refuse),
        3 => (any::<bool>(), texts()).prop_map(|(second, texts)| Step::Lines(second, texts)),
    ];
    proptest::collection::vec(step, 1..24)
}

#[test]
fn both_stores_know_the_same_of_pictures_links_and_lines() {
    let Some((_place, schema, database)) = prepared() else { return };
    let config = cases(24, file!());
    proptest!(config, |(steps in steps())| {
        let (_folder, sqlite) = sqlite_beside();
        // A tenant of its own: vectors are the tenant's.
        let agent = open_in(&database, &schema, &Uuid::new_v4().to_string(), "one");
        for step in &steps {
            let same = step.clone();
            sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            agent.write(|tx| apply!(tx, step)).unwrap();
        }
        let compare = || {
            for key in ["a", "b", "c"] {
                let expected: Result<Option<Seen>> = sqlite.read(|reader| seen!(reader, key));
                let found: Result<Option<Seen>> = agent.read(&Cancel::new(), |reader| seen!(reader, key));
                prop_assert_eq!(found.unwrap(), expected.unwrap());
            }
            Ok(())
        };
        compare()?;
        // What has left the index takes its lines with it, a few at a time.
        while sqlite.write(|tx| tx.retire_step(3)).unwrap() {}
        while agent.write(|tx| tx.retire_step(3)).unwrap() {}
        let mut gone = (0, 0);
        for _ in 0..40 {
            gone.0 += agent.write(|tx| tx.prune_lines(1)).unwrap();
            gone.1 += sqlite.write(|tx| tx.prune_lines(1)).unwrap();
        }
        prop_assert_eq!(gone.0, gone.1);
        compare()?;
        sqlite.close();
    });
}

#[test]
fn all_texts_of_an_index_are_read_some_at_a_time() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let agent = open(&Arc::new(place.role()), &schema, "one");
    let texts: Vec<u8> = (0..=255).cycle().take(1_501).collect();
    agent.write(|tx| apply!(tx, &Step::Note(0, texts.clone()))).unwrap();
    let count = |most: usize| {
        let mut read = 0;
        let each = |reader: &crate::postgres::agent::Reader<'_>| {
            reader.for_each_text(|_, _, _| {
                read += 1;
                read < most
            })?;
            // The transaction goes on.
            reader.live()
        };
        assert!(agent.read(&Cancel::new(), each).unwrap().is_some());
        read
    };
    assert_eq!([1, 500, 501, 1_500, usize::MAX].map(count), [1, 500, 501, 1_500, 1_501]);
    assert!(is_media(&hash(0)) && !is_media(&hash(1)));
}
