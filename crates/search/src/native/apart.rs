//! Results of one file that reach into each other are cut anew. A passage may leave out lines, and another result may show
//! some of those: the lines that two of them cite would overlap although no text is shown twice.

use super::{
    lines::Lines,
    passages::{Passage, Passages},
    snippet,
};

/// How much slower the loss of a line falls than its gain, as an exponent: many lines of little gain hold an answer at times.
const LOSS: f64 = 0.7;
/// What lost lines weigh against having the best together. With half of it keywords show 0.2 points fewer answers.
const LOSS_WEIGHT: f64 = 8.0;
/// The loss of the best line of a result: more than anything else.
const LOSS_OF_BEST: f64 = 1e3;

/// Makes results that reach into each other parts of their file that do not, as many, of the same lines: first the best
/// lines together, then as few lost as may be, and the best line of no result. Says whether any has changed.
pub(super) fn cut(found: &mut [&mut Passage], lines: &Lines<'_>, passages: &Passages<'_>) -> bool {
    let range = |passage: &Passage| (passage.lines[0], passage.lines[passage.lines.len() - 1]);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_unstable_by_key(|at| range(found[*at]));
    let reaches = |last: usize, first: usize| {
        let (last, first) = (&lines.lines[last], &lines.lines[first]);
        last.file == first.file && last.number >= first.number
    };
    let mut has_changed = false;
    let mut rest = order.as_slice();
    while let Some(first) = rest.first() {
        let mut last = range(found[*first]).1;
        let more = rest[1..].iter().take_while(|at| {
            let (begins, ends) = range(found[**at]);
            let is_in = reaches(last, begins);
            last = last.max(ends);
            is_in
        });
        let (group, others) = rest.split_at(1 + more.count());
        rest = others;
        if group.len() > 1 {
            let old: Vec<&Passage> = group.iter().map(|at| &*found[*at]).collect();
            let new = Shared::of(&old, lines, passages).cut();
            for (at, new) in group.iter().zip(new) {
                *found[*at] = passages.of_lines(new);
            }
            has_changed = true;
        }
    }
    has_changed
}

/// The lines of results that reach into each other.
struct Shared<'a> {
    lines: &'a Lines<'a>,
    gains: &'a [f64],
    /// How many results there are.
    results: usize,
    /// Most lines of a part. What two results have between their best lines is in the reach of one of them.
    most_lines: usize,
    /// Their lines, ascending.
    all: Vec<usize>,
    /// Whether each is the best line of a result.
    is_best: Vec<bool>,
}

/// The last of the first parts of a cut.
#[derive(Clone, Copy)]
struct Part {
    /// What these parts are worth.
    worth: f64,
    /// The first line of the last.
    begin: usize,
}

impl<'a> Shared<'a> {
    fn of(found: &[&Passage], lines: &'a Lines<'a>, passages: &'a Passages<'_>) -> Self {
        let mut all: Vec<usize> = found.iter().flat_map(|passage| passage.lines.iter().copied()).collect();
        all.sort_unstable();
        let is_best = all.iter().map(|at| found.iter().any(|passage| passage.best == *at)).collect();
        let most_lines = 4 * passages.shape().reach + 1;
        Self { lines, gains: passages.gains(), results: found.len(), most_lines, all, is_best }
    }

    /// As many parts as there were results, in the order of the file.
    fn cut(&self) -> Vec<Vec<usize>> {
        let count = self.all.len();
        let ends = |begin: usize| begin + 1..=count.min(begin + self.most_lines);
        let worth: Vec<Vec<f64>> = (0..count)
            .map(|begin| {
                let mut room = Room::new(self);
                ends(begin).map(|end| room.with(end - 1)).collect()
            })
            .collect();
        // By the number of parts, and the line behind them.
        let mut ways: Vec<Vec<Option<Part>>> = vec![vec![None; count + 1]; self.results + 1];
        ways[0][0] = Some(Part { worth: 0.0, begin: 0 });
        for parts in 0..self.results {
            for begin in 0..count {
                let Some(before) = ways[parts][begin] else { continue };
                for end in ends(begin) {
                    let worth = before.worth + worth[begin][end - begin - 1];
                    let known = &mut ways[parts + 1][end];
                    if known.is_none_or(|known| worth > known.worth) {
                        *known = Some(Part { worth, begin });
                    }
                }
            }
        }
        let mut cut = Vec::with_capacity(self.results);
        let mut end = count;
        for parts in (1..=self.results).rev() {
            let begin = ways[parts][end].map_or(0, |part| part.begin);
            let mut room = Room::new(self);
            for at in begin..end {
                room.with(at);
            }
            cut.push(room.kept.iter().map(|at| self.all[*at]).collect());
            end = begin;
        }
        cut.reverse();
        cut
    }
}

/// The lines of a part that have room in a result.
struct Room<'a> {
    shared: &'a Shared<'a>,
    /// Ascending.
    kept: Vec<usize>,
    lost: f64,
}

impl<'a> Room<'a> {
    const fn new(shared: &'a Shared<'a>) -> Self {
        Self { shared, kept: Vec::new(), lost: 0.0 }
    }

    fn gain(&self, at: usize) -> f64 {
        self.shared.gains[self.shared.all[at]]
    }

    /// Adds the next line; what gains least goes where there is no room. Gives what the part is worth with it.
    fn with(&mut self, next: usize) -> f64 {
        self.kept.push(next);
        while self.kept.len() > 1 && self.units() > self.shared.lines.room {
            let is_best = &self.shared.is_best;
            let less = |a: usize, b: usize| is_best[a].cmp(&is_best[b]).then(self.gain(a).total_cmp(&self.gain(b)));
            let least = (0..self.kept.len()).min_by(|a, b| less(self.kept[*a], self.kept[*b])).unwrap_or_default();
            let lost = self.kept.remove(least);
            self.lost += if is_best[lost] { LOSS_OF_BEST } else { self.gain(lost).powf(LOSS) };
        }
        let gain: f64 = self.kept.iter().map(|at| self.gain(*at)).sum();
        gain * gain - LOSS_WEIGHT * self.lost
    }

    fn units(&self) -> usize {
        snippet::units(self.kept.iter().map(|at| self.shared.all[*at]), self.shared.lines)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::passages::{PassageShape, SNIPPET_UNITS, tests::lines},
        *,
    };

    proptest! {
        // Results of one file cited the same lines, 73 of 100 times in the conversations of the evaluation.
        #[test]
        fn no_result_reaches_into_another_and_none_loses_its_best_line(
            of in proptest::collection::vec((1_u32..260, 0_u32..30), 2..60),
            most in 1_usize..9,
        ) {
            let shape: Vec<(u32, u32)> = of.iter().map(|(units, _)| (0, *units)).collect();
            let lines = lines(&shape);
            let scores: Vec<f64> = of.iter().map(|(_, score)| f64::from(*score) / 20.0).collect();
            let mut passages = Passages::new(&lines, (&scores, &scores), PassageShape::BY_PIECES, |_| true);
            let before: Vec<Passage> = passages.by_ref().take(most).collect();
            let mut found = before.clone();
            let changed = cut(&mut found.iter_mut().collect::<Vec<_>>(), &lines, &passages);
            prop_assert_eq!(changed, found != before);
            let selected: Vec<usize> = before.iter().flat_map(|passage| passage.lines.clone()).collect();
            let shown: Vec<usize> = found.iter().flat_map(|passage| passage.lines.clone()).collect();
            prop_assert!(shown.iter().all(|at| selected.contains(at)));
            prop_assert!(before.iter().all(|passage| shown.contains(&passage.best)), "{:?} {:?}", before, found);
            for (n, passage) in found.iter().enumerate() {
                prop_assert!(passage.lines.is_sorted() && passage.lines.contains(&passage.best));
                prop_assert!(snippet::units(passage.lines.iter().copied(), &lines) <= SNIPPET_UNITS);
                let (first, last) = (passage.lines[0], passage.lines[passage.lines.len() - 1]);
                for other in &found[n + 1..] {
                    prop_assert!(other.lines.iter().all(|at| *at < first || last < *at), "{:?}", found);
                }
            }
            // What fits without a cut is not touched, and what is short enough loses nothing.
            let units = snippet::units((0..lines.lines.len()).filter(|at| selected.contains(at)), &lines);
            if units <= SNIPPET_UNITS {
                prop_assert_eq!(shown.len(), selected.len());
            }
        }
    }

    /// Two results of lines with these lengths and scores.
    fn cut_of(of: &[(u32, f64)], found: [&[usize]; 2]) -> [Vec<usize>; 2] {
        let lines = lines(&of.iter().map(|(units, _)| (0, *units)).collect::<Vec<_>>());
        let scores: Vec<f64> = of.iter().map(|(_, score)| *score).collect();
        let passages = Passages::new(&lines, (&scores, &scores), PassageShape::BY_PIECES, |_| true);
        let mut found = found.map(|lines| passages.of_lines(lines.to_vec()));
        cut(&mut found.iter_mut().collect::<Vec<_>>(), &lines, &passages);
        found.map(|passage| passage.lines)
    }

    #[test]
    fn a_result_within_another_parts_it() {
        let mut of = [(100, 0.2); 10];
        (of[1].1, of[5].1) = (1.0, 0.4);
        assert_eq!(cut_of(&of, [&[0, 1, 2, 8, 9], &[4, 5]]), [vec![0], vec![1, 2, 4, 5, 8, 9]]);
        // Nothing is cut that does not reach into another.
        assert_eq!(cut_of(&of, [&[5, 7, 8], &[0, 1, 4]]), [vec![5, 7, 8], vec![0, 1, 4]]);
    }

    // The lines of both do not fit side by side: what gains least goes, and neither best line.
    #[test]
    fn what_has_no_room_is_what_gains_least() {
        let of = [(10, 0.1), (900, 0.5), (10, 1.0)];
        assert_eq!(cut_of(&of, [&[0, 2], &[1]]), [vec![1], vec![2]]);
    }
}
