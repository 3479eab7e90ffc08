//! From text to pieces as `tokenizer.json` says. Normalisation, the cut into words and the marks around a text are the
//! `tokenizers` crate's; so are the merges of BPE. Unigram and WordPiece look their pieces up in a [`Vocabulary`].
//!
//! A control piece that is written in a text (`</s>`) is text here, as with the bundled model.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokenizers::{
    Encoding, Model as _, NormalizedString, Normalizer as _, NormalizerWrapper, OffsetReferential, OffsetType,
    PostProcessor as _, PostProcessorWrapper, PreTokenizedString, PreTokenizer as _, PreTokenizerWrapper, Token,
    models::bpe::BPE,
};

use minilm::Weights;

use super::vocabulary::Vocabulary;

/// Names of the attachments of a weights file.
const PARTS: &str = "tokenizer";
const SPELLINGS: &str = "vocabulary.text";
const ENDS: &str = "vocabulary.end";
const SCORES: &str = "vocabulary.score";

/// What a piece nobody knows costs below the rarest one, as SentencePiece has it.
const UNKNOWN_PENALTY: f64 = 10.0;
/// Pieces of a vocabulary at most.
const MOST_PIECES: usize = 2_000_000;
/// Bytes of text per piece that are looked at: what lies beyond cannot be in an input.
const BYTES_PER_PIECE: usize = 64;

/// A tokenizer as it is kept in the weights file, apart from its vocabulary.
#[derive(Serialize, Deserialize)]
struct Parts {
    normalizer: Option<Value>,
    pre_tokenizer: Option<Value>,
    post_processor: Option<Value>,
    lower: bool,
    model: ModelParts,
}

#[derive(Serialize, Deserialize)]
enum ModelParts {
    Unigram { unknown: Option<u32>, byte_fallback: bool },
    WordPiece { unknown: u32, continuation: String, most_chars: usize },
    Bpe(Value),
}

/// Reads a part of `tokenizer.json`. As text: what the `tokenizers` crate borrows from it cannot come from elsewhere.
fn parse<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_str(&value.to_string())
}

/// A tokenizer taken apart.
pub(super) struct Taken {
    parts: Vec<u8>,
    spellings: Vec<u8>,
    ends: Vec<u32>,
    scores: Vec<f64>,
    /// The largest id of a piece.
    pub(super) last: u32,
}

#[derive(Deserialize)]
struct File {
    normalizer: Option<Value>,
    pre_tokenizer: Option<Value>,
    post_processor: Option<Value>,
    #[serde(default)]
    added_tokens: Vec<Added>,
    model: Value,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize)]
struct UnigramFile {
    unk_id: Option<u32>,
    vocab: Vec<(String, f64)>,
    #[serde(default)]
    byte_fallback: bool,
}

#[derive(Deserialize)]
struct WordPieceFile {
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: HashMap<String, u32>,
}

impl Taken {
    /// Takes `tokenizer.json` apart. `lower`: whether texts are to be in lower case first.
    ///
    /// # Errors
    /// Why it cannot be used, for people.
    pub(super) fn read(json: &[u8], lower: bool) -> Result<Self, String> {
        let damaged = |error: serde_json::Error| format!("tokenizer.json is damaged or of another kind: {error}");
        let file: File = serde_json::from_slice(json).map_err(damaged)?;
        let is_control = |id: u32| file.added_tokens.iter().any(|added| added.special && added.id == id);
        let has = |key: &str| file.model.get(key).is_some();
        let kind = file.model.get("type").and_then(Value::as_str);
        let kind = kind.unwrap_or_else(|| match (has("merges"), has("unk_id")) {
            (true, _) => "BPE",
            (_, true) => "Unigram",
            _ => "WordPiece",
        });
        let last_added = file.added_tokens.iter().map(|added| added.id).max().unwrap_or_default();
        let mut taken =
            Self { parts: Vec::new(), spellings: Vec::new(), ends: Vec::new(), scores: Vec::new(), last: last_added };
        let model = match kind {
            "Unigram" => {
                let UnigramFile { unk_id, vocab, byte_fallback } = parse(&file.model).map_err(damaged)?;
                let pieces = (0_u32..).zip(&vocab).map(|(id, (spelling, _))| (id, spelling.as_str()));
                taken.keep(pieces.collect(), is_control)?;
                taken.scores = vocab.iter().map(|(_, score)| *score).collect();
                ModelParts::Unigram { unknown: unk_id.filter(|&id| (id as usize) < vocab.len()), byte_fallback }
            }
            "WordPiece" => {
                let read: WordPieceFile = parse(&file.model).map_err(damaged)?;
                let unknown = *read.vocab.get(&read.unk_token).ok_or("its tokenizer has no piece for unknown words")?;
                taken.keep(read.vocab.iter().map(|(spelling, id)| (*id, spelling.as_str())).collect(), is_control)?;
                let continuation = read.continuing_subword_prefix;
                ModelParts::WordPiece { unknown, continuation, most_chars: read.max_input_chars_per_word }
            }
            "BPE" => {
                let bpe: BPE = parse(&file.model).map_err(damaged)?;
                taken.last = taken.last.max(bpe.get_vocab().into_values().max().unwrap_or_default());
                ModelParts::Bpe(file.model)
            }
            other => return Err(format!("its tokenizer is {other:?}; Unigram, BPE and WordPiece can be read")),
        };
        let (normalizer, pre_tokenizer, post_processor) = (file.normalizer, file.pre_tokenizer, file.post_processor);
        let parts = Parts { normalizer, pre_tokenizer, post_processor, lower, model };
        taken.parts = serde_json::to_vec(&parts).map_err(damaged)?;
        Ok(taken)
    }

    /// Keeps spellings in the order of their ids; control pieces without theirs.
    fn keep(&mut self, mut pieces: Vec<(u32, &str)>, is_control: impl Fn(u32) -> bool) -> Result<(), String> {
        pieces.sort_unstable();
        let last = pieces.last().map_or(0, |(id, _)| *id);
        if last as usize >= MOST_PIECES || pieces.is_empty() {
            return Err(format!("its tokenizer has {} pieces", pieces.len()));
        }
        for (id, spelling) in pieces {
            // An id may be missing.
            let end = u32::try_from(self.spellings.len()).map_err(|_| "its tokenizer is too large")?;
            self.ends.resize(id as usize, end);
            if !is_control(id) {
                self.spellings.extend_from_slice(spelling.as_bytes());
            }
            self.ends.push(u32::try_from(self.spellings.len()).map_err(|_| "its tokenizer is too large")?);
        }
        self.last = self.last.max(last);
        Ok(())
    }

    /// What goes into the weights file.
    pub(super) fn attachments(&self) -> [(&str, &[u8]); 4] {
        [
            (PARTS, &self.parts),
            (SPELLINGS, &self.spellings),
            (ENDS, bytemuck::cast_slice(&self.ends)),
            (SCORES, bytemuck::cast_slice(&self.scores)),
        ]
    }

    /// The tokenizer, for inputs of at most `most` pieces.
    ///
    /// # Errors
    /// Why it cannot be used, for people.
    pub(super) fn pipeline(&self, most: usize) -> Result<Pipeline, String> {
        Pipeline::new(&self.parts, (&self.spellings, &self.ends), self.scores.clone(), most)
    }
}

enum Model {
    Unigram { vocabulary: Vocabulary, scores: Vec<f64>, unknown: Option<u32>, unknown_score: f64, byte_fallback: bool },
    WordPiece { vocabulary: Vocabulary, unknown: u32, continuation: String, most_chars: usize },
    Bpe(Box<BPE>),
}

/// A tokenizer.
pub(in crate::embedded) struct Pipeline {
    normalizer: Option<NormalizerWrapper>,
    pre_tokenizer: Option<PreTokenizerWrapper>,
    model: Model,
    lower: bool,
    /// The marks before and after a text.
    marks: (Vec<u32>, Vec<u32>),
    most: usize,
}

impl Pipeline {
    /// The tokenizer that a weights file holds.
    pub(in crate::embedded) fn open(weights: &Weights) -> Result<Self, String> {
        let attached = |name| weights.attachment(name).ok_or_else(|| format!("the converted model has no {name}"));
        let numbers = |_| "the converted model is damaged".to_owned();
        let ends = bytemuck::try_cast_slice(attached(ENDS)?).map_err(numbers)?;
        let scores: &[f64] = bytemuck::try_cast_slice(attached(SCORES)?).map_err(numbers)?;
        Self::new(attached(PARTS)?, (attached(SPELLINGS)?, ends), scores.to_vec(), weights.shape().positions)
    }

    fn new(parts: &[u8], (text, ends): (&[u8], &[u32]), scores: Vec<f64>, most: usize) -> Result<Self, String> {
        let damaged = |error: serde_json::Error| format!("tokenizer.json asks for what cannot be done here: {error}");
        let parts: Parts = serde_json::from_slice(parts).map_err(damaged)?;
        let vocabulary = || Vocabulary::new(text, ends).ok_or_else(|| "the vocabulary is damaged".to_owned());
        let model = match parts.model {
            ModelParts::Unigram { unknown, byte_fallback } => {
                let rarest = scores.iter().copied().fold(0.0_f64, f64::min);
                if scores.len() != ends.len() {
                    return Err("the vocabulary is damaged".to_owned());
                }
                let unknown_score = rarest - UNKNOWN_PENALTY;
                Model::Unigram { vocabulary: vocabulary()?, scores, unknown, unknown_score, byte_fallback }
            }
            ModelParts::WordPiece { unknown, continuation, most_chars } => {
                Model::WordPiece { vocabulary: vocabulary()?, unknown, continuation, most_chars }
            }
            ModelParts::Bpe(value) => Model::Bpe(Box::new(parse(&value).map_err(damaged)?)),
        };
        let post_processor = parts.post_processor.as_ref().map(parse).transpose().map_err(damaged)?;
        let marks = marks(post_processor.as_ref())?;
        if marks.0.len() + marks.1.len() >= most {
            return Err("a text has no room between the marks of its tokenizer".to_owned());
        }
        Ok(Self {
            normalizer: parts.normalizer.as_ref().map(parse).transpose().map_err(damaged)?,
            pre_tokenizer: parts.pre_tokenizer.as_ref().map(parse).transpose().map_err(damaged)?,
            model,
            lower: parts.lower,
            marks,
            most,
        })
    }

    /// The pieces of a text with the marks around it, as many as an input takes.
    ///
    /// # Errors
    /// What the `tokenizers` crate cannot do with it.
    pub(in crate::embedded) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        let text = &text[..text.floor_char_boundary(self.most * BYTES_PER_PIECE)];
        let text = if self.lower { text.to_lowercase() } else { text.to_owned() };
        let failed = |error: tokenizers::Error| error.to_string();
        let mut normalized = NormalizedString::from(text);
        if let Some(normalizer) = &self.normalizer {
            normalizer.normalize(&mut normalized).map_err(failed)?;
        }
        let mut words = PreTokenizedString::from(normalized);
        if let Some(pre_tokenizer) = &self.pre_tokenizer {
            pre_tokenizer.pre_tokenize(&mut words).map_err(failed)?;
        }
        let (before, after) = &self.marks;
        let room = self.most - after.len();
        let mut pieces = before.clone();
        for (word, ..) in words.get_splits(OffsetReferential::Original, OffsetType::None) {
            if pieces.len() >= room {
                break;
            }
            self.model.cut(word, &mut pieces)?;
        }
        pieces.truncate(room);
        pieces.extend_from_slice(after);
        Ok(pieces)
    }
}

/// The marks that the tokenizer puts before and after a text.
fn marks(post_processor: Option<&PostProcessorWrapper>) -> Result<(Vec<u32>, Vec<u32>), String> {
    let Some(post_processor) = post_processor else { return Ok((Vec::new(), Vec::new())) };
    // A piece that no vocabulary has stands for the text.
    let text = Encoding::from_tokens(vec![Token::new(u32::MAX, "text".to_owned(), (0, 4))], 0);
    let marked = post_processor.process(text, None, true).map_err(|error| error.to_string())?;
    let mut parts = marked.get_ids().splitn(2, |&id| id == u32::MAX).map(<[u32]>::to_vec);
    match (parts.next(), parts.next()) {
        (Some(before), Some(after)) if !after.contains(&u32::MAX) => Ok((before, after)),
        _ => Err("its tokenizer does not keep the text whole".to_owned()),
    }
}

impl Model {
    /// Adds the pieces of a word.
    fn cut(&self, word: &str, pieces: &mut Vec<u32>) -> Result<(), String> {
        match self {
            Self::Unigram { vocabulary, scores, unknown, unknown_score, byte_fallback } => {
                let best = best_path(word, vocabulary, scores, *unknown_score);
                for part in best {
                    match part {
                        Part::Piece(id) => pieces.push(id),
                        Part::Unknown(text) => {
                            let bytes = || text.bytes().map(|byte| vocabulary.find(&format!("<0x{byte:02X}>")));
                            match bytes().collect::<Option<Vec<_>>>().filter(|_| *byte_fallback) {
                                Some(bytes) => pieces.extend(bytes),
                                None => pieces.extend(unknown),
                            }
                        }
                    }
                }
            }
            Self::WordPiece { vocabulary, unknown, continuation, most_chars } => {
                let before = pieces.len();
                if !longest_pieces(word, vocabulary, continuation, *most_chars, pieces) {
                    pieces.truncate(before);
                    pieces.push(*unknown);
                }
            }
            Self::Bpe(bpe) => {
                let tokens = bpe.tokenize(word).map_err(|error| error.to_string())?;
                pieces.extend(tokens.iter().map(|token| token.id));
            }
        }
        Ok(())
    }
}

/// A part of a word.
enum Part<'a> {
    Piece(u32),
    /// Characters that no piece spells.
    Unknown(&'a str),
}

/// The most probable cut of a word (Viterbi), unknown characters beside each other as one part.
fn best_path<'a>(word: &'a str, vocabulary: &Vocabulary, scores: &[f64], unknown_score: f64) -> Vec<Part<'a>> {
    /// The best way to an offset: its score, where its last part begins, and which piece that is.
    type Step = Option<(f64, usize, Option<u32>)>;
    let mut ways: Vec<Step> = vec![None; word.len() + 1];
    ways[0] = Some((0.0, 0, None));
    let better = |way: &mut Step, score: f64, begin: usize, piece: Option<u32>| {
        if way.is_none_or(|(known, ..)| score > known) {
            *way = Some((score, begin, piece));
        }
    };
    for (begin, c) in word.char_indices() {
        // Every offset of a character has a way: the character alone, if nothing else.
        let so_far = ways[begin].map_or(0.0, |(score, ..)| score);
        let mut alone = false;
        for (id, length) in vocabulary.prefixes(&word[begin..]) {
            better(&mut ways[begin + length], so_far + scores[id as usize], begin, Some(id));
            alone |= length == c.len_utf8();
        }
        if !alone {
            better(&mut ways[begin + c.len_utf8()], so_far + unknown_score, begin, None);
        }
    }
    let mut parts = Vec::new();
    let mut end = word.len();
    let mut unknown_end = None;
    while end > 0 {
        let Some((_, begin, piece)) = ways[end] else { break };
        match piece {
            Some(id) => {
                parts.extend(unknown_end.take().map(|last| Part::Unknown(&word[end..last])));
                parts.push(Part::Piece(id));
            }
            None => unknown_end = unknown_end.or(Some(end)),
        }
        end = begin;
    }
    parts.extend(unknown_end.map(|last| Part::Unknown(&word[..last])));
    parts.reverse();
    parts
}

/// Cuts a word into its longest pieces from the left; false when something remains.
fn longest_pieces(
    word: &str,
    vocabulary: &Vocabulary,
    continuation: &str,
    most_chars: usize,
    pieces: &mut Vec<u32>,
) -> bool {
    if word.chars().count() > most_chars {
        return false;
    }
    let mut begin = 0;
    let mut spelled = String::new();
    while begin < word.len() {
        let rest = &word[begin..];
        let ends: Vec<usize> =
            rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(vocabulary.longest()).collect();
        let found = ends.iter().rev().find_map(|&end| {
            spelled.clear();
            spelled.push_str(if begin > 0 { continuation } else { "" });
            spelled.push_str(&rest[..end]);
            Some((vocabulary.find(&spelled)?, end))
        });
        let Some((id, end)) = found else { return false };
        pieces.push(id);
        begin += end;
    }
    true
}
