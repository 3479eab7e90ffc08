//! Words in blocks: `cargo bench -p store --features postgres --bench blocks`.
#![expect(clippy::expect_used, reason = "a bench says what is wrong by failing")]

use divan::{Bencher, black_box};
use store::{
    ids::ChunkId,
    postgres::blocks::{Block, Builder, Dead, Merge, Segment, Stored, TermHash},
};

const CHUNKS: i64 = 100_000;
/// What queries of 3 to 8 words hold together, on the average.
const POSTINGS: i64 = 38_600;

fn main() {
    divan::main();
}

/// A segment with so many words that share the postings of a query, each with its share of random chunks, and of ten rare
/// words in each chunk what a block of neighbours needs.
fn segment(words: i64, chunks: std::ops::Range<i64>) -> Vec<Stored> {
    let mut state = 7_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as i64
    };
    let mut builder = Builder::default();
    for chunk in chunks {
        let mut terms: Vec<String> = (0..10).map(|_| format!("rare{}", random() % 300_000)).collect();
        terms.extend((0..words).filter(|_| random() % CHUNKS < POSTINGS / words).map(|word| format!("word{word}")));
        builder.add(ChunkId::new(chunk), &terms.join(" "));
    }
    builder.finish()
}

/// The blocks that the words of a query are in.
fn fetched(segment: &[Stored], words: i64) -> Vec<(TermHash, &Stored)> {
    let terms = (0..words).map(|word| TermHash::of(&format!("word{word}")));
    let block = |term: TermHash| segment.iter().rev().find(|block| block.first <= term).expect("a block for each term");
    terms.map(|term| (term, block(term))).collect()
}

/// Adds up what the words of each chunk are worth, as the lexical leg of a search does.
fn sum<'a>(lists: impl Iterator<Item = Vec<ChunkId>> + 'a) -> Vec<(ChunkId, f64)> {
    let mut sums: Vec<(ChunkId, f64)> = Vec::new();
    for (word, ids) in lists.enumerate() {
        let gain = 1.0 + word as f64;
        let mut both = Vec::with_capacity(sums.len() + ids.len());
        let (mut left, mut right) = (sums.into_iter().peekable(), ids.into_iter().peekable());
        loop {
            both.push(match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.0 == *b => (*b, a.1 + gain),
                (Some(a), Some(b)) if a.0 < *b => *a,
                (_, Some(b)) => (*b, gain),
                (Some(a), None) => *a,
                (None, None) => break,
            });
            let last = both[both.len() - 1].0;
            left.next_if(|a| a.0 == last);
            right.next_if(|b| *b == last);
        }
        sums = both;
    }
    sums
}

/// Blocks that are in memory.
#[divan::bench(args = [3, 8])]
fn warm(bencher: Bencher<'_, '_>, words: i64) {
    let segment = segment(words, 1..CHUNKS);
    let blocks: Vec<_> = fetched(&segment, words)
        .into_iter()
        .map(|(term, block)| (term, Block::open(block.first, &block.data).expect("sound")))
        .collect();
    bencher.bench(|| {
        sum(blocks.iter().map(|(term, block)| {
            let found = block.find(black_box(*term)).expect("sound").expect("it is in its block");
            found.ids().expect("sound")
        }))
    });
}

/// Blocks that were read just now.
#[divan::bench(args = [3, 8])]
fn cold(bencher: Bencher<'_, '_>, words: i64) {
    let segment = segment(words, 1..CHUNKS);
    let blocks = fetched(&segment, words);
    bencher.bench(|| {
        sum(blocks.iter().map(|(term, stored)| {
            let block = Block::open(stored.first, black_box(&stored.data)).expect("sound");
            let found = block.find(*term).expect("sound").expect("it is in its block");
            found.ids().expect("sound")
        }))
    });
}

/// Eight segments of all chunks into one.
#[divan::bench(sample_count = 10)]
fn merge_8(bencher: Bencher<'_, '_>) {
    let part = CHUNKS / 8;
    let segments: Vec<Vec<Stored>> = (0..8).map(|at| segment(8, at * part..(at + 1) * part)).collect();
    bencher.bench(|| {
        let none = Dead::default();
        let segments = segments.iter().map(|blocks| Segment::new(blocks.iter().cloned().map(Ok))).collect();
        Merge::new(segments, &none).map(|block| block.expect("sound").data.len()).sum::<usize>()
    });
}
