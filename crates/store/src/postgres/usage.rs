//! What embedding cost, by day and model.

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, Tx, column, int8, natural, text},
    transaction::Owned,
};
use crate::usage::{ModelUsage, Spent};
use model::{
    error::{Code, Error, Result},
    usage::Usage,
};

impl Reader<'_> {
    /// What each model cost on the days from `first` to `last` (`2026-11-20`).
    ///
    /// # Errors
    /// What the database answers.
    pub fn usage_of(&self, first: &str, last: &str) -> Result<Vec<ModelUsage>> {
        let sql = "SELECT provider, model, sum(requests)::bigint, sum(texts)::bigint, sum(tokens)::bigint, \
                     sum(needed)::bigint, sum(embedded)::bigint FROM usage \
                   WHERE agent = $1 AND day COLLATE \"C\" BETWEEN $2 AND $3 GROUP BY provider, model \
                   ORDER BY provider COLLATE \"C\", model COLLATE \"C\"";
        let rows = self.tx.rows(sql, &[int8(&self.agent), text(&first), text(&last)])?;
        let usage = |row| {
            let sent = Usage { requests: natural(row, 2)?, texts: natural(row, 3)?, tokens: natural(row, 4)? };
            let spent = Spent { sent, needed: natural(row, 5)?, embedded: natural(row, 6)? };
            Ok(ModelUsage { provider: column(row, 0)?, model: column(row, 1)?, spent })
        };
        rows.iter().map(usage).collect()
    }
}

impl Tx<'_> {
    /// Adds to what a model cost on a day.
    ///
    /// # Errors
    /// What the database answers; [`Code::Argument`] when a number is too large to be one.
    pub fn add_usage(&self, day: &str, provider: &str, model: &str, spent: &Spent) -> Result<()> {
        let sql = "INSERT INTO usage (agent, day, provider, model, requests, texts, tokens, needed, embedded) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (agent, day, provider, model) DO UPDATE SET \
                     requests = usage.requests + excluded.requests, texts = usage.texts + excluded.texts, \
                     tokens = usage.tokens + excluded.tokens, needed = usage.needed + excluded.needed, \
                     embedded = usage.embedded + excluded.embedded";
        let Spent { sent, needed, embedded } = *spent;
        let stored = |number: u64| {
            i64::try_from(number).map_err(|_| Error::new(Code::Argument, "that much cannot have been spent"))
        };
        let [requests, texts, tokens, needed, embedded] =
            [stored(sent.requests)?, stored(sent.texts)?, stored(sent.tokens)?, stored(needed)?, stored(embedded)?];
        let number = |number| -> Owned { (Box::new(number), Type::INT8) };
        let name = |name: &str| -> Owned { (Box::new(name.to_owned()), Type::TEXT) };
        let mut params = vec![number(self.agent), name(day), name(provider), name(model)];
        params.extend([requests, texts, tokens, needed, embedded].map(number));
        self.tx.execute_later(sql, params);
        Ok(())
    }
}
