use proptest::prelude::*;

use super::*;

const DIMS: usize = 96;

/// Deterministic vectors in a few clusters, as those of notes about a few subjects.
fn vector(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut subject = seed % 7 + 11;
    let mut centre = move || {
        subject = subject.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (subject >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..DIMS).map(|_| centre() + next() * 0.8).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// A place for each chunk.
fn by_id(chunk_id: i64) -> i64 {
    chunk_id
}

fn filled(rows: u64) -> Arena {
    let mut arena = Arena::new(DIMS);
    for i in 0..rows {
        let source = if i % 3 == 0 { Source::Sessions } else { Source::Memory };
        let id = i64::try_from(i).unwrap();
        arena.append(id, id + 1000, source, &code(&vector(i))).unwrap();
    }
    arena
}

fn in_bits(arena: &Arena) -> Arena {
    let mut arena = arena.clone();
    arena.bytes = None;
    assert_eq!(arena.precision(), Precision::Bits);
    arena
}

#[test]
fn bytes_give_the_cosine() {
    let arena = filled(500);
    let query = vector(1_000_003);
    let scan = arena.scan(&query, &[]).unwrap();
    for candidate in scan.top(500, by_id) {
        let exact = cosine(&query, &vector(candidate.chunk_id.cast_unsigned()));
        assert!((candidate.similarity - exact).abs() < 0.01, "{} {exact}", candidate.similarity);
    }
    let exact: Vec<f64> = (0..500).map(|i| f64::from(cosine(&query, &vector(i)))).collect();
    let mean = exact.iter().sum::<f64>() / 500.0;
    assert!((scan.mean() - mean).abs() < 1e-3);
}

#[test]
fn the_best_are_among_the_candidates_in_both_precisions() {
    let bytes = filled(5000);
    for arena in [in_bits(&bytes), bytes] {
        let mut found = 0;
        for seed in 0..20 {
            let query = vector(2_000_000 + seed);
            let mut exact: Vec<(i64, f32)> =
                (0..5000_i64).map(|i| (i, cosine(&query, &vector(i.cast_unsigned())))).collect();
            exact.sort_by(|a, b| b.1.total_cmp(&a.1));
            let top: Vec<i64> =
                arena.scan(&query, &[]).unwrap().top(arena.oversample(24), by_id).iter().map(|c| c.chunk_id).collect();
            found += exact[..24].iter().filter(|(id, _)| top.contains(id)).count();
        }
        assert!(found >= 20 * 24 * 97 / 100, "{:?}: {found} of {}", arena.precision(), 20 * 24);
    }
}

#[test]
fn in_a_large_index_bits_choose_and_bytes_compare() {
    let rows = COARSE_FROM / DIMS + 1000;
    let mut arena = filled(rows as u64);
    arena.remove(17);
    let exact: Vec<(i64, f32)> = {
        let query = vector(3_000_003);
        let ids = (0..rows as i64).filter(|&id| id != 17);
        ids.map(|id| (id, cosine(&query, &vector(id.cast_unsigned())))).collect()
    };
    let of_source = |wanted: &[Source]| {
        let scan = arena.scan(&vector(3_000_003), wanted).unwrap();
        let kept = |id: i64| wanted.is_empty() || (id % 3 == 0) == wanted.contains(&Source::Sessions);
        let mut exact: Vec<(i64, f32)> = exact.iter().copied().filter(|(id, _)| kept(*id)).collect();
        let mean = exact.iter().map(|(_, x)| f64::from(*x)).sum::<f64>() / exact.len() as f64;
        assert!((scan.mean() - mean).abs() < 1e-3, "{} {mean}", scan.mean());
        exact.sort_by(|a, b| b.1.total_cmp(&a.1));
        let top = scan.top(200, by_id);
        for candidate in &top {
            let (_, exact) = exact.iter().find(|(id, _)| *id == candidate.chunk_id).unwrap();
            assert!((candidate.similarity - exact).abs() < 0.01);
            assert_eq!(scan.similarity(candidate.chunk_id), Some(candidate.similarity));
        }
        let found = exact[..24].iter().filter(|(id, _)| top.iter().any(|c| c.chunk_id == *id)).count();
        assert!(found >= 23, "{found} of 24");
    };
    of_source(&[]);
    of_source(&[Source::Memory]);
    of_source(&[Source::Sessions]);
}

#[test]
fn what_bits_rule_out_is_not_among_the_best() {
    let arena = filled(5000);
    let bytes = arena.bytes.as_ref().unwrap();
    let (mut missed, mut read) = (0, 0);
    for seed in 0..50 {
        let query = vector(4_000_000 + seed);
        let mut coarse = Vec::new();
        arena.bits.scan(&query, &mut coarse);
        let coded = CodedQuery::new(&query);
        let rows: Vec<(usize, f32)> = coarse.into_iter().enumerate().collect();
        let precise = |row| bytes.codes.cosine(&coded, row);
        let by_similarity = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1);
        let mut all: Vec<(usize, f32)> = rows.iter().map(|(row, _)| (*row, precise(*row))).collect();
        all.sort_by(by_similarity);
        let some = refined(rows, 128, precise);
        read += some.len();
        missed += all[..128].iter().filter(|best| !some.contains(best)).count();
    }
    assert_eq!(missed, 0);
    assert!(read < 50 * 5000 / 4, "{read} of {} were read", 50 * 5000);
}

#[test]
fn a_source_filter_hides_the_others_everywhere() {
    let arena = filled(30);
    let scan = arena.scan(&vector(5), &[Source::Memory]).unwrap();
    assert_eq!(scan.similarity(3), None);
    assert!(scan.similarity(4).is_some());
    assert_eq!(scan.top(30, by_id).len(), 20);
    assert!(scan.top(30, by_id).iter().all(|c| c.chunk_id % 3 != 0));
}

#[test]
fn queries_without_direction_find_nothing() {
    let arena = filled(3);
    assert!(arena.scan(&[0.0; DIMS], &[]).is_none());
    assert!(arena.scan(&[f32::NAN; DIMS], &[]).is_none());
    assert!(arena.scan(&[1.0; DIMS - 1], &[]).is_none());
    assert!(Arena::new(DIMS).scan(&vector(1), &[]).is_some_and(|scan| scan.top(5, by_id).is_empty()));
}

#[test]
fn a_code_of_another_length_is_refused() {
    let error = Arena::new(DIMS).append(1, 1, Source::Memory, &[1, 2]).unwrap_err();
    assert_eq!(error.code(), Code::Corrupt);
}

#[test]
fn more_than_the_limit_is_kept_as_bits() {
    assert_eq!(Arena::with_capacity(1536, 30_000).precision(), Precision::Int8);
    assert_eq!(Arena::with_capacity(1536, 100_000).precision(), Precision::Bits);
    let dims = INT8_LIMIT / 2;
    let mut arena = Arena::new(dims);
    let codes = vec![1; dims];
    arena.append(1, 1, Source::Memory, &codes).unwrap();
    arena.append(2, 2, Source::Memory, &codes).unwrap();
    assert_eq!(arena.precision(), Precision::Int8);
    arena.append(3, 3, Source::Memory, &codes).unwrap();
    assert_eq!((arena.precision(), arena.len()), (Precision::Bits, 3));
}

proptest! {
    #[test]
    fn changes_equal_a_rebuild(changes in prop::collection::vec((0i64..12, any::<bool>()), 1..60), bits in any::<bool>()) {
        let mut arena = Arena::new(DIMS);
        if bits {
            arena.bytes = None;
        }
        let mut expected = HashMap::new();
        for (step, (chunk_id, add)) in changes.into_iter().enumerate() {
            if add {
                arena.append(chunk_id, step as i64, Source::Memory, &code(&vector(step as u64))).unwrap();
                expected.insert(chunk_id, step as u64);
            } else {
                prop_assert_eq!(arena.remove(chunk_id), expected.remove(&chunk_id).is_some());
            }
        }
        let mut rebuilt = Arena::new(DIMS);
        if bits {
            rebuilt.bytes = None;
        }
        for (&chunk_id, &seed) in &expected {
            rebuilt.append(chunk_id, seed as i64, Source::Memory, &code(&vector(seed))).unwrap();
        }
        let query = vector(77);
        for chunk_id in 0..12 {
            prop_assert_eq!(arena.embedding_of(chunk_id), expected.get(&chunk_id).map(|&seed| seed as i64));
        }
        let (scan, fresh) = (arena.scan(&query, &[]).unwrap(), rebuilt.scan(&query, &[]).unwrap());
        prop_assert_eq!(scan.top(20, by_id), fresh.top(20, by_id));
        // To the digit: whether a chunk is near is told from the mean.
        prop_assert_eq!(scan.mean().to_bits(), fresh.mean().to_bits());
        let centroid = |arena: &Arena| {
            let bytes = arena.bytes.as_ref()?;
            Some(bytes.centroids.mean_cosine(&CodedQuery::new(&query), &[]).to_bits())
        };
        prop_assert_eq!(centroid(&arena), centroid(&rebuilt));
    }

    #[test]
    fn a_shorter_list_is_a_prefix_of_a_longer_one(n in 1usize..50, more in 0usize..50) {
        let arena = filled(120);
        let scan = arena.scan(&vector(9), &[]).unwrap();
        let longer = scan.top(n + more, by_id);
        prop_assert_eq!(&scan.top(n, by_id)[..], &longer[..n.min(longer.len())]);
    }
}
