//! Puts the weights file where it can be mapped: copied once from the installed package into the state directory.
//!
//! The package itself is no place to map from: hosts since 2026.9.5 run plugins from a copy that is deleted at exit,
//! and replacing a package while its file is mapped fails on Windows. A file in the state directory is named after its
//! content, so it never changes, and an upgrade brings its own.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process,
    time::{Duration, SystemTime},
};

use sha2::{Digest, Sha256};

use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Where the weights are in the package, below its root. Hosts leave folders of this name out of the copies they make
/// of a plugin (`model/README.md`), so this is to be joined to the real root, not to the folder the code runs in.
pub const IN_PACKAGE: &str = "model/node_modules/all-minilm-l6-v2.bin";
/// Folder of weights files inside our state directory.
const FOLDER: &str = "models";
/// What else lies in the folder after so long belongs to an older version or to a process that was killed.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// SHA-256 of the weights file this engine was built with, in hexadecimal.
#[must_use]
pub fn sha256() -> &'static str {
    include_str!("../../../../model/all-minilm-l6-v2.sha256").trim_ascii_end()
}

/// The weights file in `state` (our own folder in the host's state directory), copied there from the first of
/// `candidates` that has the right content if it is not there yet.
///
/// # Errors
/// When no candidate has the right content, or the state directory cannot be written.
pub fn locate(candidates: &[PathBuf], state: &Path) -> Result<PathBuf> {
    let folder = state.join(FOLDER);
    let target = folder.join(format!("{}.bin", sha256()));
    // It was hashed before it got this name.
    if target.is_file() {
        return Ok(target);
    }
    let mut refused = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.is_file()) {
        if unpack(candidate, &folder, &target)? {
            remove_leftovers(&folder, &target);
            return Ok(target);
        }
        refused.push(candidate.display().to_string());
    }
    let cause = if refused.is_empty() {
        "the weights of the embedded model are not installed".to_owned()
    } else {
        format!("the weights of the embedded model are damaged: {}", refused.join(", "))
    };
    Err(Error::new(Code::NotFound, cause).remedy("Install memory-core-rs again, or choose another embedding provider"))
}

/// Copies the file under its final name; false when its content is not the one expected.
fn unpack(source: &Path, folder: &Path, target: &Path) -> Result<bool> {
    own_file::create_folder(folder).map_err(|e| Error::io(folder, &e))?;
    let temporary = folder.join(format!("{}.{}.tmp", sha256(), process::id()));
    let copied = copy_hashed(source, &temporary);
    let outcome = match copied {
        Ok(hash) if hash == sha256() => fs::rename(&temporary, target).map(|()| true),
        Ok(_) => Ok(false),
        Err(error) => Err(error),
    };
    if !matches!(outcome, Ok(true)) {
        // Best effort: what remains is removed by a later upgrade.
        let _ = fs::remove_file(&temporary);
    }
    match outcome {
        // Another process was faster, and renaming over a file that it has mapped is refused on Windows.
        Err(_) if target.is_file() => Ok(true),
        outcome => outcome.map_err(|e| Error::io(target, &e).context("unpacking the embedded model")),
    }
}

/// Copies a file to disk and returns the SHA-256 of its content.
fn copy_hashed(source: &Path, target: &Path) -> io::Result<String> {
    let mut from = File::open(source)?;
    let mut to = own_file::options().write(true).create(true).truncate(true).open(target)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = from.read(&mut buffer)?;
        let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else { break };
        hasher.update(part);
        to.write_all(part)?;
    }
    // The name promises the content, also after a power cut.
    to.sync_all()?;
    Ok(hex::encode(hasher.finalize()))
}

/// Removes what older versions and killed processes left behind. Best effort: none of it does harm.
fn remove_leftovers(folder: &Path, keep: &Path) {
    let old = |path: &Path| {
        let modified = fs::metadata(path).and_then(|meta| meta.modified()).ok()?;
        Some(SystemTime::now().duration_since(modified).ok()? > LEFTOVER_AGE)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path != keep && old(&path) == Some(true) {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed() -> PathBuf {
        super::super::tests::installed_weights()
    }

    #[test]
    fn unpacks_once_and_then_needs_no_package() {
        let state = tempfile::tempdir().unwrap();
        let missing = state.path().join("nowhere.bin");
        let path = locate(&[missing, installed()], state.path()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(installed()).unwrap());
        assert_eq!(locate(&[], state.path()).unwrap(), path);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn refuses_other_content_and_leaves_nothing() {
        let state = tempfile::tempdir().unwrap();
        let damaged = state.path().join("damaged.bin");
        fs::write(&damaged, b"not the weights").unwrap();
        let error = locate(std::slice::from_ref(&damaged), state.path()).unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.message.contains("damaged.bin"), "{error}");
        assert_eq!(fs::read_dir(state.path().join(FOLDER)).unwrap().count(), 0);
        assert!(locate(&[damaged, installed()], state.path()).is_ok(), "the next candidate is tried");
    }

    #[test]
    fn removes_only_old_leftovers() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        let (old, fresh) = (folder.join("old.bin"), folder.join("fresh.tmp"));
        fs::write(&fresh, b"").unwrap();
        File::create(&old).unwrap().set_modified(SystemTime::now() - 2 * LEFTOVER_AGE).unwrap();
        locate(&[installed()], state.path()).unwrap();
        assert!(!old.exists());
        assert!(fresh.exists());
    }
}
