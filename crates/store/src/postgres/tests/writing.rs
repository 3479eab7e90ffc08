//! Who may write, and what is known of a write whose answer was lost.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::{
    embeddings::NewEmbedding,
    generations::GenerationState,
    lease::{Lease, Owner, not_held},
    postgres::schema::Schema,
    usage::Spent,
};
use model::{
    clock::{Clock, TestClock},
    error::Code,
};

/// A process on another machine.
fn stranger(database: &Arc<Database>, schema: &Schema) -> Agent {
    let unique = Uuid::new_v4().to_string();
    let owner = Owner { uuid: unique.clone(), pid: 1, host: "elsewhere".into(), boot_id: unique };
    open_as(database, schema, "one", owner)
}

#[test]
fn one_process_indexes_at_a_time_and_a_late_one_is_fenced() {
    let Some((place, schema, database)) = prepared() else { return };
    let (one, other) = (stranger(&database, &schema), stranger(&database, &schema));
    let index = |agent: &Agent| agent.write_indexed(|tx| tx.begin_building("words").map(drop));
    assert_eq!(index(&one).unwrap_err().code(), Code::Busy, "nobody indexes without lease");
    assert_eq!(one.acquire_lease().unwrap(), Lease::Held { token: 1 });
    assert_eq!(one.acquire_lease().unwrap(), Lease::Held { token: 1 });
    assert!(matches!(other.acquire_lease().unwrap(), Lease::HeldBy(row) if row.token == 1));
    // What is no indexing goes on beside it, and moves nobody's lease.
    let expires = || one.lease().unwrap().unwrap().expires_ms;
    let before = expires();
    other.write(|_| Ok(())).unwrap();
    assert_eq!(expires(), before);
    index(&one).unwrap();
    assert!(expires() > before, "each write of the holder renews it");
    assert!(one.renew_lease().unwrap());
    one.release_lease().unwrap();
    assert_eq!(index(&one).unwrap_err().code(), Code::Busy);
    assert_eq!(other.acquire_lease().unwrap(), Lease::Held { token: 2 });
    // The other one sleeps, its lease runs out, and it wakes up in the middle of its work.
    place.change("UPDATE agent SET expires_ms = 1");
    assert_eq!(one.acquire_lease().unwrap(), Lease::Held { token: 3 });
    let version = one.version().unwrap();
    let token = *other.token.lock();
    let late = other.write_indexed(|tx| tx.begin_rebuild("late").map(drop)).unwrap_err();
    assert_eq!((late, one.version().unwrap()), (not_held(), version));
    // Nor where that is asked with what is written, or with the first question, whatever it is.
    for asks in [false, true] {
        *other.token.lock() = token;
        let late = other.write_indexed_at_once(|tx| {
            if asks {
                tx.live()?;
            }
            tx.add_usage("2026-11-26", "openai", "small", &Spent::default())
        });
        assert_eq!((late.unwrap_err(), one.version().unwrap()), (not_held(), version));
        assert_eq!(*other.token.lock(), None);
    }
    assert_eq!(place.numbers("SELECT count(*) FROM usage"), [0]);
    assert!(!other.renew_lease().is_ok_and(|held| held));
    assert_eq!(one.read(&Cancel::new(), |reader| reader.building()).unwrap(), None);
    index(&one).unwrap();
}

#[test]
fn takeovers_that_race_have_one_winner_and_tokens_only_grow() {
    let Some((place, schema, database)) = prepared() else { return };
    let agents: Vec<Agent> = (0..6).map(|_| stranger(&database, &schema)).collect();
    for round in 1..=rounds(25) as i64 {
        place.change("UPDATE agent SET expires_ms = 1, owner = 'gone'");
        std::thread::scope(|scope| {
            let calls: Vec<_> = agents.iter().map(|agent| scope.spawn(|| agent.acquire_lease().unwrap())).collect();
            let held = calls
                .into_iter()
                .map(|call| call.join().unwrap())
                .filter(|lease| *lease == Lease::Held { token: round });
            assert_eq!(held.count(), 1, "round {round}");
        });
    }
}

// By its own clock each of them would have found the lease of the other to be over, or good for an hour.
#[test]
fn whose_clock_is_an_hour_wrong_neither_takes_a_lease_too_soon_nor_keeps_one_too_long() {
    let Some((place, schema, database)) = prepared() else { return };
    let hour = 3_600_000;
    let of = |name: &str, off: i64| {
        let owner = Owner { uuid: name.into(), pid: 1, host: name.into(), boot_id: name.into() };
        let clock = TestClock::at(SystemClock.now_ms() + off);
        let options = AgentOptions { tenant: "t".into(), name: "one".into(), owner, clock };
        Agent::open(Arc::clone(&database), schema.clone(), options).unwrap()
    };
    let (early, late) = (of("early", -hour), of("late", hour));
    for (holder, other, token) in [(&early, &late, 1), (&late, &early, 2)] {
        assert_eq!(holder.acquire_lease().unwrap(), Lease::Held { token });
        assert!(matches!(other.acquire_lease().unwrap(), Lease::HeldBy(row) if row.token == token));
        holder.write_indexed(|tx| tx.begin_building("words").map(drop)).unwrap();
        let left = "SELECT (expires_ms - extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM agent";
        assert!((1..=20_000).contains(&place.numbers(left)[0]), "by the clock of the database");
        place.change("UPDATE agent SET expires_ms = 1");
        assert_eq!(other.acquire_lease().unwrap(), Lease::Held { token: token + 1 });
        let fenced = holder.write_indexed(|tx| tx.begin_building("words").map(drop)).unwrap_err();
        assert_eq!(fenced.code(), Code::Busy);
    }
}

// A store that was dropped in this process, and a process of this boot that ended, are not waited for.
#[test]
fn nobody_waits_for_a_holder_that_is_known_to_be_gone() {
    let Some((_place, schema, database)) = prepared() else { return };
    let here = Owner::this_process();
    if here.boot_id.is_empty() {
        return;
    }
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let ended = Owner { uuid: "ended".to_owned(), pid: child.id(), ..here.clone() };
    child.wait().unwrap();
    assert_eq!(open_as(&database, &schema, "one", ended).acquire_lease().unwrap(), Lease::Held { token: 1 });
    let dropped = open_as(&database, &schema, "one", here);
    assert_eq!(dropped.acquire_lease().unwrap(), Lease::Held { token: 2 });
    let next = open(&database, &schema, "one");
    assert!(matches!(next.acquire_lease().unwrap(), Lease::HeldBy(row) if row.token == 2));
    drop(dropped);
    assert_eq!(next.acquire_lease().unwrap(), Lease::Held { token: 3 });
}

#[test]
fn writers_of_one_agent_take_turns_and_their_ids_follow_each_other() {
    let Some((place, schema, database)) = prepared() else { return };
    let agents: Vec<Agent> = (0..4).map(|_| stranger(&database, &schema)).collect();
    std::thread::scope(|scope| {
        for agent in &agents {
            scope.spawn(|| {
                for _ in 0..10 {
                    let generation = agent.write(|tx| tx.begin_rebuild("words")).unwrap();
                    assert_ne!(generation.state, GenerationState::Retired);
                }
            });
        }
    });
    assert_eq!(place.numbers("SELECT version, next_id FROM agent"), [40, 41]);
}

/// What becomes of the connection over which the next COMMIT comes.
const GOES_ON: u8 = 0;
const ENDS_BEFORE: u8 = 1;
const ENDS_AFTER: u8 = 2;

/// The server behind a line that is cut at the word.
fn with_a_bad_line(url: &str, fate: &'static AtomicU8) -> String {
    behind(url, move |mut client, mut server| async move {
        let (mut up, mut down) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        loop {
            tokio::select! {
                read = client.read(&mut up) => {
                    let sent = &up[..read?];
                    let is_commit = sent.windows(7).any(|word| word == b"COMMIT\0");
                    match fate.load(Ordering::SeqCst) {
                        _ if sent.is_empty() => break,
                        ENDS_BEFORE if is_commit => break,
                        ENDS_AFTER if is_commit => {
                            server.write_all(sent).await?;
                            // It was done when it is answered.
                            let mut answer = Vec::new();
                            while !answer.windows(7).any(|word| word == b"COMMIT\0") {
                                let read = server.read(&mut down).await?;
                                assert!(read > 0, "the server is there");
                                answer.extend_from_slice(&down[..read]);
                            }
                            break;
                        }
                        _ => server.write_all(sent).await?,
                    }
                }
                read = server.read(&mut down) => match read? {
                    0 => break,
                    read => client.write_all(&down[..read]).await?,
                }
            }
        }
        // The first loss is the last.
        fate.store(GOES_ON, Ordering::SeqCst);
        Ok(())
    })
}

#[test]
fn a_write_whose_answer_was_lost_is_known_to_be_done_or_not() {
    static FATE: AtomicU8 = AtomicU8::new(GOES_ON);
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let database = Arc::new(database(&options(&with_a_bad_line(&place.url, &FATE))));
    let agent = stranger(&database, &schema);
    let generations = || place.numbers("SELECT count(*) FROM generation")[0];
    for round in 0..5 {
        // Said within the write: nobody waited for the COMMIT of what was read before, and it would be taken for this one's.
        let with = |fate| {
            agent.write(|tx| {
                FATE.store(fate, Ordering::SeqCst);
                tx.begin_rebuild("words")
            })
        };
        let made = with(ENDS_AFTER).unwrap();
        assert_eq!((made.identity.as_str(), generations()), ("words", 2 * round + 1), "it was done, and once");
        agent.write(|tx| tx.begin_rebuild("words")).unwrap();
        let lost = with(ENDS_BEFORE).unwrap_err();
        assert_eq!((lost.code(), generations()), (Code::Io, 2 * round + 2));
    }
}

#[test]
fn so_is_one_that_waits_once() {
    static FATE: AtomicU8 = AtomicU8::new(GOES_ON);
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let database = Arc::new(database(&options(&with_a_bad_line(&place.url, &FATE))));
    let agent = stranger(&database, &schema);
    agent.acquire_lease().unwrap();
    let sent = || place.numbers("SELECT coalesce(sum(embedded), 0)::bigint FROM usage")[0];
    for round in 0..5 {
        let with = |fate| {
            // All that was asked before is answered.
            agent.write(|_| Ok(())).unwrap();
            FATE.store(fate, Ordering::SeqCst);
            let spent = Spent { embedded: 1, ..Spent::default() };
            agent.write_indexed_at_once(|tx| tx.add_usage("2026-11-26", "openai", "small", &spent))
        };
        with(ENDS_AFTER).unwrap();
        assert_eq!(sent(), 2 * round + 1, "it was done, and once");
        with(GOES_ON).unwrap();
        let lost = with(ENDS_BEFORE).unwrap_err();
        assert_eq!((lost.code(), sent()), (Code::Io, 2 * round + 2));
    }
}

// What a write before this one has seen of the space is not asked again.
#[test]
fn vectors_of_a_length_that_was_changed_meanwhile_are_not_stored() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open(&database, &schema, "one");
    let space = agent.write(|tx| Ok(tx.get_or_create_space("a")?.id)).unwrap();
    let put = |hash| {
        let vector = NewEmbedding { hash: [hash; 32], vector: vec![1.0, 2.0] };
        agent.write(|tx| tx.insert_embeddings(space, &[vector])).map_err(|error| error.code())
    };
    let count = || place.numbers("SELECT count(*) FROM embedding")[0];
    put(1).unwrap();
    put(2).unwrap();
    place.change("UPDATE space SET dims = 3");
    assert_eq!((put(3), count()), (Err(Code::Busy), 2));
    assert_eq!((put(3), count()), (Err(Code::ProviderResponse), 2));
    place.change("UPDATE space SET dims = 2");
    put(3).unwrap();
    assert_eq!(count(), 3);
}
