//! Claims with the evidence for each; see [`crate::consolidation`].

use std::collections::{BTreeSet, HashMap};

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8, natural, text, the_row},
    connect::Statement,
    media::body,
};
use crate::{
    consolidation::{Claim, Evidence, Use},
    unsaid::Unsaid,
};
use model::error::Result;

fn claim_of(row: &Row) -> Result<Claim> {
    Ok(Claim {
        id: column(row, 0)?,
        text: body(row, 1)?.to_owned(),
        path: column(row, 2)?,
        line: natural(row, 3)?,
        origin: column(row, 4)?,
        requested: column(row, 5)?,
        importance: column::<Option<i64>>(row, 6)?.and_then(|importance| u8::try_from(importance).ok()),
        triggers: column(row, 7)?,
        first_ms: column(row, 8)?,
        last_ms: column(row, 9)?,
        withdrawn: column(row, 10)?,
    })
}

/// Claims that nothing but the replay that was dropped spoke for.
const UNSPOKEN: &str = "DELETE FROM claim c WHERE c.agent = $1 AND NOT c.withdrawn AND NOT c.requested \
     AND NOT EXISTS (SELECT 1 FROM claim_use u WHERE u.agent = $1 AND u.claim = c.id)";

impl Reader<'_> {
    /// Every claim with its uses since a day (`2026-11-20`) and those of replays, which somebody asked for, in the order of
    /// their ids.
    ///
    /// # Errors
    /// What the database answers.
    pub fn evidence(&self, since: &str) -> Result<Vec<Evidence>> {
        let of_uses = "SELECT claim, kind, mark, day FROM claim_use \
                       WHERE agent = $1 AND (day COLLATE \"C\" >= $2 OR batch <> '')";
        let of_claims = "SELECT id, body, path, line, origin, requested, importance, triggers, first_ms, last_ms, withdrawn \
                         FROM claim WHERE agent = $1 ORDER BY id COLLATE \"C\"";
        let since = [int8(&self.agent), text(&since)];
        let (rows, claims) = self.tx.rows_of_both((of_uses, &since), (of_claims, &since[..1]))?;
        let mut uses: HashMap<String, Vec<Use>> = HashMap::new();
        for row in &rows {
            let found = Use { kind: column(row, 1)?, mark: column(row, 2)?, day: column(row, 3)? };
            uses.entry(column(row, 0)?).or_default().push(found);
        }
        let evidence = |row| {
            let claim = claim_of(row)?;
            let uses = uses.remove(&claim.id).unwrap_or_default();
            Ok(Evidence { claim, uses })
        };
        claims.iter().map(evidence).collect()
    }

    /// How many claims are kept, and how many uses of them.
    ///
    /// # Errors
    /// What the database answers.
    pub fn count_evidence(&self) -> Result<(u64, u64)> {
        let sql =
            "SELECT (SELECT count(*) FROM claim WHERE agent = $1), (SELECT count(*) FROM claim_use WHERE agent = $1)";
        let row = the_row(self.tx.row(sql, &[int8(&self.agent)])?)?;
        Ok((natural(&row, 0)?, natural(&row, 1)?))
    }

    /// The replay that added evidence last; none when there is no such evidence.
    ///
    /// # Errors
    /// What the database answers.
    pub fn last_batch(&self) -> Result<Option<String>> {
        let sql = "SELECT max(batch COLLATE \"C\") FROM claim_use WHERE agent = $1 AND batch <> ''";
        column(&the_row(self.tx.row(sql, &[int8(&self.agent)])?)?, 0)
    }
}

impl Tx<'_> {
    /// Notes that a claim was met, and how it was used; see [`crate::Tx::add_evidence`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn add_evidence(&self, found: &Evidence, batch: &str) -> Result<()> {
        let Evidence { claim, uses } = found;
        let (line, importance) = (i64::from(claim.line), claim.importance.map(i64::from));
        let body = claim.text.as_bytes();
        let triggers = claim.triggers.as_ref().map(|triggers| triggers.replace('\0', " "));
        let of_claim = [
            int8(&self.agent),
            (&claim.id as _, Type::TEXT),
            (&body as _, Type::BYTEA),
            (&claim.path as _, Type::TEXT),
            int8(&line),
            (&claim.origin as _, Type::TEXT),
            (&claim.requested as _, Type::BOOL),
            (&importance as _, Type::INT8),
            (&triggers as _, Type::TEXT),
            int8(&claim.first_ms),
            int8(&claim.last_ms),
        ];
        let kinds: Vec<&str> = uses.iter().map(|one| one.kind.as_str()).collect();
        let marks: Vec<&str> = uses.iter().map(|one| one.mark.as_str()).collect();
        let days: Vec<&str> = uses.iter().map(|one| one.day.as_str()).collect();
        let of_uses = [
            int8(&self.agent),
            (&claim.id as _, Type::TEXT),
            (&kinds as _, Type::TEXT_ARRAY),
            (&marks as _, Type::TEXT_ARRAY),
            (&days as _, Type::TEXT_ARRAY),
            text(&batch),
        ];
        self.tx.execute_all(&[
            (
                "INSERT INTO claim AS c (agent, id, body, path, line, origin, requested, importance, triggers, first_ms, \
                   last_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (agent, id) DO UPDATE SET \
                   body = CASE WHEN excluded.last_ms >= c.last_ms THEN excluded.body ELSE c.body END, \
                   path = CASE WHEN excluded.path <> '' THEN excluded.path ELSE c.path END, \
                   line = CASE WHEN excluded.path <> '' THEN excluded.line ELSE c.line END, \
                   origin = CASE WHEN 'owner' IN (c.origin, excluded.origin) THEN 'owner' \
                                 WHEN 'untrusted' IN (c.origin, excluded.origin) THEN 'untrusted' \
                                 WHEN 'system' IN (c.origin, excluded.origin) THEN 'system' \
                                 ELSE excluded.origin END, \
                   requested = c.requested OR excluded.requested, \
                   importance = coalesce(excluded.importance, c.importance), \
                   triggers = coalesce(excluded.triggers, c.triggers), \
                   first_ms = least(c.first_ms, excluded.first_ms), last_ms = greatest(c.last_ms, excluded.last_ms)",
                &of_claim,
            ),
            (
                "INSERT INTO claim_use (agent, claim, kind, mark, day, batch) \
                 SELECT $1, $2, u.kind, u.mark, u.day, $6 FROM unnest($3, $4, $5) u (kind, mark, day) ON CONFLICT DO NOTHING",
                &of_uses,
            ),
        ])
    }

    /// Drops uses before a day but for those of replays, and of the claims those that were met longest ago, until at most
    /// `most` are left. What was taken back is known for good.
    ///
    /// # Errors
    /// What the database answers.
    pub fn trim_evidence(&self, since: &str, most: usize) -> Result<()> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let agent = int8(&self.agent);
        self.tx.execute_all(&[
            (
                "DELETE FROM claim_use WHERE agent = $1 AND day COLLATE \"C\" < $2 AND batch = ''",
                &[agent.clone(), text(&since)],
            ),
            (
                "DELETE FROM claim WHERE agent = $1 AND NOT withdrawn AND id IN (SELECT id FROM claim WHERE agent = $1 \
                 ORDER BY last_ms DESC, id COLLATE \"C\" OFFSET $2)",
                &[agent.clone(), int8(&most)],
            ),
            (
                "DELETE FROM claim_use u WHERE u.agent = $1 AND NOT EXISTS (SELECT 1 FROM claim c WHERE c.agent = $1 \
                 AND c.id = u.claim)",
                &[agent],
            ),
        ])
    }

    /// Takes the evidence of a replay back; gives how many uses went. Claims that nothing else speaks for go with them.
    ///
    /// # Errors
    /// What the database answers.
    pub fn drop_batch(&self, batch: &str) -> Result<usize> {
        let sql = "DELETE FROM claim_use WHERE agent = $1 AND batch = $2 AND batch <> ''";
        let dropped = self.tx.execute(sql, &[int8(&self.agent), text(&batch)])?;
        self.tx.execute(UNSPOKEN, &[int8(&self.agent)])?;
        Ok(usize::try_from(dropped).unwrap_or(usize::MAX))
    }

    /// Says that claims were taken back, or that they may come again.
    ///
    /// # Errors
    /// What the database answers.
    pub fn withdraw_claims(&self, ids: &[String], withdrawn: bool) -> Result<()> {
        let sql = "UPDATE claim SET withdrawn = $3 WHERE agent = $1 AND id = ANY ($2)";
        let params = [int8(&self.agent), (&ids as _, Type::TEXT_ARRAY), (&withdrawn as _, Type::BOOL)];
        self.tx.execute(sql, &params).map(drop)
    }

    /// Removes claims for good; see [`crate::Tx::forget_claims`]. Gives how many went.
    ///
    /// # Errors
    /// What the database answers.
    pub fn forget_claims(&self, ids: &[String], paths: &[String], conversations: &[String]) -> Result<usize> {
        let below = "SELECT c.id FROM claim c JOIN unnest($2) p (path) ON c.path = p.path OR starts_with(c.path, p.path || '/') \
                     WHERE c.agent = $1";
        let unsaid = "DELETE FROM claim_use WHERE agent = $1 AND kind IN ('said', 'asked') AND mark = ANY ($2)";
        let only_said = "SELECT c.id FROM claim c WHERE c.agent = $1 AND c.path = '' \
                         AND NOT EXISTS (SELECT 1 FROM claim_use u WHERE u.agent = $1 AND u.claim = c.id)";
        let agent = int8(&self.agent);
        let mut gone: BTreeSet<String> = ids.iter().cloned().collect();
        for row in self.tx.rows(below, &[agent.clone(), (&paths as _, Type::TEXT_ARRAY)])? {
            gone.insert(column(&row, 0)?);
        }
        if self.tx.execute(unsaid, &[agent.clone(), (&conversations as _, Type::TEXT_ARRAY)])? > 0 {
            for row in self.tx.rows(only_said, std::slice::from_ref(&agent))? {
                gone.insert(column(&row, 0)?);
            }
        }
        let gone: Vec<String> = gone.into_iter().collect();
        let params = [agent, (&gone as _, Type::TEXT_ARRAY)];
        let count = self.tx.execute("DELETE FROM claim WHERE agent = $1 AND id = ANY ($2)", &params)?;
        self.tx.execute_all(&[
            ("DELETE FROM claim_use WHERE agent = $1 AND claim = ANY ($2)", &params),
            (
                "UPDATE consolidation_run r SET plan = '{}', images = NULL WHERE r.agent = $1 AND EXISTS (\
                   SELECT 1 FROM unnest($2) g (id) WHERE strpos(r.plan, g.id) > 0 OR strpos(r.images, g.id) > 0)",
                &params,
            ),
        ])?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Takes the uses out that were taken back; see [`crate::Tx::unsay`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn unsay(&self, unsaid: &[Unsaid]) -> Result<()> {
        for Unsaid { claim, mark, day, note, requested, for_good } in unsaid {
            let of_claim = [int8(&self.agent), (claim as _, Type::TEXT)];
            let of_note = [int8(&self.agent), (claim as _, Type::TEXT), (note as _, Type::TEXT)];
            let of_use = [
                int8(&self.agent),
                (claim as _, Type::TEXT),
                (note as _, Type::TEXT),
                (mark as _, Type::TEXT),
                (day as _, Type::TEXT),
            ];
            let mut statements: Vec<Statement<'_>> = vec![
                (
                    "DELETE FROM claim_use u WHERE u.agent = $1 AND u.claim = $2 AND (\
                       u.kind IN ('said', 'asked') AND u.mark = $4 AND u.day = $5 \
                       OR u.kind NOT IN ('said', 'asked') AND $3 <> '' \
                         AND $3 = (SELECT c.path FROM claim c WHERE c.agent = $1 AND c.id = $2))",
                    &of_use,
                ),
                ("UPDATE claim SET path = '', line = 0 WHERE agent = $1 AND id = $2 AND path = $3", &of_note),
            ];
            if *requested {
                statements.push(("UPDATE claim SET requested = false WHERE agent = $1 AND id = $2", &of_claim));
            }
            statements.push((
                "DELETE FROM claim c WHERE c.agent = $1 AND c.id = $2 AND NOT c.withdrawn \
                 AND NOT EXISTS (SELECT 1 FROM claim_use u WHERE u.agent = $1 AND u.claim = $2)",
                &of_claim,
            ));
            if *for_good {
                statements.push((
                    "INSERT INTO claim (agent, id, body, path, line, origin, requested, first_ms, last_ms, withdrawn) \
                     VALUES ($1, $2, '', '', 0, 'owner', false, 0, 0, true) ON CONFLICT DO NOTHING",
                    &of_claim,
                ));
            }
            statements.push((
                "UPDATE consolidation_run SET plan = '{}', images = NULL \
                 WHERE agent = $1 AND state = 'planned' AND strpos(plan, $2) > 0",
                &of_claim,
            ));
            self.tx.execute_all(&statements)?;
        }
        Ok(())
    }
}
