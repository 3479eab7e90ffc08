//! The weights file, mapped into memory: header checked once, tensors lent as slices.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, ErrorKind},
    ops::Range,
    path::Path,
};

use bytemuck::Pod;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::kernels::{Heads, Linear, Norm};

/// Numbers in one token's vector of all-MiniLM-L6-v2.
pub const HIDDEN: usize = 384;
/// Word pieces of one input of all-MiniLM-L6-v2, `[CLS]` and `[SEP]` included; the rest is cut off (model card).
pub const MAX_PIECES: usize = 256;
/// all-MiniLM-L6-v2 but for its vocabulary.
pub(crate) const MINILM: Shape = Shape {
    hidden: HIDDEN,
    intermediate: 1536,
    heads: 12,
    layers: 6,
    positions: MAX_PIECES,
    vocabulary: 0,
    epsilon: 1e-12,
    pooling: Pooling::Mean,
};

pub(crate) const MAGIC: &[u8; 8] = b"MCRMODEL";
pub(crate) const FORMAT_VERSION: u32 = 1;
/// Magic, format version, header length.
pub(crate) const PREAMBLE: usize = 16;
/// Rows of linear layers are filled up to a multiple of so many numbers, as the kernels take them.
const STEP: usize = 64;

/// What the names of attachments begin with in the file.
pub(crate) const ATTACHED: &str = "attached.";

/// How the states of word pieces become one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The state of the first piece.
    Cls,
}

/// The sizes of an encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Numbers in one token's vector.
    pub hidden: usize,
    /// Numbers inside a feed-forward layer.
    pub intermediate: usize,
    /// Attention heads in a layer.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Word pieces of one input at most.
    pub positions: usize,
    /// Word pieces there are.
    pub vocabulary: usize,
    /// Keeps the normalisations finite.
    #[serde(default = "epsilon_of_bert")]
    pub epsilon: f32,
    /// From states to a vector.
    #[serde(default)]
    pub pooling: Pooling,
}

const fn epsilon_of_bert() -> f32 {
    MINILM.epsilon
}

impl Shape {
    /// Whether the sizes fit together and a machine.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        (1..=4096).contains(&self.hidden)
            && (1..=16_384).contains(&self.intermediate)
            && self.heads > 0
            && self.hidden.is_multiple_of(self.heads)
            && (1..=64).contains(&self.layers)
            && (2..=8192).contains(&self.positions)
            && (1..=2_000_000).contains(&self.vocabulary)
            && (0.0..0.1).contains(&self.epsilon)
    }

    /// From one token's state to the next.
    pub(crate) const fn width(&self) -> usize {
        self.hidden.next_multiple_of(STEP)
    }

    /// From one token to the next inside a feed-forward layer.
    pub(crate) const fn wide_width(&self) -> usize {
        self.intermediate.next_multiple_of(STEP)
    }

    /// How queries, keys and values lie.
    pub(crate) const fn heads(&self) -> Heads {
        Heads {
            count: self.heads,
            size: self.hidden / self.heads,
            row_width: self.width(),
            qkv_width: (3 * self.hidden).next_multiple_of(STEP),
        }
    }
}

#[derive(Deserialize)]
struct Header {
    #[serde(flatten)]
    shape: Shape,
    tensors: HashMap<String, Tensor>,
}

/// Where a tensor is, counted from the end of the header.
#[derive(Serialize, Deserialize)]
pub(crate) struct Tensor {
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}

/// Where the tensors of one linear layer are.
struct LinearPlace {
    inputs: usize,
    weight: Range<usize>,
    scale: Range<usize>,
    sum: Range<usize>,
    bias: Range<usize>,
    smooth: Range<usize>,
}

struct NormPlace {
    weight: Range<usize>,
    bias: Range<usize>,
}

struct LayerPlace {
    qkv: LinearPlace,
    attention_output: LinearPlace,
    attention_norm: NormPlace,
    up: LinearPlace,
    down: LinearPlace,
    output_norm: NormPlace,
}

/// One layer of the encoder, its products in int8 or in floats.
pub(crate) struct Layer<'a, P> {
    /// Query, key and value side by side; the query is already divided by the root of the head size.
    pub(crate) qkv: P,
    /// After attention.
    pub(crate) attention_output: P,
    /// After the first residual.
    pub(crate) attention_norm: Norm<'a>,
    /// Feed-forward, widening.
    pub(crate) up: P,
    /// Feed-forward, narrowing.
    pub(crate) down: P,
    /// After the second residual.
    pub(crate) output_norm: Norm<'a>,
}

/// The mapped weights. Pages are shared with every other process that maps the same file.
pub struct Weights {
    map: Mmap,
    shape: Shape,
    /// Where the spellings end, and the spellings; nothing where a tokenizer has them.
    vocabulary: Option<(Range<usize>, Range<usize>)>,
    /// What the file holds besides.
    attachments: HashMap<String, Range<usize>>,
    word: Range<usize>,
    word_scale: Range<usize>,
    position: Range<usize>,
    norm: NormPlace,
    layers: Vec<LayerPlace>,
}

impl Weights {
    /// Maps the weights file of all-MiniLM-L6-v2 and checks its shape. The content is not hashed: whoever puts the file
    /// in place does that once.
    ///
    /// # Errors
    /// When the file cannot be opened; [`ErrorKind::InvalidData`] when it is not such a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let weights = Self::open_any(path)?;
        let is_minilm = Shape { vocabulary: 0, ..weights.shape } == MINILM && weights.vocabulary.is_some();
        if is_minilm { Ok(weights) } else { Err(ErrorKind::InvalidData.into()) }
    }

    /// As [`Weights::open`], of an encoder of any shape.
    ///
    /// # Errors
    /// As [`Weights::open`].
    #[expect(unsafe_code, reason = "mapping a file")]
    pub fn open_any(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the file is only ever replaced by renaming another one over it, never written in place.
        let map = unsafe { Mmap::map(&file) }?;
        Self::from_map(map).ok_or_else(|| ErrorKind::InvalidData.into())
    }

    fn from_map(map: Mmap) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(map.get(at..at + 4)?.try_into().ok()?));
        if map.get(..MAGIC.len())? != MAGIC || number(MAGIC.len())? != FORMAT_VERSION {
            return None;
        }
        let body = PREAMBLE.checked_add(usize::try_from(number(12)?).ok()?)?;
        let header: Header = serde_json::from_slice(map.get(PREAMBLE..body)?).ok()?;
        let shape = header.shape.clone();
        if !shape.is_sound() {
            return None;
        }
        let places = Places { header: &header, body, end: map.len() };
        let vocabulary = match header.tensors.get("vocabulary.text") {
            Some(text) => Some((
                places.of::<u32>("vocabulary.end", shape.vocabulary)?,
                places.of::<u8>("vocabulary.text", text.bytes)?,
            )),
            None => None,
        };
        let attached = header.tensors.iter().filter_map(|(name, tensor)| Some((name.strip_prefix(ATTACHED)?, tensor)));
        let attachments = attached
            .map(|(name, tensor)| Some((name.to_owned(), places.of::<u8>(&format!("{ATTACHED}{name}"), tensor.bytes)?)))
            .collect::<Option<_>>()?;
        let layers = (0..shape.layers).map(|i| places.layer(i)).collect::<Option<Vec<_>>>()?;
        Some(Self {
            vocabulary,
            attachments,
            word: places.of::<i8>("word.weight", shape.vocabulary * shape.hidden)?,
            word_scale: places.of::<f32>("word.scale", shape.vocabulary)?,
            position: places.of::<f32>("position.weight", shape.positions * shape.hidden)?,
            norm: places.norm("norm")?,
            layers,
            shape,
            map,
        })
    }

    /// The sizes of the encoder.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What the file holds besides the weights, by name.
    #[must_use]
    pub fn attachment(&self, name: &str) -> Option<&[u8]> {
        self.attachments.get(name).map(|place| self.slice(place))
    }

    fn slice<T: Pod>(&self, place: &Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.map[place.clone()])
    }

    /// The word pieces in the order of their ids; continuations begin with `##`.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &[u8]> {
        let (ends, text) = match &self.vocabulary {
            Some((ends, text)) => (self.slice::<u32>(ends), self.slice::<u8>(text)),
            None => (&[][..], &[][..]),
        };
        let mut begin = 0;
        ends.iter().map(move |&end| {
            let end = end as usize;
            let piece = text.get(begin..end).unwrap_or_default();
            begin = end;
            piece
        })
    }

    /// Puts the sum of word and position vector into `out`, a row for a token's state.
    pub(crate) fn embedding(&self, id: u32, position: usize, out: &mut [f32]) {
        let (id, hidden) = (id as usize, self.shape.hidden);
        let words: &[i8] = self.slice(&self.word);
        let scale = self.slice::<f32>(&self.word_scale)[id];
        let word = &words[id * hidden..][..hidden];
        let place = &self.slice::<f32>(&self.position)[position * hidden..][..hidden];
        let (out, filling) = out.split_at_mut(hidden);
        for ((out, &word), &place) in out.iter_mut().zip(word).zip(place) {
            *out = f32::from(word) * scale + place;
        }
        filling.fill(0.0);
    }

    /// The normalisation of the input vectors.
    pub(crate) fn norm(&self) -> Norm<'_> {
        self.norm_at(&self.norm)
    }

    /// The layers, first to last.
    pub(crate) fn layers(&self) -> impl Iterator<Item = Layer<'_, Linear<'_>>> {
        self.layers.iter().map(|l| Layer {
            qkv: self.linear_at(&l.qkv),
            attention_output: self.linear_at(&l.attention_output),
            attention_norm: self.norm_at(&l.attention_norm),
            up: self.linear_at(&l.up),
            down: self.linear_at(&l.down),
            output_norm: self.norm_at(&l.output_norm),
        })
    }

    fn norm_at(&self, place: &NormPlace) -> Norm<'_> {
        Norm { weight: self.slice(&place.weight), bias: self.slice(&place.bias), epsilon: self.shape.epsilon }
    }

    fn linear_at(&self, place: &LinearPlace) -> Linear<'_> {
        Linear {
            inputs: place.inputs,
            weight: self.slice(&place.weight),
            scale: self.slice(&place.scale),
            sum: self.slice(&place.sum),
            bias: self.slice(&place.bias),
            smooth: self.slice(&place.smooth),
        }
    }
}

/// Looks tensors up by name and checks their size.
struct Places<'a> {
    header: &'a Header,
    body: usize,
    end: usize,
}

impl Places<'_> {
    /// The place of a tensor of `count` numbers; none when it is absent, misplaced or of another size.
    fn of<T>(&self, name: &str, count: usize) -> Option<Range<usize>> {
        let tensor = self.header.tensors.get(name)?;
        let begin = self.body.checked_add(tensor.offset)?;
        let end = begin.checked_add(tensor.bytes)?;
        let fits = tensor.bytes == count * size_of::<T>() && end <= self.end && begin.is_multiple_of(align_of::<T>());
        fits.then_some(begin..end)
    }

    fn norm(&self, name: &str) -> Option<NormPlace> {
        let hidden = self.header.shape.hidden;
        Some(NormPlace {
            weight: self.of::<f32>(&format!("{name}.weight"), hidden)?,
            bias: self.of::<f32>(&format!("{name}.bias"), hidden)?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Option<LinearPlace> {
        Some(LinearPlace {
            inputs,
            weight: self.of::<i8>(&format!("{name}.weight"), inputs * outputs)?,
            scale: self.of::<f32>(&format!("{name}.scale"), outputs)?,
            sum: self.of::<i32>(&format!("{name}.sum"), outputs)?,
            bias: self.of::<f32>(&format!("{name}.bias"), outputs)?,
            smooth: self.of::<f32>(&format!("{name}.smooth"), inputs)?,
        })
    }

    fn layer(&self, index: usize) -> Option<LayerPlace> {
        let name = |part: &str| format!("layer.{index}.{part}");
        let shape = &self.header.shape;
        let (width, wide) = (shape.width(), shape.wide_width());
        Some(LayerPlace {
            qkv: self.linear(&name("qkv"), width, shape.heads().qkv_width)?,
            attention_output: self.linear(&name("attention_output"), width, width)?,
            attention_norm: self.norm(&name("attention_norm"))?,
            up: self.linear(&name("up"), width, wide)?,
            down: self.linear(&name("down"), wide, width)?,
            output_norm: self.norm(&name("output_norm"))?,
        })
    }
}
