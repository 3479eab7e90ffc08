//! Which encoder the settings ask for.

use std::path::{Path, PathBuf};

use model::{
    config::settings::ProviderSettings,
    error::{Code, Error, Result},
};

use super::Wanted;

impl Wanted {
    /// What `model` asks for beside `provider: "embedded"`; none for the bundled model.
    ///
    /// # Errors
    /// [`Code::Config`] when it is an address or a path, and neither an absolute one nor one of the hub.
    pub fn of(settings: &ProviderSettings) -> Result<Option<Self>> {
        let Some(written) = super::written(settings) else { return Ok(None) };
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

    /// As it is written in the settings.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Hub { owner, name, revision } => format!("hf:{owner}/{name}#{revision}"),
        }
    }

    /// The folder with its files; `cache` is where downloads go.
    pub(super) fn folder(&self, cache: &Path) -> PathBuf {
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
