//! Closing where the database no longer answers: it takes what comes, and nothing goes back.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::{
    Location,
    database::InDatabase,
    files::{NewChunk, NewFile},
};
use model::error::{Code, Error};

/// Something that is asked of a store.
type Ask = fn(&Store) -> Result<(), Error>;

/// A line to the server that can be made to lead nowhere.
struct Line {
    url: String,
    is_dead: Arc<AtomicBool>,
    /// Bytes that came since and went nowhere.
    lost: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Line {
    fn to(url: &str) -> Self {
        let (is_dead, is_over, lost) = <(Arc<AtomicBool>, Arc<AtomicBool>, Arc<AtomicUsize>)>::default();
        let (dead, over, gone) = (Arc::clone(&is_dead), Arc::clone(&is_over), Arc::clone(&lost));
        let url = behind(url, move |mut client, mut server| {
            let (dead, over, gone) = (Arc::clone(&dead), Arc::clone(&over), Arc::clone(&gone));
            async move {
                let (mut up, mut down) = (vec![0; 16_384], vec![0; 16_384]);
                loop {
                    tokio::select! {
                        read = client.read(&mut up) => match read? {
                            0 => return Ok(()),
                            read if dead.load(Ordering::SeqCst) => drop(gone.fetch_add(read, Ordering::SeqCst)),
                            read => server.write_all(&up[..read]).await?,
                        },
                        read = server.read(&mut down) => match read? {
                            0 => return Ok(()),
                            read if !dead.load(Ordering::SeqCst) => client.write_all(&down[..read]).await?,
                            _ => {}
                        },
                        () = tokio::time::sleep(Duration::from_millis(20)), if dead.load(Ordering::SeqCst) => {
                            if over.load(Ordering::SeqCst) {
                                return Ok(());
                            }
                        }
                    }
                }
            }
        });
        Self { url, is_dead, lost, is_over }
    }

    fn goes_dead(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// Waits until somebody has asked into the void.
    fn wait_for_a_question(&self, more_than: usize) -> usize {
        while self.lost.load(Ordering::SeqCst) <= more_than {
            thread::sleep(Duration::from_millis(5));
        }
        self.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Line {
    /// The server is told that the clients are gone: it would hold what they had locked.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

// A read that waited for such a server held its caller for as long as a statement may take, and a write for ever.
#[test]
fn closing_ends_what_waits_for_a_server_that_no_longer_answers() {
    let Some(place) = Place::new() else { return };
    let line = Line::to(&place.url);
    let options = Options {
        schema: place.schema.clone(),
        statement_timeout: Duration::from_secs(600),
        connect_timeout: Duration::from_secs(60),
        ..Options::new(&line.url)
    };
    let folder = TempDir::new().unwrap();
    let beside = folder.path().join("index.sqlite");
    let location = Location::Database(Box::new(InDatabase { options, agent: "one".to_owned(), migrate: true, beside }));
    let store = Store::open_at(&location, OpenOptions::default()).unwrap();
    store.acquire_lease().unwrap();
    line.goes_dead();
    thread::scope(|scope| {
        let (ended, ends) = mpsc::channel::<(&str, Result<(), Error>)>();
        let asks: [(&str, Ask); 3] = [
            ("a read", |store| store.read(|reader| reader.live().map(drop))),
            ("a write", |store| {
                store.write_indexed(|tx| {
                    let file = NewFile {
                        source: "memory",
                        path: "a.md",
                        hash: [1; 32],
                        mtime_ns: 0,
                        size: 1,
                        lines: 1,
                        terms: 1,
                    };
                    tx.replace_file(tx.begin_building("words")?.id, &file, &Vec::<NewChunk>::new()).map(drop)
                })
            }),
            ("what the server says", |store| store.server().map(drop)),
        ];
        let mut asked = 0;
        for (name, ask) in asks {
            let (ended, store) = (ended.clone(), &store);
            scope.spawn(move || ended.send((name, ask(store))).unwrap());
            asked = line.wait_for_a_question(asked);
        }
        store.close();
        for _ in 0..3 {
            let (name, result) = ends.recv_timeout(Duration::from_secs(120)).expect("somebody still waits");
            assert_eq!(result.unwrap_err().code(), Code::Closed, "{name}");
        }
        assert_eq!(store.read(|reader| reader.live()).unwrap_err().code(), Code::Closed);
    });
}
