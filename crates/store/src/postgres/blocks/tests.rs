//! What holds of any terms in any segments, and of any bytes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// Chunks with their terms.
type Chunks = Vec<(i64, Vec<u16>)>;

fn name(term: u16) -> String {
    // Some are in most chunks, so that their lists fill blocks of their own.
    if term < 60_000 { format!("w{}", term % 9) } else { format!("w{term}") }
}

fn build(chunks: &Chunks, dead: &Dead) -> Vec<Stored> {
    let mut builder = Builder::default();
    for (id, terms) in chunks {
        let mut living = vec![ChunkId::new(*id)];
        dead.subtract_from(&mut living);
        if !living.is_empty() {
            builder.add(living[0], &terms.iter().map(|term| name(*term)).collect::<Vec<_>>().join(" "));
        }
    }
    builder.finish()
}

/// What the database does: the block whose first hash is the greatest that is not above that of the term.
fn lookup(segment: &[Stored], term: TermHash) -> Vec<ChunkId> {
    let Some(block) = segment.iter().rev().find(|block| block.first <= term) else { return Vec::new() };
    let block = Block::open(block.first, &block.data).unwrap();
    block.find(term).unwrap().map(|postings| postings.ids().unwrap()).unwrap_or_default()
}

fn merged(segments: &[Vec<Stored>], dead: &Dead) -> Vec<Stored> {
    let segments = segments.iter().map(|blocks| Segment::new(blocks.iter().cloned().map(Ok))).collect();
    Merge::new(segments, dead).collect::<Result<_>>().unwrap()
}

/// Reads all of a block, as a merge does.
fn walk(first: TermHash, data: &[u8]) -> Result<usize> {
    let block = Block::open(first, data)?;
    let (mut cursor, mut chunks) = (Cursor::default(), 0);
    while let Some((_, postings)) = block.next(&mut cursor)? {
        chunks += postings.ids()?.len();
    }
    Ok(chunks)
}

fn chunks() -> impl Strategy<Value = Chunks> {
    let ids = prop_oneof![0..2_000i64, any::<i64>().prop_map(|id| id & i64::MAX)];
    proptest::collection::vec((ids, proptest::collection::vec(any::<u16>(), 0..40)), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn what_is_merged_is_what_one_build_would_have_made(
        segments in proptest::collection::vec(chunks(), 0..6),
        dies in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
    ) {
        let all: Chunks = segments.concat();
        let dead = Dead::new(
            dies.iter().filter(|_| !all.is_empty()).map(|index| ChunkId::new(index.get(&all).0)).collect(),
        );
        let stored: Vec<Vec<Stored>> = segments.iter().map(|chunks| build(chunks, &Dead::default())).collect();
        let one = merged(&stored, &dead);
        prop_assert_eq!(&one, &build(&all, &dead));
        // Two steps give the same as one.
        if let Some((last, before)) = stored.split_last() {
            let two = merged(&[merged(before, &dead), last.clone()], &dead);
            prop_assert_eq!(&two, &one);
        }
        let mut expected: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for (id, terms) in &all {
            for term in terms {
                expected.entry(name(*term)).or_default().insert(*id);
            }
        }
        for (term, ids) in expected {
            let hash = TermHash::of(&term);
            let mut ids: Vec<ChunkId> = ids.into_iter().map(ChunkId::new).collect();
            let mut in_segments: Vec<ChunkId> = stored.iter().flat_map(|segment| lookup(segment, hash)).collect();
            in_segments.sort_unstable();
            in_segments.dedup();
            prop_assert_eq!(&in_segments, &ids);
            dead.subtract_from(&mut ids);
            prop_assert_eq!(lookup(&one, hash), ids);
        }
        prop_assert!(lookup(&one, TermHash::of("nowhere")).is_empty());
    }

    #[test]
    fn a_block_that_was_damaged_is_told(
        chunks in chunks(), which in any::<proptest::sample::Index>(), at in any::<proptest::sample::Index>(), bits in 1u8..,
    ) {
        let segment = build(&chunks, &Dead::default());
        prop_assume!(!segment.is_empty());
        let block = which.get(&segment);
        let at = at.index(block.data.len());
        let mut other = block.data.clone();
        other[at] ^= bits;
        for damaged in [&other, &block.data[..at]] {
            prop_assert_eq!(walk(block.first, damaged).unwrap_err().code(), Code::Corrupt);
        }
        prop_assert_eq!(walk(TermHash(block.first.0 ^ 1), &block.data).unwrap_err().code(), Code::Corrupt);
    }

    // Whoever can write to the database can write the hash as well.
    #[test]
    fn no_bytes_at_all_do_harm(
        chunks in chunks(),
        cuts in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
        noise in proptest::collection::vec(any::<u8>(), 0..64),
        keeps in any::<bool>(),
    ) {
        let mut body = vec![VERSION];
        if let Some(block) = build(&chunks, &Dead::default()).first().filter(|_| keeps) {
            body = block.data[..block.data.len() - 8].to_vec();
            for (at, byte) in cuts {
                *at.get_mut(&mut body) = byte;
            }
        }
        body.extend(noise);
        let first = TermHash(1);
        let data = sealed(body, first.0);
        let length = data.len();
        if let Ok(chunks) = walk(first, &data) {
            prop_assert!(chunks <= length);
        }
        let segments = vec![Segment::new([Ok(Stored { first, data })].into_iter())];
        let none = Dead::default();
        let ends = Merge::new(segments, &none).take(length + 2).count();
        prop_assert!(ends <= length + 1, "a merge ends after its first error");
    }

    #[test]
    fn numbers_are_read_as_they_were_written(number: u64, rest: Vec<u8>) {
        let mut bytes = Vec::new();
        write_number(number, &mut bytes);
        let length = bytes.len();
        bytes.extend(&rest);
        let mut left = &bytes[..];
        prop_assert_eq!(read_number(&mut left).unwrap(), number);
        prop_assert_eq!(left, &rest[..]);
        prop_assert!(read_number(&mut &bytes[..length - 1]).is_err());
    }
}

#[test]
fn a_list_above_all_others_says_so_before_memory_is_asked_for() {
    let mut body = vec![VERSION, 1];
    body.extend(5_i64.to_le_bytes());
    write_number(u64::MAX, &mut body);
    write_number(3, &mut body);
    body.extend([1, 1, 1]);
    let error = walk(TermHash(5), &sealed(body, 5)).unwrap_err();
    assert_eq!(error.code(), Code::Corrupt);
    assert!(error.to_string().contains("a list is shorter than it says"), "{error}");
}

// Some 4 KB each, and a list above that alone.
#[test]
fn blocks_are_of_a_size_that_fills_pages() {
    let mut builder = Builder::default();
    for id in 1..=20_000 {
        builder.add(ChunkId::new(id * 3), &format!("often rare{id}"));
    }
    let blocks = builder.finish();
    let often = TermHash::of("often");
    let (long, short): (Vec<&Stored>, Vec<&Stored>) = blocks.iter().partition(|block| block.first == often);
    assert_eq!(long.len(), 1);
    let long = Block::open(often, &long[0].data).unwrap();
    assert_eq!((long.terms, long.find(often).unwrap().unwrap().len()), (1, 20_000));
    assert!(short.iter().all(|block| block.data.len() <= MOST + 16));
    // But for the last, and the one before the long list.
    assert!(short.iter().filter(|block| block.data.len() < MOST - 32).count() <= 2);
}

#[test]
fn letters_of_ascii_are_the_same_in_both_cases() {
    assert_eq!(TermHash::of("Tea"), TermHash::of("tea"));
    assert_ne!(TermHash::of("Über"), TermHash::of("über"));
}
