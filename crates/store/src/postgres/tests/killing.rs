//! Servers that are killed and engines that stand still, at whatever moment: nothing is half there, nothing that was said to
//! be done is lost, and who has lost the lease writes nothing.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use parking_lot::Mutex;

use super::{
    cluster::{PATIENCE, Server, send},
    numbered::{stored, write},
    *,
};
use crate::lease::Lease;
use model::error::Code;

#[test]
fn a_server_that_is_killed_keeps_what_it_has_acknowledged_and_nothing_by_halves() {
    let Some(place) = Place::new() else { return };
    let Some(mut server) = Server::start(&place.url) else { return };
    let direct = database(&options(&server.url()));
    run(&direct, "CREATE EXTENSION vector SCHEMA public").unwrap();
    let schema = prepare(&direct, "killed", true).unwrap();
    let database = Arc::new(direct);
    let agent = open(&database, &schema, "one");
    agent.acquire_lease().unwrap();
    write(&agent, 0).unwrap();
    // The last of each file that was acknowledged, and what was tried after it.
    let acknowledged = Mutex::new((BTreeMap::from([(0, 0)]), BTreeMap::new(), (1_i64, 0_i64)));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 1.. {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let done = write(&agent, n);
                let mut acknowledged = acknowledged.lock();
                let (known, tried, writes) = &mut *acknowledged;
                match done {
                    Ok(()) => {
                        known.insert(n % 7, n);
                        writes.0 += 1;
                    }
                    // The server was away so long that it could not be asked: either may be.
                    Err(error) => {
                        assert!(matches!(error.code(), Code::Io | Code::Busy), "{error:?}");
                        tried.insert(n % 7, n);
                        writes.1 += 1;
                        drop(acknowledged);
                        std::thread::sleep(Duration::from_millis(20));
                        // Time may have run out for the lease meanwhile.
                        let _ = agent.acquire_lease();
                    }
                }
            }
        });
        for round in 0..10 {
            let before = acknowledged.lock().2.0;
            // Each time in the middle of writing.
            let started = Instant::now();
            while acknowledged.lock().2.0 == before {
                assert!(started.elapsed() < PATIENCE && !writer.is_finished(), "writing does not go on");
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(fastrand::u64(0..150)));
            server.kill(if round % 2 == 0 { "QUIT" } else { "KILL" });
            server.wait();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    let (known, tried, (writes, failed)) = acknowledged.into_inner();
    let found = stored(&agent);
    for (file, n) in &known {
        let newer = tried.get(file).filter(|tried| *tried > n);
        assert!(found[file] == *n || Some(&found[file]) == newer, "{file}: {n} is lost, {} is there", found[file]);
    }
    // Each write counts itself once, and taking the lease does not.
    let unsaid = found.iter().filter(|(file, n)| known.get(file) != Some(n)).count() as i64;
    let version = agent.version().unwrap();
    assert!((writes + unsaid..=writes + failed).contains(&version), "{version}: {writes} {unsaid} {failed}");
    println!("{writes} writes, {failed} of which nothing is known or which were not done, {unsaid} of these were");
    // Whoever comes new sees the same.
    assert_eq!(stored(&open(&database, &schema, "one")), found);
    drop(agent);
}

#[test]
fn who_stands_still_in_the_middle_of_a_write_does_not_hold_up_the_others() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let slow = Options { statement_timeout: Duration::from_secs(1), ..options(&place.url) };
    let slow = open(&Arc::new(database(&slow)), &schema, "one");
    let patient = Options { statement_timeout: PATIENCE, ..options(&place.url) };
    let other = open(&Arc::new(database(&patient)), &schema, "one");
    let error = slow
        .write(|tx| {
            tx.set_meta("by", "slow")?;
            // Waits for the row until the server ends the one that does nothing with it.
            other.write(|tx| tx.set_meta("by", "other"))
        })
        .unwrap_err();
    assert_eq!(error.code(), Code::Io);
    assert_eq!(other.read(&Cancel::new(), |reader| reader.meta("by")).unwrap().as_deref(), Some("other"));
    slow.write(|tx| tx.set_meta("by", "slow")).unwrap();
}

/// Where the schema is named to a process that holds a lease.
const HOLDER: &str = "MEMORY_CORE_TEST_HOLDER";

/// What the process of the test below does: takes the lease, and writes until it has lost it.
#[test]
#[ignore = "run as a process of its own by another test"]
fn holder() {
    let schema = std::env::var(HOLDER).unwrap();
    let options = Options { statement_timeout: Duration::from_secs(2), ..options(&server().unwrap()) };
    let database = Arc::new(database(&options));
    let schema = prepare(&database, &schema, false).unwrap();
    let agent = open(&database, &schema, "one");
    assert!(matches!(agent.acquire_lease().unwrap(), Lease::Held { .. }));
    loop {
        match agent.write_indexed(|tx| tx.set_meta("by", "holder")) {
            Ok(()) => {}
            // What it had begun was undone while it stood still.
            Err(error) if error.code() == Code::Io => {}
            Err(error) => return assert_eq!(error.code(), Code::Busy),
        }
    }
}

#[test]
fn a_holder_that_was_paused_writes_nothing_after_another_took_over() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let patient = Options { statement_timeout: PATIENCE, ..options(&place.url) };
    let database = Arc::new(database(&patient));
    for round in 0..3 {
        let next = open(&database, &schema, "one");
        let before = next.version().unwrap();
        let mut holder = Command::new(std::env::current_exe().unwrap())
            .args(["postgres::tests::killing::holder", "--exact", "--ignored"])
            .env(HOLDER, &place.schema)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while next.version().unwrap() < before + 5 {
            assert!(started.elapsed() < PATIENCE && holder.try_wait().unwrap().is_none(), "nobody writes");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_micros(fastrand::u64(0..5_000)));
        send("STOP", holder.id());
        // As if the time of the lease had run out.
        let setting = Setting { search_path: &place.schema, ..PLAIN };
        let late = "UPDATE agent SET expires_ms = 0, host = 'another machine'";
        database.transact(&Cancel::new(), &setting, |tx| tx.batch(late)).unwrap();
        assert!(matches!(next.acquire_lease().unwrap(), Lease::Held { .. }));
        next.write_indexed(|tx| tx.set_meta("by", &round.to_string())).unwrap();
        let version = next.version().unwrap();
        send("CONT", holder.id());
        assert!(holder.wait().unwrap().success(), "it is told that it has lost the lease");
        let by = next.read(&Cancel::new(), |reader| reader.meta("by")).unwrap();
        assert_eq!((by, next.version().unwrap()), (Some(round.to_string()), version));
        next.release_lease().unwrap();
    }
}
