//! What every other crate speaks of: errors, cancellation, settings, and the few words they share. It depends on none of
//! them.

pub mod batch;
pub mod callers;
pub mod cancel;
pub mod config;
pub mod error;
pub mod layout;
pub mod own_file;
pub mod parallel;
pub mod priority;
pub mod session_key;
pub mod source;
pub mod stamp;
pub mod usage;
