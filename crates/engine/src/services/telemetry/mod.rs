//! What an engine tells about itself: its figures, failures and warnings, how it is, and what it costs.

mod failure;
mod health;
mod probe;
mod snapshot;
mod status;
mod usage;
mod warnings;

use std::sync::{Arc, atomic::AtomicBool};

use parking_lot::Mutex;

use self::{probe::ProbeCache, snapshot::Snapshot};
use super::context::{Context, Service};

pub(super) use self::{
    snapshot::{EMBEDDING, QUERY, SESSIONS, TEXT},
    status::{Activity, Coverage},
};

/// Figures, failures and costs of one engine.
pub struct Telemetry {
    context: Arc<Context>,
    snapshot: Mutex<Snapshot>,
    probe: ProbeCache,
    /// What searches sent will be booked soon.
    booking_due: AtomicBool,
    /// The index is of other notes, as far as anybody has looked.
    foreign: AtomicBool,
}

impl Telemetry {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self {
            context: Arc::clone(context),
            snapshot: Mutex::default(),
            probe: Mutex::default(),
            booking_due: AtomicBool::new(false),
            foreign: AtomicBool::new(false),
        }
    }
}

impl Service for Telemetry {
    fn context(&self) -> &Context {
        &self.context
    }
}
