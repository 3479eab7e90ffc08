//! What doctor says of a database: the server, the tables, and what the engine's role may do with them.

use super::{super::iso, doctor::Check};
use crate::exchange::NotesStatus;
use store::{
    database::{Comparing, Server},
    holders::Holder,
};

const SERVER: &str = "database";
const RIGHTS: &str = "rights";
const DAY_MS: i64 = 86_400_000;
/// After so many days without a sign of a gateway that is said. Each gives one a day.
const QUIET_DAYS: i64 = 3;
const GONE: &str = "What only a gateway has that is gone leaves the index after thirty days without a sign of it, and at once \
    with `openclaw memory index --force`; what others have is back with their next update";

/// What was found of a server.
pub(in crate::services) fn checks(server: &Server) -> Vec<Check> {
    // Where there is no table yet, nothing can be said of rights on them.
    let rights = (server.tables.is_some() || !server.missing.is_empty()).then(|| rights_check(server));
    std::iter::once(server_check(server)).chain(rights).collect()
}

/// Where vectors are compared with a question, and why.
pub(super) fn compared(comparing: &Comparing) -> Check {
    Check::well("vectors", format!("compared {comparing}"))
}

/// Which gateways have files of their own in it. `now_ms` in milliseconds since the epoch.
pub(super) fn gateways(holders: &[Holder], now_ms: i64) -> Check {
    let days = |holder: &Holder| now_ms.saturating_sub(holder.seen_ms) / DAY_MS;
    let each = |holder: &Holder| {
        let silent =
            if is_quiet(days(holder)) { format!(", no sign for {} days", days(holder)) } else { String::new() };
        format!("{} ({} files{silent})", holder.host, holder.files)
    };
    let told = holders.iter().map(each).collect::<Vec<_>>().join(", ");
    let advice = if holders.iter().any(|holder| is_quiet(days(holder))) { format!(". {GONE}") } else { String::new() };
    Check::well("gateways", format!("conversations and files of extra paths by gateway: {told}{advice}"))
}

const fn is_quiet(days: i64) -> bool {
    days >= QUIET_DAYS
}

/// What was found of the notes that it keeps.
pub(super) fn notes(status: &NotesStatus) -> Check {
    let name = "notes";
    let NotesStatus { notes, exchanged_at_ms, conflicts, refused, stopped } = status;
    if let Some((found, remedy)) = stopped.as_ref().and_then(|stopped| stopped.split_once(". ")) {
        return Check::bad(name, found, remedy);
    }
    let (mut told, mut remedies) = (Vec::new(), Vec::new());
    told.push(match exchanged_at_ms {
        Some(at_ms) => format!("{notes} notes are here and in the database, exchanged last at {}", iso(*at_ms)),
        None => "no note was exchanged with the database yet; `openclaw memory index` does it".to_owned(),
    });
    if *refused > 0 {
        told.push(format!("{refused} could not be exchanged"));
        remedies.push(
            "Shorten their names and texts, move away links and folders that have their names, and delete damaged rows of the \
             table note",
        );
    }
    if !conflicts.is_empty() {
        told.push(format!("{} texts are kept beside another: {}", conflicts.len(), conflicts.join(", ")));
        remedies.push("Bring together what is needed of texts beside another, and delete these files");
    }
    let found = told.join("; ");
    if remedies.is_empty() { Check::well(name, found) } else { Check::bad(name, found, remedies.join(". ")) }
}

fn server_check(server: &Server) -> Check {
    let Server { version, vector, encrypted, standby, lag_ms, tables, newest, answered_ms, .. } = server;
    if let Some(error) = server.lacks_vector() {
        return Check::failed(SERVER, &error);
    }
    if *standby {
        let behind = lag_ms.map(|ms| format!(", {} s behind", ms.div_ceil(1000))).unwrap_or_default();
        return Check::bad(
            SERVER,
            format!("PostgreSQL {version} is a standby{behind}, and takes no writes"),
            "Name the primary in store.postgres.url; of several hosts, add target_session_attrs=read-write",
        );
    }
    let way = if *encrypted { "encrypted" } else { "not encrypted" };
    let vector = vector.as_deref().unwrap_or_default();
    let told = format!("PostgreSQL {version}, pgvector {vector}, {way}, answers in {answered_ms} ms");
    match tables {
        Some(known) if known >= newest => Check::well(SERVER, format!("{told}; tables of version {known}")),
        Some(known) => Check::bad(
            SERVER,
            format!("{told}; tables of version {known}, and this engine needs {newest}"),
            MAKE_TABLES,
        ),
        None if server.missing.is_empty() => {
            Check::bad(SERVER, format!("{told}; there are no tables yet"), MAKE_TABLES)
        }
        None => Check::well(SERVER, told),
    }
}

const MAKE_TABLES: &str = "`openclaw memory index` makes them where the database user may; else an administrator runs what \
    `openclaw memory store schema --role <role>` prints";

fn rights_check(server: &Server) -> Check {
    if server.missing.is_empty() {
        return Check::well(RIGHTS, "the database user lacks no right on the tables");
    }
    // Its name is in the address, which is nobody's business.
    let statements = server.missing.join("; ");
    Check::bad(
        RIGHTS,
        "the database user lacks rights",
        format!("An administrator runs, with the gateway's database user for <role>: {statements}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::config::settings::NearIn;

    fn server() -> Server {
        Server {
            version: "18.4".to_owned(),
            vector: Some("0.8.5".to_owned()),
            encrypted: true,
            standby: false,
            lag_ms: None,
            tables: Some(8),
            newest: 8,
            missing: Vec::new(),
            answered_ms: 2,
        }
    }

    #[test]
    fn notes_that_could_not_be_exchanged_and_texts_beside_others_are_no_good_state() {
        let good = NotesStatus { notes: 3, exchanged_at_ms: Some(1_795_000_000_000), ..NotesStatus::default() };
        assert_eq!(notes(&good).found, "3 notes are here and in the database, exchanged last at 2026-11-18T11:06:40Z");
        assert!(notes(&good).ok && notes(&NotesStatus::default()).ok);
        let both = NotesStatus { conflicts: vec!["memory/a.md".to_owned()], ..good.clone() };
        for (bad, words) in [
            (NotesStatus { refused: 2, ..good.clone() }, "2 could not be exchanged"),
            (NotesStatus { stopped: Some("They vanished. Bring them back".to_owned()), ..good }, "They vanished"),
            (NotesStatus { refused: 2, ..both.clone() }, "kept beside another: memory/a.md"),
            (NotesStatus { exchanged_at_ms: None, ..both.clone() }, "kept beside another: memory/a.md"),
            (both, "kept beside another: memory/a.md"),
        ] {
            let check = notes(&bad);
            assert!(!check.ok && check.found.contains(words) && check.remedy.is_some(), "{check:?}");
        }
    }

    #[test]
    fn where_vectors_are_compared_is_told_with_the_reason() {
        let auto = Comparing { in_database: false, chosen: NearIn::Auto, bytes: 1, most: 256 << 20 };
        for (comparing, found) in [
            (auto, "compared in memory, where they take 1 MB, of 256 MB at most (store.postgres.arenaMaxMb)"),
            (
                Comparing { in_database: true, bytes: 300 << 20, ..auto },
                "compared in the database; in memory they would take 300 MB, of 256 MB at most (store.postgres.arenaMaxMb)",
            ),
            (
                Comparing { in_database: true, chosen: NearIn::Database, ..auto },
                "compared in the database; in memory they would take 1 MB (store.postgres.search)",
            ),
        ] {
            let check = compared(&comparing);
            assert!(check.ok && check.found == found, "{check:?}");
        }
    }

    #[test]
    fn what_keeps_a_database_from_working_is_told_with_what_helps() {
        let told = |server: &Server| {
            let checks = checks(server);
            let text = |check: &Check| format!("{}. {}", check.found, check.remedy.clone().unwrap_or_default());
            (checks.iter().all(|check| check.ok), checks.iter().map(text).collect::<String>())
        };
        let (ok, text) = told(&server());
        assert!(
            ok && text.contains("PostgreSQL 18.4, pgvector 0.8.5, encrypted, answers in 2 ms; tables of version 8"),
            "{text}"
        );
        let bare = Server { tables: None, ..server() };
        assert!(!told(&bare).1.contains("lacks no right"), "there is no table to have a right on");
        let missing = vec!["GRANT INSERT ON s.chunk TO <role>".to_owned()];
        for (server, words) in [
            (Server { vector: None, ..server() }, "CREATE EXTENSION vector"),
            (Server { vector: Some("0.6.2".to_owned()), ..server() }, "ALTER EXTENSION vector UPDATE"),
            (Server { standby: true, lag_ms: Some(2_100), ..server() }, "a standby, 3 s behind"),
            (Server { tables: Some(5), ..server() }, "tables of version 5, and this engine needs 8"),
            (bare, "memory store schema"),
            (Server { missing, ..server() }, "GRANT INSERT ON s.chunk TO <role>"),
        ] {
            let (ok, text) = told(&server);
            assert!(!ok && text.contains(words), "{text}");
        }
    }
}
