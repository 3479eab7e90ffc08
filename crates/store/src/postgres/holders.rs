//! Who has the files of an index. Times are those of the database: gateways may have other clocks.

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, natural, text};
use crate::{
    holders::{GONE_AFTER_MS, Held, Holder, SIGN_EVERY_MS},
    lease::Owner,
};
use model::error::Result;

/// The time, in milliseconds since the epoch.
const NOW: &str = "(extract(epoch FROM now()) * 1000)::bigint";

impl Reader<'_> {
    /// All gateways; see [`crate::Reader::holders`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn holders(&self) -> Result<Vec<Holder>> {
        let sql = format!(
            "SELECT g.id, g.host, g.seen_ms, g.seen_ms < {NOW} - $2, g.seen_ms < {NOW} - $3, \
             (SELECT count(*) FROM held h WHERE h.agent = $1 AND h.holder = g.id) \
             FROM holder g WHERE g.agent = $1 ORDER BY g.host COLLATE \"C\", g.id COLLATE \"C\""
        );
        let rows = self.tx.rows(&sql, &[int8(&self.agent), int8(&GONE_AFTER_MS), int8(&SIGN_EVERY_MS)])?;
        let holder = |row| {
            Ok(Holder {
                id: column(row, 0)?,
                host: column(row, 1)?,
                seen_ms: column(row, 2)?,
                is_gone: column(row, 3)?,
                is_due: column(row, 4)?,
                files: natural(row, 5)?,
            })
        };
        rows.iter().map(holder).collect()
    }

    /// The files that gateways have; see [`crate::Reader::held`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn held(&self, source: &str) -> Result<Vec<Held>> {
        let sql = format!(
            "SELECT h.holder, h.path FROM holder g JOIN held h ON h.agent = $1 AND h.holder = g.id AND h.source = $2 \
             WHERE g.agent = $1 AND g.seen_ms >= {NOW} - $3"
        );
        let rows = self.tx.rows(&sql, &[int8(&self.agent), text(&source), int8(&GONE_AFTER_MS)])?;
        rows.iter().map(|row| Ok(Held { holder: column(row, 0)?, path: column(row, 1)? })).collect()
    }
}

impl Tx<'_> {
    /// A gateway gives a sign; see [`crate::Tx::give_sign`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn give_sign(&self, holder: &str) -> Result<()> {
        let host = Owner::this_process().host;
        let sql = format!(
            "INSERT INTO holder (agent, id, host, seen_ms) VALUES ($1, $2, $3, {NOW}) \
             ON CONFLICT (agent, id) DO UPDATE SET host = excluded.host, seen_ms = excluded.seen_ms"
        );
        self.tx.execute(&sql, &[int8(&self.agent), text(&holder), text(&host.as_str())]).map(drop)
    }

    /// Those that are gone are forgotten; see [`crate::Tx::forget_gone_holders`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn forget_gone_holders(&self) -> Result<()> {
        let sql = format!(
            "WITH gone AS (DELETE FROM holder WHERE agent = $1 AND seen_ms < {NOW} - $2 RETURNING id) \
             DELETE FROM held h USING gone WHERE h.agent = $1 AND h.holder = gone.id"
        );
        self.tx.execute(&sql, &[int8(&self.agent), int8(&GONE_AFTER_MS)]).map(drop)
    }

    /// A gateway has these files; see [`crate::Tx::hold`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn hold(&self, holder: &str, source: &str, paths: &[&str]) -> Result<()> {
        self.give_sign(holder)?;
        let sql = "INSERT INTO held (agent, holder, source, path) SELECT $1, $2, $3, path FROM unnest($4) u (path) \
                   ON CONFLICT DO NOTHING";
        let params = [int8(&self.agent), text(&holder), text(&source), (&paths as _, Type::TEXT_ARRAY)];
        self.tx.execute(sql, &params).map(drop)
    }

    /// It has these no more; see [`crate::Tx::let_go`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn let_go(&self, holder: &str, source: &str, paths: &[&str]) -> Result<()> {
        let sql = "DELETE FROM held WHERE agent = $1 AND holder = $2 AND source = $3 AND path = ANY ($4)";
        let params = [int8(&self.agent), text(&holder), text(&source), (&paths as _, Type::TEXT_ARRAY)];
        self.tx.execute(sql, &params).map(drop)
    }

    /// All but one are forgotten; see [`crate::Tx::forget_other_holders`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn forget_other_holders(&self, holder: &str) -> Result<()> {
        let params = [int8(&self.agent), text(&holder)];
        self.tx.execute_all(&[
            ("DELETE FROM held WHERE agent = $1 AND holder <> $2", &params),
            ("DELETE FROM holder WHERE agent = $1 AND id <> $2", &params),
        ])
    }
}
