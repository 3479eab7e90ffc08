//! What a write begins with: it counts itself, renews the lease, and locks the agent's row, where the lease is still held.

use tokio_postgres::{error::SqlState, types::Type};

use super::{error::of_postgres, transaction::Along};
use crate::lease::{VALID_MS, not_held};
use model::error::Error;

/// Under which condition a write is done.
pub(super) struct Fence {
    /// The fencing token of who holds the lease; none where the lease does not matter.
    pub(super) token: Option<i64>,
    /// Whether it is waited for before anything else is done. Where not, the database itself undoes all that comes after.
    pub(super) is_awaited: bool,
}

impl Fence {
    /// The question, of which the answer is the number of the write and the next id; none, or a refusal, where the condition
    /// does not hold.
    pub(super) fn asked(&self, agent: i64, owner: &str, write: i64) -> Along {
        let condition = if self.token.is_some() { "token = $4 AND owner = $3" } else { "true" };
        let count = format!(
            "UPDATE agent SET version = version + 1, writes = (array_prepend($5, writes))[1:32], \
             expires_ms = CASE WHEN token = $4 AND owner = $3 \
             THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2 ELSE expires_ms END \
             WHERE id = $1 AND {condition} RETURNING version, next_id"
        );
        let sql = match self.is_awaited {
            true => count,
            // Nothing but an error undoes a transaction from within.
            false => format!("WITH counted AS ({count}) SELECT max(version), max(next_id), 1 / count(*) FROM counted"),
        };
        let params = vec![
            (Box::new(agent) as _, Type::INT8),
            (Box::new(VALID_MS) as _, Type::INT8),
            (Box::new(owner.to_owned()) as _, Type::TEXT),
            (Box::new(self.token.unwrap_or(0)) as _, Type::INT8),
            (Box::new(write) as _, Type::INT8),
        ];
        Along { sql: sql.into(), params, is_expected: Box::new(|_| Ok(true)), refused }
    }
}

fn refused(error: &tokio_postgres::Error) -> Error {
    if error.code() == Some(&SqlState::DIVISION_BY_ZERO) { not_held() } else { of_postgres(error) }
}
