//! What embedding cost, by day and model.

use super::agent::{Reader, Tx, column, int8, natural, text};
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
        let number = |number: u64| {
            i64::try_from(number).map_err(|_| Error::new(Code::Argument, "that much cannot have been spent"))
        };
        let [requests, texts, tokens, needed, embedded] =
            [number(sent.requests)?, number(sent.texts)?, number(sent.tokens)?, number(needed)?, number(embedded)?];
        let params = [
            int8(&self.agent),
            text(&day),
            text(&provider),
            text(&model),
            int8(&requests),
            int8(&texts),
            int8(&tokens),
            int8(&needed),
            int8(&embedded),
        ];
        self.tx.execute(sql, &params).map(drop)
    }
}
