//! Key and headers of the embedding endpoint, read from the same layers as the settings but kept apart from them,
//! so that nothing that is shown or stored can hold a secret.

use std::{collections::BTreeMap, fmt};

use serde_json::Value;

use super::{
    agents::{Roster, normalize_agent_id},
    layers::Reader,
    resolve::ResolveInput,
};

/// What `remote.*` says about credentials. Printing it shows no secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RemoteSecrets {
    /// `remote.apiKey`, when it is a plain text.
    pub api_key: Option<String>,
    /// Whether `remote.apiKey` is a reference (`SecretRef` or `${NAME}`) that only the host can resolve.
    pub is_reference: bool,
    /// `remote.headers`.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for RemoteSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSecrets")
            .field("api_key", &self.api_key.as_ref().map(|_| "***"))
            .field("is_reference", &self.is_reference)
            .field("headers", &self.headers.keys())
            .finish()
    }
}

/// Reads `remote.apiKey` and `remote.headers` through the layers. The highest layer that sets one wins; headers of
/// different layers are not mixed, as in the host.
#[must_use]
pub fn remote_secrets(input: &ResolveInput<'_>) -> RemoteSecrets {
    let roster = Roster::read(input.config);
    let reader = Reader::new(input.config, &roster, &normalize_agent_id(input.agent_id));
    let mut secrets = RemoteSecrets::default();
    match reader.all("remote.apiKey").first().map(|found| found.value) {
        Some(Value::String(key)) if key.trim().starts_with("${") => secrets.is_reference = true,
        Some(Value::String(key)) if !key.trim().is_empty() => secrets.api_key = Some(key.trim().to_owned()),
        Some(Value::Object(_)) => secrets.is_reference = true,
        _ => {}
    }
    let headers = reader.all("remote.headers").into_iter().find_map(|found| found.value.as_object());
    for (name, value) in headers.into_iter().flatten() {
        // The JavaScript side keeps the names and sends the values with the credentials.
        if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
            secrets.headers.insert(name.clone(), value.to_owned());
        }
    }
    secrets
}
