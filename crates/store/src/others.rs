//! Vectors that the indexes of the same agent's other workspaces hold. A workspace that moved begins a new index, and
//! what was paid for is not paid again. Only vectors are taken, by the hash of their text: never a text, never a file.

use std::{fs, path::PathBuf};

use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

use super::{
    Store,
    embeddings::{NewEmbedding, SpaceRow, check_vector, from_blob},
    files::Hash,
    generations::GenerationId,
    open, place,
    recover::with_suffix,
};
use model::{cancel::Cancel, error::Result};

/// Vectors taken over in one transaction.
const STEP: usize = 200;

/// The index of another workspace of the same agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sibling {
    /// Its file.
    pub path: PathBuf,
    /// Whose it is; none when it does not say so or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Whether the folder of that workspace is not there.
    pub is_gone: bool,
    /// Bytes of the file and its log.
    pub bytes: u64,
}

impl Sibling {
    fn at(path: PathBuf) -> Self {
        let workspace = place::workspace_of(&path);
        let bytes = ["", "-wal", "-shm"].map(|end| fs::metadata(with_suffix(&path, end)).map_or(0, |meta| meta.len()));
        let is_gone = workspace.as_ref().is_some_and(|folder| folder.symlink_metadata().is_err());
        Self { path, workspace, is_gone, bytes: bytes.iter().sum() }
    }
}

/// The indexes beside one, open for reading.
pub struct Others(Vec<Connection>);

impl Others {
    /// Whether one of them has a vector for a text in a space, of the length that the space has here, if it is known.
    #[must_use]
    pub fn has(&self, space_key: &str, dims: Option<u32>, hash: &Hash) -> bool {
        self.vector(space_key, dims, hash).is_some()
    }

    /// What one of them has for a text in a space. An index that cannot be read has nothing.
    fn vector(&self, space_key: &str, wanted: Option<u32>, hash: &Hash) -> Option<NewEmbedding> {
        self.0.iter().find_map(|conn| {
            let mut statement = conn
                .prepare_cached(
                    "SELECT e.vector, s.dims FROM space s CROSS JOIN embedding e \
                     ON e.space_id = s.id AND e.hash = ?2 WHERE s.key = ?1 AND s.dims IS NOT NULL",
                )
                .ok()?;
            let row = statement.query_row((space_key, hash), |row| Ok((row.get(0)?, row.get(1)?)));
            let (vector, dims): (Vec<u8>, usize) = row.optional().ok()??;
            // A provider may have changed the length of its vectors since.
            let whole = vector.len() == dims * size_of::<f32>() && wanted.is_none_or(|wanted| wanted as usize == dims);
            let vector = from_blob(&vector);
            (whole && check_vector(&vector, dims).is_ok()).then_some(NewEmbedding { hash: *hash, vector })
        })
    }
}

impl Store {
    /// The indexes of the same agent's other workspaces that can be read. Of an agent in a database also the file that its
    /// index was before.
    #[must_use]
    pub fn others(&self) -> Others {
        let former = self.admin().is_none().then(|| self.path().to_path_buf());
        Others(
            place::others(self.path())
                .iter()
                .chain(&former)
                .filter_map(|path| open::connect_reader(path).ok())
                .collect(),
        )
    }

    /// What lies beside the index for the same agent's other workspaces.
    #[must_use]
    pub fn siblings(&self) -> Vec<Sibling> {
        place::others(self.path()).into_iter().map(Sibling::at).collect()
    }

    /// Takes over what others have of the vectors that a generation lacks; gives their number. Needs the writer lease.
    ///
    /// # Errors
    /// When the database cannot be read or written, or when cancelled.
    pub fn take_vectors_over(&self, generation: GenerationId, space: &SpaceRow, cancel: &Cancel) -> Result<usize> {
        let others = self.others();
        if others.0.is_empty() {
            return Ok(0);
        }
        let (mut taken, mut after, space_id) = (0, None, space.id);
        loop {
            cancel.check()?;
            let page = self.read_with(cancel, |r| r.missing_embeddings(generation, space_id, after.as_ref(), STEP))?;
            let Some(last) = page.last() else { return Ok(taken) };
            after = Some(last.hash);
            let found: Vec<_> =
                page.iter().filter_map(|text| others.vector(&space.key, space.dims, &text.hash)).collect();
            if !found.is_empty() {
                taken += found.len();
                self.write_indexed(move |tx| tx.insert_embeddings(space_id, &found))?;
            }
        }
    }
}
