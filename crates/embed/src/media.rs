//! A picture or sound with its text, as one input of a model that takes both.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// One input: a text, and the bytes of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Media {
    /// Said of the file.
    pub text: String,
    /// Its media type, told by its content.
    pub mime: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

impl Media {
    /// The file as text.
    #[must_use]
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

impl std::fmt::Debug for Media {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Media").field("mime", &self.mime).field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
