//! The tables of the memory in a database, in steps, and the same as a script for whoever may make them where the engine's
//! own role may not.

use std::fmt::Write;

use super::check_schema;
use model::error::{Code, Error, Result};

/// The longest name of a role, in bytes; the server would cut a longer one.
const LONGEST_ROLE: usize = 63;

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// What the version is after it.
    pub(crate) version: i32,
    /// The oldest schema version whose engines may read from then on.
    pub(crate) min_reader: i32,
    /// The same for engines that write.
    pub(crate) min_writer: i32,
    pub(crate) sql: &'static str,
}

/// A step whose tables are in a file.
macro_rules! step {
    ($version:literal, $min_reader:literal, $min_writer:literal, $file:literal) => {
        Migration {
            version: $version,
            min_reader: $min_reader,
            min_writer: $min_writer,
            sql: include_str!(concat!("../postgres/migrations/", $file)),
        }
    };
}

/// All steps, in order.
pub(crate) const MIGRATIONS: &[Migration] = &[
    step!(1, 1, 1, "0001_init.sql"),
    step!(2, 2, 2, "0002_vectors.sql"),
    step!(3, 3, 3, "0003_codes.sql"),
    step!(4, 3, 4, "0004_merge.sql"),
    step!(5, 3, 5, "0005_writes.sql"),
    step!(6, 6, 6, "0006_books.sql"),
    step!(7, 7, 7, "0007_lines.sql"),
    step!(8, 8, 8, "0008_consolidation.sql"),
    step!(9, 8, 8, "0009_notes.sql"),
    step!(10, 8, 8, "0010_signs.sql"),
    step!(11, 8, 8, "0011_holders.sql"),
    step!(12, 8, 8, "0012_forgotten.sql"),
];

/// The table that says which steps were taken.
pub(crate) const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY, \
     min_reader integer NOT NULL, min_writer integer NOT NULL, applied timestamptz NOT NULL DEFAULT now())";

/// What a role has to be granted on each table.
pub(crate) const RIGHTS: [&str; 4] = ["SELECT", "INSERT", "UPDATE", "DELETE"];

/// What a role that reads and writes rows, and makes no tables, is granted in a schema. `role` is quoted.
pub(crate) fn grants(schema: &str, role: &str) -> [String; 2] {
    [
        format!("GRANT USAGE ON SCHEMA {schema} TO {role}"),
        format!("GRANT {} ON ALL TABLES IN SCHEMA {schema} TO {role}", RIGHTS.join(", ")),
    ]
}

/// The tables that the steps make.
#[cfg(feature = "postgres")]
pub(crate) fn table_names() -> Vec<&'static str> {
    let made = MIGRATIONS.iter().flat_map(|step| step.sql.split("CREATE TABLE ").skip(1));
    made.filter_map(|rest| rest.split([' ', '(', '\n']).next()).collect()
}

/// The lock under which steps are taken, by engines and by the script.
pub(crate) fn lock_name(schema: &str) -> String {
    format!("memory-core-rs {schema}")
}

/// A script that makes the tables or brings them to this engine's version, for an administrator to run. It takes only the
/// steps that are missing, so it can be run again, beside running engines too, and needs nothing but SQL. `role`: who is
/// granted what an engine needs; none = nobody, and the script says in a comment what is missing.
///
/// # Errors
/// [`Code::Config`] when the schema has no usable name, [`Code::Argument`] when the role has none.
pub fn script(schema: &str, role: Option<&str>) -> Result<String> {
    check_schema(schema)?;
    role.map(check_role).transpose()?;
    let newest = MIGRATIONS.last().map_or(0, |step| step.version);
    let mut sql = format!(
        "-- Tables of memory-core-rs in the schema {schema}, version {newest}. For a role that may create schemas and extensions,\n\
         -- in the database of the memory: psql -v ON_ERROR_STOP=1 -f this-file \"$ADMIN_URL\". Steps that were taken are left out.\n\n\
         BEGIN;\n\
         CREATE EXTENSION IF NOT EXISTS vector;\n\
         CREATE SCHEMA IF NOT EXISTS {schema};\n\
         SELECT set_config('search_path', format('%I, %I', '{schema}', n.nspname), true) FROM pg_catalog.pg_extension e\n  \
         JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';\n\
         SELECT pg_advisory_xact_lock(hashtextextended('{}', 0));\n\
         {VERSIONS};\n",
        lock_name(schema)
    );
    for step in MIGRATIONS {
        let Migration { version, min_reader, min_writer, sql: tables } = step;
        let _ = write!(
            sql,
            "\nDO $memory$ BEGIN\nIF NOT EXISTS (SELECT 1 FROM migration WHERE version >= {version}) THEN\nEXECUTE $step$\n\
             {tables}$step$;\n\
             INSERT INTO migration (version, min_reader, min_writer) VALUES ({version}, {min_reader}, {min_writer});\n\
             END IF;\nEND $memory$;\n"
        );
    }
    match role {
        Some(role) => {
            let [usage, rows] = grants(schema, &format!("\"{role}\""));
            let _ = write!(
                sql,
                "\n{usage};\n{rows};\n\
                 -- The types of the extension, where they are not everybody's already.\n\
                 DO $memory$ DECLARE place text; BEGIN\n\
                 SELECT n.nspname INTO place FROM pg_catalog.pg_extension e\n  \
                 JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';\n\
                 IF NOT has_schema_privilege('{role}', place, 'USAGE') THEN\n\
                 EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', place, '{role}');\n\
                 END IF;\nEND $memory$;\n"
            );
        }
        None => {
            sql.push_str("\n-- Missing: what the role of the gateway is granted. `openclaw memory store schema --role <name>` adds it:\n");
            for grant in grants(schema, "<name>") {
                let _ = writeln!(sql, "-- {grant};");
            }
        }
    }
    sql.push_str("COMMIT;\n");
    Ok(sql)
}

/// Refuses what would need more than quotes around it.
fn check_role(role: &str) -> Result<()> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.@ ".contains(c);
    if !role.is_empty() && role.len() <= LONGEST_ROLE && role.chars().all(is_plain) {
        return Ok(());
    }
    Err(Error::new(Code::Argument, "that is no name of a role")
        .remedy("Use at most 63 letters, digits, spaces and _ - . @, as in store.postgres.url before the colon"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_takes_every_step_under_its_version() {
        let sql = script("team_memory", Some("gateway@project.iam")).unwrap();
        for step in MIGRATIONS {
            assert!(sql.contains(step.sql), "{}", step.version);
            assert!(!step.sql.contains("$step$") && !step.sql.contains("$memory$"), "{}", step.version);
        }
        assert!(sql.contains("GRANT USAGE ON SCHEMA team_memory TO \"gateway@project.iam\";"));
        assert!(script("team_memory", None).unwrap().contains("-- GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"));
    }

    #[test]
    fn names_that_would_need_more_than_quotes_are_refused() {
        for role in ["", "a\"b", "a'; DROP TABLE x; --", "a\nb", "$memory$", &"a".repeat(64)] {
            assert_eq!(script("memory", Some(role)).unwrap_err().code(), Code::Argument, "{role}");
        }
        for schema in ["", "A", "a;b", "pg_memory"] {
            assert_eq!(script(schema, None).unwrap_err().code(), Code::Config, "{schema}");
        }
    }
}
