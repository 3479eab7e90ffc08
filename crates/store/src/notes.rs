//! The notes themselves, as a database keeps them for workspaces that come up empty. A file lies beside its workspace, and
//! keeps none.

use super::{
    files::Hash,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use model::error::{Code, Error, Result};

/// Bytes of a hash by which an earlier version is known.
pub const SHORT: usize = 8;
/// Earlier versions that are known of a note.
pub const FORMER: usize = 32;

/// What a database knows of a note, but for its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    /// Relative to the workspace with `/`, as whoever wrote the row says.
    pub path: String,
    /// What is there.
    pub state: NoteState,
    /// The first [`SHORT`] bytes of the hashes that it had before, the latest first, [`FORMER`] at most.
    pub former: Vec<u8>,
}

/// Whether a note is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteState {
    /// It is.
    Kept {
        /// SHA-256 of its text.
        hash: Hash,
        /// Bytes of its text.
        size: u64,
    },
    /// It was deleted.
    Deleted,
    /// The row was written by nothing of ours.
    Damaged,
}

impl NoteRow {
    /// The hash of its text; none when it was deleted.
    #[must_use]
    pub const fn hash(&self) -> Option<Hash> {
        match self.state {
            NoteState::Kept { hash, .. } => Some(hash),
            NoteState::Deleted | NoteState::Damaged => None,
        }
    }

    /// Whether it had this text before.
    #[must_use]
    pub fn had(&self, hash: &Hash) -> bool {
        self.former.chunks_exact(SHORT).any(|former| former == &hash[..SHORT])
    }
}

/// The text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// As in [`NoteRow::path`].
    pub path: String,
    /// Byte for byte.
    pub body: Vec<u8>,
    /// When the file was last modified, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// A change of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteChange {
    /// As in [`NoteRow::path`].
    pub path: String,
    /// What it is changed from; none = there is no such note.
    pub before: Option<Hash>,
    /// What it becomes; none = it is deleted.
    pub after: Option<NewNote>,
}

/// What a note becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    /// SHA-256 of the text.
    pub hash: Hash,
    /// Byte for byte.
    pub body: Vec<u8>,
    /// When the file was last modified, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// The refusal of a file, which is told what it was asked.
fn no_database<T>(_asked: T) -> Error {
    Error::new(Code::Config, "notes are kept in a database only, and this index is a file")
        .remedy("Set store.driver to \"postgres\", or leave out store.postgres.notes")
}

impl Reader<'_> {
    /// A text that is another one after each change of a note, whoever made it; none before the first.
    ///
    /// # Errors
    /// [`Code::Config`] of a file, and when the database cannot be read.
    pub fn notes_mark(&self) -> Result<Option<String>> {
        or_postgres!(self.notes_mark());
        Err(no_database(()))
    }

    /// What is known of all notes, those that were deleted too, in no order; `most` at most. Paths of more than `longest` bytes
    /// come cut after the next one.
    ///
    /// # Errors
    /// As [`Self::notes_mark`].
    pub fn notes(&self, most: usize, longest: usize) -> Result<Vec<NoteRow>> {
        or_postgres!(self.notes(most, longest));
        Err(no_database((most, longest)))
    }

    /// The texts of those of these notes that are there and have `most` bytes at most.
    ///
    /// # Errors
    /// As [`Self::notes_mark`].
    pub fn note_texts(&self, paths: &[&str], most: u64) -> Result<Vec<NoteText>> {
        or_postgres!(self.note_texts(paths, most));
        Err(no_database((paths, most)))
    }
}

impl Tx<'_> {
    /// Changes those notes that are as they are said to be; gives their paths. Paths must differ.
    ///
    /// # Errors
    /// [`Code::Config`] of a file, and when the database cannot be written.
    pub fn change_notes(&self, changes: &[NoteChange]) -> Result<Vec<String>> {
        or_postgres!(self.change_notes(changes));
        Err(no_database(changes))
    }
}
