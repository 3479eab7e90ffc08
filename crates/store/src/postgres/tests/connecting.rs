//! What comes of all the ways in which a server can be reached, or not.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::{database::AskPassword, postgres::connect::SNAPSHOT};
use model::{
    config::settings::DatabaseSsl,
    error::{Code, Error},
};

/// One of the certificates beside this file.
pub(super) fn certificate(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/postgres/tests/certificates").join(name)
}

/// The server with TLS in front of it, which that of the tests was built without.
fn with_tls(url: &str, name: &str) -> String {
    let cert = CertificateDer::from_pem_file(certificate(&format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(certificate(&format!("{name}.key"))).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![cert], key).unwrap()));
    let url = behind(url, move |mut client, mut server| {
        let acceptor = acceptor.clone();
        async move {
            client.read_exact(&mut [0; 8]).await?;
            client.write_all(b"S").await?;
            let mut client = acceptor.accept(client).await?;
            copy_bidirectional(&mut client, &mut server).await.map(drop)
        }
    });
    // The name in the certificate.
    url.replace("@127.0.0.1:", "@localhost:")
}

fn connect(options: &Options) -> Result<(), Error> {
    run(&Database::new(options, RUNTIME.handle().clone())?, "SELECT 1")
}

/// Connects, and gives the error with its remedy as one text.
fn refusal(options: &Options) -> (Code, String) {
    let error = connect(options).unwrap_err();
    assert!(error.remedy.is_some(), "{error}");
    (error.code(), error.to_string())
}

#[test]
fn tls_is_spoken_with_whom_the_authority_signed_for() {
    let Some(url) = server() else { return };
    let verified = |url: &str| Options {
        ssl: DatabaseSsl::VerifyFull,
        ssl_root_cert: Some(certificate("authority.pem")),
        ..options(url)
    };
    let good = with_tls(&url, "good");
    connect(&verified(&good)).unwrap();
    for (name, says) in [
        ("elsewhere", "for another host name"),
        ("expired", "has expired"),
        ("authority", "is that of an authority, not of a server"),
    ] {
        let address = with_tls(&url, name);
        let (code, text) = refusal(&verified(&address));
        assert!(code == Code::Config && text.contains(says), "{name}: {text}");
        // Whoever asks for no proof gets none.
        connect(&Options { ssl: DatabaseSsl::Require, ..options(&address) }).unwrap();
    }
    let (code, text) = refusal(&Options { ssl_root_cert: Some(certificate("good.pem")), ..verified(&good) });
    assert!(code == Code::Config && text.contains("somebody who is not trusted"), "{text}");
    let (code, text) = refusal(&Options { ssl_root_cert: Some(certificate("good.key")), ..verified(&good) });
    assert!(code == Code::Config && text.contains("holds no certificate"), "{text}");
    let without = listen(|mut stream| async move {
        stream.read_exact(&mut [0; 8]).await?;
        stream.write_all(b"N").await
    });
    let (code, text) = refusal(&verified(&format!("postgresql://c4nary@{without}/postgres")));
    assert!(code == Code::Config && text.contains("does not speak TLS"), "{text}");
}

#[test]
fn each_way_of_not_connecting_has_a_sentence_of_its_own_and_no_secret_in_it() {
    let Some(place) = Place::new() else { return };
    let (login, server) = place.url.rsplit_once('@').unwrap();
    let server = server.split_once('/').unwrap().0;
    let read_only = place.url_of_reader();
    // Nobody listens there any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = listen(|mut stream| async move { stream.read_to_end(&mut Vec::new()).await.map(drop) });
    let old = listen(|mut stream| async move {
        stream.read_u32().await?;
        // Logged in, version 14.9, ready.
        stream.write_all(b"R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0014.9\0Z\0\0\0\x05I").await?;
        stream.read_to_end(&mut Vec::new()).await.map(drop)
    });
    for (address, code, says) in [
        (format!("postgresql://c4nary:c4nary@{server}/postgres"), Code::Config, "refused user or password"),
        // It was told as a mistake of ours.
        (format!("postgresql://postgres@{server}/postgres"), Code::Config, "asks for a password, and there is none"),
        (format!("{login}@{server}/c4nary"), Code::Config, "no such database"),
        (format!("postgresql://c4nary:c4nary@{closed}/c4nary"), Code::Io, "connection refused"),
        (format!("postgresql://c4nary:c4nary@{silent}/c4nary"), Code::Io, "no answer in"),
        ("postgresql://c4nary:c4nary@c4nary.invalid/c4nary".to_owned(), Code::Io, "name is not known"),
        (format!("postgresql://c4nary:c4nary@{old}/c4nary"), Code::Config, "PostgreSQL 14.9, and 15 or newer"),
        (format!("{read_only}?target_session_attrs=read-write"), Code::ReadOnly, "is read-only"),
    ] {
        let patience = if says == "no answer in" { Duration::from_millis(50) } else { Duration::from_secs(60) };
        let options = Options { connect_timeout: patience, ..options(&address) };
        let (told, text) = refusal(&options);
        assert!(told == code && text.contains(says), "{says}: {text}");
        let all = format!("{text} {:?}", connect(&options).unwrap_err());
        assert!(!all.contains("c4nary") && !all.contains(server), "{all}");
    }
}

#[test]
fn a_read_only_database_says_so_when_it_is_written() {
    let Some(place) = Place::new() else { return };
    let standby = database(&options(&place.url_of_reader()));
    let error = run(&standby, "CREATE TABLE never (n int)").unwrap_err();
    assert!(error.code() == Code::ReadOnly && error.message.contains("a standby"), "{error}");
}

#[test]
fn a_full_disk_says_so() {
    let Some(place) = Place::new() else { return };
    let error =
        run(&place.database, "DO $$ BEGIN RAISE 'no room in c4nary' USING ERRCODE = 'disk_full'; END $$").unwrap_err();
    assert!(error.code() == Code::DiskFull && error.remedy.is_some(), "{error}");
    assert!(!format!("{error:?}").contains("c4nary"), "{error:?}");
}

#[test]
fn a_transaction_is_whole_or_nothing_and_leaves_nothing_behind() {
    let Some(url) = server() else { return };
    // One connection, so that what was left on it would be seen.
    let database = database(&Options { pool_size: 1, ..options(&url) });
    let table = format!("whole_{}", Uuid::new_v4().simple());
    run(&database, &format!("CREATE TABLE {table} (n int)")).unwrap();
    let insert = format!("INSERT INTO {table} VALUES (1)");
    let count = || {
        let sql = format!("SELECT count(*), current_setting('openclaw.agent', true) FROM {table}");
        let row = database.transact(&Cancel::new(), &Setting { begin: SNAPSHOT, ..PLAIN }, |tx| tx.row(&sql, &[]));
        let row = row.unwrap().unwrap();
        assert_eq!(row.get::<_, Option<&str>>(1), Some(""), "whose rows are seen is forgotten");
        row.get::<_, i64>(0)
    };
    let own = Setting { agent: Some(7), ..PLAIN };
    let failed = database.transact(&Cancel::new(), &own, |tx| {
        assert_eq!(tx.execute(&insert, &[])?, 1);
        Err::<(), _>(Error::new(Code::Argument, "changed my mind"))
    });
    assert_eq!((failed.unwrap_err().code(), count()), (Code::Argument, 0));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        database.transact(&Cancel::new(), &own, |tx| -> Result<(), Error> {
            tx.execute(&insert, &[])?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(count(), 0);
    // Cancelled in the middle of a statement that would take longer than the test.
    let cancel = Cancel::with_deadline(Duration::from_millis(100));
    let began = Instant::now();
    let slept = database.transact(&cancel, &own, |tx| {
        tx.execute(&insert, &[])?;
        tx.batch("SELECT pg_sleep(3600)")
    });
    assert_eq!((slept.unwrap_err().code(), count()), (Code::Deadline, 0));
    assert!(began.elapsed() < Duration::from_secs(600));
    database.transact(&Cancel::new(), &own, |tx| tx.execute(&insert, &[])).unwrap();
    assert_eq!(count(), 1);
    let snapshot = Setting { begin: SNAPSHOT, ..own };
    let refused = database.transact(&Cancel::new(), &snapshot, |tx| tx.execute(&insert, &[]));
    assert_eq!((refused.unwrap_err().code(), count()), (Code::ReadOnly, 1), "a snapshot is not written");
    // COMMIT is answered as if it had been one, and has undone all.
    let went_on = database.transact(&Cancel::new(), &own, |tx| {
        tx.execute(&insert, &[])?;
        assert!(tx.batch("SELECT 1 / 0").is_err());
        Ok(())
    });
    assert_eq!((went_on.unwrap_err().code(), count()), (Code::Internal, 1));
    run(&database, &format!("DROP TABLE {table}")).unwrap();
    database.close();
    assert_eq!(run(&database, "SELECT 1").unwrap_err().code(), Code::Closed);
}

#[test]
fn the_server_stops_what_takes_too_long_and_a_dead_connection_is_replaced() {
    let Some(url) = server() else { return };
    let limited = Options { statement_timeout: Duration::from_millis(200), ..options(&url) };
    assert_eq!(run(&database(&limited), "SELECT pg_sleep(3600)").unwrap_err().code(), Code::Deadline);
    let database = database(&Options { pool_size: 1, ..options(&url) });
    let ended = run(&database, "SELECT pg_terminate_backend(pg_backend_pid())").unwrap_err();
    assert_eq!(ended.code(), Code::Io, "{ended}");
    // It may be told a moment later that the connection is gone.
    let began = Instant::now();
    while run(&database, "SELECT 1").is_err() {
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn more_callers_than_connections_wait_for_each_other() {
    let Some(url) = server() else { return };
    let database = database(&Options { pool_size: 2, ..options(&url) });
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| run(&database, "SELECT pg_sleep(0.01)"))).collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap().is_ok()));
    });
}

#[test]
fn a_password_of_its_own_is_asked_for_anew_with_each_connection() {
    let Some((place, ..)) = prepared() else { return };
    let (role, (_, server)) = (format!("app_{}", place.schema), place.url.rsplit_once('@').unwrap());
    let (token, asked) = (Arc::new(Mutex::new("ordinary".to_owned())), Arc::new(AtomicUsize::new(0)));
    let (current, count) = (Arc::clone(&token), Arc::clone(&asked));
    let ask = AskPassword::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        let token = current.lock().clone();
        Box::pin(
            async move { if token.is_empty() { Err(Error::new(Code::Config, "nobody tells it")) } else { Ok(token) } },
        )
    });
    let address = format!("postgresql://{role}:c4nary@{server}");
    let of_its_own = Options { pool_size: 1, password: Some(ask), ..options(&address) };
    let database = database(&of_its_own);
    for _ in 0..3 {
        run(&database, "SELECT 1").unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "once for one connection, and not the one in the address");
    // The token has expired: who is connected stays so, and who comes next asks again.
    let expire = |next: &str| run(&place.database, &format!("ALTER ROLE {role} PASSWORD '{next}'")).unwrap();
    let lose = || while run(&database, "SELECT pg_terminate_backend(pg_backend_pid())").is_ok() {};
    expire("c4nary-2");
    run(&database, "SELECT 1").unwrap();
    lose();
    let refused = loop {
        match run(&database, "SELECT 1") {
            Err(error) if error.code() == Code::Io => {}
            other => break other.unwrap_err(),
        }
    };
    assert!(refused.code() == Code::Config && refused.message.contains("refused user or password"), "{refused}");
    assert!(!format!("{refused} {refused:?} {of_its_own:?}").contains("c4nary"), "{refused:?}");
    let before = asked.load(Ordering::SeqCst);
    *token.lock() = "c4nary-2".to_owned();
    run(&database, "SELECT 1").unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), before + 1);
    // What keeps it from being told is told, and the next one is asked again.
    *token.lock() = String::new();
    lose();
    let untold = loop {
        match run(&database, "SELECT 1") {
            Err(error) if error.code() == Code::Io => {}
            other => break other.unwrap_err(),
        }
    };
    assert_eq!(untold.message, "nobody tells it");
    *token.lock() = "c4nary-2".to_owned();
    run(&database, "SELECT 1").unwrap();
}
