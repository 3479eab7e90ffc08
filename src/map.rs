//! The notes as a map.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{automatic::to_value, manager::NativeManager, promise::promise};

#[napi]
impl NativeManager {
    /// The passages of the notes in the plane, those that are alike near each other, and what lies where. Conversations are
    /// not on it. What is added later moves nothing, until there is twice as much.
    #[napi(ts_return_type = "Promise<MemoryMap>")]
    pub fn map<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&*engine.mapper.map().await?) }, |map| map)
    }
}
