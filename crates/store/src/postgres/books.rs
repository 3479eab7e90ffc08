//! What was written down beside the index, to be copied; see [`crate::books`].

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, Tx, column, int8, natural, text},
    files::hash,
};
use crate::{
    books::{DayUsage, Refusal},
    consolidation::Use,
    files::Hash,
    ids::SpaceId,
    line_vectors::LineData,
    usage::{ModelUsage, Spent},
};
use model::{
    error::{Code, Error, Result},
    usage::Usage,
};

impl Reader<'_> {
    /// What each model cost on each day.
    pub(crate) fn daily_usage(&self) -> Result<Vec<DayUsage>> {
        let sql = "SELECT day, provider, model, requests, texts, tokens, needed, embedded FROM usage WHERE agent = $1 \
                   ORDER BY day COLLATE \"C\", provider COLLATE \"C\", model COLLATE \"C\"";
        let usage = |row| {
            let sent = Usage { requests: natural(row, 3)?, texts: natural(row, 4)?, tokens: natural(row, 5)? };
            let spent = Spent { sent, needed: natural(row, 6)?, embedded: natural(row, 7)? };
            let of = ModelUsage { provider: column(row, 1)?, model: column(row, 2)?, spent };
            Ok(DayUsage { day: column(row, 0)?, of })
        };
        self.tx.rows(sql, &[int8(&self.agent)])?.iter().map(usage).collect()
    }

    /// The refusals of this agent's texts.
    pub(crate) fn refusals(&self) -> Result<Vec<Refusal>> {
        let sql = "SELECT s.key, r.hash, r.reason, r.refused_ms, r.times::bigint FROM refused_text r \
                   JOIN space s ON s.tenant = r.tenant AND s.id = r.space WHERE r.tenant = $1 AND EXISTS \
                     (SELECT 1 FROM generation g JOIN chunk c ON c.agent = g.agent AND c.generation = g.id AND c.hash = r.hash \
                      WHERE g.agent = $2) \
                   ORDER BY s.key COLLATE \"C\", r.hash";
        let refusal = |row| {
            Ok(Refusal {
                space: column(row, 0)?,
                hash: hash(column(row, 1)?)?,
                reason: column(row, 2)?,
                refused_ms: column(row, 3)?,
                times: column(row, 4)?,
            })
        };
        self.tx.rows(sql, &[text(&self.tenant), int8(&self.agent)])?.iter().map(refusal).collect()
    }

    /// A page of what was made of the lines of texts, ordered by hash, after `after` and up to `until`.
    pub(crate) fn lines_between(
        &self,
        space: SpaceId,
        (after, until): (Option<&Hash>, Option<&Hash>),
        limit: usize,
    ) -> Result<Vec<LineData>> {
        let sql = "SELECT hash, codes, signs FROM line_vectors WHERE agent = $1 AND space = $2 AND hash > $3 \
                   AND ($4::bytea IS NULL OR hash <= $4) ORDER BY hash LIMIT $5";
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let until: Option<&[u8]> = until.map(|hash| hash.as_slice());
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let params =
            [int8(&self.agent), int8(&space), (&after as _, Type::BYTEA), (&until as _, Type::BYTEA), int8(&limit)];
        let line = |row| Ok(LineData { hash: hash(column(row, 0)?)?, codes: column(row, 1)?, signs: column(row, 2)? });
        self.tx.rows(sql, &params)?.iter().map(line).collect()
    }

    /// The uses that replays have added, with the replay.
    pub(crate) fn batches(&self) -> Result<Vec<(String, Use, String)>> {
        let sql = "SELECT claim, kind, mark, day, batch FROM claim_use WHERE agent = $1 AND batch <> ''";
        let one = |row| {
            let used = Use { kind: column(row, 1)?, mark: column(row, 2)?, day: column(row, 3)? };
            Ok((column(row, 0)?, used, column(row, 4)?))
        };
        self.tx.rows(sql, &[int8(&self.agent)])?.iter().map(one).collect()
    }
}

impl Tx<'_> {
    /// Makes what a model cost on a day at least so much.
    pub(crate) fn raise_usage(&self, usage: &DayUsage) -> Result<()> {
        let sql = "INSERT INTO usage (agent, day, provider, model, requests, texts, tokens, needed, embedded) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (agent, day, provider, model) DO UPDATE SET \
                     requests = greatest(usage.requests, excluded.requests), texts = greatest(usage.texts, excluded.texts), \
                     tokens = greatest(usage.tokens, excluded.tokens), needed = greatest(usage.needed, excluded.needed), \
                     embedded = greatest(usage.embedded, excluded.embedded)";
        let DayUsage { day, of: ModelUsage { provider, model, spent: Spent { sent, needed, embedded } } } = usage;
        let numbers = [sent.requests, sent.texts, sent.tokens, *needed, *embedded].map(i64::try_from);
        if numbers.iter().any(Result::is_err) {
            return Err(Error::new(Code::Argument, "that much cannot have been spent"));
        }
        let numbers = numbers.map(Result::unwrap_or_default);
        let mut params =
            vec![int8(&self.agent), (day as _, Type::TEXT), (provider as _, Type::TEXT), (model as _, Type::TEXT)];
        params.extend(numbers.iter().map(int8));
        self.tx.execute(sql, &params).map(drop)
    }

    /// Notes a refusal as it was noted elsewhere; of two the later one stays.
    pub(crate) fn keep_refusal(&self, space: SpaceId, refusal: &Refusal) -> Result<()> {
        let sql = "INSERT INTO refused_text AS r (tenant, space, hash, reason, refused_ms, times) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, space, hash) DO UPDATE SET \
                     reason = CASE WHEN excluded.refused_ms > r.refused_ms THEN excluded.reason ELSE r.reason END, \
                     refused_ms = greatest(r.refused_ms, excluded.refused_ms), times = greatest(r.times, excluded.times)";
        let reason = refusal.reason.replace('\0', " ");
        let params = [
            text(&self.tenant),
            int8(&space),
            (&refusal.hash.as_slice() as _, Type::BYTEA),
            (&reason as _, Type::TEXT),
            int8(&refusal.refused_ms),
            int8(&refusal.times),
        ];
        self.tx.execute(sql, &params).map(drop)
    }

    /// Stores what was made of the lines of texts, which may not be in the index yet.
    pub(crate) fn keep_lines(&self, space: SpaceId, lines: &[LineData]) -> Result<()> {
        self.put_lines(space, &lines.iter().collect::<Vec<_>>(), "")
    }
}
