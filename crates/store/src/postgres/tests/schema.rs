//! The schema: made once, kept by several versions of the engine, and the walls between agents in it.

use super::*;
use crate::{
    database::tables::{MIGRATIONS, Migration, script},
    postgres::{schema::prepare_with, server::examine},
};
use model::error::{Code, Error};

#[test]
fn engines_that_come_at_once_make_one_schema() {
    let Some(place) = Place::new() else { return };
    std::thread::scope(|scope| {
        let engines: Vec<_> =
            (0..8).map(|_| scope.spawn(|| prepare(&database(&options(&place.url)), &place.schema, true))).collect();
        let schemas: Vec<Schema> = engines.into_iter().map(|engine| engine.join().unwrap().unwrap()).collect();
        assert!(schemas.iter().all(|schema| schema.may_write && *schema == schemas[0]));
    });
    assert_eq!(place.numbers("SELECT count(*), max(version)::bigint FROM migration"), [MIGRATIONS.len() as i64; 2]);
}

#[test]
fn engines_that_come_at_once_to_older_tables_take_each_step_once_and_keep_what_is_there() {
    let Some(place) = Place::new() else { return };
    prepare_with(&place.database, &place.schema, true, &MIGRATIONS[..3]).unwrap();
    place.change(
        "SELECT set_config('openclaw.tenant', 't', true); INSERT INTO agent (tenant, name) VALUES ('t', 'before')",
    );
    std::thread::scope(|scope| {
        let engines: Vec<_> =
            (0..8).map(|_| scope.spawn(|| prepare(&database(&options(&place.url)), &place.schema, true))).collect();
        assert!(engines.into_iter().all(|engine| engine.join().unwrap().unwrap().may_write));
    });
    assert_eq!(place.numbers("SELECT count(*), max(version)::bigint FROM migration"), [MIGRATIONS.len() as i64; 2]);
    assert_eq!(place.numbers("SELECT count(*) FROM agent WHERE name = 'before'"), [1]);
}

// Eight of our tables stayed in the schema of another program, and the ninth was refused for ever, without a word why.
#[test]
fn a_schema_in_which_a_name_is_taken_is_refused_and_nothing_is_made_in_it() {
    let Some(place) = Place::new() else { return };
    let tables = "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                  WHERE n.nspname = current_schema() AND c.relkind = 'r'";
    place.change(&format!(
        "CREATE SCHEMA IF NOT EXISTS {0}; SET search_path = {0}; CREATE TABLE meta (k text)",
        place.schema
    ));
    let refused = prepare(&place.database, &place.schema, true).unwrap_err();
    assert_eq!(refused.code(), Code::Config, "{refused}");
    assert!(refused.message.contains("has a table meta"), "{refused}");
    assert_eq!(place.numbers(tables), [1]);
    // Other names are no harm.
    place.change("ALTER TABLE meta RENAME TO songs");
    assert!(prepare(&place.database, &place.schema, true).unwrap().may_write);
}

#[test]
fn an_engine_that_ends_in_the_middle_of_a_step_leaves_it_to_the_next_one() {
    let Some(place) = Place::new() else { return };
    let whole = Migration { version: 4, min_reader: 4, min_writer: 4, sql: "CREATE TABLE more (n int)" };
    let cut = Migration { sql: "CREATE TABLE more (n int); SELECT pg_terminate_backend(pg_backend_pid())", ..whole };
    let steps = |last| [&MIGRATIONS[..3], &[last]].concat();
    let ended = prepare_with(&place.database, &place.schema, true, &steps(cut)).unwrap_err();
    assert_eq!(ended.code(), Code::Io, "{ended}");
    assert_eq!(place.numbers("SELECT max(version)::bigint FROM migration"), [3]);
    let next = database(&options(&place.url));
    assert!(prepare_with(&next, &place.schema, true, &steps(whole)).unwrap().may_write);
    assert_eq!(place.numbers("SELECT max(version)::bigint, (SELECT count(*) FROM more) FROM migration"), [4, 0]);
}

#[test]
fn older_engines_read_and_write_as_far_as_a_newer_one_lets_them() {
    let Some(place) = Place::new() else { return };
    let second = Migration { version: 2, min_reader: 1, min_writer: 2, sql: "CREATE TABLE more (n int)" };
    let third = Migration { version: 3, min_reader: 3, min_writer: 3, sql: "DROP TABLE more" };
    let steps = [MIGRATIONS[0], second, third];
    let come = |steps: &[Migration], migrate| prepare_with(&place.database, &place.schema, migrate, steps);
    let missing = come(&steps[..1], false).unwrap_err();
    assert!(missing.code() == Code::Config && missing.message.contains("are missing"), "{missing}");
    assert!(come(&steps[..1], true).unwrap().may_write);
    let older = come(&steps[..2], false).unwrap_err();
    assert!(older.code() == Code::Config && older.message.contains("are older"), "{older}");
    assert!(come(&steps[..2], true).unwrap().may_write);
    // One version is behind: it reads, and leaves the tables alone.
    assert!(!come(&steps[..1], true).unwrap().may_write);
    assert!(come(&steps, true).unwrap().may_write);
    for behind in [1, 2] {
        assert_eq!(come(&steps[..behind], true).unwrap_err().code(), Code::NewerSchema);
    }
}

#[test]
fn a_step_that_fails_leaves_the_schema_as_it_was() {
    let Some(place) = Place::new() else { return };
    let newest = MIGRATIONS.len() as i64;
    prepare(&place.database, &place.schema, true).unwrap();
    let version = MIGRATIONS.len() as i32 + 1;
    let broken =
        Migration { version, min_reader: version, min_writer: version, sql: "CREATE TABLE more (n int); SELECT 1 / 0" };
    let error = prepare_with(&place.database, &place.schema, true, &[MIGRATIONS, &[broken]].concat()).unwrap_err();
    assert_eq!(error.message, "the database refused a statement (SQLSTATE 22012)");
    assert_eq!(place.numbers("SELECT max(version)::bigint FROM migration"), [newest]);
    assert_eq!(place.numbers("SELECT count(*) FROM pg_class WHERE oid = to_regclass('more')"), [0]);
    assert!(prepare(&place.database, &place.schema, true).unwrap().may_write);
}

#[test]
fn without_the_extension_or_with_an_old_one_nothing_is_made() {
    let Some(place) = Place::new() else { return };
    let name = format!("bare_{}", place.schema);
    let admin = empty_database(&place.url, &name);
    let error = prepare(&admin, &place.schema, true).unwrap_err();
    assert!(error.code() == Code::Config && error.message.contains("lacks the extension"), "{error}");
    // In a schema of its own it is found there.
    run(&admin, "CREATE SCHEMA \"Ext ensions\"; CREATE EXTENSION vector SCHEMA \"Ext ensions\"").unwrap();
    let schema = prepare(&admin, &place.schema, true).unwrap();
    assert_eq!(schema.search_path, format!("{}, \"Ext ensions\"", place.schema));
    let setting = Setting { search_path: &schema.search_path, ..PLAIN };
    admin.transact(&Cancel::new(), &setting, |tx| tx.batch("SELECT '[1,2]'::vector <=> '[2,1]'")).unwrap();
    run(&admin, "UPDATE pg_extension SET extversion = '0.6.2' WHERE extname = 'vector'").unwrap();
    let old = prepare(&admin, &place.schema, true).unwrap_err();
    assert!(old.code() == Code::Config && old.message.contains("older than 0.7") && old.remedy.is_some(), "{old}");
    admin.close();
    place.drop_database(&name);
}

#[test]
fn the_script_of_an_administrator_makes_what_an_ordinary_role_needs() {
    let Some(place) = Place::new() else { return };
    let (schema, role) = (&place.schema, format!("app_{}", place.schema));
    run(&place.database, &format!("CREATE ROLE {role} LOGIN PASSWORD 'ordinary'")).unwrap();
    let (_, server) = place.url.rsplit_once('@').unwrap();
    let app = Arc::new(database(&options(&format!("postgresql://{role}:ordinary@{server}"))));
    let refused = prepare(&app, schema, true).unwrap_err();
    assert!(refused.message.contains("lacks a right"), "{refused}");
    // It sent to doctor, which named no grant, as there was no table yet.
    assert!(refused.remedy.as_deref().is_some_and(|remedy| remedy.contains("store schema --role")), "{refused:?}");
    // Twice: what is there stays.
    let script = script(schema, Some(&role)).unwrap();
    for _ in 0..2 {
        RUNTIME.block_on(outside_of_transactions(&place.url, &script));
    }
    assert_eq!(place.numbers("SELECT count(*), max(version)::bigint FROM migration"), [MIGRATIONS.len() as i64; 2]);
    let prepared = prepare(&app, schema, true).unwrap();
    assert!(prepared.may_write);
    open(&app, &prepared, "main").write(|tx| tx.set_meta("key", "value")).unwrap();
}

#[test]
fn the_script_goes_on_where_an_engine_stopped_and_makes_the_same_tables() {
    let Some(place) = Place::new() else { return };
    let Some(whole) = Place::new() else { return };
    prepare(&whole.database, &whole.schema, true).unwrap();
    prepare_with(&place.database, &place.schema, true, &MIGRATIONS[..3]).unwrap();
    RUNTIME.block_on(outside_of_transactions(&place.url, &script(&place.schema, None).unwrap()));
    let columns = |place: &Place| {
        place.numbers(
            "SELECT count(*), sum(hashtextextended(c.relname || a.attname || format_type(a.atttypid, a.atttypmod), 0) % 1000000)::bigint \
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
             WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'i') AND a.attnum > 0",
        )
    };
    assert_eq!(columns(&place), columns(&whole));
}

#[test]
fn a_server_says_what_it_is_and_which_grants_are_missing() {
    let Some((place, _, app)) = prepared() else { return };
    let (schema, role) = (&place.schema, format!("app_{}", place.schema));
    let ask = || examine(&app, schema, &Cancel::new()).unwrap();
    let well = ask();
    let newest = MIGRATIONS.last().unwrap().version;
    assert_eq!((well.tables, well.newest, well.standby, well.lag_ms), (Some(newest), newest, false, None));
    assert!(well.version.split('.').next().unwrap().parse::<u32>().unwrap() >= 15, "{well:?}");
    assert!(well.lacks_vector().is_none() && well.missing.is_empty() && !well.encrypted, "{well:?}");
    run(
        &place.database,
        &format!(
            "REVOKE INSERT ON {schema}.chunk, {schema}.agent FROM {role}; REVOKE ALL ON {schema}.migration FROM {role}; \
             REVOKE USAGE ON SCHEMA {schema} FROM {role}"
        ),
    )
    .unwrap();
    let lacking = ask();
    assert_eq!(lacking.tables, None);
    let grant = |what: &str| format!("GRANT {what} TO <role>");
    assert_eq!(
        lacking.missing,
        [
            grant(&format!("USAGE ON SCHEMA {schema}")),
            grant(&format!("SELECT ON {schema}.migration")),
            grant(&format!("INSERT ON {schema}.agent, {schema}.chunk"))
        ]
    );
    // They are what helps.
    run(&place.database, &lacking.missing.join("; ").replace("<role>", &role)).unwrap();
    assert_eq!(ask().missing, Vec::<String>::new());
    assert_eq!(examine(&app, "no_such_schema", &Cancel::new()).unwrap().tables, None);
}

/// An empty database beside that of the tests.
fn empty_database(url: &str, name: &str) -> Database {
    RUNTIME.block_on(outside_of_transactions(url, &format!("CREATE DATABASE {name} TEMPLATE template0")));
    let (server, _) = url.rsplit_once('/').unwrap();
    database(&options(&format!("{server}/{name}")))
}

#[test]
fn an_ordinary_role_sees_its_agent_and_nothing_else() {
    let Some(place) = Place::new() else { return };
    prepare(&place.database, &place.schema, true).unwrap();
    let app = place.role();
    let file = "INSERT INTO file VALUES ($1, 1, 1, 'memory', 'a.md', ''::bytea, 0, 0, 0, 0, 0)";
    let setting = |agent| Setting { search_path: &place.schema, tenant: "t", agent, ..PLAIN };
    let write = |set: Option<i64>, row: i64| {
        let params: [crate::postgres::connect::Param<'_>; 1] = [(&row, tokio_postgres::types::Type::INT8)];
        app.transact(&Cancel::new(), &setting(set), |tx| tx.execute(file, &params))
    };
    assert_eq!(write(Some(1), 1), Ok(1));
    assert_eq!(write(Some(2), 2), Ok(1));
    write(Some(1), 2).unwrap_err();
    for (agent, seen) in [(Some(1), Ok(vec![1])), (Some(3), Ok(vec![]))] {
        let read = app.transact(&Cancel::new(), &setting(agent), |tx| tx.rows("SELECT agent FROM file", &[]));
        let read: Result<Vec<i64>, Error> = read.map(|rows| rows.iter().map(|row| row.get(0)).collect());
        assert_eq!(read, seen);
    }
    let unset = app.transact(&Cancel::new(), &setting(None), |tx| tx.rows("SELECT agent FROM file", &[]));
    assert!(unset.is_err(), "not every row, and not none");
    for forbidden in
        ["TRUNCATE file", "CREATE TABLE more (n int)", "DROP TABLE file", "ALTER TABLE file DISABLE ROW LEVEL SECURITY"]
    {
        let error = app.transact(&Cancel::new(), &setting(Some(1)), |tx| tx.batch(forbidden)).unwrap_err();
        assert!(error.code() == Code::Config && error.message.contains("lacks a right"), "{forbidden}: {error}");
    }
    // The owner of the tables is held to it as well.
    let forced = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) AND relkind = 'r' \
                  AND relname <> 'migration' AND NOT (relrowsecurity AND relforcerowsecurity)";
    assert_eq!(place.numbers(forced), [0]);
}
