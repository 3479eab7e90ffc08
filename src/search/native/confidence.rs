//! The score that is shown: how sure it is that a passage answers, 0–1, the same for words, meaning and both.

use super::fusion::Parts;

/// Lowest confidence that is shown unless asked otherwise: keeps what answers, drops what merely shares a word.
pub const DEFAULT_MIN_SCORE: f64 = 0.3;

/// How far a cosine must rise from the mean of the index towards 1, to be even odds. Unlike standard deviations, this
/// share tells a question about something else from one in other words, and does not depend on how alike a model
/// finds all texts.
const EVEN_ODDS: f64 = 0.12;
/// Rise that changes the odds by a factor of e.
const SCALE: f64 = 0.025;
/// The same for single lines, whose vectors differ more from each other than those of whole chunks.
const LINE_EVEN_ODDS: f64 = 0.36;
/// Rise of a line that changes the odds by a factor of e.
const LINE_SCALE: f64 = 0.05;
/// Meaning alone is never quite sure.
const MOST_BY_MEANING: f64 = 0.7;

/// How sure an identifier, path or phrase as typed is.
const EXACT: f64 = 0.9;
/// How sure a note of the asked days is, whatever it says.
const ASKED_DAY: f64 = 0.4;

/// What is known of the best line of a passage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence {
    /// Share of what the query asks for that the line and its neighbours hold, 0–1.
    pub coverage: f64,
    /// The cosine: 0 = the mean of the index, 1 = the same direction; none without vectors.
    pub rise: Option<f64>,
    /// The same for the line among the candidate lines.
    pub line_rise: Option<f64>,
    /// Its weighted evidence.
    pub parts: Parts,
}

/// The score of a passage.
#[must_use]
pub fn score(evidence: &Evidence) -> f64 {
    let words = if evidence.parts.exact > 0.0 { evidence.coverage.max(EXACT) } else { evidence.coverage };
    let day = if evidence.parts.time > 0.0 { ASKED_DAY } else { 0.0 };
    let odds = |rise: Option<f64>, even: f64, scale: f64| {
        rise.map_or(0.0, |rise| MOST_BY_MEANING / (1.0 + (-(rise - even) / scale).exp()))
    };
    // Where the line itself is known, its chunk says nothing more: in a small index some chunk is always the nearest.
    let meaning = match evidence.line_rise {
        Some(_) => odds(evidence.line_rise, LINE_EVEN_ODDS, LINE_SCALE),
        None => odds(evidence.rise, EVEN_ODDS, SCALE),
    };
    // Each is enough; together they are surer than one.
    (1.0 - (1.0 - words) * (1.0 - day) * (1.0 - meaning)).clamp(0.0, 1.0)
}
