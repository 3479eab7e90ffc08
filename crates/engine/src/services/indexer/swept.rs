//! Whether the index is as a pass over the whole disk has left it, so that only what is named since has to be looked at.

use std::path::PathBuf;

use parking_lot::Mutex;

use model::config::settings::Settings;

/// What the last pass over the whole disk went by; nothing when it failed, or anything may have changed since.
#[derive(Debug, Default)]
pub(super) struct Swept(Mutex<Option<Place>>);

/// Which notes belong to the memory.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    workspace_dir: PathBuf,
    extra_paths: Vec<String>,
    has_notes: bool,
    max_file_bytes: u64,
}

impl Place {
    fn of(settings: &Settings) -> Self {
        Self {
            workspace_dir: settings.workspace_dir.clone(),
            extra_paths: settings.extra_paths.clone(),
            has_notes: settings.sources.memory,
            max_file_bytes: settings.max_file_bytes,
        }
    }
}

impl Swept {
    /// A pass over the whole disk begins. Whatever makes it void is told until it ends, too.
    pub(super) fn begin(&self, settings: &Settings) {
        *self.0.lock() = Some(Place::of(settings));
    }

    /// Anything may have changed.
    pub(super) fn forget(&self) {
        *self.0.lock() = None;
    }

    /// Whether the whole disk was looked at with these settings, and nothing happened since that was not named.
    pub(super) fn is_of(&self, settings: &Settings) -> bool {
        *self.0.lock() == Some(Place::of(settings))
    }
}
