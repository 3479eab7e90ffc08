//! Time as everything else sees it: one clock that is handed in, so that no test has to wait.

use std::{
    future::Future,
    pin::Pin,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// The time, waits, and the spread of retries.
pub trait Clock: Send + Sync {
    /// The time of day, in milliseconds since the Unix epoch. It may jump, also back.
    fn now_ms(&self) -> i64;

    /// The time that only goes forward, for limits and pauses.
    fn now(&self) -> Instant;

    /// Waits.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// A random number in `0.0..1.0`.
    fn random(&self) -> f64;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        now_ms()
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }
}

/// The machine's time of day in milliseconds since the Unix epoch.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A clock for tests: it stands still until it is moved. A wait is over at once, moves it on and is written down.
#[cfg(any(test, feature = "testing"))]
pub struct TestClock {
    start: Instant,
    passed: parking_lot::Mutex<Duration>,
    ms: std::sync::atomic::AtomicI64,
    /// Every wait, in order.
    pub sleeps: parking_lot::Mutex<Vec<Duration>>,
}

#[cfg(any(test, feature = "testing"))]
impl TestClock {
    /// At a time of day, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn at(ms: i64) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self {
            start: Instant::now(),
            passed: parking_lot::Mutex::default(),
            ms: ms.into(),
            sleeps: parking_lot::Mutex::default(),
        })
    }

    /// In the year 2027.
    #[must_use]
    pub fn new() -> std::sync::Arc<Self> {
        Self::at(1_800_000_000_000)
    }

    /// Time passes.
    pub fn advance(&self, by: Duration) {
        *self.passed.lock() += by;
        self.ms.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), std::sync::atomic::Ordering::SeqCst);
    }

    /// Somebody sets the time of day; no time passes.
    pub fn set_ms(&self, ms: i64) {
        self.ms.store(ms, std::sync::atomic::Ordering::SeqCst);
    }
}

#[cfg(any(test, feature = "testing"))]
impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.ms.load(std::sync::atomic::Ordering::SeqCst)
    }

    fn now(&self) -> Instant {
        self.start + *self.passed.lock()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.sleeps.lock().push(duration);
        self.advance(duration);
        Box::pin(tokio::task::yield_now())
    }

    fn random(&self) -> f64 {
        0.5
    }
}
