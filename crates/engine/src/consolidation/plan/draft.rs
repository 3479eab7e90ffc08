//! What a run does, as it is stored, shown and answered for.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::consolidation::{gates::may_stand, section::entry_line};
use model::config::consolidation::Consolidation;

/// Where a claim was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRef {
    /// The note; empty for what was said.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// Fingerprint of the sentence: the plan is stale when it is no longer there.
    pub hash: String,
}

/// An entry to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Addition {
    /// Its id in the file.
    pub id: String,
    /// The statement.
    pub text: String,
    /// The line as it is written.
    pub line: String,
    /// Where it comes from.
    pub sources: Vec<SourceRef>,
    /// The claims it stands for.
    pub claims: Vec<String>,
    /// Days they were met on.
    pub days: usize,
    /// How often.
    pub uses: usize,
    /// Whose words.
    pub origin: String,
    /// Entries that it replaces.
    pub replaces: Vec<String>,
}

/// An entry that evidence speaks for once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strengthened {
    /// The entry.
    pub id: String,
    /// The claim.
    pub claim: String,
}

/// An entry that goes to the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// Its id.
    pub id: String,
    /// Its line.
    pub line: String,
    /// Whether there was no room, or something newer says otherwise.
    pub reason: String,
}

/// A claim that stays out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The claim.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Why.
    pub code: String,
}

/// What a run does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Plan {
    /// Its id.
    pub run_id: String,
    /// The file that changes.
    pub path: String,
    /// Fingerprint of that file; the plan is stale when it has changed.
    pub file_hash: String,
    /// Most characters of that file.
    pub max_chars: usize,
    /// New entries.
    pub add: Vec<Addition>,
    /// Entries that are in use.
    pub strengthen: Vec<Strengthened>,
    /// Entries that go to the archive.
    #[serde(rename = "move")]
    pub moved: Vec<Moved>,
    /// Claims that stay out, with the reason.
    pub refused: Vec<Refused>,
    /// All refusals by reason.
    pub refused_counts: BTreeMap<String, usize>,
    /// Model calls that the run needs.
    pub model_calls: usize,
    /// What else is to be said.
    pub notes: Vec<String>,
}

impl Plan {
    /// The lines that leave the section.
    pub(in crate::consolidation) fn removed(&self) -> Vec<String> {
        self.moved.iter().map(|moved| moved.line.clone()).collect()
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.moved.is_empty()
    }

    /// Keeps only the additions of these ids; what was moved to make room for others stays, and what others replaced too.
    pub(in crate::consolidation) fn only(&mut self, ids: &[String]) {
        self.add.retain(|addition| ids.contains(&addition.id));
        let replaced: HashSet<&String> = self.add.iter().flat_map(|addition| &addition.replaces).collect();
        self.moved.retain(|moved| moved.reason != "replaced" || replaced.contains(&moved.id));
    }

    /// Writes an entry in other words.
    pub(in crate::consolidation) fn reword(&mut self, id: &str, text: &str, today: Date) {
        if let Some(addition) = self.add.iter_mut().find(|addition| addition.id == id) {
            let rest = addition.line.split_once(" -->").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
            addition.line = format!("{}{rest}", entry_line(id, text, today, None, None));
            text.clone_into(&mut addition.text);
        }
    }

    /// Whether a text may be the entry of this id, by the gates of form.
    pub(in crate::consolidation) fn allows(text: &str, settings: &Consolidation, today: Date, zone: &str) -> bool {
        may_stand(text, settings.max_entry_chars, today, zone).is_ok()
    }
}
