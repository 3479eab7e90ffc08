//! What an administrator of a PostgreSQL database is given: `openclaw memory store …`.

use napi::Env;
use napi_derive::napi;

use super::error::to_js;
use engine::services;

/// The SQL that makes the tables of a schema, or brings them to this version, where the engine's own role may not.
/// `role`: who is granted what an engine needs; without, a comment says what is missing. No database is asked.
///
/// # Errors
/// `MEM_CONFIG` when the schema has no usable name, `MEM_ARGUMENT` when the role has none.
#[napi]
pub fn database_script(env: &Env, schema: String, role: Option<String>) -> napi::Result<String> {
    services::database_script(&schema, role.as_deref()).map_err(|e| to_js(env, e))
}
