//! What leaving takes of an index that the settings put outside of our own folder.

use std::sync::Arc;

use serde::Serialize;

use super::super::{OpenCall, open::in_database};
use crate::blocking::blocking;
use model::{
    config::resolve::{index_file, resolve},
    error::Result,
};
use store::{Location, OpenOptions, Store, database::examine, footprint::Footprint, leaving::AgentRows};

/// What a database keeps of an agent, for all gateways that share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseRows {
    /// The schema.
    pub schema: String,
    /// The tenant.
    pub tenant: String,
    /// How much.
    #[serde(flatten)]
    pub rows: AgentRows,
}

/// What the database that an agent's settings name keeps of it; `removing` takes it away, for whoever shares it. None where they
/// name none, or nothing is kept there.
///
/// # Errors
/// What resolving the settings gives, and when the database cannot be reached, read or written.
pub async fn database_rows(call: OpenCall, removing: bool) -> Result<Option<DatabaseRows>> {
    blocking(move || {
        let Some(resolved) = resolve(&call.resolve_input())? else { return Ok(None) };
        let Some(database) = &resolved.settings.database else { return Ok(None) };
        let place = in_database(&call, &resolved.settings, database)?;
        // Opening makes the tables, which are nothing that is kept.
        if examine(&place)?.tables.is_none() {
            return Ok(None);
        }
        let options = OpenOptions { clock: Arc::clone(&call.clock), ..OpenOptions::default() };
        let store = Store::open_at(&Location::Database(Box::new(place)), options)?;
        let rows = store.read(|reader| reader.rows_of_agent()).and_then(|rows| {
            if removing {
                store.write(|tx| tx.remove_agent())?;
            }
            Ok(rows)
        });
        store.close();
        let (schema, tenant) = (database.schema.clone(), database.tenant.clone());
        Ok(Some(DatabaseRows { schema, tenant, rows: rows? }).filter(|found| !found.rows.are_none()))
    })
    .await
}

/// The files of an agent's index where the settings put it, whether or not memory search is switched on for it.
///
/// # Errors
/// When `store.path` cannot be used.
pub async fn index_files(call: OpenCall) -> Result<Footprint> {
    blocking(move || Ok(Footprint::of(&index_file(&call.resolve_input())?))).await
}
