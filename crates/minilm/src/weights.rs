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
use serde::Deserialize;

use super::kernels::{Linear, Norm};

/// Numbers in one token's vector.
pub const HIDDEN: usize = 384;
/// Numbers inside a feed-forward layer.
pub(crate) const INTERMEDIATE: usize = 1536;
/// Attention heads in a layer.
pub(crate) const HEADS: usize = 12;
/// Layers.
pub(crate) const LAYERS: usize = 6;
/// Word pieces of one input, `[CLS]` and `[SEP]` included; the rest is cut off (model card).
pub const MAX_PIECES: usize = 256;

const MAGIC: &[u8; 8] = b"MCRMODEL";
const FORMAT_VERSION: u32 = 1;
/// Magic, format version, header length.
const PREAMBLE: usize = 16;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    hidden: usize,
    intermediate: usize,
    heads: usize,
    layers: usize,
    positions: usize,
    vocabulary: usize,
    tensors: HashMap<String, Tensor>,
}

#[derive(Deserialize)]
struct Tensor {
    offset: usize,
    bytes: usize,
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

/// One layer of the encoder.
pub struct Layer<'a> {
    /// Query, key and value side by side; the query is already divided by the root of the head size.
    pub qkv: Linear<'a>,
    /// After attention.
    pub attention_output: Linear<'a>,
    /// After the first residual.
    pub attention_norm: Norm<'a>,
    /// Feed-forward, widening.
    pub up: Linear<'a>,
    /// Feed-forward, narrowing.
    pub down: Linear<'a>,
    /// After the second residual.
    pub output_norm: Norm<'a>,
}

/// The mapped weights. Pages are shared with every other process that maps the same file.
pub struct Weights {
    map: Mmap,
    vocabulary_end: Range<usize>,
    vocabulary_text: Range<usize>,
    word: Range<usize>,
    word_scale: Range<usize>,
    position: Range<usize>,
    norm: NormPlace,
    layers: Vec<LayerPlace>,
}

impl Weights {
    /// Maps a weights file and checks that it has the shape this encoder was built for. The content is not hashed:
    /// whoever puts the file in place does that once.
    ///
    /// # Errors
    /// When the file cannot be opened; [`ErrorKind::InvalidData`] when it is not such a file.
    #[expect(unsafe_code, reason = "mapping a file")]
    pub fn open(path: &Path) -> io::Result<Self> {
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
        let body = PREAMBLE + usize::try_from(number(12)?).ok()?;
        let header: Header = serde_json::from_slice(map.get(PREAMBLE..body)?).ok()?;
        let shape = [header.hidden, header.intermediate, header.heads, header.layers, header.positions];
        if shape != [HIDDEN, INTERMEDIATE, HEADS, LAYERS, MAX_PIECES] {
            return None;
        }
        let places = Places { header: &header, body, end: map.len() };
        let vocabulary_text = places.header.tensors.get("vocabulary.text")?.bytes;
        let layers = (0..LAYERS).map(|i| places.layer(i)).collect::<Option<Vec<_>>>()?;
        Some(Self {
            vocabulary_end: places.of::<u32>("vocabulary.end", header.vocabulary)?,
            vocabulary_text: places.of::<u8>("vocabulary.text", vocabulary_text)?,
            word: places.of::<i8>("word.weight", header.vocabulary * HIDDEN)?,
            word_scale: places.of::<f32>("word.scale", header.vocabulary)?,
            position: places.of::<f32>("position.weight", MAX_PIECES * HIDDEN)?,
            norm: places.norm("norm")?,
            layers,
            map,
        })
    }

    fn slice<T: Pod>(&self, place: &Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.map[place.clone()])
    }

    /// The word pieces in the order of their ids; continuations begin with `##`.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &[u8]> {
        let text: &[u8] = self.slice(&self.vocabulary_text);
        let ends: &[u32] = self.slice(&self.vocabulary_end);
        let mut begin = 0;
        ends.iter().map(move |&end| {
            let end = end as usize;
            let piece = text.get(begin..end).unwrap_or_default();
            begin = end;
            piece
        })
    }

    /// Puts the sum of word and position vector into `out` ([`HIDDEN`] numbers).
    pub fn embedding(&self, id: u32, position: usize, out: &mut [f32]) {
        let id = id as usize;
        let words: &[i8] = self.slice(&self.word);
        let scale = self.slice::<f32>(&self.word_scale)[id];
        let word = &words[id * HIDDEN..][..HIDDEN];
        let place = &self.slice::<f32>(&self.position)[position * HIDDEN..][..HIDDEN];
        for ((out, &word), &place) in out.iter_mut().zip(word).zip(place) {
            *out = f32::from(word) * scale + place;
        }
    }

    /// The normalisation of the input vectors.
    pub fn norm(&self) -> Norm<'_> {
        self.norm_at(&self.norm)
    }

    /// The layers, first to last.
    pub fn layers(&self) -> impl Iterator<Item = Layer<'_>> {
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
        Norm { weight: self.slice(&place.weight), bias: self.slice(&place.bias) }
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
        Some(NormPlace {
            weight: self.of::<f32>(&format!("{name}.weight"), HIDDEN)?,
            bias: self.of::<f32>(&format!("{name}.bias"), HIDDEN)?,
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
        Some(LayerPlace {
            qkv: self.linear(&name("qkv"), HIDDEN, 3 * HIDDEN)?,
            attention_output: self.linear(&name("attention_output"), HIDDEN, HIDDEN)?,
            attention_norm: self.norm(&name("attention_norm"))?,
            up: self.linear(&name("up"), HIDDEN, INTERMEDIATE)?,
            down: self.linear(&name("down"), INTERMEDIATE, HIDDEN)?,
            output_norm: self.norm(&name("output_norm"))?,
        })
    }
}
