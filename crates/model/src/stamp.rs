//! What tells a changed file from an unchanged one.

use std::{fs::Metadata, time::UNIX_EPOCH};

/// What tells a changed file from an unchanged one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch.
    pub mtime_ns: i64,
}

impl Stamp {
    /// Stands for a modification time that cannot be trusted; no file ever has it, so the file is read again.
    pub const UNSETTLED: i64 = i64::MIN;
}

/// Modification time in nanoseconds since the epoch; 0 where the file system has none.
#[must_use]
pub fn mtime_ns(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else { return 0 };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}
