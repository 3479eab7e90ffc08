//! Configuration: the host's JSON in, resolved settings out.

pub mod active_memory;
pub mod agents;
pub mod automatic;
pub mod consolidation;
pub mod extra_path;
mod layers;
pub mod memory_policy;
pub mod multimodal;
pub mod paths;
pub mod places;
pub mod resolve;
mod setting;
pub mod settings;
#[rustfmt::skip]
mod table;
