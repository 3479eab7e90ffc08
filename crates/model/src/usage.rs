//! What an embedding provider was asked for.

use serde::Serialize;

/// What has been spent since the process started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Requests sent.
    pub requests: u64,
    /// Texts sent.
    pub texts: u64,
    /// Tokens, as the provider counted them, else estimated.
    pub tokens: u64,
}
