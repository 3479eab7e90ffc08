//! Files that are written before they get their name, so that whoever reads them under it finds them whole: how they are
//! named meanwhile, and which of them a killed process has left.

use std::{
    fs::Metadata,
    time::{Duration, SystemTime},
};

/// Nobody writes one file for so long.
pub const ABANDONED_AFTER: Duration = Duration::from_secs(600);

const END: &str = ".tmp";
/// Hexadecimal digits of the name.
const DIGITS: usize = 32;

/// A name that nobody can know before.
#[must_use]
pub fn name() -> String {
    format!(".{}{END}", uuid::Uuid::new_v4().simple())
}

/// Whether it is such a name. Those of other programs, which may end so too, are not.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix('.').and_then(|name| name.strip_suffix(END));
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// When something last happened to a file. When it was modified says too little: that may be set to a time long ago while it
/// is being written.
#[must_use]
pub fn touched(metadata: &Metadata) -> Option<SystemTime> {
    #[cfg(unix)]
    let other = {
        use std::os::unix::fs::MetadataExt;
        u64::try_from(metadata.ctime()).ok().map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    };
    #[cfg(not(unix))]
    let other = metadata.created().ok();
    metadata.modified().ok().max(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_as_ours_and_no_other_is() {
        let made = name();
        assert!(is_name(&made), "{made}");
        for other in [
            "",
            ".tmp",
            "..tmp",
            "0f8fad5bd9cb469fa16570867728950e.tmp",
            ".0f8fad5bd9cb469fa16570867728950.tmp",
            ".0F8FAD5BD9CB469FA16570867728950E.tmp",
            ".0f8fad5b-d9cb-469f-a165-70867728950e.tmp",
            ".0f8fad5bd9cb469fa16570867728950e.tmp.md",
            ".0f8fad5bd9cb469fa16570867728950é.tmp",
            ".memory.md.tmp",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }

    // A note that comes from another gateway has its time before it has its name.
    #[test]
    fn a_file_that_is_dated_back_is_as_young_as_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let age = touched(&file.path().metadata().unwrap()).unwrap().elapsed().unwrap_or_default();
        assert!(age < ABANDONED_AFTER, "{age:?}");
    }
}
