//! `multimodal`: pictures and sounds below extra paths, and whether the provider takes their bytes.

use serde::Serialize;
use serde_json::Value;

use super::{layers::Reader, settings::ProviderSettings, table};
use crate::error::{Code, Error, Result};

/// What the caller has found out about the host's adapter: whether it embeds pictures and sounds.
const ADAPTER_TAKES_MEDIA: &str = "adapterTakesMedia";
/// Models of Gemini that embed more than text; previews have names of their own.
const GEMINI_MODEL: &str = "gemini-embedding-2";
/// What these take, as documented. They refuse any other format, after it was sent.
const GEMINI_TYPES: [&str; 4] = ["image/png", "image/jpeg", "audio/mpeg", "audio/wav"];

/// A kind of file that holds no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    /// A picture.
    Image,
    /// A sound.
    Audio,
}

impl Modality {
    /// The name of the kind, which its media types begin with.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
        }
    }

    /// Endings of its files, as memory-core has them.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Image => &["jpg", "jpeg", "png", "webp", "gif", "heic", "heif"],
            Self::Audio => &["mp3", "wav", "ogg", "opus", "m4a", "m2a", "aac", "flac"],
        }
    }
}

/// What the provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// Text only: of a picture or sound its name and captions are embedded.
    Text,
    /// What Gemini's models take.
    Gemini,
    /// Whatever the host's adapter makes of it.
    Any,
}

/// Which pictures and sounds are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Multimodal {
    /// Whether pictures are.
    pub image: bool,
    /// Whether sounds are.
    pub audio: bool,
    /// Largest file in bytes.
    pub max_file_bytes: u64,
    /// What the provider takes.
    pub takes: Takes,
}

impl Multimodal {
    /// What a file is by its name; none when it is no picture or sound that is indexed. Case does not count, as in
    /// memory-core.
    #[must_use]
    pub fn modality_of(&self, name: &str) -> Option<Modality> {
        let (_, ending) = name.rsplit_once('.')?;
        let is = |modality: &Modality| modality.endings().iter().any(|known| ending.eq_ignore_ascii_case(known));
        [(self.image, Modality::Image), (self.audio, Modality::Audio)]
            .into_iter()
            .find_map(|(wanted, modality)| (wanted && is(&modality)).then_some(modality))
    }

    /// Whether the bytes of a file of this media type are sent to the provider.
    #[must_use]
    pub fn sends(&self, mime: &str) -> bool {
        match self.takes {
            Takes::Text => false,
            Takes::Gemini => GEMINI_TYPES.contains(&mime),
            Takes::Any => true,
        }
    }
}

/// Reads the settings; none when nothing but text is indexed.
///
/// # Errors
/// `Config` where another provider stands in for the first one, as in memory-core: its vectors would be of text alone.
pub(super) fn read(reader: &mut Reader<'_>, config: &Value, provider: &ProviderSettings) -> Result<Option<Multimodal>> {
    let enabled = reader.switch(&table::MULTIMODAL_ENABLED);
    let max_file_bytes = reader.integer(&table::MULTIMODAL_MAX_FILE_BYTES);
    let (image, audio) = modalities(reader);
    if !enabled || !(image || audio) {
        return Ok(None);
    }
    if provider.fallback.is_some() {
        return Err(Error::new(Code::Config, "multimodal does not go together with a fallback provider")
            .remedy("Set fallback to \"none\", or multimodal.enabled to false"));
    }
    let takes = match provider.id.as_str() {
        "gemini" | "google" if takes_media(provider.model.as_deref()) => Takes::Gemini,
        _ if config.get(ADAPTER_TAKES_MEDIA).and_then(Value::as_bool) == Some(true) => Takes::Any,
        _ => Takes::Text,
    };
    if takes == Takes::Text {
        reader.warnings.push(format!(
            "multimodal: provider {} embeds text only; pictures and sounds are found by their names and by the lines of notes \
             that link them (provider gemini with model {GEMINI_MODEL} embeds what they show)",
            provider.id
        ));
    }
    Ok(Some(Multimodal { image, audio, max_file_bytes, takes }))
}

/// Whether one of Gemini's models embeds more than text.
fn takes_media(model: Option<&str>) -> bool {
    let name = model.unwrap_or_default().trim();
    let name =
        ["models/", "gemini/", "google/"].iter().fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    name.strip_prefix(GEMINI_MODEL).is_some_and(|rest| rest.is_empty() || rest.starts_with("-preview"))
}

/// `multimodal.modalities`: pictures, sounds.
fn modalities(reader: &mut Reader<'_>) -> (bool, bool) {
    const KEY: &str = table::MULTIMODAL_MODALITIES.key;
    let found = reader.all(KEY);
    let picked = reader.pick(KEY, found, "a list of \"image\", \"audio\" or \"all\"", |value| {
        let names = value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    });
    let Some(picked) = picked else { return (true, true) };
    for unknown in picked.value.iter().filter(|name| !matches!(name.as_str(), "image" | "audio" | "all")) {
        reader.warnings.push(format!("{} names the unknown kind \"{unknown}\"; it is ignored", picked.path));
    }
    let names = |kind: &str| picked.value.iter().any(|name| name == kind || name == "all");
    (names("image"), names("audio"))
}

#[cfg(test)]
#[path = "multimodal_tests.rs"]
mod tests;
