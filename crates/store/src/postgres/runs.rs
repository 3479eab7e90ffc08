//! Runs of consolidation, and whose turn it is; see [`crate::consolidation`].

use tokio_postgres::{Row, types::Type};

use super::agent::{Reader, Tx, column, int8, natural, text};
use crate::consolidation::{Clock, RunRow};
use model::error::{Code, Error, Result};

const COLUMNS: &str = "id, state, started_ms, month, plan, images, input_tokens, output_tokens";

fn run_of(row: &Row) -> Result<RunRow> {
    Ok(RunRow {
        id: column(row, 0)?,
        state: column(row, 1)?,
        started_ms: column(row, 2)?,
        month: column(row, 3)?,
        plan: column(row, 4)?,
        images: column(row, 5)?,
        input_tokens: natural(row, 6)?,
        output_tokens: natural(row, 7)?,
    })
}

/// A text without what a `text` of the database cannot hold. JSON has no such byte.
fn checked(text: &str) -> Result<&str> {
    match text.contains('\0') {
        true => Err(Error::new(Code::Argument, "a run of consolidation cannot be kept with a zero in it")),
        false => Ok(text),
    }
}

impl Reader<'_> {
    /// The runs, latest first.
    ///
    /// # Errors
    /// What the database answers.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM consolidation_run WHERE agent = $1 ORDER BY started_ms DESC, id COLLATE \"C\" DESC LIMIT $2"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.tx.rows(&sql, &[int8(&self.agent), int8(&limit)])?.iter().map(run_of).collect()
    }

    /// A run; none when there is none of that id.
    ///
    /// # Errors
    /// What the database answers.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>> {
        let sql = format!("SELECT {COLUMNS} FROM consolidation_run WHERE agent = $1 AND id = $2");
        self.tx.row(&sql, &[int8(&self.agent), text(&id)])?.as_ref().map(run_of).transpose()
    }

    /// The runs whose plan or images name one of these claims, oldest first.
    ///
    /// # Errors
    /// What the database answers.
    pub fn runs_naming(&self, claims: &[String]) -> Result<Vec<RunRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM consolidation_run r WHERE r.agent = $1 AND EXISTS (SELECT 1 FROM unnest($2) c (id) \
             WHERE strpos(r.plan, c.id) > 0 OR strpos(r.images, c.id) > 0) \
             AND (r.plan <> '{{}}' OR r.images IS NOT NULL) ORDER BY r.started_ms, r.id COLLATE \"C\""
        );
        self.tx.rows(&sql, &[int8(&self.agent), (&claims as _, Type::TEXT_ARRAY)])?.iter().map(run_of).collect()
    }

    /// Tokens sent and answered, by month, latest first.
    ///
    /// # Errors
    /// What the database answers.
    pub fn run_tokens(&self) -> Result<Vec<(String, u64, u64)>> {
        let sql = "SELECT month, sum(input_tokens)::bigint, sum(output_tokens)::bigint FROM consolidation_run \
                   WHERE agent = $1 GROUP BY month ORDER BY month COLLATE \"C\" DESC";
        let rows = self.tx.rows(sql, &[int8(&self.agent)])?;
        rows.iter().map(|row| Ok((column(row, 0)?, natural(row, 1)?, natural(row, 2)?))).collect()
    }

    /// When the next run is due; none before that was ever worked out.
    ///
    /// # Errors
    /// What the database answers.
    pub fn consolidation_clock(&self) -> Result<Option<Clock>> {
        let sql = "SELECT schedule, due_ms, holder, until_ms FROM consolidation_clock WHERE agent = $1";
        let clock = |row: &Row| {
            Ok(Clock {
                schedule: column(row, 0)?,
                due_ms: column(row, 1)?,
                holder: column(row, 2)?,
                until_ms: column(row, 3)?,
            })
        };
        self.tx.row(sql, &[int8(&self.agent)])?.as_ref().map(clock).transpose()
    }
}

impl Tx<'_> {
    /// Takes plans and images out of all runs; what they cost stays.
    ///
    /// # Errors
    /// What the database answers.
    pub fn scrub_runs(&self) -> Result<()> {
        let sql = "UPDATE consolidation_run SET plan = '{}', images = NULL WHERE agent = $1";
        self.tx.execute(sql, &[int8(&self.agent)]).map(drop)
    }

    /// Keeps a run, in place of what was kept of it.
    ///
    /// # Errors
    /// What the database answers; [`Code::Argument`] when a text has a zero in it, which no JSON has.
    pub fn save_run(&self, run: &RunRow) -> Result<()> {
        let sql = format!(
            "INSERT INTO consolidation_run (agent, {COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             ON CONFLICT (agent, id) DO UPDATE SET state = excluded.state, started_ms = excluded.started_ms, \
               month = excluded.month, plan = excluded.plan, images = excluded.images, \
               input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens"
        );
        let (plan, images) = (checked(&run.plan)?, run.images.as_deref().map(checked).transpose()?);
        let tokens = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let (input, output) = (tokens(run.input_tokens), tokens(run.output_tokens));
        let params = [
            int8(&self.agent),
            (&run.id as _, Type::TEXT),
            (&run.state as _, Type::TEXT),
            int8(&run.started_ms),
            (&run.month as _, Type::TEXT),
            text(&plan),
            (&images as _, Type::TEXT),
            int8(&input),
            int8(&output),
        ];
        self.tx.execute(&sql, &params).map(drop)
    }

    /// Forgets all but the last `keep` runs that changed something, and all but the last `keep` others. What runs cost
    /// stays.
    ///
    /// # Errors
    /// What the database answers.
    pub fn trim_runs(&self, keep: usize) -> Result<()> {
        let keep = i64::try_from(keep).unwrap_or(i64::MAX);
        let all = [int8(&self.agent), int8(&keep)];
        self.tx.execute_all(&[
            (
                "UPDATE consolidation_run r SET images = NULL, plan = '{}' FROM (SELECT id, row_number() OVER \
                   (PARTITION BY images IS NULL ORDER BY started_ms DESC, id COLLATE \"C\" DESC) AS place \
                   FROM consolidation_run WHERE agent = $1) p \
                 WHERE r.agent = $1 AND r.id = p.id AND p.place > $2 AND r.state <> 'applying'",
                &all,
            ),
            (
                "DELETE FROM consolidation_run WHERE agent = $1 AND plan = '{}' AND input_tokens = 0 AND output_tokens = 0",
                &all[..1],
            ),
        ])
    }

    /// Keeps when the next run is due and who is at it.
    ///
    /// # Errors
    /// What the database answers.
    pub fn set_consolidation_clock(&self, clock: &Clock) -> Result<()> {
        let sql = "INSERT INTO consolidation_clock (agent, schedule, due_ms, holder, until_ms) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (agent) DO UPDATE SET schedule = excluded.schedule, due_ms = excluded.due_ms, \
                     holder = excluded.holder, until_ms = excluded.until_ms";
        let params = [
            int8(&self.agent),
            (&clock.schedule as _, Type::TEXT),
            int8(&clock.due_ms),
            (&clock.holder as _, Type::TEXT),
            int8(&clock.until_ms),
        ];
        self.tx.execute(sql, &params).map(drop)
    }
}
