//! The score that is shown: how sure it is that a passage answers, 0–1, the same for words, meaning and both.

use super::fusion::Parts;

/// Lowest confidence that is shown unless asked otherwise: keeps what answers, drops what merely shares a word.
pub(crate) const DEFAULT_MIN_SCORE: f64 = 0.3;

/// How far a cosine must rise from the mean of the index towards 1, to be even odds. Unlike standard deviations, this
/// share tells a question about something else from one in other words, and does not depend on how alike a model
/// finds all texts.
const EVEN_ODDS: f64 = 0.12;
/// Rise that changes the odds by a factor of e.
const SCALE: f64 = 0.025;
/// The same for single lines, whose vectors differ more from each other than those of whole chunks.
const LINE_EVEN_ODDS: f64 = 0.3;
/// Rise of a line that changes the odds by a factor of e.
const LINE_SCALE: f64 = 0.05;
/// Rise of the chunk that makes its line neither surer nor less sure.
const CHUNK_NEUTRAL: f64 = 0.15;
/// Rise of the chunk beyond it that changes the odds of its line by a factor of e …
const CHUNK_SCALE: f64 = 0.067;
/// … and how often at most: in a small index some chunk is always the nearest.
const CHUNK_MOST: f64 = 1.5;
/// What a line says piece by piece: the rise that makes it neither surer nor less sure.
const PIECE_NEUTRAL: f64 = 0.15;
/// Rise beyond it that changes the odds by a factor of e.
const PIECE_SCALE: f64 = 0.05;
/// The same for the chunk beside it …
const CHUNK_SCALE_BY_PIECES: f64 = 0.045;
/// … and how often at most.
const CHUNK_MOST_BY_PIECES: f64 = 2.0;
/// Meaning alone is never quite sure.
const MOST_BY_MEANING: f64 = 0.7;

/// How sure an identifier, path or phrase as typed is.
const EXACT: f64 = 0.9;
/// How sure a note of the asked days is, whatever it says.
const ASKED_DAY: f64 = 0.4;

/// What is known of the best line of a passage.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Share of what the query asks for that the line and its neighbours hold, 0–1.
    pub coverage: f64,
    /// The cosine: 0 = the mean of the index, 1 = the same direction; none without vectors.
    pub rise: Option<f64>,
    /// The same for the line among the candidate lines.
    pub line_rise: Option<f64>,
    /// How far what its pieces say rises above the mean of the candidate lines, where they are known.
    pub piece_rise: Option<f64>,
    /// Whether most lines beside it are in a language that the model does not know: a chunk rises by its language alone
    /// then, and can only speak against its line.
    pub among_others: bool,
    /// Its weighted evidence.
    pub parts: Parts,
}

/// The score of a passage.
#[must_use]
pub(super) fn score(evidence: &Evidence) -> f64 {
    let words = if evidence.parts.exact > 0.0 { evidence.coverage.max(EXACT) } else { evidence.coverage };
    let day = if evidence.parts.is_asked_day { ASKED_DAY } else { 0.0 };
    let chunk = |neutral: f64, scale: f64| evidence.rise.map(|rise| (rise - neutral) / scale);
    let log_odds = match evidence.line_rise {
        Some(rise) => {
            let line = (rise - LINE_EVEN_ODDS) / LINE_SCALE;
            Some(match evidence.piece_rise {
                Some(pieces) => {
                    let beside = chunk(CHUNK_NEUTRAL, CHUNK_SCALE_BY_PIECES).unwrap_or(0.0);
                    let pieces = (pieces - PIECE_NEUTRAL) / PIECE_SCALE;
                    line + pieces
                        + beside.clamp(
                            -CHUNK_MOST_BY_PIECES,
                            if evidence.among_others { 0.0 } else { CHUNK_MOST_BY_PIECES },
                        )
                }
                None => line + chunk(CHUNK_NEUTRAL, CHUNK_SCALE).unwrap_or(0.0).clamp(-CHUNK_MOST, CHUNK_MOST),
            })
        }
        None => chunk(EVEN_ODDS, SCALE),
    };
    let meaning = log_odds.map_or(0.0, |log_odds| MOST_BY_MEANING / (1.0 + (-log_odds).exp()));
    // Each is enough; together they are surer than one.
    (1.0 - (1.0 - words) * (1.0 - day) * (1.0 - meaning)).clamp(0.0, 1.0)
}
