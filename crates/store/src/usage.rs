//! What embedding cost, by day and model: status shows it, and it survives restarts.

use std::ops::AddAssign;

use serde::Serialize;

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;
use model::usage::Usage;

/// What was spent, and what the stored vectors saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Requests, texts and tokens sent, those of searches and probes included.
    #[serde(flatten)]
    pub sent: Usage,
    /// Chunks written to the index, each of which needs a vector.
    pub needed: u64,
    /// Texts of chunks that had to be embedded, because no stored vector fitted.
    pub embedded: u64,
}

impl Spent {
    /// Share (0–1) of the needed vectors that were in the store already; none when none was needed.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no exact counts")]
        let missed = (self.needed > 0).then(|| self.embedded as f64 / self.needed as f64);
        missed.map(|missed| (1.0 - missed).max(0.0))
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.sent.requests += other.sent.requests;
        self.sent.texts += other.sent.texts;
        self.sent.tokens += other.sent.tokens;
        self.needed += other.needed;
        self.embedded += other.embedded;
    }
}

/// What one model cost on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Provider, as in `embed::Space`.
    pub provider: String,
    /// Model.
    pub model: String,
    /// What was spent.
    #[serde(flatten)]
    pub spent: Spent,
}

impl Reader<'_> {
    /// What each model cost on the days from `first` to `last` (`2026-11-20`).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn usage_of(&self, first: &str, last: &str) -> Result<Vec<ModelUsage>> {
        or_postgres!(self.usage_of(first, last));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT provider, model, sum(requests), sum(texts), sum(tokens), sum(needed), sum(embedded) FROM usage \
             WHERE day BETWEEN ?1 AND ?2 GROUP BY provider, model ORDER BY provider, model",
            )
            .sql()?;
        let rows = statement
            .query_map([first, last], |row| {
                let count = |index| row.get(index);
                let sent = Usage { requests: count(2)?, texts: count(3)?, tokens: count(4)? };
                let spent = Spent { sent, needed: count(5)?, embedded: count(6)? };
                Ok(ModelUsage { provider: row.get(0)?, model: row.get(1)?, spent })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

impl Tx<'_> {
    /// Adds to what a model cost on a day.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_usage(&self, day: &str, provider: &str, model: &str, spent: &Spent) -> Result<()> {
        or_postgres!(self.add_usage(day, provider, model, spent));
        let Spent { sent, needed, embedded } = *spent;
        self.conn()?
            .prepare_cached(
                "INSERT INTO usage (day, provider, model, requests, texts, tokens, needed, embedded) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET \
                   requests = requests + excluded.requests, texts = texts + excluded.texts, \
                   tokens = tokens + excluded.tokens, needed = needed + excluded.needed, \
                   embedded = embedded + excluded.embedded",
            )
            .sql()?
            .execute((day, provider, model, sent.requests, sent.texts, sent.tokens, needed, embedded))
            .sql()?;
        Ok(())
    }
}
