//! An agent's memory as the ledger of embedding batch jobs.

use tokio_postgres::types::Type;

use super::agent::{Agent, Reader, Tx, column, int8, text};
use model::{
    batch::{BatchJob, BatchLedger, TextHash},
    cancel::Cancel,
    error::Result,
};

impl Reader<'_> {
    /// The open batch jobs of a space, oldest first.
    pub(crate) fn batch_jobs(&self, space: &str) -> Result<Vec<BatchJob>> {
        let sql = "SELECT token, id, space, hashes, created_ms FROM batch_job WHERE agent = $1 AND space = $2 \
                   ORDER BY created_ms, token COLLATE \"C\"";
        let rows = self.tx.rows(sql, &[int8(&self.agent), text(&space)])?;
        let job = |row| {
            let (hashes, _) = column::<&[u8]>(row, 3)?.as_chunks::<{ size_of::<TextHash>() }>();
            Ok(BatchJob {
                token: column(row, 0)?,
                id: column(row, 1)?,
                space: column(row, 2)?,
                hashes: hashes.to_vec(),
                created_ms: column::<i64>(row, 4)?.unsigned_abs(),
            })
        };
        rows.iter().map(job).collect()
    }
}

impl Tx<'_> {
    /// Writes down a batch job.
    pub(crate) fn open_batch_job(&self, job: &BatchJob) -> Result<()> {
        let sql = "INSERT INTO batch_job (agent, token, id, space, hashes, created_ms) VALUES ($1, $2, $3, $4, $5, $6)";
        let created = i64::try_from(job.created_ms).unwrap_or(i64::MAX);
        let hashes = job.hashes.as_flattened();
        let params = [
            int8(&self.agent),
            (&job.token as _, Type::TEXT),
            (&job.id as _, Type::TEXT),
            (&job.space as _, Type::TEXT),
            (&hashes as _, Type::BYTEA),
            int8(&created),
        ];
        self.tx.execute(sql, &params).map(drop)
    }

    /// Adds the provider's name of a batch job.
    pub(crate) fn name_batch_job(&self, token: &str, id: &str) -> Result<()> {
        let sql = "UPDATE batch_job SET id = $3 WHERE agent = $1 AND token = $2";
        self.tx.execute(sql, &[int8(&self.agent), text(&token), text(&id)]).map(drop)
    }

    /// Forgets a batch job.
    pub(crate) fn close_batch_job(&self, token: &str) -> Result<()> {
        let sql = "DELETE FROM batch_job WHERE agent = $1 AND token = $2";
        self.tx.execute(sql, &[int8(&self.agent), text(&token)]).map(drop)
    }
}

impl BatchLedger for Agent {
    fn jobs(&self, space: &str) -> Result<Vec<BatchJob>> {
        self.read(&Cancel::new(), |reader| reader.batch_jobs(space))
    }

    fn open(&self, job: &BatchJob) -> Result<()> {
        self.write(|tx| tx.open_batch_job(job))
    }

    fn submitted(&self, token: &str, id: &str) -> Result<()> {
        self.write(|tx| tx.name_batch_job(token, id))
    }

    fn close(&self, token: &str) -> Result<()> {
        self.write(|tx| tx.close_batch_job(token))
    }
}
