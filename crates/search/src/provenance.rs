//! Where a passage comes from: whose words it holds, from what kind of session, and since when they are known.

use serde::{Deserialize, Serialize};

use model::{
    layout::{MEMORY_FOLDER, is_curated},
    source::Source,
};
use text::speaker::{self, Speaker};

/// Whose words a passage holds, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OriginClass {
    /// The owner's.
    Owner,
    /// The agent's, in a workspace that is its own.
    Agent,
    /// Somebody else's, or nobody knows whose.
    Untrusted,
    /// What the host writes by itself.
    System,
}

/// The kind of session that words come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionKind {
    /// People held it.
    Interactive,
    /// Not known, or none.
    Unknown,
}

/// Where a passage comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Whose words it holds.
    pub origin_class: OriginClass,
    /// The kind of session that they come from.
    pub session_kind: SessionKind,
    /// Since when they are known in this form, in milliseconds since the epoch.
    #[serde(deserialize_with = "model::number::whole")]
    pub observed_at: i64,
}

/// Of a file, by its path as in results. Who wrote it may be known better by the host, which keeps a record of that.
#[must_use]
pub fn of_file(path: &str) -> Provenance {
    let origin_class = if is_system(path) {
        OriginClass::System
    } else if is_memory(path) {
        OriginClass::Agent
    } else {
        OriginClass::Untrusted
    };
    Provenance { origin_class, session_kind: SessionKind::Unknown, observed_at: 0 }
}

/// Of a curated file, wherever it lies: the user vouches for it.
#[must_use]
pub fn of_curated() -> Provenance {
    Provenance { origin_class: OriginClass::Agent, session_kind: SessionKind::Unknown, observed_at: 0 }
}

/// Whether a file counts as the agent's only because the user vouches for it.
#[must_use]
pub fn is_vouched(path: &str, provenance: &Provenance) -> bool {
    provenance.origin_class == OriginClass::Agent && of_file(path).origin_class == OriginClass::Untrusted
}

/// Of lines of a transcript, by who speaks in them; the least trusted decides.
#[must_use]
pub(crate) fn of_transcript(snippet: &str, knows_senders: bool) -> Provenance {
    let speakers = snippet.lines().map(|line| match speaker::of_line(line) {
        Some(Speaker::User) if knows_senders => OriginClass::Owner,
        Some(Speaker::Assistant) if knows_senders => OriginClass::Agent,
        // A part of a cut line is of whoever speaks in the others.
        None if line.trim().is_empty() || line.trim() == "…" => OriginClass::Owner,
        _ => OriginClass::Untrusted,
    });
    Provenance {
        origin_class: speakers.max().unwrap_or(OriginClass::Untrusted),
        session_kind: SessionKind::Interactive,
        observed_at: 0,
    }
}

/// Of a passage.
#[must_use]
pub fn of(source: Source, path: &str, snippet: &str, knows_senders: bool) -> Provenance {
    match source {
        Source::Memory => of_file(path),
        Source::Sessions => of_transcript(snippet, knows_senders),
    }
}

/// What the host writes by itself.
fn is_system(path: &str) -> bool {
    let mut parts = path.split('/');
    matches!(
        (parts.next(), parts.next()),
        (Some("DREAMS.md" | "dreams.md"), None) | (Some(MEMORY_FOLDER), Some("dreaming" | ".dreams"))
    )
}

/// The files that a person or the agent keeps: those of the workspace itself, and not what settings add.
fn is_memory(path: &str) -> bool {
    let is_note = path.strip_prefix(MEMORY_FOLDER).is_some_and(|rest| rest.starts_with('/') && rest.ends_with(".md"));
    is_curated(path) || is_note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_place() {
        for (path, class) in [
            ("MEMORY.md", OriginClass::Agent),
            ("memory/a/b.md", OriginClass::Agent),
            ("DREAMS.md", OriginClass::System),
            ("memory/dreaming/deep/2026-11-01.md", OriginClass::System),
            ("memory/.dreams/x.md", OriginClass::System),
            ("notes/MEMORY.md", OriginClass::Untrusted),
            ("/home/u/vault/a.md", OriginClass::Untrusted),
            ("memory.txt/a.md", OriginClass::Untrusted),
            ("", OriginClass::Untrusted),
        ] {
            assert_eq!(of_file(path).origin_class, class, "{path}");
        }
    }

    // Results come back from JavaScript, to be shown beside a message, and its large numbers come as fractions.
    #[test]
    fn a_time_survives_the_way_through_javascript() {
        let time = 1_795_502_599_144_i64;
        let given = Provenance { observed_at: time, ..of_file("MEMORY.md") };
        let mut json = serde_json::to_value(&given).unwrap();
        json["observedAt"] = serde_json::json!(time as f64);
        assert_eq!(serde_json::from_value::<Provenance>(json).unwrap(), given);
    }

    #[test]
    fn transcripts_by_who_speaks_and_the_least_trusted_decides() {
        for (snippet, class) in [
            ("User: I like tea", OriginClass::Owner),
            ("User: tea?\nAssistant: noted", OriginClass::Agent),
            ("User: tea?\n…\nOther: coffee", OriginClass::Untrusted),
            ("Assistant, after others: coffee", OriginClass::Untrusted),
            ("and the end of a line", OriginClass::Untrusted),
            ("", OriginClass::Untrusted),
        ] {
            assert_eq!(of_transcript(snippet, true).origin_class, class, "{snippet}");
        }
        assert_eq!(of_transcript("User: I like tea", false).origin_class, OriginClass::Untrusted);
    }
}
