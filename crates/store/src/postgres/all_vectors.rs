//! All vectors of a source at once, for who looks at the memory as a whole.

use super::agent::{Reader, column, int8, natural};
use crate::all_vectors::{AllVectors, ChunkPlace, Sample};
use model::{
    error::{Code, Error, Result},
    source::Source,
};

impl Reader<'_> {
    /// The vectors of a source, at most some `most` of them; see [`crate::Reader::all_vectors`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn all_vectors(&self, source: Source, most: usize) -> Result<Option<AllVectors>> {
        let (Some(live), Some(space)) = (self.live()?, self.active_space()?) else { return Ok(None) };
        let Some(dims) = space.dims.map(|dims| dims as usize) else { return Ok(None) };
        let mut sample = Sample::new(dims, self.chunk_count(live.id)?, most);
        self.for_each_code(live.id, space.id, i64::MIN, |chunk, of, code| {
            if of != source.as_str() {
                return Ok(());
            }
            if code.len() != dims {
                return Err(Error::new(Code::Corrupt, "the database holds a vector of another length than its space"));
            }
            sample.add(chunk, code);
            Ok(())
        })?;
        Ok(Some(sample.done(space.key)))
    }

    /// Where each chunk of the live index stands, by ids. Reads no text.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_places(&self) -> Result<Vec<ChunkPlace>> {
        let Some(live) = self.live()? else { return Ok(Vec::new()) };
        let sql = "SELECT id, file, start_line FROM chunk WHERE agent = $1 AND generation = $2 ORDER BY id";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&live.id)])?;
        let place =
            |row| Ok(ChunkPlace { chunk: column(row, 0)?, file: column(row, 1)?, start_line: natural(row, 2)? });
        rows.iter().map(place).collect()
    }
}
