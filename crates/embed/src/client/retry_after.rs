//! The header by which a server says how long to wait.

use std::time::{Duration, SystemTime};

/// The wait that a `Retry-After` header asks for, uncapped: seconds or an HTTP date.
#[must_use]
pub(super) fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Beyond a year the number means nothing; the cap keeps the conversion from overflowing.
        return (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(31_536_000.0)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let now = httpdate::parse_http_date("Fri, 20 Nov 2026 18:00:00 GMT").unwrap();
        assert_eq!(parse_retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(parse_retry_after("0.25", now), Some(Duration::from_millis(250)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 18:00:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 17:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("-3", now), None);
        assert_eq!(parse_retry_after("soon", now), None);
        assert!(parse_retry_after("1e300", now).is_some());
    }
}
