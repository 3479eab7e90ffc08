//! Consolidation: what was met again and again becomes a line of MEMORY.md, once it is proven, and by rules that say why
//! everything else does not.
//!
//! [`evidence`] – which sentences were met and used; [`gates`] – what a claim must pass; [`plan`] – what a run would do,
//! pure; [`writer`] – other words, by a model, checked; [`section`], [`report`] – the two places that are written;
//! [`edit`] – what was changed, to take it back; [`lineage`] – what was written of what, to forget it; [`schedule`] – when; [`runs`] – all of it on a workspace and a store.

mod claim;
mod edit;
pub mod evidence;
pub mod gates;
pub(crate) mod lineage;
pub mod plan;
mod report;
pub mod runs;
pub mod schedule;
mod section;
mod writer;

#[cfg(test)]
mod ordinary_use;
