//! Which store is which, and what the memory keeps beside one.

use std::path::{Path, PathBuf};

use super::database::InDatabase;

/// Where a store is.
#[derive(Debug, Clone)]
pub enum Location {
    /// In a SQLite file.
    File(PathBuf),
    /// In a PostgreSQL database.
    Database(Box<InDatabase>),
}

impl Location {
    /// Which store it is.
    #[must_use]
    pub fn id(&self) -> StoreId {
        match self {
            Self::File(path) => StoreId::of_file(path),
            Self::Database(place) => StoreId(Kind::Agent(place.name())),
        }
    }

    /// The file of the index, or the one that it would be.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Database(place) => &place.beside,
        }
    }
}

/// Names a store: equal ids are one index, whoever opens it and how. What it looks like is the backend's affair.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StoreId(Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    File(PathBuf),
    Agent([u8; 32]),
}

impl StoreId {
    /// The store in a SQLite file.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        Self(Kind::File(path.to_path_buf()))
    }
}

/// What belongs to the memory and outlives its index, which may be deleted and made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The list of what was forgotten.
    Forgotten,
    /// The folder of plans of forgetting, with what it takes to undo them.
    Forgetting,
    /// The id of the workspace, by which an index in a database is told from that of another one.
    WorkspaceId,
    /// What of the notes was last exchanged with a database.
    Exchanged,
}

/// Where the memory of a SQLite file keeps something.
#[must_use]
pub fn kept_beside(database: &Path, what: Kept) -> PathBuf {
    match what {
        Kept::Forgotten => database.with_extension("forgotten.jsonl"),
        Kept::Forgetting => database.with_extension("forgetting"),
        Kept::WorkspaceId => database.with_extension("workspace-id"),
        Kept::Exchanged => database.with_extension("notes.json"),
    }
}
