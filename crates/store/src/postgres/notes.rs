//! The notes themselves. All rows are taken as whoever holds the password may have written them.

use tokio_postgres::{Row, types::Type};
use uuid::Uuid;

use super::agent::{Reader, Tx, column, int8};
use crate::{
    files::Hash,
    notes::{FORMER, NewNote, NoteChange, NoteRow, NoteState, NoteText, SHORT},
};
use model::error::Result;

/// Key in `meta` of what is another text after each change of a note.
const MARK: &str = "notes_mark";

/// How long a deleted note is known to have been deleted, in milliseconds: half a year. A workspace that was away for longer
/// brings it back.
const DELETED_KEPT_MS: i64 = 183 * 86_400_000;

/// What a row had before, with what it has now at the front.
fn former() -> String {
    format!(
        "substring(coalesce(substring(n.hash from 1 for {SHORT}), ''::bytea) || n.former from 1 for {})",
        SHORT * FORMER
    )
}

fn state(row: &Row) -> Result<NoteState> {
    let Some(hash) = column::<Option<&[u8]>>(row, 1)? else { return Ok(NoteState::Deleted) };
    let size: Option<i64> = column(row, 2)?;
    let known = Hash::try_from(hash).ok().zip(size.and_then(|size| u64::try_from(size).ok()));
    Ok(known.map_or(NoteState::Damaged, |(hash, size)| NoteState::Kept { hash, size }))
}

impl Reader<'_> {
    /// What is another text after each change of a note.
    ///
    /// # Errors
    /// What the database answers.
    pub fn notes_mark(&self) -> Result<Option<String>> {
        self.meta(MARK)
    }

    /// What is known of all notes but their texts.
    ///
    /// # Errors
    /// What the database answers.
    pub fn notes(&self, most: usize, longest: usize) -> Result<Vec<NoteRow>> {
        let sql = format!(
            "SELECT left(path, $3), substring(hash from 1 for 33), octet_length(body)::bigint, \
             substring(former from 1 for {}) FROM note WHERE agent = $1 LIMIT $2",
            SHORT * FORMER
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let cut = i32::try_from(longest).unwrap_or(i32::MAX).saturating_add(1);
        let rows = self.tx.rows(&sql, &[int8(&self.agent), int8(&most), (&cut, Type::INT4)])?;
        let note = |row| Ok(NoteRow { path: column(row, 0)?, state: state(row)?, former: column(row, 3)? });
        rows.iter().map(note).collect()
    }

    /// The texts of some notes, but for those that are larger than that.
    ///
    /// # Errors
    /// What the database answers.
    pub fn note_texts(&self, paths: &[&str], most: u64) -> Result<Vec<NoteText>> {
        let sql = "SELECT path, body, modified_ns FROM note \
                   WHERE agent = $1 AND path = ANY ($2) AND octet_length(body) <= $3";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.tx.rows(sql, &[int8(&self.agent), (&paths, Type::TEXT_ARRAY), int8(&most)])?;
        let note = |row| Ok(NoteText { path: column(row, 0)?, body: column(row, 1)?, modified_ns: column(row, 2)? });
        rows.iter().map(note).collect()
    }
}

impl Tx<'_> {
    /// Changes those notes that are as they are said to be.
    ///
    /// # Errors
    /// What the database answers.
    pub fn change_notes(&self, changes: &[NoteChange]) -> Result<Vec<String>> {
        let mut done = self.add_notes(changes)?;
        done.extend(self.update_notes(changes)?);
        done.extend(self.delete_notes(changes)?);
        if !done.is_empty() {
            self.set_meta(MARK, &Uuid::new_v4().to_string())?;
        }
        Ok(done)
    }

    /// Adds those that are not there, or were deleted.
    fn add_notes(&self, changes: &[NoteChange]) -> Result<Vec<String>> {
        let new = changes.iter().filter(|change| change.before.is_none());
        let new: Vec<(&str, &NewNote)> =
            new.filter_map(|change| Some((change.path.as_str(), change.after.as_ref()?))).collect();
        let sql = "INSERT INTO note AS n (agent, path, hash, body, modified_ns, changed_ms) \
                   SELECT $1, u.path, u.hash, u.body, u.modified_ns, $2 \
                   FROM unnest($3, $4, $5, $6) u (path, hash, body, modified_ns) \
                   ON CONFLICT (agent, path) DO UPDATE SET hash = excluded.hash, body = excluded.body, \
                   modified_ns = excluded.modified_ns, changed_ms = excluded.changed_ms WHERE n.hash IS NULL \
                   RETURNING path";
        self.changed(sql, &new, None)
    }

    fn update_notes(&self, changes: &[NoteChange]) -> Result<Vec<String>> {
        let of = |change: &'_ NoteChange| change.before.zip(change.after.as_ref().map(|_| ()));
        let changed = changes.iter().filter(|change| of(change).is_some());
        let before: Vec<&[u8]> =
            changed.clone().filter_map(|change| change.before.as_ref().map(Hash::as_slice)).collect();
        let new: Vec<(&str, &NewNote)> =
            changed.filter_map(|change| Some((change.path.as_str(), change.after.as_ref()?))).collect();
        let sql = format!(
            "UPDATE note n SET hash = u.hash, body = u.body, former = {}, modified_ns = u.modified_ns, changed_ms = $2 \
             FROM unnest($3, $4, $5, $6, $7) u (path, hash, body, modified_ns, before) \
             WHERE n.agent = $1 AND n.path = u.path AND n.hash = u.before RETURNING n.path",
            former()
        );
        self.changed(&sql, &new, Some(&before))
    }

    /// Runs a statement over new texts, unless there are none; gives the paths that it returns.
    fn changed(&self, sql: &str, new: &[(&str, &NewNote)], before: Option<&Vec<&[u8]>>) -> Result<Vec<String>> {
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = new.iter().map(|(path, _)| *path).collect();
        let hashes: Vec<&[u8]> = new.iter().map(|(_, note)| note.hash.as_slice()).collect();
        let bodies: Vec<&[u8]> = new.iter().map(|(_, note)| note.body.as_slice()).collect();
        let modified: Vec<i64> = new.iter().map(|(_, note)| note.modified_ns).collect();
        let mut params = vec![
            int8(&self.agent),
            int8(&self.now_ms),
            (&paths as _, Type::TEXT_ARRAY),
            (&hashes as _, Type::BYTEA_ARRAY),
            (&bodies as _, Type::BYTEA_ARRAY),
            (&modified as _, Type::INT8_ARRAY),
        ];
        params.extend(before.map(|before| (before as _, Type::BYTEA_ARRAY)));
        self.tx.rows(sql, &params)?.iter().map(|row| column(row, 0)).collect()
    }

    /// Leaves of some that they were deleted, and nothing of their texts.
    fn delete_notes(&self, changes: &[NoteChange]) -> Result<Vec<String>> {
        let gone = changes.iter().filter(|change| change.after.is_none());
        let (paths, before): (Vec<&str>, Vec<&[u8]>) =
            gone.filter_map(|change| Some((change.path.as_str(), change.before.as_ref()?.as_slice()))).unzip();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "UPDATE note n SET hash = NULL, body = NULL, former = {}, changed_ms = $2 \
             FROM unnest($3, $4) u (path, before) WHERE n.agent = $1 AND n.path = u.path AND n.hash = u.before \
             RETURNING n.path",
            former()
        );
        let params =
            [int8(&self.agent), int8(&self.now_ms), (&paths as _, Type::TEXT_ARRAY), (&before as _, Type::BYTEA_ARRAY)];
        let done = self.tx.rows(&sql, &params)?.iter().map(|row| column(row, 0)).collect::<Result<_>>()?;
        let old = self.now_ms.saturating_sub(DELETED_KEPT_MS);
        let sql = "DELETE FROM note WHERE agent = $1 AND hash IS NULL AND changed_ms < $2";
        self.tx.execute(sql, &[int8(&self.agent), int8(&old)])?;
        Ok(done)
    }
}
