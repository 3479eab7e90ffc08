//! Passwords of databases: asked of the host each time that a connection is made. Connections are the process's, and live
//! longer than the thread that opened the first index on them: whichever knows it then is asked.

use std::sync::Arc;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::host::{Host, Hosts};
use model::error::Code;
use store::database::AskPassword;

/// A hash of an address, and who knows its password.
type Known = ([u8; 32], Arc<Hosts>);

/// Who knows the password of an address, by a hash of that. There are as many as addresses were in use.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Asks for the password of an address: this host from now on, or another of the process when its thread has ended.
pub(super) fn asked(address: &str, thread: u64, host: &Arc<dyn Host>) -> AskPassword {
    let name = Sha256::digest(address).into();
    let hosts = {
        let mut known = KNOWN.lock();
        let hosts = known.iter().find(|(other, _)| *other == name).map(|(_, hosts)| Arc::clone(hosts));
        hosts.unwrap_or_else(|| {
            let hosts = Arc::<Hosts>::default();
            known.push((name, Arc::clone(&hosts)));
            hosts
        })
    };
    hosts.join(thread, Arc::clone(host));
    AskPassword::new(move || {
        let hosts = Arc::clone(&hosts);
        Box::pin(async move {
            hosts.database_password().await.map_err(|error| match error.code() {
                Code::Closed => error,
                _ => error.remedy("See that store.postgres.password names a secret that can be read"),
            })
        })
    })
}
