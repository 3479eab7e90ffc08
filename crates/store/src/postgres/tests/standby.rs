//! Standbys: what one says of itself, and what becomes of engines when it takes the place of its primary.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use super::{
    cluster::{PATIENCE, Server},
    numbered::{stored, write},
    *,
};
use crate::postgres::server::examine;
use model::error::{Code, Result};

/// A primary with the tables of the memory.
fn primary() -> Option<Server> {
    let server = Server::start(&server()?)?;
    let direct = database(&options(&server.url()));
    run(&direct, "CREATE EXTENSION vector SCHEMA public").unwrap();
    prepare(&direct, "memory", true).unwrap();
    Some(server)
}

/// Both servers as an engine names them that looks for the one that can be written.
fn either(first: &Server, second: &Server) -> Arc<Database> {
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", first.port, second.port);
    let url = format!("postgresql://postgres:none@{hosts}/postgres?target_session_attrs=read-write");
    Arc::new(database(&options(&url)))
}

/// Waits until a standby has all that the primary has.
fn catch_up(primary: &Server, standby: &Server) {
    let lsn = |server: &Server, function: &str| -> String {
        let sql = format!("SELECT {function}()::text");
        let row = database(&options(&server.url())).transact(&Cancel::new(), &PLAIN, |tx| tx.row(&sql, &[]));
        row.unwrap().unwrap().get(0)
    };
    let began = Instant::now();
    while lsn(primary, "pg_current_wal_lsn") != lsn(standby, "pg_last_wal_replay_lsn") {
        assert!(began.elapsed() < PATIENCE, "the standby does not follow");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn promote(standby: &Server) {
    run(&database(&options(&standby.url())), "SELECT pg_promote()").unwrap();
}

#[test]
fn a_standby_is_read_says_what_it_is_and_refuses_each_write_in_one_sentence() {
    let Some(primary) = primary() else { return };
    let direct = Arc::new(database(&options(&primary.url())));
    let schema = prepare(&direct, "memory", true).unwrap();
    let agent = open(&direct, &schema, "one");
    agent.acquire_lease().unwrap();
    write(&agent, 1).unwrap();
    let standby = primary.standby();
    catch_up(&primary, &standby);
    let there = Arc::new(database(&options(&standby.url())));
    let told = examine(&there, "memory", &Cancel::new()).unwrap();
    assert!(told.standby && told.lag_ms.is_some() && told.lacks_vector().is_none(), "{told:?}");
    let schema = prepare(&there, "memory", true).unwrap();
    let reads = open(&there, &schema, "one");
    assert_eq!(stored(&reads), BTreeMap::from([(1, 1)]));
    let new = || {
        let options = AgentOptions {
            tenant: "t".to_owned(),
            name: "new".to_owned(),
            owner: Owner::this_process(),
            clock: Arc::new(SystemClock),
        };
        Agent::open(Arc::clone(&there), schema.clone(), options)
    };
    let refusals = [
        ("lease", reads.acquire_lease().map(drop)),
        ("write", reads.write(|tx| tx.set_meta("k", "v"))),
        ("agent", new().map(drop)),
        ("tables", prepare(&there, "other", true).map(drop)),
    ];
    for (what, refused) in refusals {
        let error = refused.unwrap_err();
        assert!(error.code() == Code::ReadOnly && error.message.contains("a standby"), "{what}: {error}");
        assert!(error.remedy.as_ref().is_some_and(|remedy| remedy.contains("primary")), "{what}: {error}");
    }
}

/// Tries one write, and notes it if it was acknowledged.
fn attempt(agent: &Agent, n: u32, known: &mut BTreeMap<u32, u32>) -> bool {
    let Err(error) = write(agent, n) else {
        known.insert(n % 7, n);
        return true;
    };
    assert!(matches!(error.code(), Code::Io | Code::Busy | Code::ReadOnly), "{error:?}");
    std::thread::sleep(Duration::from_millis(20));
    // The new primary may not know of it.
    let _: Result<_> = agent.acquire_lease();
    false
}

#[test]
fn engines_go_on_at_a_promoted_standby_and_converge_to_what_a_fresh_index_has() {
    let Some(mut primary) = primary() else { return };
    let mut standby = primary.standby();
    let database = either(&primary, &standby);
    let schema = prepare(&database, "memory", true).unwrap();
    let (agent, watches) = (open(&database, &schema, "one"), open(&database, &schema, "one"));
    agent.acquire_lease().unwrap();
    let mut known = BTreeMap::new();
    assert!((0..20).all(|n| attempt(&agent, n, &mut known)));
    catch_up(&primary, &standby);
    // What comes now reaches the primary only, and an engine that reads has seen it.
    standby.stop("INT");
    assert!((20..24).all(|n| attempt(&agent, n, &mut known)));
    agent.write(|tx| tx.set_meta("lost", "soon")).unwrap();
    assert_eq!(stored(&watches), known);
    let mut n = 24;
    let (is_over, began) = (AtomicBool::new(false), Instant::now());
    let died = std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(fastrand::u64(0..50)));
            primary.stop("KILL");
            let died = Instant::now();
            standby.spawn();
            standby.wait();
            promote(&standby);
            is_over.store(true, Ordering::SeqCst);
            died
        });
        // Until a write is done of which it is certain that the new primary did it.
        loop {
            let is_promoted = is_over.load(Ordering::SeqCst);
            let is_done = attempt(&agent, n, &mut known);
            n += 1;
            if is_promoted && is_done {
                return killer.join().unwrap();
            }
            assert!(began.elapsed() < PATIENCE, "nobody writes at the new primary");
        }
    });
    println!("written again {} ms after the primary died", died.elapsed().as_millis());
    let lost = agent.read(&Cancel::new(), |reader| reader.meta("lost")).unwrap();
    assert_eq!(lost, None, "the standby has lost what it was not sent");
    // As the next pass does, which writes what is not there as the notes have it. So many writes that the numbers go on
    // beyond those that were lost.
    assert!((n..n + 40).all(|n| attempt(&agent, n, &mut known)));
    assert_eq!(stored(&agent), known);
    assert_eq!(stored(&watches), known, "what was read of the old primary is no longer answered");
    let fresh = open(&database, &schema, "fresh");
    fresh.acquire_lease().unwrap();
    known.values().for_each(|n| write(&fresh, *n).unwrap());
    assert_eq!(stored(&fresh), stored(&agent));
}
