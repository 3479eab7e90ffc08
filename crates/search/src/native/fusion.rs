//! All evidence on one scale: every leg is measured against the best of the same query, then weighted.

use jiff::civil::Date;

use super::{
    Meant,
    candidates::{Candidates, names_path},
    labels::LabelWords,
    line_scores::LineScores,
    lines::{Chunk, File, Line, Lines},
    plan::{FormKind, Plan},
};
use model::config::settings::QuerySettings;
use text::query::holds_phrase;

/// What each kind of evidence weighs. Measured on conversations kept as notes, see docs/ranking.md.
mod weight {
    /// Added to the meaning of the line when no line holds the question's words …
    pub(crate) const PARAPHRASE: f64 = 1.6;
    /// … or this, where the model does not know the language of the question …
    pub(crate) const UNKNOWN: f64 = 0.4;
    /// … that is, less than this share of them.
    pub(crate) const WELL_HELD: f64 = 0.8;
    /// Importance 10 against none (P4).
    pub(crate) const IMPORTANCE: f64 = 0.1;
    /// `MEMORY.md` and `USER.md`: what somebody chose to keep.
    pub(crate) const CURATED: f64 = 0.05;
    /// What front matter loses of its words and meaning: it has the words of its page, and seldom what is asked.
    pub(crate) const FRONT: f64 = 0.35;
    /// An identifier, path or quoted phrase as typed: above everything else together.
    pub(crate) const EXACT: f64 = 4.0;
}

/// What the evidence of words and meaning weighs: less of one kind where a finer one is known.
#[derive(Debug, Clone, Copy)]
struct Weights {
    /// Words of the line.
    line: f64,
    /// Words of the line and its neighbours.
    window: f64,
    /// Words of the chunk.
    chunk: f64,
    /// The line is labelled (`Ana: …`, `Phone: …`) with a word of the query.
    label: f64,
    /// Meaning of the chunk: its cosine above the mean of the index, against the best.
    meaning: f64,
    /// Meaning of the line: its cosine above the mean of the candidate lines, against the best.
    line_cosine: f64,
    /// The same without names.
    name_free: f64,
    /// Meaning of the line and its neighbours together.
    near_meaning: f64,
    /// The line piece by piece.
    pieces: f64,
    /// The same with its neighbours.
    near_pieces: f64,
    /// A note of a day that the query asks about, or a line below its name.
    note_time: f64,
    /// A line that tells of such a day.
    line_time: f64,
    /// The newest note against one that is a half-life older, when the query asks for what is recent.
    recent: f64,
}

impl Weights {
    /// Where the lines are known piece by piece, which says most.
    const BY_PIECES: Self = Self {
        line: 0.1,
        window: 0.8,
        chunk: 0.4,
        label: 1.25,
        meaning: 0.15,
        line_cosine: 0.15,
        name_free: 0.3,
        near_meaning: 0.35,
        pieces: 0.5,
        near_pieces: 0.9,
        note_time: 1.5,
        line_time: 0.4,
        recent: 0.6,
    };
    /// Where they are known by what their words mean alone.
    const BY_WORDS: Self = Self {
        line: 0.0,
        window: 1.1,
        chunk: 0.55,
        label: 0.95,
        meaning: 0.2,
        line_cosine: 0.4,
        name_free: 0.0,
        near_meaning: 0.2,
        pieces: 0.8,
        near_pieces: 0.5,
        note_time: 1.1,
        line_time: 0.4,
        recent: 0.5,
    };
    /// Where they are not, or the model does not know the language of the question.
    const WITHOUT_PIECES: Self = Self {
        line: 0.5,
        window: 0.8,
        chunk: 0.2,
        label: 0.35,
        meaning: 0.2,
        line_cosine: 0.4,
        name_free: 0.0,
        near_meaning: 0.2,
        pieces: 0.0,
        near_pieces: 0.0,
        note_time: 0.8,
        line_time: 0.2,
        recent: 0.3,
    };
}

/// The least that pieces of the model may count: lines far below the mean are as bad as each other.
const LEAST_BY_PIECES: f64 = -0.4;

/// An identifier in more than one chunk of so many is a subject, not a key.
const RARE_SHARE: u64 = 20;
/// … but one in so few chunks is always a key.
const RARE_CHUNKS: usize = 5;

/// The parts of a line's score, each already weighted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    /// Words of the line.
    pub line: f64,
    /// Words of the line and its neighbours.
    pub window: f64,
    /// Words of the chunk.
    pub chunk: f64,
    /// Label of the line.
    pub label: f64,
    /// Meaning of the chunk.
    pub meaning: f64,
    /// Meaning of the line and its neighbours.
    pub line_cosine: f64,
    /// The line and its neighbours piece by piece.
    pub pieces: f64,
    /// Asked days.
    pub time: f64,
    /// Whether it was written on an asked day, or below its name.
    pub is_asked_day: bool,
    /// Recency.
    pub recent: f64,
    /// Declared importance.
    pub importance: f64,
    /// Curated file.
    pub curated: f64,
    /// Exact tokens and phrases.
    pub exact: f64,
    /// What it loses as front matter; not above 0.
    pub front: f64,
}

impl Parts {
    /// Words and meaning.
    fn content(&self) -> f64 {
        self.line + self.window + self.chunk + self.label + self.meaning + self.line_cosine + self.pieces
    }

    /// The score that lines are ordered by.
    #[must_use]
    pub(super) fn sum(&self) -> f64 {
        self.content() + self.time + self.recent + self.importance + self.curated + self.exact + self.front
    }
}

/// The cosine of a line: of the best chunk that holds it.
#[must_use]
pub(crate) fn cosine_of(line: &Line<'_>, lines: &Lines<'_>, candidates: &Candidates) -> Option<f64> {
    best_cosine(line, |chunk| cosine_of_chunk(&lines.chunks[chunk], candidates))
}

fn cosine_of_chunk(chunk: &Chunk, candidates: &Candidates) -> Option<f64> {
    candidates.similarities.as_ref()?.cosines.get(&chunk.id).copied()
}

fn best_cosine(line: &Line<'_>, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    match (of(line.chunks.0), of(line.chunks.1)) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

/// Weighs all evidence of all lines.
#[must_use]
pub(crate) fn fuse(
    plan: &Plan,
    candidates: &Candidates,
    lines: &Lines<'_>,
    scores: &LineScores,
    meant: &Meant<'_>,
    settings: &QuerySettings,
) -> Vec<Parts> {
    // The less of the question any line holds in words, the more it must be meant otherwise.
    let held = scores.coverage.iter().copied().fold(0.0, f64::max);
    let Meant { lines: line_cosine, days, .. } = *meant;
    let weights = match (meant.pieces, meant.words) {
        (Some(_), _) => Weights::BY_PIECES,
        (None, Some(_)) => Weights::BY_WORDS,
        (None, None) => Weights::WITHOUT_PIECES,
    };
    let pieces = meant.pieces.or(meant.words);
    // By words alone a line that holds most of them must not be left out for being less alike than the best.
    let least = if meant.pieces.is_some() { LEAST_BY_PIECES } else { 0.0 };
    let paraphrase = if meant.known.lines { weight::PARAPHRASE } else { weight::UNKNOWN };
    let line_weight = weights.line_cosine + paraphrase * (weight::WELL_HELD - held).max(0.0);
    let top = |values: &[f64]| values.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let (top_line, top_window, top_chunk) = (top(&scores.line), top(&scores.window), top(&scores.chunk));
    let meaning = MeaningScale::of(candidates);
    let cosines: Vec<Option<f64>> = lines.chunks.iter().map(|chunk| cosine_of_chunk(chunk, candidates)).collect();
    let labels = LabelWords::of(plan);
    let exact = ExactTokens::of(plan, candidates);
    let recency = Recency::of(plan, lines, settings);
    let files: Vec<FileParts> = lines
        .files
        .iter()
        .map(|file| FileParts::of(plan, file, &exact, weights.recent * recency.of_file(file)))
        .collect();

    let is_day: Vec<bool> = plan.forms().map(|(_, form)| form.kind == FormKind::Day).collect();
    let names_day = |line: &Line<'_>| {
        let mut counts = line.counts.iter().chain(&lines.contexts[line.context].counts);
        counts.any(|(form, _)| is_day[usize::from(*form)])
    };
    // What a model of English makes of a line in another language says nothing of it: as typed is as near as can be.
    let as_typed = |at: usize, meant: f64, most: f64| match scores.as_typed.get(at) {
        Some(&share) if share > 0.0 => meant.max(most * share),
        _ => meant,
    };
    let one = |(at, line): (usize, &Line<'_>)| {
        let file = &files[line.file];
        let importance = line.importance.or(lines.files[line.file].importance);
        let parts = Parts {
            front: 0.0,
            line: weights.line * scores.line[at] / top_line,
            window: weights.window * scores.window[at] / top_window,
            chunk: weights.chunk * scores.chunk[at] / top_chunk,
            label: if labels.names(line) { weights.label } else { 0.0 },
            meaning: best_cosine(line, |chunk| cosines[chunk])
                .map_or(0.0, |cosine| weights.meaning * meaning.scale(cosine)),
            line_cosine: line_cosine.map_or(0.0, |m| {
                let name_free = m.name_free.as_ref().map_or(0.0, |free| weights.name_free * free.scaled(at));
                let meant = line_weight * m.scaled(at) + name_free + weights.near_meaning * m.near(at, lines);
                as_typed(at, meant, line_weight + weights.near_meaning)
            }),
            pieces: pieces.map_or(0.0, |pieces| {
                let meant = weights.pieces * pieces.scaled(at) + weights.near_pieces * pieces.near_scaled(at);
                as_typed(at, meant, weights.pieces + weights.near_pieces).max(least)
            }),
            time: days.map_or(0.0, |days| {
                let note = if names_day(line) { 1.0 } else { days.of_note(line.file) };
                days.weight() * (weights.note_time * note + weights.line_time * days.of_line(at))
            }),
            is_asked_day: names_day(line) || days.is_some_and(|days| days.is_asked(line.file)),
            recent: file.recent,
            importance: importance.map_or(0.0, |n| weight::IMPORTANCE * f64::from(n) / 10.0),
            curated: file.curated,
            exact: weight::EXACT * exact.share(plan, line, lines).max(file.exact),
        };
        let front = if line.is_front { -weight::FRONT * parts.content().max(0.0) } else { 0.0 };
        Parts { front, ..parts }
    };
    lines.lines.iter().enumerate().map(one).collect()
}

/// Puts cosines on a scale of 0 (the mean of the index) to 1 (the best candidate), whatever the model.
struct MeaningScale {
    mean: f64,
    span: f64,
}

impl MeaningScale {
    fn of(candidates: &Candidates) -> Self {
        let Some(similarities) = &candidates.similarities else { return Self { mean: 0.0, span: 0.0 } };
        let best = similarities.cosines.values().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { mean: similarities.mean, span: best - similarities.mean }
    }

    fn scale(&self, cosine: f64) -> f64 {
        // A model that gives all texts the same vector says nothing.
        if self.span > 1e-6 { ((cosine - self.mean) / self.span).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// What has to be found as typed.
struct ExactTokens {
    /// Indexes of rare identifiers, files and paths among the concepts.
    concepts: Vec<usize>,
    /// Per form, how surely it is the whole token; 0 for other forms.
    forms: Vec<f64>,
    owners: Vec<usize>,
}

impl ExactTokens {
    fn of(plan: &Plan, candidates: &Candidates) -> Self {
        let most = RARE_CHUNKS.max(usize::try_from(candidates.total / RARE_SHARE).unwrap_or(usize::MAX));
        let is_key = |at: &usize| plan.concepts[*at].is_exact && candidates.frequency[*at] <= most;
        let concepts: Vec<usize> = (0..plan.concepts.len()).filter(is_key).collect();
        let owners = plan.owners();
        let forms = plan.forms().map(|(number, form)| {
            if concepts.contains(&owners[usize::from(number)]) { f64::from(form.weight) } else { 0.0 }
        });
        Self { forms: forms.collect(), concepts, owners }
    }

    /// Share of the exact tokens and phrases that a line holds, 0–1; half for those in its headings.
    fn share(&self, plan: &Plan, line: &Line<'_>, lines: &Lines<'_>) -> f64 {
        let asked = self.concepts.len() + plan.query.phrases.len();
        if asked == 0 {
            return 0.0;
        }
        let mut held = 0.0;
        for &concept in &self.concepts {
            let best = |counts: &[(u16, u16)]| {
                let own = counts.iter().map(|(form, _)| usize::from(*form)).filter(|f| self.owners[*f] == concept);
                own.map(|form| self.forms[form]).fold(0.0, f64::max)
            };
            held += best(&line.counts).max(best(&lines.contexts[line.context].counts) / 2.0);
        }
        if !line.counts.is_empty() {
            held += plan.query.phrases.iter().filter(|phrase| holds_phrase(line.text, phrase)).count() as f64;
        }
        held / asked as f64
    }

    /// Whether a path is asked for.
    fn names(&self, plan: &Plan, path: &str) -> bool {
        (0..plan.concepts.len()).any(|concept| names_path(plan, concept, path))
    }
}

/// How new each note is.
struct Recency {
    newest: Option<Date>,
    half_life_days: f64,
}

impl Recency {
    /// Off unless the query or the settings ask for it.
    fn of(plan: &Plan, lines: &Lines<'_>, settings: &QuerySettings) -> Self {
        let on = plan.query.time.wants_recent || settings.decay_enabled == Some(true);
        let newest = if on { lines.files.iter().filter_map(|file| file.date).max() } else { None };
        Self { newest, half_life_days: settings.half_life_days.max(f64::MIN_POSITIVE) }
    }

    /// 1 for the newest note, half as much per half-life before it; undated files do not age, and are not new.
    fn of_file(&self, file: &File<'_>) -> f64 {
        let (Some(newest), Some(date)) = (self.newest, file.date) else { return 0.0 };
        let days = newest.since(date).map_or(0, |span| span.get_days());
        (-f64::from(days) / self.half_life_days).exp2()
    }
}

/// What holds for all lines of a file.
struct FileParts {
    recent: f64,
    curated: f64,
    exact: f64,
}

impl FileParts {
    fn of(plan: &Plan, file: &File<'_>, exact: &ExactTokens, recent: f64) -> Self {
        Self {
            recent,
            curated: if matches!(file.path, "MEMORY.md" | "USER.md") { weight::CURATED } else { 0.0 },
            exact: if exact.names(plan, file.path) { 1.0 } else { 0.0 },
        }
    }
}
