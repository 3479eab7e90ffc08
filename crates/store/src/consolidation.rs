//! What consolidation keeps: claims with the evidence for each, runs that can be undone, and whose turn it is.

use std::collections::HashMap;

use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// A sentence that states something, as it was met last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Fingerprint of its words.
    pub id: String,
    /// The sentence.
    pub text: String,
    /// The note it stands in; empty when it was said and stands in none.
    pub path: String,
    /// Its line there, from 1.
    pub line: u32,
    /// Whose words: owner, agent, untrusted or system.
    pub origin: String,
    /// Somebody asked to remember it.
    pub requested: bool,
    /// Declared importance, 1–10.
    pub importance: Option<u8>,
    /// Declared trigger phrases.
    pub triggers: Option<String>,
    /// When it was met first, in milliseconds since the epoch.
    pub first_ms: i64,
    /// When it was met last.
    pub last_ms: i64,
    /// It was taken back, and does not come again.
    pub withdrawn: bool,
}

/// One use of a claim. Equal uses are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Use {
    /// What kind of use.
    pub kind: String,
    /// What tells uses of a day apart: fingerprint of the question, of the conversation, of the note.
    pub mark: String,
    /// The day, `2026-11-20`.
    pub day: String,
}

/// A claim and how it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// Its uses, in no order.
    pub uses: Vec<Use>,
}

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// planned, applying, applied, undone or failed.
    pub state: String,
    /// When it was planned, in milliseconds since the epoch.
    pub started_ms: i64,
    /// The month its tokens are counted in, `2026-11`.
    pub month: String,
    /// What it does, as JSON.
    pub plan: String,
    /// The files before and after, as JSON; none before it is applied, and when it is too old.
    pub images: Option<String>,
    /// Tokens sent to a model.
    pub input_tokens: u64,
    /// Tokens a model answered with.
    pub output_tokens: u64,
}

/// When the next run is due, and who is at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// The schedule that the time was worked out from.
    pub schedule: String,
    /// When a run is due, in milliseconds since the epoch.
    pub due_ms: i64,
    /// Who runs now; empty when nobody does.
    pub holder: String,
    /// Until when nobody else may.
    pub until_ms: i64,
}

const RUN_COLUMNS: &str = "id, state, started_ms, month, plan, images, input_tokens, output_tokens";

fn run_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        state: row.get(1)?,
        started_ms: row.get(2)?,
        month: row.get(3)?,
        plan: row.get(4)?,
        images: row.get(5)?,
        input_tokens: row.get(6)?,
        output_tokens: row.get(7)?,
    })
}

impl Reader<'_> {
    /// Every claim with its uses since a day (`2026-11-20`) and those of replays, which somebody asked for, in the order of
    /// their ids.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn evidence(&self, since: &str) -> Result<Vec<Evidence>> {
        or_postgres!(self.evidence(since));
        let mut uses: HashMap<String, Vec<Use>> = HashMap::new();
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT claim, kind, mark, day FROM claim_use WHERE day >= ?1 OR batch <> ''")
            .sql()?;
        let rows = statement
            .query_map([since], |row| {
                Ok((row.get::<_, String>(0)?, Use { kind: row.get(1)?, mark: row.get(2)?, day: row.get(3)? }))
            })
            .sql()?;
        for row in rows {
            let (claim, found) = row.sql()?;
            uses.entry(claim).or_default().push(found);
        }
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT id, text, path, line, origin, requested, importance, triggers, first_ms, last_ms, withdrawn \
                 FROM claim ORDER BY id",
            )
            .sql()?;
        let rows = statement
            .query_map([], |row| {
                Ok(Claim {
                    id: row.get(0)?,
                    text: row.get(1)?,
                    path: row.get(2)?,
                    line: row.get(3)?,
                    origin: row.get(4)?,
                    requested: row.get(5)?,
                    importance: row.get(6)?,
                    triggers: row.get(7)?,
                    first_ms: row.get(8)?,
                    last_ms: row.get(9)?,
                    withdrawn: row.get(10)?,
                })
            })
            .sql()?;
        let mut found = Vec::new();
        for claim in rows {
            let claim = claim.sql()?;
            let uses = uses.remove(&claim.id).unwrap_or_default();
            found.push(Evidence { claim, uses });
        }
        Ok(found)
    }

    /// How many claims are kept, and how many uses of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn count_evidence(&self) -> Result<(u64, u64)> {
        or_postgres!(self.count_evidence());
        let sql = "SELECT (SELECT count(*) FROM claim), (SELECT count(*) FROM claim_use)";
        self.conn()?.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).sql()
    }

    /// The runs, latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRow>> {
        or_postgres!(self.runs(limit));
        let sql = format!("SELECT {RUN_COLUMNS} FROM consolidation_run ORDER BY started_ms DESC, id DESC LIMIT ?1");
        let mut statement = self.conn()?.prepare_cached(&sql).sql()?;
        let rows = statement.query_map([limit], run_of).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// A run; none when there is none of that id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>> {
        or_postgres!(self.run(id));
        let sql = format!("SELECT {RUN_COLUMNS} FROM consolidation_run WHERE id = ?1");
        self.conn()?.prepare_cached(&sql).sql()?.query_row([id], run_of).optional().sql()
    }

    /// The runs whose plan or images name one of these claims, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs_naming(&self, claims: &[String]) -> Result<Vec<RunRow>> {
        or_postgres!(self.runs_naming(claims));
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM consolidation_run WHERE plan <> '{{}}' OR images IS NOT NULL ORDER BY started_ms, id"
        );
        let mut statement = self.conn()?.prepare_cached(&sql).sql()?;
        let mut found = Vec::new();
        for row in statement.query_map([], run_of).sql()? {
            let row = row.sql()?;
            let names = |text: &str| claims.iter().any(|claim| text.contains(claim.as_str()));
            if names(&row.plan) || row.images.as_deref().is_some_and(names) {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// Tokens sent and answered, by month, latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_tokens(&self) -> Result<Vec<(String, u64, u64)>> {
        or_postgres!(self.run_tokens());
        let sql = "SELECT month, sum(input_tokens), sum(output_tokens) FROM consolidation_run GROUP BY month \
                   ORDER BY month DESC";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// The replay that added evidence last; none when there is no such evidence.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_batch(&self) -> Result<Option<String>> {
        or_postgres!(self.last_batch());
        let sql = "SELECT max(batch) FROM claim_use WHERE batch <> ''";
        self.conn()?.prepare_cached(sql).sql()?.query_row([], |row| row.get(0)).sql()
    }

    /// When the next run is due; none before that was ever worked out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn consolidation_clock(&self) -> Result<Option<Clock>> {
        or_postgres!(self.consolidation_clock());
        let sql = "SELECT schedule, due_ms, holder, until_ms FROM consolidation_clock";
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Clock { schedule: row.get(0)?, due_ms: row.get(1)?, holder: row.get(2)?, until_ms: row.get(3)? })
        };
        self.conn()?.prepare_cached(sql).sql()?.query_row([], row).optional().sql()
    }
}

impl Tx<'_> {
    /// Notes that a claim was met, and how it was used. Whether somebody asked for it stays true once it is. What the
    /// owner said is the owner's whoever else says it; else the stricter origin counts.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_evidence(&self, found: &Evidence, batch: &str) -> Result<()> {
        or_postgres!(self.add_evidence(found, batch));
        let Evidence { claim, uses } = found;
        self.conn()?
            .prepare_cached(
                "INSERT INTO claim (id, text, path, line, origin, requested, importance, triggers, first_ms, last_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO UPDATE SET \
                   text = CASE WHEN excluded.last_ms >= last_ms THEN excluded.text ELSE text END, \
                   path = CASE WHEN excluded.path <> '' THEN excluded.path ELSE path END, \
                   line = CASE WHEN excluded.path <> '' THEN excluded.line ELSE line END, \
                   origin = CASE WHEN 'owner' IN (origin, excluded.origin) THEN 'owner' \
                                 WHEN 'untrusted' IN (origin, excluded.origin) THEN 'untrusted' \
                                 WHEN 'system' IN (origin, excluded.origin) THEN 'system' \
                                 ELSE excluded.origin END, \
                   requested = max(requested, excluded.requested), \
                   importance = coalesce(excluded.importance, importance), \
                   triggers = coalesce(excluded.triggers, triggers), \
                   first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, excluded.last_ms)",
            )
            .sql()?
            .execute((
                &claim.id,
                &claim.text,
                &claim.path,
                claim.line,
                &claim.origin,
                claim.requested,
                claim.importance,
                &claim.triggers,
                claim.first_ms,
                claim.last_ms,
            ))
            .sql()?;
        let mut statement = self
            .conn()?
            .prepare_cached(
                "INSERT OR IGNORE INTO claim_use (claim, kind, mark, day, batch) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .sql()?;
        for Use { kind, mark, day } in uses {
            statement.execute((&claim.id, kind, mark, day, batch)).sql()?;
        }
        Ok(())
    }

    /// Drops uses before a day but for those of replays, and of the claims those that were met longest ago, until at most `most` are left. What
    /// was taken back is known for good.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn trim_evidence(&self, since: &str, most: usize) -> Result<()> {
        or_postgres!(self.trim_evidence(since, most));
        let sql = "DELETE FROM claim_use WHERE day < ?1 AND batch = ''";
        self.conn()?.prepare_cached(sql).sql()?.execute([since]).sql()?;
        self.conn()?
            .prepare_cached(
                "DELETE FROM claim WHERE withdrawn = 0 AND id NOT IN \
                 (SELECT id FROM claim ORDER BY last_ms DESC, id LIMIT ?1)",
            )
            .sql()?
            .execute([most])
            .sql()?;
        self.conn()?
            .prepare_cached("DELETE FROM claim_use WHERE claim NOT IN (SELECT id FROM claim)")
            .sql()?
            .execute([])
            .sql()?;
        Ok(())
    }

    /// Takes the evidence of a replay back; gives how many uses went. Claims that nothing else speaks for go with them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_batch(&self, batch: &str) -> Result<usize> {
        or_postgres!(self.drop_batch(batch));
        let dropped = self
            .conn()?
            .prepare_cached("DELETE FROM claim_use WHERE batch = ?1 AND batch <> ''")
            .sql()?
            .execute([batch]);
        self.conn()?
            .prepare_cached(
                "DELETE FROM claim WHERE withdrawn = 0 AND requested = 0 \
                 AND id NOT IN (SELECT claim FROM claim_use)",
            )
            .sql()?
            .execute([])
            .sql()?;
        dropped.sql()
    }

    /// Says that claims were taken back, or that they may come again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn withdraw_claims(&self, ids: &[String], withdrawn: bool) -> Result<()> {
        or_postgres!(self.withdraw_claims(ids, withdrawn));
        let mut statement = self.conn()?.prepare_cached("UPDATE claim SET withdrawn = ?2 WHERE id = ?1").sql()?;
        for id in ids {
            statement.execute((id, withdrawn)).sql()?;
        }
        Ok(())
    }

    /// Removes claims for good: of these ids, of notes at or below these paths, and those that were only said in these
    /// conversations. Kept plans and images that name one of them go as well; what such a run wrote cannot be taken back
    /// any more. Gives how many claims went.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_claims(&self, ids: &[String], paths: &[String], conversations: &[String]) -> Result<usize> {
        or_postgres!(self.forget_claims(ids, paths, conversations));
        let mut gone: Vec<String> = ids.to_vec();
        let mut below = self
            .conn()?
            .prepare_cached("SELECT id FROM claim WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'")
            .sql()?;
        for path in paths {
            let rows = below.query_map([path], |row| row.get(0)).sql()?;
            gone.extend(rows.collect::<Result<Vec<String>, _>>().sql()?);
        }
        let sql = "DELETE FROM claim_use WHERE kind IN ('said', 'asked') AND mark = ?1";
        let mut unsaid = self.conn()?.prepare_cached(sql).sql()?;
        for conversation in conversations {
            if unsaid.execute([conversation]).sql()? > 0 {
                let sql = "SELECT id FROM claim WHERE path = '' AND id NOT IN (SELECT claim FROM claim_use)";
                let mut statement = self.conn()?.prepare_cached(sql).sql()?;
                let rows = statement.query_map([], |row| row.get(0)).sql()?;
                gone.extend(rows.collect::<Result<Vec<String>, _>>().sql()?);
            }
        }
        let mut count = 0;
        for id in gone {
            count += self.conn()?.prepare_cached("DELETE FROM claim WHERE id = ?1").sql()?.execute([&id]).sql()?;
            self.conn()?.prepare_cached("DELETE FROM claim_use WHERE claim = ?1").sql()?.execute([&id]).sql()?;
            self.conn()?
                .prepare_cached(
                    "UPDATE consolidation_run SET plan = '{}', images = NULL \
                     WHERE instr(plan, ?1) > 0 OR instr(images, ?1) > 0",
                )
                .sql()?
                .execute([&id])
                .sql()?;
        }
        Ok(count)
    }

    /// Takes plans and images out of all runs; what they cost stays.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn scrub_runs(&self) -> Result<()> {
        or_postgres!(self.scrub_runs());
        self.conn()?.execute("UPDATE consolidation_run SET plan = '{}', images = NULL", []).sql().map(drop)
    }

    /// Keeps a run, in place of what was kept of it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn save_run(&self, run: &RunRow) -> Result<()> {
        or_postgres!(self.save_run(run));
        let sql =
            format!("INSERT OR REPLACE INTO consolidation_run ({RUN_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
        self.conn()?
            .prepare_cached(&sql)
            .sql()?
            .execute((
                &run.id,
                &run.state,
                run.started_ms,
                &run.month,
                &run.plan,
                &run.images,
                run.input_tokens,
                run.output_tokens,
            ))
            .sql()?;
        Ok(())
    }

    /// Forgets all but the last `keep` runs that changed something, and all but the last `keep` others. What runs cost
    /// stays.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn trim_runs(&self, keep: usize) -> Result<()> {
        or_postgres!(self.trim_runs(keep));
        self.conn()?
            .prepare_cached(
                "UPDATE consolidation_run SET images = NULL, plan = '{}' WHERE state <> 'applying' AND id NOT IN \
                 (SELECT id FROM (SELECT id, row_number() OVER \
                    (PARTITION BY images IS NULL ORDER BY started_ms DESC, id DESC) AS place FROM consolidation_run) \
                  WHERE place <= ?1)",
            )
            .sql()?
            .execute([keep])
            .sql()?;
        self.conn()?
            .prepare_cached(
                "DELETE FROM consolidation_run WHERE plan = '{}' AND input_tokens = 0 AND output_tokens = 0",
            )
            .sql()?
            .execute([])
            .sql()?;
        Ok(())
    }

    /// Keeps when the next run is due and who is at it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_consolidation_clock(&self, clock: &Clock) -> Result<()> {
        or_postgres!(self.set_consolidation_clock(clock));
        self.conn()?
            .prepare_cached(
                "INSERT OR REPLACE INTO consolidation_clock (id, schedule, due_ms, holder, until_ms) \
                 VALUES (1, ?1, ?2, ?3, ?4)",
            )
            .sql()?
            .execute((&clock.schedule, clock.due_ms, &clock.holder, clock.until_ms))
            .sql()?;
        Ok(())
    }
}
