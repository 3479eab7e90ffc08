//! TLS and passwords with a server that speaks TLS by itself, and is told to be otherwise for each sentence.

use std::{collections::BTreeSet, fs};

use super::{cluster::Server, connecting::certificate, *};
use model::{
    config::settings::DatabaseSsl,
    error::{Code, Error},
};

/// Only who comes with a password is let in, but for the administrator.
const WHO_IS_LET_IN: &str = "host all guarded 127.0.0.1/32 scram-sha-256\n\
                             host all postgres 127.0.0.1/32 trust\n";

/// The settings of a server with one of our certificates.
fn with_certificate(server: &mut Server, name: &str) {
    for kind in ["pem", "key"] {
        server.give(&format!("{name}.{kind}"), &fs::read(certificate(&format!("{name}.{kind}"))).unwrap());
    }
    server.settings =
        vec!["ssl=on".to_owned(), format!("ssl_cert_file={name}.pem"), format!("ssl_key_file={name}.key")];
    server.kill("INT");
    server.wait();
}

fn connect(options: &Options) -> Result<String, Error> {
    let database = Database::new(options, RUNTIME.handle().clone())?;
    let sql = "SELECT coalesce(version, 'no TLS') FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()";
    Ok(database.transact(&Cancel::new(), &PLAIN, |tx| tx.row(sql, &[]))?.unwrap().get(0))
}

#[test]
fn a_server_is_verified_and_each_refusal_is_told_apart() {
    let Some(url) = server_with_tls() else { return };
    let Some(mut server) = Server::start(&url) else { return };
    server.give("pg_hba.conf", WHO_IS_LET_IN.as_bytes());
    run(&database(&options(&server.url())), "CREATE ROLE guarded LOGIN PASSWORD 'c4nary'").unwrap();
    let address = |password: &str, binding: &str| {
        format!("postgresql://guarded:{password}@localhost:{}/postgres?channel_binding={binding}", server.port)
    };
    let (bound, wrong) = (address("c4nary", "require"), address("another", "require"));
    let verified = |url: &str| Options {
        ssl: DatabaseSsl::VerifyFull,
        ssl_root_cert: Some(certificate("authority.pem")),
        ..options(url)
    };
    let mut told = BTreeSet::new();
    let mut refused = |options: &Options, says: &str| {
        let error = connect(options).unwrap_err();
        let text = error.to_string();
        assert!(error.code() == Code::Config && error.remedy.is_some() && text.contains(says), "{says}: {text}");
        assert!(!format!("{text} {error:?}").contains("c4nary"), "{error:?}");
        assert!(told.insert(error.message.clone()), "said before: {}", error.message);
    };
    refused(&verified(&bound), "does not speak TLS");
    with_certificate(&mut server, "good");
    // The password is proven to be for this very way: nobody in between could pass it on.
    assert_eq!(connect(&verified(&bound)), Ok("TLSv1.3".to_owned()));
    refused(&verified(&wrong), "refused user or password");
    let other = Options { ssl_root_cert: Some(certificate("good.pem")), ..verified(&bound) };
    refused(&other, "somebody who is not trusted");
    refused(
        &Options { ssl: DatabaseSsl::Disable, ..options(&bound) },
        "a proof of who this is in a way that is not known",
    );
    for (name, says) in [
        ("elsewhere", "for another host name"),
        ("expired", "has expired"),
        ("authority", "is that of an authority, not of a server"),
    ] {
        with_certificate(&mut server, name);
        refused(&verified(&bound), says);
        // Whoever asks for no proof of the name gets none, and is still let in with the password.
        assert_eq!(connect(&Options { ssl: DatabaseSsl::Require, ..options(&bound) }), Ok("TLSv1.3".to_owned()));
    }
    // Off this machine nothing goes out in the clear because an address says so.
    let plain = format!("postgresql://guarded:c4nary@192.0.2.1:{}/postgres?sslmode=disable", server.port);
    refused(&options(&plain), "would not be encrypted");
}
