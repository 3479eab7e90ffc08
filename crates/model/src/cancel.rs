//! Cooperative cancellation: a flag set by the caller and a deadline, checked between small steps of work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::error::{Code, Error, Result};

/// Shared by the caller, who may cancel, and the work, which asks.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Of another one that ends it too.
    also: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Never cancelled unless [`Cancel::cancel`] is called.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also ends when `after` has passed from now.
    #[must_use]
    pub fn with_deadline(after: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(after), ..Self::default() }
    }

    /// A token that shares the flag but ends `after` from now at the latest.
    #[must_use]
    pub fn within(&self, after: Duration) -> Self {
        let sooner = Instant::now().checked_add(after);
        Self {
            flag: Arc::clone(&self.flag),
            also: self.also.clone(),
            deadline: match (self.deadline, sooner) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }

    /// A token that is cancelled with this one, and with another one as well. It takes the place of one that did so before.
    #[must_use]
    pub fn also_with(&self, other: &Self) -> Self {
        Self { also: Some(Arc::clone(&other.flag)), ..self.clone() }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the caller asked to stop; the deadline does not count.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.also.as_ref().is_some_and(|also| also.load(Ordering::Relaxed))
    }

    /// Time left; none = no deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Whether the work should stop, for one reason or the other.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Continues or stops.
    ///
    /// # Errors
    /// [`Code::Cancelled`] when the caller asked to stop, [`Code::Deadline`] when the time is up.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(Code::Cancelled, "the call was cancelled"));
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(Error::new(Code::Deadline, "the time limit of the call passed"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_shared_and_the_nearer_deadline_wins() {
        let outer = Cancel::with_deadline(Duration::from_secs(3600));
        let inner = outer.within(Duration::ZERO);
        assert_eq!(inner.check().unwrap_err().code(), Code::Deadline);
        assert!(outer.check().is_ok());
        inner.cancel();
        assert_eq!(outer.check().unwrap_err().code(), Code::Cancelled);
    }

    #[test]
    fn one_that_ends_with_another_ends_nobody_else() {
        let (call, engine) = (Cancel::new(), Cancel::new());
        let both = call.also_with(&engine).within(Duration::from_secs(3600));
        assert!(both.check().is_ok());
        engine.cancel();
        assert_eq!(both.check().unwrap_err().code(), Code::Cancelled);
        assert!(!call.is_over());
    }
}
