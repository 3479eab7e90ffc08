//! Which word pieces of a text carry meaning, and their states as signs.

use std::{path::Path, sync::LazyLock};

use minilm::{HIDDEN, Kernels, Scratch, States, Tokenizer, UNKNOWN, Weights, encode_states};

use crate::pieces::{AskedPiece, PieceQuestion};
use text::language::{Language, stop_word_of};

/// The mean of the states of pieces that carry meaning, which points where all of them do: `cargo run -p embed
/// --example token_mean` makes it of any English text, and which one that is does not matter.
static MEAN: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let bytes = include_bytes!("token-mean.f32");
    bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
});

/// Pieces of one line whose signs are kept, so that their number fits a byte.
const MOST_PIECES: usize = 255;
/// Pieces of one word whose signs are kept.
const PIECES_OF_WORD: usize = 2;

/// A piece of a text: the word that it belongs to, and whether that says nothing by itself.
fn words(tokenizer: &Tokenizer, pieces: &[u32]) -> Vec<(String, bool)> {
    let mut all: Vec<(String, bool)> = vec![(String::new(), true); pieces.len()];
    // Without the marks at both ends.
    let inner = 1..pieces.len().saturating_sub(1);
    let mut first = inner.start;
    while first < inner.end {
        let mut word = String::new();
        let mut end = first;
        while end < inner.end {
            let Some((spelling, continues)) = tokenizer.piece(pieces[end]) else { break };
            if end > first && !continues {
                break;
            }
            word.push_str(spelling);
            end += 1;
        }
        let end = end.max(first + 1);
        let is_empty = pieces[first] == UNKNOWN
            || !word.chars().any(char::is_alphanumeric)
            || stop_word_of(&word).contains(Language::English);
        all[first..end].fill((word, is_empty));
        first = end;
    }
    all
}

/// The signs of the pieces of a line that carry meaning.
pub(super) fn signs(tokenizer: &Tokenizer, pieces: &[u32], states: &States) -> Vec<u8> {
    let words = words(tokenizer, pieces);
    // Of a long word or an address the first pieces say what it is.
    let is_late = |at: usize| at >= PIECES_OF_WORD && words[at - PIECES_OF_WORD..at].iter().all(|w| *w == words[at]);
    let kept = states.iter().enumerate().filter(|(at, _)| !words[*at].1 && !is_late(*at)).take(MOST_PIECES);
    kept.flat_map(|(_, state)| signs_of(state)).collect()
}

/// One bit a dimension: whether it lies above the mean.
fn signs_of(state: &[f32]) -> [u8; HIDDEN / 8] {
    let mut signs = [0; HIDDEN / 8];
    for (at, (value, mean)) in state.iter().zip(MEAN.iter()).enumerate() {
        signs[at / 8] |= u8::from(value > mean) << (at % 8);
    }
    signs
}

/// A question with the states of its pieces.
pub(super) fn question(tokenizer: &Tokenizer, pieces: &[u32], states: States) -> PieceQuestion {
    let words = words(tokenizer, pieces).into_iter().zip(states.iter());
    let pieces = words.map(|((word, is_empty), state)| AskedPiece { word, is_empty, state: state.to_vec() }).collect();
    PieceQuestion { pieces, mean: &MEAN, vector: states.vector }
}

/// The mean of the states of the pieces that carry meaning in some lines.
///
/// # Errors
/// When the weights cannot be read.
pub fn mean_state(weights: &Path, lines: &[String]) -> std::io::Result<Vec<f32>> {
    let weights = Weights::open(weights)?;
    let tokenizer = Tokenizer::new(&weights);
    let (mut sum, mut count) = (vec![0.0_f64; HIDDEN], 0_u32);
    let mut scratch = Scratch::default();
    for line in lines {
        let pieces = [tokenizer.encode(line)];
        let states = encode_states(&weights, &Kernels::best(), &pieces, &mut scratch);
        for (state, (_, is_empty)) in states[0].iter().zip(words(&tokenizer, &pieces[0])) {
            if !is_empty {
                count += 1;
                sum.iter_mut().zip(state).for_each(|(sum, value)| *sum += f64::from(*value));
            }
        }
    }
    Ok(sum.into_iter().map(|sum| (sum / f64::from(count.max(1))) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::tests::installed_weights;

    fn words_of(text: &str) -> Vec<(String, bool)> {
        let tokenizer = Tokenizer::new(&Weights::open(&installed_weights()).unwrap());
        words(&tokenizer, &tokenizer.encode(text))
    }

    #[test]
    fn function_words_and_marks_carry_no_meaning() {
        let words = words_of("The pottery, classes!");
        let kept: Vec<&str> = words.iter().filter(|(_, is_empty)| !is_empty).map(|(word, _)| word.as_str()).collect();
        assert_eq!(kept, ["pottery", "classes"]);
        assert_eq!(words.len(), 7, "all pieces are there: {words:?}");
    }

    #[test]
    fn every_piece_of_a_word_belongs_to_the_whole_word() {
        let words = words_of("embeddings");
        assert!(words.len() > 3);
        assert!(
            words[1..words.len() - 1].iter().all(|(word, is_empty)| word == "embeddings" && !is_empty),
            "{words:?}"
        );
    }

    #[test]
    fn nothing_has_no_pieces() {
        assert!(words_of("").iter().all(|(_, is_empty)| *is_empty));
    }
}
