//! What was written down beside the index, from one store to another: what embedding cost, which texts providers refused,
//! what was made of single lines, and what consolidation has counted and can undo.
//!
//! Each is merged so that a second copy changes nothing, and one that ended early goes on: of two counts the higher stays,
//! uses of a claim are added, a run that has gone further there stays as it is.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::params;
use serde::Serialize;

use super::{
    Store,
    consolidation::{Claim, Evidence, RunRow, Use},
    files::Hash,
    ids::SpaceId,
    line_vectors::LineData,
    reader::{Reader, or_postgres},
    usage::{ModelUsage, Spent},
    writer::Tx,
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
    usage::Usage,
};

/// Texts with lines, and claims, that are copied in one transaction.
const STEP: usize = 100;

/// Runs that are copied in one transaction: each may hold files as they were.
const RUNS: usize = 5;

/// More rows than there are, as a limit.
pub(crate) const ALL: usize = i32::MAX as usize;

/// What was copied besides vectors; what was there already counts too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BooksCopied {
    /// Days and models that embedding cost something.
    pub costs: u64,
    /// Texts that a provider refused.
    pub refusals: u64,
    /// Texts with vectors of their lines.
    pub lines: u64,
    /// Sentences with evidence for them.
    pub claims: u64,
    /// Runs of consolidation, but for one that is being applied.
    pub runs: u64,
}

/// What a model cost on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DayUsage {
    pub(crate) day: String,
    pub(crate) of: ModelUsage,
}

/// A text that was refused, by the key of its space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) space: String,
    pub(crate) hash: Hash,
    pub(crate) reason: String,
    pub(crate) refused_ms: i64,
    pub(crate) times: i64,
}

/// That what was written is not there.
fn lost(what: &str) -> Error {
    Error::new(Code::Internal, format!("{what} was copied and is not there as it was"))
}

/// How far a run has come.
fn progress_of(run: &RunRow) -> u8 {
    match run.state.as_str() {
        "planned" => 0,
        "applying" => 1,
        "undone" => 3,
        _ => 2,
    }
}

/// Whether one store knows all of what another one does of a claim.
fn holds(there: Option<&Evidence>, wanted: &Evidence) -> bool {
    there.is_some_and(|there| {
        let known: HashSet<&Use> = there.uses.iter().collect();
        let (claim, of): (&Claim, &Claim) = (&there.claim, &wanted.claim);
        claim.first_ms <= of.first_ms
            && claim.last_ms >= of.last_ms
            && claim.requested >= of.requested
            && claim.withdrawn >= of.withdrawn
            && wanted.uses.iter().all(|one| known.contains(one))
    })
}

fn by_id(evidence: Vec<Evidence>) -> HashMap<String, Evidence> {
    evidence.into_iter().map(|one| (one.claim.id.clone(), one)).collect()
}

impl Reader<'_> {
    /// What each model cost on each day.
    pub(crate) fn daily_usage(&self) -> Result<Vec<DayUsage>> {
        or_postgres!(self.daily_usage());
        let sql = "SELECT day, provider, model, requests, texts, tokens, needed, embedded FROM usage \
                   ORDER BY day, provider, model";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let row = |row: &rusqlite::Row<'_>| {
            let sent = Usage { requests: row.get(3)?, texts: row.get(4)?, tokens: row.get(5)? };
            let spent = Spent { sent, needed: row.get(6)?, embedded: row.get(7)? };
            Ok(DayUsage { day: row.get(0)?, of: ModelUsage { provider: row.get(1)?, model: row.get(2)?, spent } })
        };
        statement.query_map([], row).sql()?.collect::<rusqlite::Result<_>>().sql()
    }

    /// All refusals; of a database that agents share those of this agent's texts.
    pub(crate) fn refusals(&self) -> Result<Vec<Refusal>> {
        or_postgres!(self.refusals());
        let sql = "SELECT s.key, r.hash, r.reason, r.refused_ms, r.times FROM refused_text r \
                   JOIN space s ON s.id = r.space_id ORDER BY s.key, r.hash";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Refusal {
                space: row.get(0)?,
                hash: row.get(1)?,
                reason: row.get(2)?,
                refused_ms: row.get(3)?,
                times: row.get(4)?,
            })
        };
        statement.query_map([], row).sql()?.collect::<rusqlite::Result<_>>().sql()
    }

    /// A page of what was made of the lines of texts, ordered by hash, after `after` and up to `until`.
    pub(crate) fn lines_between(
        &self,
        space: SpaceId,
        (after, until): (Option<&Hash>, Option<&Hash>),
        limit: usize,
    ) -> Result<Vec<LineData>> {
        or_postgres!(self.lines_between(space, (after, until), limit));
        let sql = "SELECT v.hash, v.codes, p.signs FROM line_vectors v \
                   JOIN line_pieces p ON p.space_id = v.space_id AND p.hash = v.hash \
                   WHERE v.space_id = ?1 AND v.hash > ?2 AND (?3 IS NULL OR v.hash <= ?3) ORDER BY v.hash LIMIT ?4";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let row = |row: &rusqlite::Row<'_>| Ok(LineData { hash: row.get(0)?, codes: row.get(1)?, signs: row.get(2)? });
        statement.query_map(params![space, after, until, limit], row).sql()?.collect::<rusqlite::Result<_>>().sql()
    }

    /// The uses that replays have added, with the replay.
    pub(crate) fn batches(&self) -> Result<Vec<(String, Use, String)>> {
        or_postgres!(self.batches());
        let sql = "SELECT claim, kind, mark, day, batch FROM claim_use WHERE batch <> ''";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok((row.get(0)?, Use { kind: row.get(1)?, mark: row.get(2)?, day: row.get(3)? }, row.get(4)?))
        };
        statement.query_map([], row).sql()?.collect::<rusqlite::Result<_>>().sql()
    }
}

impl Tx<'_> {
    /// Makes what a model cost on a day at least so much.
    pub(crate) fn raise_usage(&self, usage: &DayUsage) -> Result<()> {
        or_postgres!(self.raise_usage(usage));
        let DayUsage { day, of: ModelUsage { provider, model, spent: Spent { sent, needed, embedded } } } = usage;
        let sql = "INSERT INTO usage (day, provider, model, requests, texts, tokens, needed, embedded) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET \
                     requests = max(requests, excluded.requests), texts = max(texts, excluded.texts), \
                     tokens = max(tokens, excluded.tokens), needed = max(needed, excluded.needed), \
                     embedded = max(embedded, excluded.embedded)";
        let row = (day, provider, model, sent.requests, sent.texts, sent.tokens, needed, embedded);
        self.conn()?.prepare_cached(sql).sql()?.execute(row).sql().map(drop)
    }

    /// Notes a refusal as it was noted elsewhere; of two the later one stays.
    pub(crate) fn keep_refusal(&self, space: SpaceId, refusal: &Refusal) -> Result<()> {
        or_postgres!(self.keep_refusal(space, refusal));
        let sql = "INSERT INTO refused_text (space_id, hash, reason, refused_ms, times) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT DO UPDATE SET \
                     reason = CASE WHEN excluded.refused_ms > refused_ms THEN excluded.reason ELSE reason END, \
                     refused_ms = max(refused_ms, excluded.refused_ms), times = max(times, excluded.times)";
        let row = params![space, refusal.hash, refusal.reason, refusal.refused_ms, refusal.times];
        self.conn()?.prepare_cached(sql).sql()?.execute(row).sql().map(drop)
    }

    /// Stores what was made of the lines of texts, which may not be in the index yet.
    pub(crate) fn keep_lines(&self, space: SpaceId, lines: &[LineData]) -> Result<()> {
        or_postgres!(self.keep_lines(space, lines));
        for line in lines {
            for (table, column, data) in [("line_vectors", "codes", &line.codes), ("line_pieces", "signs", &line.signs)]
            {
                let sql = format!("INSERT OR REPLACE INTO {table} (space_id, hash, {column}) VALUES (?1, ?2, ?3)");
                self.conn()?.prepare_cached(&sql).sql()?.execute(params![space, line.hash, data]).sql()?;
            }
        }
        Ok(())
    }
}

impl Store {
    /// Copies what was written down beside the index to another store.
    ///
    /// # Errors
    /// When one cannot be read or the other written, or when cancelled; [`Code::Internal`] when the other one does not know
    /// afterwards what it was told.
    pub fn copy_books_to(&self, to: &Self, cancel: &Cancel) -> Result<BooksCopied> {
        let mut copied = BooksCopied { costs: self.copy_costs(to, cancel)?, ..BooksCopied::default() };
        copied.refusals = self.copy_refusals(to, cancel)?;
        copied.lines = self.copy_lines(to, cancel)?;
        copied.claims = self.copy_claims(to, cancel)?;
        copied.runs = self.copy_runs(to, cancel)?;
        Ok(copied)
    }

    fn copy_costs(&self, to: &Self, cancel: &Cancel) -> Result<u64> {
        let wanted = self.read_with(cancel, |r| r.daily_usage())?;
        let rows = wanted.clone();
        if !rows.is_empty() {
            to.write(move |tx| rows.iter().try_for_each(|row| tx.raise_usage(row)))?;
        }
        let key = |usage: &DayUsage| (usage.day.clone(), usage.of.provider.clone(), usage.of.model.clone());
        let there: HashMap<_, Spent> =
            to.read_with(cancel, |r| r.daily_usage())?.iter().map(|usage| (key(usage), usage.of.spent)).collect();
        let is_there = |usage: &DayUsage| {
            let (Spent { sent, needed, embedded }, there) = (usage.of.spent, there.get(&key(usage)));
            there.is_some_and(|there| {
                let pairs = [
                    (there.sent.requests, sent.requests),
                    (there.sent.texts, sent.texts),
                    (there.sent.tokens, sent.tokens),
                    (there.needed, needed),
                    (there.embedded, embedded),
                ];
                pairs.iter().all(|(there, wanted)| there >= wanted)
            })
        };
        if wanted.iter().all(is_there) { Ok(wanted.len() as u64) } else { Err(lost("what a day cost")) }
    }

    fn copy_refusals(&self, to: &Self, cancel: &Cancel) -> Result<u64> {
        let refusals = self.read_with(cancel, |r| r.refusals())?;
        let count = refusals.len() as u64;
        let mut by_space: BTreeMap<String, Vec<Refusal>> = BTreeMap::new();
        for refusal in refusals {
            by_space.entry(refusal.space.clone()).or_default().push(refusal);
        }
        for (key, refusals) in by_space {
            for step in refusals.chunks(STEP) {
                cancel.check()?;
                let (key, step) = (key.clone(), step.to_vec());
                to.write(move |tx| {
                    let space = tx.get_or_create_space(&key)?.id;
                    step.iter().try_for_each(|refusal| tx.keep_refusal(space, refusal))
                })?;
            }
        }
        Ok(count)
    }

    fn copy_lines(&self, to: &Self, cancel: &Cancel) -> Result<u64> {
        let mut count = 0;
        for space in self.read_with(cancel, |r| r.spaces())? {
            let key = space.key.clone();
            let mut after = None;
            let mut target = None;
            loop {
                let page = self.read_with(cancel, |r| r.lines_between(space.id, (after.as_ref(), None), STEP))?;
                let Some(last) = page.last().map(|line| line.hash) else { break };
                let target = match target {
                    Some(target) => target,
                    None => {
                        let key = key.clone();
                        *target.insert(to.write(move |tx| tx.get_or_create_space(&key))?.id)
                    }
                };
                let same = |there: Vec<LineData>| {
                    let there: HashMap<Hash, LineData> = there.into_iter().map(|line| (line.hash, line)).collect();
                    page.iter().all(|line| there.get(&line.hash) == Some(line))
                };
                // Between the same two hashes the other one may have more.
                let range = (after.as_ref(), Some(&last));
                let between = || to.read_with(cancel, |r| r.lines_between(target, range, ALL));
                if !same(between()?) {
                    let lines = page.clone();
                    to.write(move |tx| tx.keep_lines(target, &lines))?;
                    if !same(between()?) {
                        return Err(lost("a vector of a line"));
                    }
                }
                count += page.len() as u64;
                after = Some(last);
            }
        }
        Ok(count)
    }

    fn copy_claims(&self, to: &Self, cancel: &Cancel) -> Result<u64> {
        let (wanted, batches) = self.read_with(cancel, |r| Ok((r.evidence("")?, r.batches()?)))?;
        let batches: HashMap<(String, Use), String> =
            batches.into_iter().map(|(claim, one, batch)| ((claim, one), batch)).collect();
        let there = by_id(to.read_with(cancel, |r| r.evidence(""))?);
        let missing: Vec<&Evidence> = wanted.iter().filter(|one| !holds(there.get(&one.claim.id), one)).collect();
        for step in missing.chunks(STEP) {
            cancel.check()?;
            let mut parts: Vec<(Evidence, String)> = Vec::new();
            for one in step {
                let mut by_batch: BTreeMap<String, Vec<Use>> = BTreeMap::from([(String::new(), Vec::new())]);
                for used in &one.uses {
                    let batch = batches.get(&(one.claim.id.clone(), used.clone())).cloned().unwrap_or_default();
                    by_batch.entry(batch).or_default().push(used.clone());
                }
                let part = |(batch, uses)| (Evidence { claim: one.claim.clone(), uses }, batch);
                parts.extend(by_batch.into_iter().map(part));
            }
            // What was taken back stays so in both.
            let withdrawn = step.iter().filter(|one| one.claim.withdrawn).map(|one| one.claim.id.clone()).collect();
            to.write(move |tx| {
                parts.iter().try_for_each(|(evidence, batch)| tx.add_evidence(evidence, batch))?;
                let withdrawn: Vec<String> = withdrawn;
                tx.withdraw_claims(&withdrawn, true)
            })?;
        }
        let there = by_id(to.read_with(cancel, |r| r.evidence(""))?);
        if wanted.iter().all(|one| holds(there.get(&one.claim.id), one)) {
            Ok(wanted.len() as u64)
        } else {
            Err(lost("the evidence for a sentence"))
        }
    }

    fn copy_runs(&self, to: &Self, cancel: &Cancel) -> Result<u64> {
        let (runs, clock) = self.read_with(cancel, |r| Ok((r.runs(ALL)?, r.consolidation_clock()?)))?;
        let runs: Vec<RunRow> = runs.into_iter().filter(|run| run.state != "applying").collect();
        for step in runs.chunks(RUNS) {
            cancel.check()?;
            let step = step.to_vec();
            to.write(move |tx| {
                for run in &step {
                    if tx.run(&run.id)?.is_none_or(|there| progress_of(&there) < progress_of(run)) {
                        tx.save_run(run)?;
                    }
                }
                Ok(())
            })?;
        }
        for run in &runs {
            let there = to.read_with(cancel, |r| r.run(&run.id))?;
            let is_there = |there: &RunRow| progress_of(there) > progress_of(run) || there.started_ms == run.started_ms;
            if !there.as_ref().is_some_and(is_there) {
                return Err(lost("a run of consolidation"));
            }
        }
        if let Some(clock) = clock
            && to.read_with(cancel, |r| r.consolidation_clock())?.is_none()
        {
            to.write(move |tx| {
                tx.set_consolidation_clock(&super::consolidation::Clock { holder: String::new(), until_ms: 0, ..clock })
            })?;
        }
        Ok(runs.len() as u64)
    }
}
