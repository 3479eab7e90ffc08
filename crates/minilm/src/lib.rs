//! The encoder of all-MiniLM-L6-v2 with int8 weights, on the CPU: text to word pieces ([`Tokenizer`]), word pieces to
//! unit vectors ([`encode`]), or to the states that these are the means of ([`encode_states`]), over the inner loops of
//! one instruction set ([`Kernels`]) and the mapped [`Weights`]. Other encoders of the BERT family run alike once
//! [`convert`] has made a weights file of them.
//! It knows nothing of the rest of the engine. How the weights file is made: `scripts/model/`; what was measured:
//! `docs/embedded-model.md`.
//!
//! ```no_run
//! use minilm::{Kernels, Scratch, Tokenizer, Weights, encode};
//!
//! let weights = Weights::open("all-minilm-l6-v2.bin".as_ref())?;
//! let pieces = Tokenizer::new(&weights).encode("Grandma prefers calls before noon");
//! let vectors = encode(&weights, &Kernels::best(), &[pieces], &mut Scratch::default());
//! assert_eq!(vectors[0].len(), 384);
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "convert")]
pub mod convert;
mod encoder;
mod kernels;
mod states;
mod tokenizer;
mod weights;

#[cfg(test)]
mod tests;

pub use encoder::{Scratch, encode};
pub use kernels::Kernels;
pub use states::{States, encode_states};
pub use tokenizer::{Tokenizer, UNKNOWN};
pub use weights::{HIDDEN, MAX_PIECES, Pooling, Shape, Weights};
