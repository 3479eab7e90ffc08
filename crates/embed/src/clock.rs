//! Time as the retry logic sees it, so that tests need not wait.

use std::time::{Duration, Instant, SystemTime};

use super::BoxFuture;

/// Where waits and random spread come from.
pub trait Clock: Send + Sync {
    /// Monotonic time.
    fn now(&self) -> Instant;

    /// Wall-clock time, for dates in headers.
    fn wall(&self) -> SystemTime;

    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// A random number in `0.0..1.0`.
    fn random(&self) -> f64;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }
}

/// A clock for tests: sleeping returns at once, moves time on and is written down.
#[cfg(test)]
pub(crate) struct TestClock {
    start: Instant,
    passed: parking_lot::Mutex<Duration>,
    /// Every sleep, in order.
    pub(crate) sleeps: parking_lot::Mutex<Vec<Duration>>,
}

#[cfg(test)]
impl TestClock {
    pub(crate) fn new() -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self {
            start: Instant::now(),
            passed: parking_lot::Mutex::default(),
            sleeps: parking_lot::Mutex::default(),
        })
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.passed.lock() += by;
    }
}

#[cfg(test)]
impl Clock for TestClock {
    fn now(&self) -> Instant {
        self.start + *self.passed.lock()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000) + *self.passed.lock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleeps.lock().push(duration);
        self.advance(duration);
        Box::pin(tokio::task::yield_now())
    }

    fn random(&self) -> f64 {
        0.5
    }
}
