//! `provider: "local"` without a host: a GGUF model in this process through llama.cpp. Only in builds with the cargo
//! feature `llama-cpp`; the ordinary build leaves `local` to the host's adapter.
//!
//! [`source`] reads where the model comes from, [`crate::download`] brings it, [`model`] embeds. Packing, time limits and the
//! checking of vectors are those of every provider, see [`super::callback`].

mod model;
mod source;

#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::sync::OnceCell;

use self::{model::Worker, source::ModelSource};
use super::{
    callback::{Callback, of_texts},
    download::download,
};
use model::error::Result;

/// The model of the host's documentation (D6).
pub(crate) const DEFAULT_MODEL: &str =
    "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf";

/// An embedding function over the model at `written` (a path, an `hf:` URI or an `https:` address). Nothing happens
/// before its first call: then the model is downloaded into `cache_dir` if it has to be, and loaded; it is unloaded
/// after a minute without work.
///
/// # Errors
/// When `written` cannot be understood.
pub fn callback(written: &str, cache_dir: PathBuf) -> Result<Callback> {
    let source = Arc::new(ModelSource::parse(written)?);
    let worker: Arc<OnceCell<Worker>> = Arc::default();
    Ok(of_texts(move |texts, _purpose| {
        let (source, worker, cache_dir) = (Arc::clone(&source), Arc::clone(&worker), cache_dir.clone());
        Box::pin(async move {
            let open = || async { local_file(&source, &cache_dir).await.map(Worker::new) };
            worker.get_or_try_init(open).await?.embed(texts).await
        })
    }))
}

async fn local_file(source: &ModelSource, cache_dir: &Path) -> Result<PathBuf> {
    match source {
        ModelSource::File(path) => Ok(path.clone()),
        ModelSource::Remote(remote) => download(remote, cache_dir).await,
    }
}
