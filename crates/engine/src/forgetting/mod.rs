//! Forgetting as a plan: what is meant is found once, shown under an id, and only then done; what was done can be undone for
//! a week, or is final.
//!
//! [`selection`] – what is meant; [`plan`] – what was found, on the disk from the preview to the end of the undo;
//! [`notes`] – lines of ours in the user's files; [`shared`] – the list, where several gateways have one index;
//! [`elsewhere`] – what another one of them forgot, erased here; [`same_words`] – what says the same.
//! `services/admin/forget` adds the index and carries plans out.

mod elsewhere;
pub(crate) mod notes;
pub(crate) mod plan;
pub(crate) mod same_words;
pub mod selection;
pub(crate) mod shared;

/// The id under which all that another memory has forgotten is on the list, and is taken off it again.
pub(crate) const TAKEN_OVER: &str = "memorycore";
