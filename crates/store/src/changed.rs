//! When files changed, for those that a search shows.

use std::collections::HashMap;

use super::{
    generations::GenerationId,
    reader::{Reader, or_postgres},
};
use crate::error::SqlResult;
use model::{error::Result, source::Source};

/// The sources are named, because the index of paths begins with them: without, all files are looked at for each.
pub(super) const CHANGED: &str = "SELECT CASE WHEN mtime_ns > 0 THEN mtime_ns / 1000000 ELSE indexed_ms END FROM file \
    WHERE generation = ?1 AND source IN (?2, ?3) AND path = ?4";

impl Reader<'_> {
    /// When files were changed last, in milliseconds since the epoch, by their path; of one that was written so shortly
    /// before it was read that its time is not settled, when it was read. One that is not indexed is left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn changed_ms(&self, generation: GenerationId, paths: &[&str]) -> Result<HashMap<String, i64>> {
        or_postgres!(self.changed_ms(generation, paths));
        let mut statement = self.conn()?.prepare_cached(CHANGED).sql()?;
        let (memory, sessions) = (Source::Memory.as_str(), Source::Sessions.as_str());
        let mut found = HashMap::new();
        for path in paths {
            if found.contains_key(*path) {
                continue;
            }
            let mut rows = statement.query((generation, memory, sessions, path)).sql()?;
            if let Some(row) = rows.next().sql()? {
                found.insert((*path).to_owned(), row.get(0).sql()?);
            }
        }
        Ok(found)
    }
}
