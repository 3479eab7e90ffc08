//! What the server says of itself and of a schema. Asks its catalogue only, which every role may read.

use std::time::Instant;

use tokio_postgres::types::Type;

use super::{
    agent::{column, the_row},
    connect::{Database, SNAPSHOT, Setting, Transaction},
};
use crate::database::{
    Server,
    tables::{MIGRATIONS, RIGHTS},
};
use model::{cancel::Cancel, error::Result};

const OF_SERVER: &str = "SELECT current_setting('server_version')::text, \
     (SELECT extversion::text FROM pg_catalog.pg_extension WHERE extname = 'vector'), \
     coalesce((SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()), false), pg_is_in_recovery(), \
     CASE WHEN pg_is_in_recovery() THEN \
       greatest(extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000, 0)::bigint END";

/// The schema, if it is there: whether it may be used, and whether its table of versions may be read.
const OF_SCHEMA: &str = "SELECT has_schema_privilege(n.oid, 'USAGE'), \
     coalesce((SELECT has_table_privilege(c.oid, 'SELECT') FROM pg_catalog.pg_class c \
       WHERE c.relnamespace = n.oid AND c.relname = 'migration'), false) \
     FROM pg_catalog.pg_namespace n WHERE n.nspname = $1";

/// The rights that are missing on tables. Of the table of versions only steps write.
const OF_TABLES: &str = "SELECT r.name::text, array_agg(quote_ident(c.relname)::text ORDER BY c.relname) \
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS r (name, at) \
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND (c.relname <> 'migration' OR r.name = 'SELECT') \
       AND NOT has_table_privilege(c.oid, r.name) GROUP BY r.name, r.at ORDER BY r.at";

/// The schema of the extension, if its types may not be used.
const OF_EXTENSION: &str = "SELECT quote_ident(n.nspname)::text FROM pg_catalog.pg_extension e \
     JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace \
     WHERE e.extname = 'vector' AND NOT has_schema_privilege(n.oid, 'USAGE')";

/// Asks a server.
///
/// # Errors
/// What connecting gives, and what the database answers.
pub(super) fn examine(database: &Database, schema: &str, cancel: &Cancel) -> Result<Server> {
    let setting = Setting { begin: SNAPSHOT, search_path: schema, tenant: "", agent: None };
    // The first one may have to connect.
    let standing = database.transact(cancel, &setting, |tx| rights(tx, schema))?;
    let asked = Instant::now();
    let row = the_row(database.transact(cancel, &setting, |tx| tx.row(OF_SERVER, &[]))?)?;
    let answered_ms = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Server {
        version: column::<String>(&row, 0)?.split(' ').next().unwrap_or_default().to_owned(),
        vector: column(&row, 1)?,
        encrypted: column(&row, 2)?,
        standby: column(&row, 3)?,
        lag_ms: column::<Option<i64>>(&row, 4)?.map(i64::unsigned_abs),
        tables: standing.tables,
        newest: MIGRATIONS.last().map_or(0, |step| step.version),
        missing: standing.missing,
        answered_ms,
    })
}

/// What the role may do with a schema.
struct Standing {
    tables: Option<i32>,
    missing: Vec<String>,
}

fn rights(tx: &Transaction<'_>, schema: &str) -> Result<Standing> {
    let name = [(&schema as _, Type::TEXT)];
    let Some(row) = tx.row(OF_SCHEMA, &name)? else { return Ok(Standing { tables: None, missing: Vec::new() }) };
    let (may_use, may_read): (bool, bool) = (column(&row, 0)?, column(&row, 1)?);
    let mut missing = Vec::new();
    if !may_use {
        missing.push(format!("GRANT USAGE ON SCHEMA {schema} TO <role>"));
    }
    for row in tx.rows(OF_TABLES, &[(&schema, Type::TEXT), (&RIGHTS.to_vec(), Type::TEXT_ARRAY)])? {
        let (right, tables): (String, Vec<String>) = (column(&row, 0)?, column(&row, 1)?);
        let tables: Vec<String> = tables.iter().map(|table| format!("{schema}.{table}")).collect();
        missing.push(format!("GRANT {right} ON {} TO <role>", tables.join(", ")));
    }
    if let Some(row) = tx.row(OF_EXTENSION, &[])? {
        missing.push(format!("GRANT USAGE ON SCHEMA {} TO <role>", column::<String>(&row, 0)?));
    }
    let tables = if may_use && may_read {
        tx.row("SELECT max(version) FROM migration", &[])?
            .map(|row| column::<Option<i32>>(&row, 0))
            .transpose()?
            .flatten()
    } else {
        None
    };
    Ok(Standing { tables, missing })
}
