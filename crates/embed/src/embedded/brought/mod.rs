//! Encoders that users bring: any sentence encoder of the BERT family, from a folder or from the hub (`hf:owner/name`),
//! as `provider: "embedded", model: "…"`.
//!
//! [`Wanted`] reads the setting, [`description`] the folder, [`tokens`] its tokenizer. [`prepare`] brings what is missing
//! and converts it to int8, once: what it makes is one file that needs neither the folder nor the network any more.

mod description;
mod fetch;
mod prepare;
mod tokens;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use model::{
    config::settings::{ProviderSettings, names_encoder},
    error::{Code, Error, Result},
};

pub use self::prepare::{Ready, Watch, prepare, ready};
pub(super) use self::tokens::Pipeline;

/// Who made the bundled model, which by its whole name is no encoder to bring.
const MAKER: &str = "sentence-transformers/";

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
    /// What `model` asks for beside `provider: "embedded"`; none for the bundled model.
    ///
    /// # Errors
    /// [`Code::Config`] when it is an address or a path, and neither an absolute one nor one of the hub.
    pub fn of(settings: &ProviderSettings) -> Result<Option<Self>> {
        let asked = settings.model.as_deref().filter(|_| settings.id == super::PROVIDER);
        let is_brought =
            |model: &&str| names_encoder(model) && model.to_lowercase().strip_prefix(MAKER) != Some(super::MODEL);
        let Some(written) = asked.filter(is_brought) else { return Ok(None) };
        if let Some(address) = written.strip_prefix("hf:") {
            return Self::on_hub(address).map(Some).ok_or_else(|| refused(written));
        }
        let path = match (written.strip_prefix("~/"), std::env::home_dir()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(written),
        };
        if path.is_absolute() { Ok(Some(Self::Folder(path))) } else { Err(refused(written)) }
    }

    fn on_hub(address: &str) -> Option<Self> {
        let (path, revision) = address.split_once('#').unwrap_or((address, "main"));
        let (owner, name) = path.trim_start_matches('/').trim_end_matches('/').split_once('/')?;
        let plain = |part: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty() && part.len() <= 96 && !part.starts_with('.') && part.chars().all(allowed)
        };
        let is_plain = [owner, name, revision].into_iter().all(plain);
        is_plain.then(|| Self::Hub { owner: owner.to_owned(), name: name.to_owned(), revision: revision.to_owned() })
    }

    /// What people call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Folder(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Hub { name, .. } => name.clone(),
        }
    }

    /// As it is written in the settings.
    fn written(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Hub { owner, name, revision } => format!("hf:{owner}/{name}#{revision}"),
        }
    }

    /// The folder with its files; `cache` is where downloads go.
    fn folder(&self, cache: &Path) -> PathBuf {
        match self {
            Self::Folder(path) => path.clone(),
            Self::Hub { owner, name, revision } => cache.join(format!("{owner}--{name}--{revision}")),
        }
    }
}

fn refused(written: &str) -> Error {
    Error::new(Code::Config, format!("{written:?} is no model that runs in this process"))
        .remedy("Set `model` to the absolute path of a folder with config.json, tokenizer.json and model.safetensors, to hf:<owner>/<name>, or leave it out for the bundled model")
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
