//! Consolidation: evidence, plans, runs.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{automatic::from_value, manager::NativeManager, promise::promise};
use engine::services::ConsolidateCall;
use model::{clock::now_ms, config::consolidation};

/// Whose consolidation.
#[napi(object)]
pub struct ConsolidationAgent {
    /// `consolidation` of the plugin's own configuration, and of each of its agents.
    pub config: Value,
    /// The agent.
    pub agent_id: String,
    /// The smallest bootstrap limit of the agents that share the workspace, in characters.
    pub bootstrap_chars: u32,
    /// "Now" in milliseconds since the epoch; default: the clock.
    pub now_ms: Option<f64>,
}

#[napi]
impl NativeManager {
    /// One operation of consolidation: `observe`, `evidence`, `plan`, `question`, `apply`, `undo`, `runs`, `run`,
    /// `explain`, `replay`, `rollBack`, `status` or `due`.
    #[napi(ts_return_type = "Promise<any>")]
    pub fn consolidate<'env>(
        &self,
        env: &'env Env,
        agent: ConsolidationAgent,
        #[napi(ts_arg_type = "{ op: string } & Record<string, unknown>")] call: Value,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move {
            let settings = consolidation::resolve(&agent.config, &agent.agent_id)?;
            let call: ConsolidateCall = from_value(call, "consolidation")?;
            #[expect(clippy::cast_possible_truncation, reason = "milliseconds since the epoch fit")]
            let now = agent.now_ms.map_or_else(now_ms, |ms| ms as i64);
            engine.consolidator.call(call, settings, agent.bootstrap_chars as usize, now).await
        };
        promise(env, work, |value| value)
    }
}
