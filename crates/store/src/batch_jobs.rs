//! The store as the ledger of embedding batch jobs.

use super::{
    Store,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::batch::{BatchJob, BatchLedger, TextHash};
use model::error::Result;

impl Reader<'_> {
    /// The open batch jobs of a space, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn batch_jobs(&self, space: &str) -> Result<Vec<BatchJob>> {
        or_postgres!(self.batch_jobs(space));
        let mut statement = self.conn()?.prepare_cached(
            "SELECT token, id, space, hashes, created_ms FROM batch_job WHERE space = ?1 ORDER BY created_ms, token",
        ).sql()?;
        let rows = statement
            .query_map([space], |row| {
                let hashes: Vec<u8> = row.get(3)?;
                let (hashes, _) = hashes.as_chunks::<{ size_of::<TextHash>() }>();
                Ok(BatchJob {
                    token: row.get(0)?,
                    id: row.get(1)?,
                    space: row.get(2)?,
                    hashes: hashes.to_vec(),
                    created_ms: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

impl Tx<'_> {
    /// Writes down a batch job.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(crate) fn open_batch_job(&self, job: &BatchJob) -> Result<()> {
        or_postgres!(self.open_batch_job(job));
        let created = i64::try_from(job.created_ms).unwrap_or(i64::MAX);
        self.conn()?
            .prepare_cached("INSERT INTO batch_job (token, id, space, hashes, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)")
            .sql()?
            .execute((&job.token, &job.id, &job.space, job.hashes.as_flattened(), created))
            .sql()?;
        Ok(())
    }

    /// Adds the provider's name of a batch job.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(crate) fn name_batch_job(&self, token: &str, id: &str) -> Result<()> {
        or_postgres!(self.name_batch_job(token, id));
        self.conn()?
            .prepare_cached("UPDATE batch_job SET id = ?2 WHERE token = ?1")
            .sql()?
            .execute([token, id])
            .sql()?;
        Ok(())
    }

    /// Forgets a batch job.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(crate) fn close_batch_job(&self, token: &str) -> Result<()> {
        or_postgres!(self.close_batch_job(token));
        self.conn()?.prepare_cached("DELETE FROM batch_job WHERE token = ?1").sql()?.execute([token]).sql()?;
        Ok(())
    }
}

impl BatchLedger for Store {
    fn jobs(&self, space: &str) -> Result<Vec<BatchJob>> {
        self.read(|reader| reader.batch_jobs(space))
    }

    fn open(&self, job: &BatchJob) -> Result<()> {
        let job = job.clone();
        self.write(move |tx| tx.open_batch_job(&job))
    }

    fn submitted(&self, token: &str, id: &str) -> Result<()> {
        let (token, id) = (token.to_owned(), id.to_owned());
        self.write(move |tx| tx.name_batch_job(&token, &id))
    }

    fn close(&self, token: &str) -> Result<()> {
        let token = token.to_owned();
        self.write(move |tx| tx.close_batch_job(&token))
    }
}
