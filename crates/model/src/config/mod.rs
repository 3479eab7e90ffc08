//! Configuration: the host's JSON in, resolved settings out.

pub mod agents;
pub mod automatic;
mod layers;
pub mod paths;
pub mod resolve;
pub mod settings;
