//! Settings of consolidation: what becomes an entry of MEMORY.md, when, and how much of it.

use serde::Serialize;
use serde_json::Value;

use super::{
    layers::{Reader, resolve_plugin},
    table,
};
use crate::error::Result;

/// What happens by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing; no evidence is kept.
    Off,
    /// Plans are made, and nothing is written.
    Plan,
    /// Plans are carried out.
    Apply,
}

/// Who finds the words of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Writer {
    /// The best whole sentence, as it stands.
    Extractive,
    /// A model, once a run; what it adds to its sources is refused.
    Abstractive,
}

/// The settings of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Consolidation {
    /// Default off.
    pub mode: Mode,
    /// Five fields of cron; default three in the morning.
    pub schedule: String,
    /// IANA name of the zone of the schedule; empty = the user's.
    pub time_zone: String,
    /// Default extractive.
    pub writer: Writer,
    /// Model of the abstractive writer; empty = the agent's.
    pub model: String,
    /// Most characters of MEMORY.md after a run; the host's bootstrap limit counts too. Default 10,000, 500–100,000.
    pub max_file_chars: usize,
    /// Most new entries of a run; default 10, 1–100.
    pub max_new: usize,
    /// Longest entry in characters; default 240, 40–1000.
    pub max_entry_chars: usize,
    /// Days a claim was met on; default 2, 1–60.
    pub min_days: usize,
    /// Uses of a claim; default 3, 1–100.
    pub min_uses: usize,
    /// Days that evidence counts for; default 30, 1–365.
    pub lookback_days: usize,
    /// Share of our entries that a run may move to the archive; default 0.25.
    pub max_loss: f64,
    /// Whether runs are told in DREAMS.md; default true.
    pub report: bool,
    /// Whether the abstractive writer adds a few sentences for a reader; default false.
    pub diary: bool,
    /// Runs that can be undone; default 30, 1–365.
    pub keep_runs: usize,
}

impl Default for Consolidation {
    fn default() -> Self {
        read(&mut Reader::of_plugin(&Value::Null, ""))
    }
}

/// The settings of one agent: `consolidation` of the plugin's configuration, and above it that of `agents.<id>` there.
///
/// # Errors
/// [`crate::error::Code::Config`] when a value has the wrong type.
pub fn resolve(config: &Value, agent_id: &str) -> Result<Consolidation> {
    resolve_plugin(config, agent_id, read)
}

fn read(reader: &mut Reader<'_>) -> Consolidation {
    Consolidation {
        mode: reader.choice(&table::CONSOLIDATION_MODE),
        schedule: reader.text(&table::CONSOLIDATION_SCHEDULE),
        time_zone: reader.text(&table::CONSOLIDATION_TIME_ZONE),
        writer: reader.choice(&table::CONSOLIDATION_WRITER),
        model: reader.text(&table::CONSOLIDATION_MODEL),
        max_file_chars: reader.count(&table::CONSOLIDATION_MAX_FILE_CHARS),
        max_new: reader.count(&table::CONSOLIDATION_MAX_NEW),
        max_entry_chars: reader.count(&table::CONSOLIDATION_MAX_ENTRY_CHARS),
        min_days: reader.count(&table::CONSOLIDATION_MIN_DAYS),
        min_uses: reader.count(&table::CONSOLIDATION_MIN_USES),
        lookback_days: reader.count(&table::CONSOLIDATION_LOOKBACK_DAYS),
        max_loss: reader.number(&table::CONSOLIDATION_MAX_LOSS),
        report: reader.switch(&table::CONSOLIDATION_REPORT),
        diary: reader.switch(&table::CONSOLIDATION_DIARY),
        keep_runs: reader.count(&table::CONSOLIDATION_KEEP_RUNS),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Code;

    #[test]
    fn it_is_off_until_somebody_says_so() {
        assert_eq!(resolve(&json!({}), "main").unwrap(), Consolidation::default());
        assert_eq!(Consolidation::default().mode, Mode::Off);
    }

    #[test]
    fn an_agent_overrides_single_keys_and_values_are_clamped() {
        let config = json!({
            "consolidation": { "mode": "apply", "maxNew": 5, "maxLoss": 7 },
            "agents": { "Work": { "consolidation": { "mode": "plan", "maxNew": null } } },
        });
        let work = resolve(&config, "work").unwrap();
        assert_eq!((work.mode, work.max_new, work.max_loss), (Mode::Plan, 5, 1.0));
        assert_eq!(resolve(&config, "main").unwrap().mode, Mode::Apply);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for config in [
            json!({ "consolidation": true }),
            json!({ "consolidation": { "mode": "on" } }),
            json!({ "consolidation": { "report": "yes" } }),
        ] {
            let error = resolve(&config, "main").unwrap_err();
            assert!(error.code() == Code::Config && error.message.contains("consolidation"), "{config}");
        }
    }
}
