//! The weights in memory, mapped while somebody uses them, and what they were used for.

use std::{
    io::ErrorKind,
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use super::brought::Pipeline;
use minilm::{Kernels, Scratch, Shape, States, Tokenizer, Weights, encode, encode_states};
use model::error::{Code, Error, Result};

/// Tokens of one forward pass. Enough rows to use every weight many times while it is in the cache, few enough that
/// the activations stay there as well.
const PACK_TOKENS: usize = 256;

/// Weights and vocabulary.
pub(super) struct Model {
    weights: Weights,
    tokenizer: Words,
}

/// What cuts texts into word pieces.
enum Words {
    /// The bundled model's own.
    Own(Tokenizer),
    /// That of an encoder of the user's.
    Brought(Box<Pipeline>),
}

impl Words {
    fn encode(&self, text: &str) -> Result<Vec<u32>> {
        match self {
            Self::Own(tokenizer) => Ok(tokenizer.encode(text)),
            Self::Brought(pipeline) => pipeline.encode(text).map_err(|cause| {
                Error::new(Code::ProviderInput, format!("the model's tokenizer cannot take a text: {cause}"))
            }),
        }
    }
}

/// Which encoder a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The bundled model.
    Bundled,
    /// An encoder of the user's.
    Brought,
}

/// The weights file, mapped while somebody uses it, and what it was used for.
pub(super) struct Source {
    path: PathBuf,
    kind: Kind,
    mapped: Mutex<Weak<Model>>,
    texts: AtomicU64,
    tokens: AtomicU64,
    jobs: AtomicU64,
}

impl Source {
    /// A source that maps `path` when it is first needed.
    pub(super) fn new(path: PathBuf, kind: Kind) -> Self {
        let zero = || AtomicU64::new(0);
        Self { path, kind, mapped: Mutex::default(), texts: zero(), tokens: zero(), jobs: zero() }
    }

    /// Looks whether the file is there and of this version.
    ///
    /// # Errors
    /// When the file cannot be read or is not a weights file of this version.
    pub(super) fn check(&self) -> Result<Shape> {
        self.open().map(|weights| weights.shape().clone())
    }

    fn open(&self) -> Result<Weights> {
        let (opened, remedy) = match self.kind {
            Kind::Bundled => (Weights::open(&self.path), "Delete it; it is unpacked again from the installed package"),
            Kind::Brought => (Weights::open_any(&self.path), "Delete it; it is made again from the model's files"),
        };
        opened.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                Error::new(Code::Corrupt, format!("{} is not a weights file of this version", self.path.display()))
                    .remedy(remedy)
            }
            _ => Error::io(&self.path, &error),
        })
    }

    /// Whether the weights are in memory now.
    #[cfg(test)]
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped.lock().strong_count() > 0
    }

    /// Jobs, texts and word pieces so far.
    pub(super) fn spent(&self) -> (u64, u64, u64) {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (get(&self.jobs), get(&self.texts), get(&self.tokens))
    }

    /// Weights and vocabulary, mapped if they are not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn model(&self) -> Result<Arc<Model>> {
        let mut mapped = self.mapped.lock();
        if let Some(model) = mapped.upgrade() {
            return Ok(model);
        }
        let weights = self.open()?;
        let tokenizer = match self.kind {
            Kind::Bundled => Words::Own(Tokenizer::new(&weights)),
            Kind::Brought => Words::Brought(Box::new(Pipeline::open(&weights).map_err(|cause| {
                Error::new(Code::Corrupt, format!("{}: {cause}", self.path.display()))
                    .remedy("Delete it; it is made again from the model's files")
            })?)),
        };
        let model = Arc::new(Model { tokenizer, weights });
        *mapped = Arc::downgrade(&model);
        Ok(model)
    }

    /// Encodes texts in their order; `each` gets the word pieces of a text and their states. `stop` is asked between
    /// forward passes.
    ///
    /// # Errors
    /// [`Code::Closed`] when stopped.
    pub(super) fn encode<T>(
        &self,
        model: &Model,
        texts: &[String],
        scratch: &mut Scratch,
        stop: impl Fn() -> bool,
        each: impl Fn(&Tokenizer, &[u32], States) -> T,
    ) -> Result<Vec<T>> {
        let Words::Own(tokenizer) = &model.tokenizer else {
            return Err(Error::new(Code::Internal, "an encoder of the user's gives no pieces"));
        };
        self.passes(model, texts, stop, |pack, out| {
            let states = encode_states(&model.weights, &Kernels::best(), pack, scratch);
            out.extend(pack.iter().zip(states).map(|(pieces, states)| each(tokenizer, pieces, states)));
        })
    }

    /// The vectors of texts, in their order. `stop` is asked between forward passes.
    ///
    /// # Errors
    /// [`Code::Closed`] when stopped.
    pub(super) fn embed(
        &self,
        model: &Model,
        texts: &[String],
        scratch: &mut Scratch,
        stop: impl Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>> {
        self.passes(model, texts, stop, |pack, out| {
            out.extend(encode(&model.weights, &Kernels::best(), pack, scratch));
        })
    }

    /// Cuts texts into forward passes.
    fn passes<T>(
        &self,
        model: &Model,
        texts: &[String],
        stop: impl Fn() -> bool,
        mut pass: impl FnMut(&[Vec<u32>], &mut Vec<T>),
    ) -> Result<Vec<T>> {
        let pieces = texts.iter().map(|text| model.tokenizer.encode(text)).collect::<Result<Vec<Vec<u32>>>>()?;
        let tokens: usize = pieces.iter().map(Vec::len).sum();
        let mut out = Vec::with_capacity(pieces.len());
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            if stop() {
                return Err(closed());
            }
            let (pack, others) = rest.split_at(pack_size(rest));
            pass(pack, &mut out);
            rest = others;
        }
        self.jobs.fetch_add(1, Ordering::Relaxed);
        self.texts.fetch_add(pieces.len() as u64, Ordering::Relaxed);
        self.tokens.fetch_add(tokens as u64, Ordering::Relaxed);
        Ok(out)
    }
}

/// How many texts from the front make one forward pass: at least one.
fn pack_size(pieces: &[Vec<u32>]) -> usize {
    let mut tokens = 0;
    let fits = pieces.iter().take_while(|text| {
        tokens += text.len();
        tokens <= PACK_TOKENS
    });
    fits.count().max(1)
}

/// What calls get once the model is closed.
pub(super) fn closed() -> Error {
    Error::new(Code::Closed, "the embedded model was closed")
}

/// What a call gets when the model has a bug.
pub(super) fn panicked() -> Error {
    Error::new(Code::Internal, "the embedded model panicked")
}
