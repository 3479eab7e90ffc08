//! A dump of the tables that is played back under engines that go on: they answer and write from what it has.

use std::collections::BTreeMap;

use super::{
    cluster::Server,
    numbered::{stored, write},
    *,
};
use model::error::Result;

/// What is there after so many writes from the first on.
fn after(writes: u32) -> BTreeMap<u32, u32> {
    (0..writes).map(|n| (n % 7, n)).collect()
}

#[test]
fn engines_go_on_with_an_older_dump_that_was_played_back_under_them() {
    let Some(place) = Place::new() else { return };
    let Some(server) = Server::start(&place.url) else { return };
    let database = Arc::new(database(&options(&server.url())));
    run(&database, "CREATE EXTENSION vector SCHEMA public").unwrap();
    let schema = prepare(&database, "dumped", true).unwrap();
    let (writes, reads) = (open(&database, &schema, "one"), open(&database, &schema, "one"));
    writes.acquire_lease().unwrap();
    (0..20).try_for_each(|n| write(&writes, n)).unwrap();
    assert_eq!((stored(&writes), stored(&reads)), (after(20), after(20)));
    server.program("pg_dump", &["--format=custom", "--schema=dumped", "--file"], "dump");
    // All of it is known to both engines, and none of it is in the dump.
    (20..33).try_for_each(|n| write(&writes, n)).unwrap();
    assert_eq!((stored(&writes), stored(&reads)), (after(33), after(33)));

    server.program("pg_restore", &["--clean", "--if-exists", "--exit-on-error"], "dump");
    // Statements that were prepared for the tables before may fail once; nothing of what is gone is answered.
    let again = |agent: &Agent| -> Result<()> { agent.read(&Cancel::new(), |reader| reader.live()).map(drop) };
    for agent in [&reads, &writes] {
        let tries = (0..5).take_while(|_| again(agent).is_err()).count();
        assert!(tries < 5, "{:?}", again(agent));
        assert_eq!(stored(agent), after(20));
    }
    // The lease is that of the dump, whose holder still is there.
    writes.acquire_lease().unwrap();
    // The same numbers of writes as those that are gone, with other words.
    for n in 40..53 {
        write(&writes, n).unwrap();
    }
    let expected: BTreeMap<u32, u32> = (0..20).chain(40..53).map(|n| (n % 7, n)).collect();
    let fresh = open(&database, &schema, "one");
    assert_eq!((stored(&writes), stored(&reads), stored(&fresh)), (expected.clone(), expected.clone(), expected));
}
