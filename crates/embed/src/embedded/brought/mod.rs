//! Encoders that users bring: any sentence encoder of the BERT family, from a folder or from the hub (`hf:owner/name`),
//! as `provider: "embedded", model: "…"`.
//!
//! `wanted` reads the setting, `description` the folder, `tokens` its tokenizer. [`prepare`] brings what is missing
//! and converts it to int8, once: what it makes is one file that needs neither the folder nor the network any more. Without
//! the feature `brought` there is none of it, and `not_built_in` refuses the setting.

#[cfg(feature = "brought")]
mod description;
#[cfg(feature = "brought")]
mod fetch;
#[cfg(not(feature = "brought"))]
mod not_built_in;
#[cfg(feature = "brought")]
mod prepare;
#[cfg(feature = "brought")]
mod tokens;
#[cfg(feature = "brought")]
mod vocabulary;
#[cfg(feature = "brought")]
mod wanted;

#[cfg(feature = "brought")]
#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use model::config::settings::{ProviderSettings, names_encoder};

#[cfg(not(feature = "brought"))]
pub(super) use self::not_built_in::Pipeline;
#[cfg(not(feature = "brought"))]
pub use self::not_built_in::{prepare, ready};
#[cfg(feature = "brought")]
pub use self::prepare::{prepare, ready};
#[cfg(feature = "brought")]
pub(super) use self::tokens::Pipeline;

/// Who made the bundled model, which by its whole name is no encoder to bring.
const MAKER: &str = "sentence-transformers/";

/// Hears what is being done and how much of it is, from 0 to 1, and says whether to go on.
pub type Watch = Arc<dyn Fn(&str, f32) -> bool + Send + Sync>;

/// An encoder that the settings ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A repository of the hub.
    Hub {
        /// Whose it is.
        owner: String,
        /// Its name.
        name: String,
        /// Branch, tag or commit.
        revision: String,
    },
}

impl Wanted {
    /// What people call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Folder(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Hub { name, .. } => name.clone(),
        }
    }
}

/// What the settings call an encoder other than the bundled one, if they do.
fn written(settings: &ProviderSettings) -> Option<&str> {
    let asked = settings.model.as_deref().filter(|_| settings.id == super::PROVIDER);
    asked.filter(|model| names_encoder(model) && model.to_lowercase().strip_prefix(MAKER) != Some(super::MODEL))
}

/// A converted encoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// Its weights file.
    pub file: PathBuf,
    /// What people call it, and the hash of everything that decides about its vectors but the prefixes.
    pub space: String,
    /// What it says stands before texts.
    pub prefixes: Prefixes,
}

/// What stands before a text, so that the model knows what it is embedded for.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Prefixes {
    /// Before a question.
    pub query: String,
    /// Before a text to be found.
    pub document: String,
}

impl Prefixes {
    /// These, where the settings name no others.
    #[must_use]
    pub fn or(&self, settings: &ProviderSettings) -> Self {
        let chosen = |set: &Option<String>, own: &String| set.as_ref().unwrap_or(own).clone();
        Self {
            query: chosen(&settings.local_query_prefix, &self.query),
            document: chosen(&settings.local_document_prefix, &self.document),
        }
    }
}
