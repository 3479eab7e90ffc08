//! The writer lease of an agent: a row with a token, by the clock of the database. No session locks, which outlive their
//! client behind a pooler.

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Agent, Reader, column, int8, natural, text},
    connect::Transaction,
    own_row::has_left,
};
use crate::lease::{Lease, LeaseRow, Owner, VALID_MS};
use model::{cancel::Cancel, error::Result};

const COLUMNS: &str = "owner, pid, host, boot_id, token, expires_ms";

fn from_row(row: &Row) -> Result<Option<LeaseRow>> {
    let Some(uuid) = column(row, 0)? else { return Ok(None) };
    let owner = Owner { uuid, pid: natural(row, 1)?, host: column(row, 2)?, boot_id: column(row, 3)? };
    Ok(Some(LeaseRow { owner, token: column(row, 4)?, expires_ms: column(row, 5)? }))
}

impl Reader<'_> {
    /// The lease as it is stored, valid or not.
    ///
    /// # Errors
    /// What the database answers.
    pub fn lease(&self) -> Result<Option<LeaseRow>> {
        let row = self.tx.row(&format!("SELECT {COLUMNS} FROM agent WHERE id = $1"), &[int8(&self.agent)])?;
        row.map_or(Ok(None), |row| from_row(&row))
    }
}

impl Agent {
    /// Takes the lease, or tells who has it. Taking one that is held only renews it. An agent whose row was removed gets another.
    ///
    /// # Errors
    /// What the database answers.
    pub fn acquire_lease(&self) -> Result<Lease> {
        let lease = match self.lease_of_row()? {
            Some(lease) => lease,
            None => {
                self.begin_anew()?;
                self.lease_of_row()?.ok_or_else(has_left)?
            }
        };
        *self.token.lock() = match lease {
            Lease::Held { token } => Some(token),
            Lease::HeldBy(_) => None,
        };
        Ok(lease)
    }

    /// Takes the lease of the row that is known, or tells who has it; none when there is no such row.
    fn lease_of_row(&self) -> Result<Option<Lease>> {
        self.on_row(|tx, agent| {
            let sql = format!(
                "SELECT {COLUMNS}, expires_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint \
                 FROM agent WHERE id = $1 FOR UPDATE"
            );
            let Some(row) = tx.row(&sql, &[int8(&agent)])? else { return Ok(None) };
            let (held, is_in_time) = (from_row(&row)?, column::<bool>(&row, 6)?);
            let token = match held {
                Some(held) if held.owner.uuid == self.owner().uuid => held.token,
                Some(held) if is_in_time && !held.holder_is_dead(self.owner()) => return Ok(Some(Lease::HeldBy(held))),
                held => held.map_or(0, |held| held.token) + 1,
            };
            take(tx, agent, self.owner(), token)?;
            Ok(Some(Lease::Held { token }))
        })
    }

    /// Moves the end of the lease; false when it is not held any more.
    ///
    /// # Errors
    /// What the database answers.
    pub fn renew_lease(&self) -> Result<bool> {
        let Some(token) = *self.token.lock() else { return Ok(false) };
        // It counts as no write: nobody has to look whether something changed.
        let renewed = self.on_row(|tx, agent| {
            let owner = self.owner().uuid.as_str();
            let sql = "UPDATE agent SET expires_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4 \
                       WHERE id = $1 AND owner = $2 AND token = $3";
            tx.execute(sql, &[int8(&agent), text(&owner), int8(&token), int8(&VALID_MS)])
        })?;
        if renewed == 0 {
            let mut held = self.token.lock();
            *held = held.filter(|held| *held != token);
        }
        Ok(renewed > 0)
    }

    /// Gives the lease back, if held. The row keeps its token, so that tokens keep growing.
    ///
    /// # Errors
    /// What the database answers.
    pub fn release_lease(&self) -> Result<()> {
        let Some(token) = *self.token.lock() else { return Ok(()) };
        self.on_row(|tx, agent| {
            let owner = self.owner().uuid.as_str();
            let sql = "UPDATE agent SET expires_ms = 0 WHERE id = $1 AND owner = $2 AND token = $3";
            tx.execute(sql, &[int8(&agent), text(&owner), int8(&token)])
        })?;
        *self.token.lock() = None;
        Ok(())
    }

    /// The lease as it is stored.
    ///
    /// # Errors
    /// What the database answers.
    pub fn lease(&self) -> Result<Option<LeaseRow>> {
        self.read(&Cancel::new(), |reader| reader.lease())
    }
}

fn take(tx: &Transaction<'_>, agent: i64, owner: &Owner, token: i64) -> Result<()> {
    let sql = "UPDATE agent SET owner = $2, pid = $3, host = $4, boot_id = $5, token = $6, \
               expires_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $7 WHERE id = $1";
    let pid = i64::from(owner.pid);
    let params = [
        int8(&agent),
        (&owner.uuid as _, Type::TEXT),
        int8(&pid),
        (&owner.host as _, Type::TEXT),
        (&owner.boot_id as _, Type::TEXT),
        int8(&token),
        int8(&VALID_MS),
    ];
    tx.execute(sql, &params).map(drop)
}
