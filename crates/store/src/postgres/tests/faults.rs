//! Lines that swallow what is said, that end, or that answer one byte at a time, round after round: who asks hears of it in time,
//! and afterwards all is as before.

use std::{
    sync::atomic::{AtomicU8, Ordering},
    time::Instant,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use model::error::Code;

/// What the line does with the next answer.
const GOOD: u8 = 0;
/// Neither this answer nor anything later arrives.
const SWALLOWS: u8 = 1;
const ENDS: u8 = 2;
/// One byte at a time.
const DRIPS: u8 = 3;

/// The server behind such a line.
fn faulty(url: &str, fate: &'static AtomicU8) -> String {
    let url = behind(url, move |mut client, mut server| async move {
        client.set_nodelay(true)?;
        let (mut up, mut down, mut swallows) = (vec![0; 1 << 16], vec![0; 1 << 16], false);
        loop {
            tokio::select! {
                read = client.read(&mut up) => match read? {
                    0 => return Ok(()),
                    read if !swallows => server.write_all(&up[..read]).await?,
                    _ => {}
                },
                read = server.read(&mut down) => match (read?, fate.load(Ordering::SeqCst)) {
                    (0, _) | (_, ENDS) => return Ok(()),
                    (_, SWALLOWS) => swallows = true,
                    (read, DRIPS) => {
                        for byte in &down[..read] {
                            client.write_all(&[*byte]).await?;
                        }
                    }
                    (read, _) => client.write_all(&down[..read]).await?,
                }
            }
        }
    });
    format!("{url}?application_name=faulty")
}

// A connection whose answer was swallowed stayed until the server ended it, and one more came with each question.
#[test]
fn whatever_the_line_does_callers_hear_of_it_in_time_and_connections_do_not_grow() {
    static FATE: AtomicU8 = AtomicU8::new(GOOD);
    let Some(place) = Place::new() else { return };
    let name = format!("faulty_{}", place.schema);
    let url = faulty(&place.url, &FATE).replace("faulty", &name);
    let patient = Options { statement_timeout: Duration::from_secs(3_600), ..options(&url) };
    let database = database(&Options { pool_size: 3, ..patient });
    let ask = |patience| {
        let sql = "SELECT repeat('x', 4000)";
        let row = database.transact(&Cancel::with_deadline(patience), &PLAIN, |tx| tx.row(sql, &[]));
        row.map(|row| row.unwrap().get::<_, &str>(0).len())
    };
    let open = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'");
    let (mut random, mut told) = (fastrand::Rng::with_seed(3), [0; 4]);
    for round in 0..rounds(60) {
        let fate = random.u8(0..4);
        FATE.store(fate, Ordering::SeqCst);
        let (patience, began) = (Duration::from_millis(if fate == SWALLOWS { 25 } else { 60_000 }), Instant::now());
        match (fate, ask(patience)) {
            (GOOD | DRIPS, answer) => assert_eq!(answer, Ok(4_000), "round {round}"),
            (SWALLOWS, answer) => assert_eq!(answer.unwrap_err().code(), Code::Deadline, "round {round}"),
            (_, answer) => assert_eq!(answer.unwrap_err().code(), Code::Io, "round {round}"),
        }
        assert!(began.elapsed() < Duration::from_secs(60), "round {round}");
        told[usize::from(fate)] += 1;
        FATE.store(GOOD, Ordering::SeqCst);
        assert_eq!(ask(Duration::from_secs(60)), Ok(4_000), "round {round}: it goes on by itself");
    }
    assert!(told.iter().all(|times| *times > 0), "{told:?}");
    // The server needs a moment to see that a client is gone.
    let began = Instant::now();
    while place.numbers(&open)[0] > 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?} connections stay", place.numbers(&open));
        std::thread::sleep(Duration::from_millis(20));
    }
}
