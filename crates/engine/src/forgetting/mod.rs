//! Forgetting as a plan: what is meant is found once, shown under an id, and only then done; what was done can be undone for
//! a week, or is final.
//!
//! [`selection`] – what is meant; [`plan`] – what was found, on the disk from the preview to the end of the undo;
//! [`notes`] – lines of ours in the user's files; [`shared`] – the list, where several gateways have one index.
//! `services/admin/forget` adds the index and carries plans out.

pub(crate) mod notes;
pub(crate) mod plan;
pub mod selection;
pub(crate) mod shared;
