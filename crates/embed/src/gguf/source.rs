//! Where a GGUF model comes from: a file, `hf:<user>/<repository>/<file>[#<revision>]`, or an `https:` address with an
//! optional `#sha256=<hex>`.

use std::path::PathBuf;

use url::Url;

use crate::download::{Remote, hub, is_safe, is_sha256};
use model::error::{Code, Error, Result};

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelSource {
    /// A file on this machine.
    File(PathBuf),
    /// To be downloaded once.
    Remote(Remote),
}

impl ModelSource {
    /// Reads `local.modelPath`.
    ///
    /// # Errors
    /// [`Code::Config`] when it is neither a file, nor an `hf:` URI of a `.gguf` file, nor an `https:` address.
    pub fn parse(written: &str) -> Result<Self> {
        Self::parse_with(written, &hub())
    }

    pub(super) fn parse_with(written: &str, hub: &str) -> Result<Self> {
        if let Some(rest) = written.strip_prefix("hf:") {
            let (path, revision) = rest.split_once('#').unwrap_or((rest, "main"));
            let parts: Vec<&str> = path.trim_start_matches('/').splitn(3, '/').collect();
            let [user, repository, file] = parts.as_slice() else {
                return Err(refused(written));
            };
            let url = format!("{}/{user}/{repository}/resolve/{revision}/{file}", hub.trim_end_matches('/'));
            return remote(written, &url, format!("hf_{user}_{}", last_part(file)), None);
        }
        if written.starts_with("https://") || written.starts_with("http://") {
            let (address, fragment) = written.split_once('#').unwrap_or((written, ""));
            let sha256 = fragment.strip_prefix("sha256=").map(str::to_ascii_lowercase);
            return remote(written, address, last_part(address).to_owned(), sha256);
        }
        let path = PathBuf::from(written);
        if path.is_file() {
            return Ok(Self::File(path));
        }
        Err(Error::new(Code::Config, format!("there is no model file {written:?}")).remedy(
            "Set `local.modelPath` to a GGUF file, an `hf:<user>/<repository>/<file>.gguf` URI or an https address",
        ))
    }
}

fn remote(written: &str, url: &str, file_name: String, sha256: Option<String>) -> Result<ModelSource> {
    let url = Url::parse(url).map_err(|_| refused(written))?;
    let plain = file_name.ends_with(".gguf") && !file_name.contains(['/', '\\', '%']);
    let hashed = sha256.as_deref().is_none_or(is_sha256);
    if plain && hashed && is_safe(&url) {
        Ok(ModelSource::Remote(Remote { url, file_name, sha256, begins: Some(*b"GGUF"), setting: "local.modelPath" }))
    } else {
        Err(refused(written))
    }
}

fn last_part(path: &str) -> &str {
    path.split(['?', '#']).next().unwrap_or(path).rsplit('/').next().unwrap_or(path)
}

fn refused(written: &str) -> Error {
    Error::new(Code::Config, format!("{written:?} is no address of a GGUF model"))
        .remedy("Use `hf:<user>/<repository>/<file>.gguf`, or `https://…/<file>.gguf`, optionally with `#sha256=<hex>`")
}
