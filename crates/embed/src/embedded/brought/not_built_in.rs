//! What a build says that runs no encoder but its own: it has neither what reads their tokenizers nor what converts them.

use std::path::Path;

use minilm::Weights;
use model::{
    config::settings::ProviderSettings,
    error::{Code, Error, Result},
};

use super::{Ready, Wanted, Watch};

impl Wanted {
    /// None for the bundled model.
    ///
    /// # Errors
    /// [`Code::Config`] for every other one.
    pub fn of(settings: &ProviderSettings) -> Result<Option<Self>> {
        super::written(settings).map_or(Ok(None), |_| Err(refusal()))
    }
}

/// The refusal of an encoder of the user's.
fn refusal() -> Error {
    Error::new(Code::Config, "this build of memory-core-rs runs no model but its own")
        .remedy("Leave `model` out for the bundled model; in a clone, `npm run build` makes one that runs others")
}

/// None is ready.
///
/// # Errors
/// [`Code::Config`] always.
pub fn ready(_wanted: &Wanted, _cache: &Path) -> Result<Option<Ready>> {
    Err(refusal())
}

/// None can be made.
///
/// # Errors
/// [`Code::Config`] always.
pub async fn prepare(_wanted: &Wanted, _cache: &Path, _watch: Watch) -> Result<Ready> {
    Err(refusal())
}

/// A tokenizer of an encoder of the user's: there is none.
pub(in crate::embedded) enum Pipeline {}

impl Pipeline {
    pub(in crate::embedded) fn open(_weights: &Weights) -> std::result::Result<Self, String> {
        Err(refusal().to_string())
    }

    pub(in crate::embedded) fn encode(&self, _text: &str) -> std::result::Result<Vec<u32>, String> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_model_is_none_to_bring_and_any_other_is_refused() {
        let of = |model: Option<&str>| {
            let mut provider = crate::tests::settings(crate::embedded::PROVIDER);
            provider.model = model.map(str::to_owned);
            Wanted::of(&provider)
        };
        assert_eq!(of(None).unwrap(), None);
        assert_eq!(of(Some(crate::embedded::MODEL)).unwrap(), None);
        for model in ["hf:intfloat/multilingual-e5-small", "/models/encoder", "~/encoder"] {
            let error = of(Some(model)).unwrap_err();
            assert_eq!((error.code(), error.to_string().contains("npm run build")), (Code::Config, true), "{error}");
        }
    }
}
