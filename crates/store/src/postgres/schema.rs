//! Tables and their versions. Several engines use a database at once, of several versions: each version of the schema says
//! who may still read and who may still write.

use tokio_postgres::types::Type;

use super::{
    connect::{Database, SNAPSHOT, Setting, Transaction, WRITE},
    error::of_making_tables,
};
use crate::database::{
    lacks_vector,
    tables::{MIGRATIONS, Migration, VERSIONS, lock_name, table_names},
};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// A schema that this engine can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Where tables and the extension's types are looked for.
    pub search_path: String,
    /// Whether this engine may write; a newer one may have made the schema so that it must not.
    pub may_write: bool,
}

/// What a database says of its schema.
struct State {
    version: i32,
    min_reader: i32,
    min_writer: i32,
}

/// Brings the schema to the version of this engine, or only looks whether it is.
///
/// # Errors
/// [`Code::Config`] when the extension is missing or too old, and when there is something to do that is not wanted;
/// [`Code::NewerSchema`] when only a newer engine may read it; [`Code::Busy`] while another engine changes it.
pub fn prepare(database: &Database, name: &str, migrate: bool) -> Result<Schema> {
    prepare_with(database, name, migrate, MIGRATIONS)
}

pub(super) fn prepare_with(database: &Database, name: &str, migrate: bool, steps: &[Migration]) -> Result<Schema> {
    let newest = steps.last().map_or(0, |step| step.version);
    let setting = |begin, search_path| Setting { begin, search_path, tenant: "", agent: None };
    let (extension, mut state) =
        database.transact(&Cancel::new(), &setting(SNAPSHOT, name), |tx| Ok((extension(tx)?, state(tx, name)?)))?;
    let search_path = format!("{name}, {extension}");
    if state.version < newest && !migrate {
        let what = if state.version == 0 {
            "the tables of the memory are missing"
        } else {
            "the tables of the memory are older"
        };
        return Err(Error::new(Code::Config, format!("{what}, and store.postgres.migrate is off"))
            .remedy("Turn it on, or have `openclaw memory store schema` run by the owner of the schema"));
    }
    for step in steps {
        if step.version > state.version {
            let taken = database.transact(&Cancel::new(), &setting(WRITE, &search_path), |tx| apply(tx, name, *step));
            state = taken.map_err(of_making_tables)?;
        }
    }
    if newest < state.min_reader {
        return Err(Error::new(Code::NewerSchema, "the database was changed by a newer version of this engine")
            .remedy("Update memory-core-rs on this machine"));
    }
    Ok(Schema { search_path, may_write: newest >= state.min_writer })
}

/// The schema that the extension is in, with quotes.
fn extension(tx: &Transaction<'_>) -> Result<String> {
    let sql = "SELECT e.extversion::text, quote_ident(n.nspname)::text FROM pg_catalog.pg_extension e \
               JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'";
    let row = tx.row(sql, &[])?;
    if let Some(error) = lacks_vector(row.as_ref().map(|row| row.get(0))) {
        return Err(error);
    }
    row.map(|row| row.get(1)).ok_or_else(|| Error::new(Code::Internal, "an extension has no schema"))
}

fn state(tx: &Transaction<'_>, name: &str) -> Result<State> {
    // Not `to_regclass`: it asks a cache, in which a lock that was just waited for changes nothing.
    let exists = "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                  WHERE n.nspname = $1 AND c.relname = 'migration'";
    if tx.row(exists, &[(&name, Type::TEXT)])?.is_none() {
        return Ok(State { version: 0, min_reader: 0, min_writer: 0 });
    }
    let sql =
        "SELECT coalesce(max(version), 0), coalesce(max(min_reader), 0), coalesce(max(min_writer), 0) FROM migration";
    let row = tx.row(sql, &[])?;
    let row = row.ok_or_else(|| Error::new(Code::Internal, "a sum has no row"))?;
    Ok(State { version: row.get(0), min_reader: row.get(1), min_writer: row.get(2) })
}

/// A schema with tables of other programs may be shared, but not where a name is taken: some of ours would stay beside them.
fn refuse_others(tx: &Transaction<'_>, name: &str) -> Result<()> {
    let taken = "SELECT min(c.relname)::text FROM pg_catalog.pg_class c \
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = ANY($2)";
    let ours = table_names();
    let row = tx.row(taken, &[(&name, Type::TEXT), (&ours, Type::TEXT_ARRAY)])?;
    match row.and_then(|row| row.get::<_, Option<String>>(0)) {
        Some(table) => {
            Err(Error::new(Code::Config, format!("schema {name} has a table {table} that is not of the memory"))
                .remedy("Name another schema in store.postgres.schema; nothing was made in this one"))
        }
        None => Ok(()),
    }
}

/// Takes one step, unless another engine just did.
fn apply(tx: &Transaction<'_>, name: &str, step: Migration) -> Result<State> {
    tx.batch("SET LOCAL lock_timeout = '5s'")?;
    // Ends with the transaction: a lock of the session would outlive it behind a pooler.
    let lock = lock_name(name);
    tx.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text", &[(&lock, Type::TEXT)])?;
    let now = state(tx, name)?;
    if now.version >= step.version {
        return Ok(now);
    }
    if now.version == 0 {
        // Whoever may not create a schema may be given one. The name needs no quotes.
        let exists = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
        if tx.row(exists, &[(&name, Type::TEXT)])?.is_none() {
            tx.batch(&format!("CREATE SCHEMA {name}"))?;
        }
        refuse_others(tx, name)?;
        tx.batch(VERSIONS)?;
    }
    tx.batch(step.sql)?;
    let sql = "INSERT INTO migration (version, min_reader, min_writer) VALUES ($1, $2, $3)";
    let numbers = [&step.version, &step.min_reader, &step.min_writer];
    tx.execute(sql, &numbers.map(|number| (number as _, Type::INT4)))?;
    state(tx, name)
}
