//! The tokio runtime of the addon: small, because it mostly waits for the network.

use napi::bindgen_prelude::create_custom_tokio_runtime;
use tokio::runtime::Builder;

use model::priority::{self, Work};

/// Threads that poll futures (network, timers); nothing there takes long.
const WORKERS: usize = 1;
/// Threads for blocking work (searches, file reads); they end when idle.
const BLOCKING: usize = 3;

#[napi_derive::module_init]
fn init() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING)
        .thread_name("memory-core-rs")
        .on_thread_start(|| priority::lower(Work::Answers))
        .enable_all()
        .build();
    // Without it napi makes its own default runtime: more threads, same behaviour.
    if let Ok(runtime) = runtime {
        create_custom_tokio_runtime(runtime);
    }
}
