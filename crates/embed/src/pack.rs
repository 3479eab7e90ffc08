//! Packs texts into requests within a provider's limits, and makes requests smaller when it refuses them.

use std::collections::VecDeque;

use super::Limits;

/// Items per request below which small runs are not split further: with the default of four requests in flight
/// a kill loses at most 80 texts.
const MIN_SPREAD: usize = 16;

/// Share of a run that may be under way, so that a kill pays for at most 1 % twice.
const UNDER_WAY_SHARE: usize = 100;

/// Length below which a text that is still too long is given up, in bytes.
const MIN_CUT: usize = 128;

/// Estimated tokens of a text: a quarter of its UTF-8 bytes, rounded up.
#[must_use]
pub(crate) const fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The longest beginning of a text within `max_bytes` that ends at a character border.
#[must_use]
pub fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// The texts of one request, by their positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Positions in the run's texts.
    pub positions: Vec<usize>,
    /// Shorter cut for a single text that was refused as too long, in bytes.
    pub max_bytes: Option<usize>,
    /// Whether the provider has refused this very text before, or sent an unusable vector for it.
    pub again: bool,
}

impl Job {
    /// A request for texts as they are.
    #[must_use]
    pub const fn of(positions: Vec<usize>) -> Self {
        Self { positions, max_bytes: None, again: false }
    }

    /// Two requests of half the size.
    #[must_use]
    pub fn halves(mut self) -> [Self; 2] {
        let second = self.positions.split_off(self.positions.len() / 2);
        [Self::of(self.positions), Self::of(second)]
    }

    /// The same single text, cut to half of what was sent, or to the share that the provider's own numbers give.
    /// None when too little would be left to mean anything.
    #[must_use]
    pub fn shorter(&self, sent_bytes: usize, allowed_tokens: Option<usize>) -> Option<Self> {
        let by_limit = allowed_tokens.map(|tokens| tokens.saturating_mul(4)).filter(|&bytes| bytes < sent_bytes);
        let max_bytes = by_limit.unwrap_or(sent_bytes / 2);
        (max_bytes >= MIN_CUT).then(|| Self { max_bytes: Some(max_bytes), ..self.clone() })
    }
}

/// What is still to be sent of one run.
pub struct Queue<'a> {
    texts: &'a [String],
    next: usize,
    returned: VecDeque<Job>,
    max_items: usize,
}

impl<'a> Queue<'a> {
    /// All texts of a run, for `slots` requests in flight.
    #[must_use]
    pub fn new(texts: &'a [String], slots: usize) -> Self {
        // The requests in flight, and the answer that is being stored meanwhile.
        let under_way = slots.max(1) + 1;
        let max_items = (texts.len() / UNDER_WAY_SHARE / under_way).max(MIN_SPREAD);
        Self { texts, next: 0, returned: VecDeque::new(), max_items }
    }

    /// Puts a request back, to be sent before all others.
    pub(crate) fn put_back(&mut self, job: Job) {
        self.returned.push_front(job);
    }

    /// The next request within the limits, which may have changed since the last one. Blank texts are left out:
    /// providers refuse a whole request for one of them.
    pub fn next(&mut self, limits: &Limits) -> Option<Job> {
        if let Some(job) = self.returned.pop_front() {
            return Some(self.within_items(job, limits));
        }
        let mut positions = Vec::new();
        let (mut tokens, mut bytes) = (0, 0);
        while positions.len() < self.max_items.min(limits.items.max(1)) {
            let Some(text) = self.texts.get(self.next) else { break };
            if text.trim().is_empty() {
                self.next += 1;
                continue;
            }
            let text = cut(text, limits.input_tokens.saturating_mul(4));
            tokens += estimate_tokens(text);
            bytes += text.len();
            if !positions.is_empty() && (tokens > limits.tokens || bytes > limits.bytes) {
                break;
            }
            positions.push(self.next);
            self.next += 1;
        }
        (!positions.is_empty()).then(|| Job::of(positions))
    }

    /// Sends what is too much for one request back to the queue.
    fn within_items(&mut self, mut job: Job, limits: &Limits) -> Job {
        let items = limits.items.max(1);
        if job.positions.len() > items {
            let rest = job.positions.split_off(items);
            self.returned.push_front(Job::of(rest));
        }
        job
    }

    /// The texts of a request as they are sent.
    #[must_use]
    pub(crate) fn texts_of(&self, job: &Job, limits: &Limits) -> Vec<String> {
        let max_bytes = job.max_bytes.unwrap_or(usize::MAX).min(limits.input_tokens.saturating_mul(4));
        job.positions
            .iter()
            .filter_map(|&position| self.texts.get(position))
            .map(|text| cut(text, max_bytes).to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { items: 4, tokens: 100, bytes: 400, input_tokens: 50 };

    fn texts(lengths: &[usize]) -> Vec<String> {
        lengths.iter().map(|&length| "x".repeat(length)).collect()
    }

    fn drain(queue: &mut Queue<'_>, limits: &Limits) -> Vec<Vec<usize>> {
        std::iter::from_fn(|| queue.next(limits)).map(|job| job.positions).collect()
    }

    #[test]
    fn packs_in_order_within_items_tokens_and_bytes() {
        let many = texts(&[4; 9]);
        assert_eq!(drain(&mut Queue::new(&many, 1), &LIMITS), [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8]]);
        let large = texts(&[200, 190, 20, 1000, 8]);
        // The fourth text counts as the 200 bytes it is cut to.
        assert_eq!(drain(&mut Queue::new(&large, 1), &LIMITS), [vec![0, 1], vec![2, 3, 4]]);
    }

    #[test]
    fn a_text_over_the_limits_travels_alone_and_blank_ones_not_at_all() {
        let mut large = texts(&[160, 160]);
        large.insert(1, " \n".into());
        let tight = Limits { tokens: 10, ..LIMITS };
        assert_eq!(drain(&mut Queue::new(&large, 1), &tight), [vec![0], vec![2]]);
    }

    #[test]
    fn a_large_run_has_one_percent_under_way() {
        let many = vec!["text".to_owned(); 10_000];
        let wide = Limits { items: 2048, tokens: 300_000, bytes: 1 << 20, input_tokens: 8192 };
        let mut queue = Queue::new(&many, 4);
        assert_eq!(queue.next(&wide).unwrap().positions.len(), 20);
    }

    // Runs of a quarter of the texts were tried for their memory, and made half as many requests again.
    #[test]
    fn a_whole_run_is_sent_in_large_requests() {
        let many = vec!["text".to_owned(); crate::RUN_TEXTS];
        let wide = Limits { items: 2048, tokens: 300_000, bytes: 1 << 20, input_tokens: 8192 };
        assert_eq!(Queue::new(&many, 4).next(&wide).unwrap().positions.len(), 32);
    }

    #[test]
    fn a_returned_request_is_packed_to_the_limits_of_now() {
        let many = texts(&[4; 4]);
        let mut queue = Queue::new(&many, 1);
        let job = queue.next(&LIMITS).unwrap();
        queue.put_back(job);
        assert_eq!(drain(&mut queue, &Limits { items: 3, ..LIMITS }), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn halving_ends_with_single_texts() {
        let [a, b] = Job::of(vec![7, 8, 9]).halves();
        assert_eq!((a.positions, b.positions), (vec![7], vec![8, 9]));
    }

    #[test]
    fn a_text_is_shortened_by_the_providers_number_or_by_half() {
        let job = Job::of(vec![0]);
        assert_eq!(job.shorter(4000, Some(512)).unwrap().max_bytes, Some(2048));
        assert_eq!(job.shorter(1000, Some(512)).unwrap().max_bytes, Some(500));
        assert_eq!(job.shorter(200, None), None);
    }

    #[test]
    fn cuts_at_a_character_border() {
        assert_eq!(cut("añb", 2), "a");
        assert_eq!(cut("añb", 99), "añb");
    }
}
