//! The meaning of lines without who says them. Whoever is spoken to or about pulls a vector ("Ana: Thanks, Ben!"), and a
//! question that names somebody would find everything that person says.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use multiversion::multiversion;

use super::{lines::Lines, maxsim::Scale};
use embed::pieces::PieceQuestion;

/// A label of fewer lines has no mean of its own.
const FEW: usize = 5;

/// Cosines of the question without the names that label lines, with the lines without what all of their label share.
#[derive(Debug)]
pub(crate) struct NameFree {
    cosines: Vec<Option<f64>>,
    scale: Scale,
}

impl NameFree {
    /// Compares a question with lines that have these codes.
    #[must_use]
    pub(super) fn of(
        question: &PieceQuestion,
        names: &HashSet<String>,
        codes: &[Option<&[u8]>],
        lines: &Lines<'_>,
    ) -> Option<Self> {
        let asked = without(question, names)?;
        let dims = asked.len();
        let vectors: Vec<Option<Coded<'_>>> = codes.iter().map(|code| Coded::of((*code)?, dims)).collect();
        // Lines without a label are of the first group, and those of a label with too few.
        let mut numbers: HashMap<&str, usize, RandomState> = HashMap::from_iter([("", 0)]);
        let mut groups = Vec::with_capacity(lines.lines.len());
        for line in &lines.lines {
            let next = numbers.len();
            groups.push(*numbers.entry(line.label.unwrap_or_default()).or_insert(next));
        }
        let mut sizes = vec![0; numbers.len()];
        groups.iter().zip(&vectors).filter(|(_, vector)| vector.is_some()).for_each(|(group, _)| sizes[*group] += 1);
        groups.iter_mut().filter(|group| sizes[**group] < FEW).for_each(|group| *group = 0);
        let mut means: Vec<Option<(Vec<f32>, usize)>> = vec![None; sizes.len()];
        for (group, vector) in groups.iter().zip(&vectors) {
            let Some(vector) = vector else { continue };
            let (sum, count) = means[*group].get_or_insert_with(|| (vec![0.0; dims], 0));
            add_scaled(sum, vector.code, vector.scale);
            *count += 1;
        }
        for (sum, count) in means.iter_mut().flatten() {
            // A few lines tell little of what they share.
            let share = 1.0 / (*count + FEW) as f32;
            sum.iter_mut().for_each(|sum| *sum *= share);
        }
        let cosine = |at: usize| {
            let (mean, _) = means[groups[at]].as_ref()?;
            let (product, square) = beside(vectors[at].as_ref()?, mean, &asked);
            (square > 1e-9).then(|| f64::from(product / square.sqrt()))
        };
        let cosines: Vec<Option<f64>> = (0..vectors.len()).map(cosine).collect();
        Some(Self { scale: Scale::of(&cosines), cosines })
    }

    /// The cosine of a line on a scale of 0 (the mean of the candidate lines) to 1 (the best).
    #[must_use]
    pub(crate) fn scaled(&self, at: usize) -> f64 {
        self.cosines[at].map_or(0.0, |cosine| self.scale.of_value(cosine))
    }
}

/// The unit vector of a question, pooled without the pieces of some names.
fn without(question: &PieceQuestion, names: &HashSet<String>) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; question.mean.len()];
    for piece in question.pieces.iter().filter(|piece| !names.contains(&piece.word)) {
        sum.iter_mut().zip(&piece.state).for_each(|(sum, value)| *sum += value);
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    (length > 0.0).then(|| sum.into_iter().map(|x| x / length).collect())
}

/// A stored code as the unit vector that it stands for.
struct Coded<'a> {
    code: &'a [i8],
    /// 1 / the code's Euclidean length.
    scale: f32,
}

/// Sums side by side: one sum would have each step wait for the one before.
const LANES: usize = 8;

impl<'a> Coded<'a> {
    /// None for a code of zeros or of another length.
    fn of(code: &'a [u8], dims: usize) -> Option<Self> {
        let code: &[i8] = bytemuck::cast_slice(code);
        let square: i32 = code.iter().map(|value| i32::from(*value).pow(2)).sum();
        (square > 0 && code.len() == dims).then(|| Self { code, scale: (square as f32).sqrt().recip() })
    }
}

/// Adds a code to a sum, each of its numbers times `scale`.
#[multiversion(targets("x86_64+avx2"))]
fn add_scaled(sum: &mut [f32], code: &[i8], scale: f32) {
    sum.iter_mut().zip(code).for_each(|(sum, value)| *sum += f32::from(*value) * scale);
}

/// What a vector has beyond a mean: its inner product with what is asked, and the square of its length.
#[multiversion(targets("x86_64+avx2"))]
fn beside(vector: &Coded<'_>, mean: &[f32], asked: &[f32]) -> (f32, f32) {
    let (mut products, mut squares) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let mut add = |lane: usize, value: i8, mean: f32, asked: f32| {
        let own = f32::from(value) * vector.scale - mean;
        products[lane] += own * asked;
        squares[lane] += own * own;
    };
    let ((values, last), (means, last_means), (wanted, last_wanted)) =
        (vector.code.as_chunks::<LANES>(), mean.as_chunks::<LANES>(), asked.as_chunks::<LANES>());
    for ((values, means), wanted) in values.iter().zip(means).zip(wanted) {
        for lane in 0..LANES {
            add(lane, values[lane], means[lane], wanted[lane]);
        }
    }
    for (lane, ((value, mean), asked)) in last.iter().zip(last_means).zip(last_wanted).enumerate() {
        add(lane, *value, *mean, *asked);
    }
    (products.iter().sum(), squares.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_dimensions_count_also_those_that_fill_no_lanes() {
        let vector = Coded { code: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], scale: 1.0 };
        assert_eq!(beside(&vector, &[1.0; 11], &[2.0; 11]), (110.0, 385.0));
    }

    #[test]
    fn codes_stand_for_unit_vectors() {
        let vector = Coded::of(&[3, 0, 252], 3).unwrap();
        assert_eq!((vector.code, vector.scale), (&[3, 0, -4][..], 0.2));
        assert!(Coded::of(&[0, 0], 2).is_none());
        assert!(Coded::of(&[1, 2], 3).is_none());
    }
}
