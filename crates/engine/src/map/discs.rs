//! Room for each landmark: a disc as large as its share of the passages, near where t-SNE has put it, over no other one.
//!
//! t-SNE leaves groups that are much alike in one spot and most of the plane empty. Pushing discs apart, as cartograms do
//! (Dorling, 1996), uses all of it, and a region is as large as what lies there.

use serde::{Deserialize, Serialize};

use super::Point;

/// Where the passages of a landmark lie.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Disc {
    /// The middle, 0 to 1 on both axes.
    pub at: Point,
    /// The radius, as a share of the map's width.
    pub radius: f32,
}

/// Share of the map that the discs take together: more could not move any more.
const FILLED: f32 = 0.5;
/// The smallest disc beside the mean one, in area.
const LEAST: f32 = 0.2;
/// Rounds of pushing; hardly two discs touch after fewer.
const ROUNDS: usize = 400;
/// Radians between one and the next.
const GOLDEN_ANGLE: f32 = 2.399_963;
/// How far a disc is moved before it is pushed.
const NUDGE: f32 = 0.02;
/// How much of the way back to where it belongs a disc goes in each round.
const HOMESICK: f32 = 0.01;

/// Discs around the places of landmarks that stand for so many passages each.
pub(crate) fn discs(places: &[Point], members: &[usize]) -> Vec<Disc> {
    #[expect(clippy::cast_precision_loss, reason = "counts of passages")]
    let shares: Vec<f32> = {
        let mean = members.iter().sum::<usize>() as f32 / members.len().max(1) as f32;
        members.iter().map(|count| (*count as f32 / mean.max(1.0)).max(LEAST)).collect()
    };
    let area = FILLED / shares.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let radii: Vec<f32> = shares.iter().map(|share| (share * area / std::f32::consts::PI).sqrt()).collect();
    let home = fitted(places, &vec![0.0; places.len()]).0;
    // Those in one line or one place need a side to go to: each its own.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let nudge = |n: usize| (n as f32 * GOLDEN_ANGLE).sin_cos();
    let nudged = |(n, at): (usize, &Point)| Point { x: at.x + NUDGE * nudge(n).0, y: at.y + NUDGE * nudge(n).1 };
    let mut at: Vec<Point> = home.iter().enumerate().map(nudged).collect();
    for _ in 0..ROUNDS {
        for one in 0..at.len() {
            for other in one + 1..at.len() {
                let (x, y) = (at[other].x - at[one].x, at[other].y - at[one].y);
                let apart = x.hypot(y);
                let overlap = radii[one] + radii[other] - apart;
                if overlap > 0.0 {
                    // Two in the same place part along the first axis.
                    let (x, y) = if apart > 1e-6 { (x / apart, y / apart) } else { (1.0, 0.0) };
                    let half = overlap / 2.0;
                    at[one] = Point { x: at[one].x - half * x, y: at[one].y - half * y };
                    at[other] = Point { x: at[other].x + half * x, y: at[other].y + half * y };
                }
            }
        }
        for (at, home) in at.iter_mut().zip(&home) {
            at.x += HOMESICK * (home.x - at.x);
            at.y += HOMESICK * (home.y - at.y);
        }
    }
    let (at, scale) = fitted(&at, &radii);
    at.into_iter().zip(radii).map(|(at, radius)| Disc { at, radius: radius * scale }).collect()
}

/// Places moved and scaled so that discs of these radii around them fill the square from 0 to 1, each axis by itself, and by
/// how much distances grew at least.
fn fitted(places: &[Point], radii: &[f32]) -> (Vec<Point>, f32) {
    let axis = |of: fn(&Point) -> f32| {
        let edges = || places.iter().zip(radii).map(|(place, radius)| (of(place) - radius, of(place) + radius));
        let (least, most) = edges().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, m), (a, b)| (l.min(a), m.max(b)));
        (least, if most > least { 1.0 / (most - least) } else { 1.0 })
    };
    let ((left, across), (top, down)) = (axis(|place| place.x), axis(|place| place.y));
    let moved = places.iter().map(|place| Point { x: (place.x - left) * across, y: (place.y - top) * down });
    (moved.collect(), across.min(down))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_lie_beside_each_other_within_the_map_and_are_as_large_as_their_share() {
        // Forty in two spots.
        let places: Vec<Point> = (0..40).map(|n| Point { x: (n % 2) as f32, y: 0.001 * n as f32 }).collect();
        let members: Vec<usize> = (0..40).map(|n| if n < 2 { 400 } else { 100 }).collect();
        let found = discs(&places, &members);
        for (at, disc) in found.iter().enumerate() {
            assert!((0.0..=1.0).contains(&disc.at.x) && (0.0..=1.0).contains(&disc.at.y), "{disc:?}");
            for other in &found[at + 1..] {
                let apart = (disc.at.x - other.at.x).hypot(disc.at.y - other.at.y);
                assert!(apart > 0.7 * (disc.radius + other.radius), "{disc:?} {other:?}");
            }
        }
        assert!((found[0].radius / found[5].radius - 2.0).abs() < 1e-3);
        let side = |n: usize| found[n].at.x;
        let mean = |odd: usize| (odd..40).step_by(2).map(side).sum::<f32>() / 20.0;
        assert!(mean(0) < mean(1), "what was left stays left");
    }

    #[test]
    fn any_number_of_discs_has_a_place() {
        for n in [0, 1, 2, 3] {
            let found = discs(&vec![Point::default(); n], &vec![0; n]);
            assert_eq!(found.len(), n);
            assert!(found.iter().all(|disc| disc.at.x.is_finite() && disc.radius.is_finite() && disc.radius > 0.0));
        }
    }
}
