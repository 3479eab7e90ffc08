//! Keys and headers: values that are used but never shown.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A value that prints as `[redacted]` and is wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a value.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// The value itself, for whoever sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// What a provider needs to let us in; resolved by the host and held in memory only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Credentials {
    /// The key; none for servers that need none.
    pub api_key: Option<Secret>,
    /// Further keys of the same account, tried in turn when one has used up its rate.
    pub spare_keys: Vec<Secret>,
    /// Extra headers, which win over our own of the same name (D10). An object of strings in JSON.
    #[serde(deserialize_with = "headers_of_map")]
    pub headers: Vec<(String, Secret)>,
}

impl Credentials {
    /// The key without surrounding white space; none when it is empty.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.keys().next()
    }

    /// All keys, the first one first, as [`Credentials::key`] gives it.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let keys = self.api_key.iter().chain(&self.spare_keys);
        keys.map(|key| key.expose().trim()).filter(|key| !key.is_empty())
    }
}

fn headers_of_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Secret)>, D::Error> {
    BTreeMap::<String, Secret>::deserialize(deserializer).map(|map| map.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_prints() {
        let credentials: Credentials =
            serde_json::from_str(r#"{"apiKey":"sk-canary-1","headers":{"x-team":"canary-2"}}"#).unwrap();
        let shown = format!("{credentials:?} {}", credentials.api_key.clone().unwrap());
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(credentials.key(), Some("sk-canary-1"));
        assert_eq!(credentials.headers[0].1.expose(), "canary-2");
    }

    #[test]
    fn a_blank_key_is_no_key() {
        let credentials = Credentials { api_key: Some(Secret::new("  ")), ..Credentials::default() };
        assert_eq!(credentials.key(), None);
    }
}
