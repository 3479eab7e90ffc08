//! Landmarks in the plane: t-SNE (van der Maaten and Hinton, 2008) of all pairs, which takes milliseconds for a few hundred.
//!
//! Our own because it has to begin where the last map was, and give the same map for the same notes: `bhtsne` begins
//! anywhere.

use serde::{Deserialize, Serialize};

/// A place on the map.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// To the right.
    pub x: f32,
    /// Downwards.
    pub y: f32,
}

/// Neighbours that count; fewer where there are few landmarks.
const PERPLEXITY: f32 = 12.0;
/// Steps from nothing, of which the first draw groups together, and steps from a map that was there.
const STEPS: usize = 600;
const DRAWN_TOGETHER: usize = 120;
const STEPS_FROM_BEFORE: usize = 150;
/// By how much the first steps draw groups together.
const EXAGGERATION: f32 = 8.0;
const LEARNING_RATE: f32 = 20.0;

/// How wide what t-SNE makes of some hundred landmarks is, roughly.
const WIDTH: f32 = 20.0;

/// Places of `n` landmarks by the cosine of each with each, `similar`, row by row. `before` is where they would lie on the
/// last map, 0 to 1 on both axes.
pub(crate) fn plane(n: usize, similar: &[f32], before: Option<Vec<Point>>) -> Vec<Point> {
    if n < 3 {
        #[expect(clippy::cast_precision_loss, reason = "0, 1 or 2")]
        return (0..n).map(|at| Point { x: at as f32, y: 0.0 }).collect();
    }
    let near = neighbours(n, similar);
    let before = before.filter(|places| places.len() == n);
    let (steps, drawn_together) = if before.is_some() { (STEPS_FROM_BEFORE, 0) } else { (STEPS, DRAWN_TOGETHER) };
    let grown = |at: Point| Point { x: WIDTH * (at.x - 0.5), y: WIDTH * (at.y - 0.5) };
    let mut places = before.map_or_else(|| principal(n, similar), |places| places.into_iter().map(grown).collect());
    let mut speed = vec![Point::default(); n];
    for step in 0..steps {
        let (pull, momentum) = if step < drawn_together { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let slope = slope(&places, &near, pull);
        for ((place, speed), slope) in places.iter_mut().zip(&mut speed).zip(slope) {
            speed.x = momentum * speed.x - LEARNING_RATE * slope.x;
            speed.y = momentum * speed.y - LEARNING_RATE * slope.y;
            place.x += speed.x;
            place.y += speed.y;
        }
    }
    places
}

/// How likely each is a neighbour of each, as one distribution over all pairs.
fn neighbours(n: usize, similar: &[f32]) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let all = n as f32;
    let wanted = PERPLEXITY.min((all - 1.0) / 3.0).max(1.0).ln();
    let mut near = vec![0.0; n * n];
    for (at, row) in similar.chunks_exact(n).enumerate() {
        let apart: Vec<f32> = row.iter().map(|cosine| (1.0 - cosine).max(0.0)).collect();
        let nearest =
            apart.iter().enumerate().filter(|(other, _)| *other != at).fold(f32::MAX, |least, (_, d)| least.min(*d));
        let (mut low, mut high, mut sharpness) = (0.0_f32, f32::INFINITY, 1.0_f32);
        let mut weights = vec![0.0; n];
        for _ in 0..40 {
            for (other, weight) in weights.iter_mut().enumerate() {
                *weight = if other == at { 0.0 } else { (-(apart[other] - nearest) * sharpness).exp() };
            }
            let sum: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
            let entropy: f32 = weights.iter().filter(|w| **w > 0.0).map(|w| -(w / sum) * (w / sum).ln()).sum();
            weights.iter_mut().for_each(|weight| *weight /= sum);
            if (entropy - wanted).abs() < 1e-3 {
                break;
            }
            if entropy > wanted {
                low = sharpness
            } else {
                high = sharpness
            }
            sharpness = if high.is_finite() { f32::midpoint(low, high) } else { sharpness * 2.0 };
        }
        for (other, weight) in weights.into_iter().enumerate() {
            near[at * n + other] += weight / (2.0 * all);
            near[other * n + at] += weight / (2.0 * all);
        }
    }
    near
}

/// Where each would move to be nearer to its neighbours and away from all others.
fn slope(places: &[Point], near: &[f32], pull: f32) -> Vec<Point> {
    let n = places.len();
    let close = |a: Point, b: Point| 1.0 / (1.0 + (a.x - b.x).powi(2) + (a.y - b.y).powi(2));
    let all: f32 = places.iter().map(|a| places.iter().map(|b| close(*a, *b)).sum::<f32>() - 1.0).sum();
    let of = |at: usize, a: Point| {
        let mut slope = Point::default();
        for (b, near) in places.iter().zip(&near[at * n..(at + 1) * n]) {
            let close = close(a, *b);
            let force = 4.0 * (pull * near - close / all.max(f32::MIN_POSITIVE)) * close;
            slope.x += force * (a.x - b.x);
            slope.y += force * (a.y - b.y);
        }
        slope
    };
    places.iter().enumerate().map(|(at, place)| of(at, *place)).collect()
}

/// The two directions in which they differ most, small: where t-SNE begins.
fn principal(n: usize, similar: &[f32]) -> Vec<Point> {
    let mean_of = |row: &[f32]| row.iter().sum::<f32>() / n as f32;
    let means: Vec<f32> = similar.chunks_exact(n).map(mean_of).collect();
    let mean = mean_of(&means);
    let centered: Vec<f32> =
        similar.iter().enumerate().map(|(at, cosine)| cosine - means[at / n] - means[at % n] + mean).collect();
    let first = direction(n, &centered, None);
    let second = direction(n, &centered, Some(&first));
    first.iter().zip(&second).map(|(x, y)| Point { x: 0.01 * x, y: 0.01 * y }).collect()
}

/// The strongest direction of a symmetric matrix, at a right angle to another one: power iteration.
fn direction(n: usize, matrix: &[f32], other: Option<&[f32]>) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let mut found: Vec<f32> = (0..n).map(|at| ((at * 7 + 3) as f32).sin()).collect();
    for _ in 0..60 {
        found = matrix.chunks_exact(n).map(|row| row.iter().zip(&found).map(|(a, b)| a * b).sum()).collect();
        if let Some(other) = other {
            let along: f32 = found.iter().zip(other).map(|(a, b)| a * b).sum();
            found.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
        }
        let length = found.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        found.iter_mut().for_each(|value| *value /= length);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups of landmarks: alike within, apart between.
    fn similar(n: usize) -> Vec<f32> {
        let cosine = |a: usize, b: usize| {
            if a == b {
                1.0
            } else if a % 3 == b % 3 {
                0.8
            } else {
                0.1
            }
        };
        (0..n).flat_map(|a| (0..n).map(move |b| cosine(a, b))).collect()
    }

    fn apart(a: Point, b: Point) -> f32 {
        (a.x - b.x).hypot(a.y - b.y)
    }

    #[test]
    fn what_is_alike_lies_together() {
        let places = plane(30, &similar(30), None);
        let mean = |same: bool| {
            let pairs =
                (0..30).flat_map(|a| (0..30).map(move |b| (a, b))).filter(|(a, b)| a != b && (a % 3 == b % 3) == same);
            let apart: Vec<f32> = pairs.map(|(a, b)| apart(places[a], places[b])).collect();
            apart.iter().sum::<f32>() / apart.len() as f32
        };
        assert!(mean(true) * 2.0 < mean(false), "{} within, {} between", mean(true), mean(false));
        assert_eq!(plane(30, &similar(30), None), places, "the same each time");
    }

    #[test]
    fn a_map_that_was_there_is_kept() {
        let ring = |n: usize| (n as f32 * std::f32::consts::TAU / 3.0).sin_cos();
        let before: Vec<Point> =
            (0..30).map(|n| ring(n % 3)).map(|(x, y)| Point { x: 0.5 + 0.4 * x, y: 0.5 + 0.4 * y }).collect();
        let after = plane(30, &similar(30), Some(before.clone()));
        let middle = |places: &[Point], group: usize| {
            let of: Vec<Point> = places.iter().copied().skip(group).step_by(3).collect();
            let mean = |of_axis: fn(&Point) -> f32| of.iter().map(of_axis).sum::<f32>() / of.len() as f32;
            (mean(|at| at.x), mean(|at| at.y))
        };
        for group in 0..3 {
            let (was, is) = (middle(&before, group), middle(&after, group));
            let along = (was.0 - 0.5) * is.0 + (was.1 - 0.5) * is.1;
            assert!(along > 0.9 * 0.4 * is.0.hypot(is.1), "group {group} went elsewhere: {was:?}, {is:?}");
        }
    }

    #[test]
    fn any_similarities_give_places_that_are_numbers() {
        for n in [0, 1, 2, 3, 4, 50] {
            for cosine in [1.0, 0.0, -1.0] {
                let places = plane(n, &vec![cosine; n * n], None);
                assert_eq!(places.len(), n);
                assert!(places.iter().all(|place| place.x.is_finite() && place.y.is_finite()), "{n} {cosine}");
            }
        }
    }
}
