//! Wire formats: how each provider wants to be asked, and how it answers.

pub(crate) mod gemini;
pub(crate) mod ollama;
pub(crate) mod openai;

use std::{borrow::Cow, fmt};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};
use url::Url;

use super::{Purpose, driver::Answer, media::Media};

/// A wire format with its endpoint, model and options.
pub trait Wire: Send + Sync {
    /// Where requests go.
    fn url(&self) -> &Url;

    /// The JSON body of a request. `base64` asks for packed vectors where the format knows them.
    fn body(&self, texts: &[String], purpose: Purpose, base64: bool) -> Vec<u8>;

    /// The body of a request for one picture or sound; none where the format knows only text.
    fn media_body(&self, _media: &Media) -> Option<Vec<u8>> {
        None
    }

    /// The vectors of a reply, in the order of the request.
    ///
    /// # Errors
    /// What is wrong with the reply, without quoting it.
    fn parse(&self, body: &[u8]) -> Result<Answer, Cow<'static, str>>;
}

/// A vector as an array of numbers or as base64 of little-endian `f32`s.
pub(crate) struct Floats(pub(crate) Vec<f32>);

impl<'de> Deserialize<'de> for Floats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FloatsVisitor)
    }
}

struct FloatsVisitor;

/// Vectors are of this size or below most of the time; saves growing them number by number.
const USUAL_DIMS: usize = 1536;

impl<'de> Visitor<'de> for FloatsVisitor {
    type Value = Floats;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers or base64")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Floats, A::Error> {
        let mut numbers = Vec::with_capacity(sequence.size_hint().unwrap_or(USUAL_DIMS));
        while let Some(number) = sequence.next_element()? {
            numbers.push(number);
        }
        Ok(Floats(numbers))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Floats, E> {
        let bytes = STANDARD.decode(text).map_err(|_| E::custom("a vector is not base64"))?;
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("a base64 vector has a broken number"));
        }
        Ok(Floats(words.iter().map(|&word| f32::from_le_bytes(word)).collect()))
    }
}

/// Puts indexed vectors in the order of the request.
///
/// # Errors
/// When only some carry an index, or the indices are not 0 to n − 1.
pub(crate) fn in_order(items: Vec<(Option<usize>, Vec<f32>)>) -> Result<Vec<Vec<f32>>, Cow<'static, str>> {
    if items.iter().all(|(index, _)| index.is_none()) {
        return Ok(items.into_iter().map(|(_, vector)| vector).collect());
    }
    let mut ordered: Vec<Option<Vec<f32>>> = vec![None; items.len()];
    for (index, vector) in items {
        match index.and_then(|index| ordered.get_mut(index)) {
            Some(slot @ None) => *slot = Some(vector),
            _ => return Err("the indices of the vectors are not those of the texts".into()),
        }
    }
    ordered.into_iter().collect::<Option<_>>().ok_or_else(|| "a vector is missing".into())
}

/// Parses a JSON reply; the message names the position, never the content.
pub(crate) fn parse_json<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Cow<'static, str>> {
    serde_json::from_slice(body).map_err(|error| {
        let start = body.trim_ascii_start().first();
        match start {
            Some(b'<') => "the reply is an HTML page".into(),
            None => "the reply is empty".into(),
            _ if error.is_eof() => "the reply ends too early".into(),
            _ => {
                format!("the reply is no embedding reply (at byte {} of line {})", error.column(), error.line()).into()
            }
        }
    })
}

/// The address of `path` below a base URL; the base's own query is kept.
pub(crate) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_fragment(None);
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Deserialises `null` like an absent value.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_as_numbers_or_base64() {
        let Floats(numbers) = serde_json::from_str("[1, -0.5, 2e-1]").unwrap();
        assert_eq!(numbers, [1.0, -0.5, 0.2]);
        let Floats(packed) = serde_json::from_str(r#""AACAPwAAAL8=""#).unwrap();
        assert_eq!(packed, [1.0, -0.5]);
        for broken in ["[1, null]", "\"AAA=\"", "\"!\"", "{}"] {
            assert!(serde_json::from_str::<Floats>(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn indices_decide_the_order_and_must_be_complete() {
        let item = |index, value| (index, vec![value]);
        assert_eq!(in_order(vec![item(Some(1), 1.0), item(Some(0), 0.0)]).unwrap(), [[0.0], [1.0]]);
        assert_eq!(in_order(vec![item(None, 5.0), item(None, 6.0)]).unwrap(), [[5.0], [6.0]]);
        assert!(in_order(vec![item(Some(0), 1.0), item(Some(0), 0.0)]).is_err());
        assert!(in_order(vec![item(Some(0), 1.0), item(Some(2), 0.0)]).is_err());
        assert!(in_order(vec![item(Some(0), 1.0), item(None, 0.0)]).is_err());
    }

    #[test]
    fn a_path_goes_before_the_query_of_the_base() {
        let base = Url::parse("https://h/v1/?api-version=2#x").unwrap();
        assert_eq!(below(&base, "embeddings").as_str(), "https://h/v1/embeddings?api-version=2");
    }
}
