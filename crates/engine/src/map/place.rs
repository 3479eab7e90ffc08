//! Where a passage lies: in the disc of the landmark it is most like, towards the others that it is like.

use rayon::prelude::*;

use super::{Disc, Landmarks, Point};
use model::{cancel::Cancel, error::Result};

/// Landmarks that draw a passage; the next one says how much each of them stands out.
const DRAWING: usize = 5;
/// How far they draw it, as a share of the way.
const DRAWN: f32 = 0.3;

/// Vectors between two looks at whether somebody still waits.
const STEP: usize = 4096;

/// A passage on the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    /// Where.
    pub at: Point,
    /// The landmark it is most like.
    pub landmark: usize,
    /// The cosine with it.
    pub similar: f32,
}

/// The places of quantised vectors of the landmarks' length.
///
/// # Errors
/// When it was cancelled, or there are no threads.
pub(crate) fn place(landmarks: &Landmarks, discs: &[Disc], codes: &[i8], cancel: &Cancel) -> Result<Vec<Placed>> {
    let pool = model::parallel::pool()?;
    let dims = landmarks.dims().max(1);
    let axes = [axis(dims, 1), axis(dims, 2)];
    let one = |code: &[i8]| {
        let mut placed = among(&landmarks.cosines(code), discs);
        if let (Some(disc), Some(landmark)) = (discs.get(placed.landmark), landmarks.each().nth(placed.landmark)) {
            let [x, y] = axes.each_ref().map(|axis| disc.radius * aside(code, landmark, placed.similar, axis));
            placed.at = Point { x: (placed.at.x + x).clamp(0.0, 1.0), y: (placed.at.y + y).clamp(0.0, 1.0) };
        }
        placed
    };
    let mut placed = Vec::with_capacity(codes.len() / dims);
    for step in codes.chunks(STEP * dims) {
        cancel.check()?;
        placed.extend(pool.install(|| step.par_chunks_exact(dims).map(one).collect::<Vec<_>>()));
    }
    Ok(placed)
}

fn among(cosines: &[f32], discs: &[Disc]) -> Placed {
    let mut order: Vec<usize> = (0..cosines.len().min(discs.len())).collect();
    order.sort_by(|a, b| cosines[*b].total_cmp(&cosines[*a]).then(a.cmp(b)));
    let Some(&landmark) = order.first() else {
        return Placed { at: Point::default(), landmark: 0, similar: 0.0 };
    };
    let floor = order.get(DRAWING).map_or(-1.0, |next| cosines[*next]);
    let (mut sum, mut towards) = (0.0, Point::default());
    for &near in order.iter().take(DRAWING) {
        let weight = (cosines[near] - floor).powi(2);
        sum += weight;
        towards.x += weight * discs[near].at.x;
        towards.y += weight * discs[near].at.y;
    }
    let home = discs[landmark].at;
    let drawn = |home: f32, towards: f32| if sum > 0.0 { home + DRAWN * (towards / sum - home) } else { home };
    let at = Point { x: drawn(home.x, towards.x), y: drawn(home.y, towards.y) };
    Placed { at, landmark, similar: cosines[landmark] }
}

/// A direction that has to do with nothing, the same each time: signs of a sequence of SplitMix64 (Steele et al., 2014).
fn axis(dims: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut sign = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        if (z ^ (z >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
    };
    (0..dims).map(|_| sign()).collect()
}

/// How far a vector lies from its landmark along an axis, −1 to 1: by what of its direction the landmark does not have.
fn aside(code: &[i8], landmark: &[i8], similar: f32, axis: &[f32]) -> f32 {
    let length = |values: &[i8]| values.iter().map(|value| f32::from(*value).powi(2)).sum::<f32>().sqrt().max(1.0);
    let (of_code, of_landmark) = (length(code), length(landmark));
    let along: f32 = code
        .iter()
        .zip(landmark)
        .zip(axis)
        .map(|((code, landmark), axis)| {
            axis * (f32::from(*code) / of_code - similar * f32::from(*landmark) / of_landmark)
        })
        .sum();
    // A sum of as many signs has a deviation of one when the rest has the length one.
    let rest = (1.0 - similar.powi(2)).max(1e-6).sqrt();
    (0.5 * along / rest).tanh()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISCS: [Disc; 3] = [
        Disc { at: Point { x: 0.1, y: 0.1 }, radius: 0.1 },
        Disc { at: Point { x: 0.9, y: 0.1 }, radius: 0.1 },
        Disc { at: Point { x: 0.1, y: 0.9 }, radius: 0.1 },
    ];

    #[test]
    fn a_passage_lies_nearest_to_what_it_is_most_like() {
        let placed = among(&[0.9, 0.2, 0.1], &DISCS);
        assert_eq!((placed.landmark, placed.similar), (0, 0.9));
        assert!(placed.at.x < 0.3 && placed.at.y < 0.3);
        let between = among(&[0.9, 0.9, -1.0], &DISCS);
        assert!(between.at.x > placed.at.x && between.at.x < 0.5, "drawn to the other one: {between:?}");
    }

    #[test]
    fn a_passage_that_is_like_all_of_them_has_a_place() {
        assert_eq!(among(&[0.5; 9], &[DISCS[0]; 9]).at, DISCS[0].at);
        assert_eq!(among(&[], &[]).at, Point::default());
    }

    #[test]
    fn passages_of_one_landmark_lie_side_by_side_and_the_same_ones_in_one_place() {
        let codes: Vec<i8> = (0..64).map(|n: i32| if n % 16 == n / 16 { 100 } else { (n % 7) as i8 }).collect();
        let landmarks: Landmarks = serde_json::from_str(&format!(
            r#"{{"dims":16,"codes":"{}"}}"#,
            base64::Engine::encode(&base64::prelude::BASE64_STANDARD, [64_u8; 16])
        ))
        .unwrap();
        let doubled = [codes.clone(), codes].concat();
        let placed = place(&landmarks, &DISCS[..1], &doubled, &Cancel::new()).unwrap();
        assert_eq!(placed[..4], placed[4..]);
        for (at, one) in placed[..4].iter().enumerate() {
            assert!(placed[at + 1..4].iter().all(|other| other.at != one.at));
            assert!((one.at.x - 0.1).abs() <= 0.11 && (one.at.y - 0.1).abs() <= 0.11, "{one:?}");
        }
    }
}
