//! SQLite without memory: every allocation fails once, and no index is set aside for it.
//!
//! A process of its own, because SQLite's allocator is one for all connections.
#![cfg(unix)]
#![expect(unsafe_code, clippy::unwrap_used, reason = "an allocator that fails, and tests that fail by panicking")]

use std::{
    ffi::{c_int, c_void},
    fs,
    path::Path,
    ptr::null_mut,
    sync::atomic::{AtomicI64, Ordering},
};

use model::{cancel::Cancel, error::Code};
use rusqlite::ffi;
use store::{OpenOptions, Store, embeddings::NewEmbedding};

/// Allocations until one fails; below 0 none does.
static LEFT: AtomicI64 = AtomicI64::new(-1);

/// Bytes in front of each allocation, which hold its size.
const HEAD: usize = 16;

/// # Safety
/// As `malloc`.
unsafe extern "C" fn take(bytes: c_int) -> *mut c_void {
    if LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left >= 0).then(|| left - 1)) == Ok(0) {
        return null_mut();
    }
    let bytes = usize::try_from(bytes).unwrap_or(0);
    // SAFETY: `HEAD` bytes more than asked for are taken, aligned for anything; the size is written into them.
    unsafe {
        let start = libc::malloc(bytes + HEAD);
        if start.is_null() {
            return start;
        }
        start.cast::<usize>().write(bytes);
        start.add(HEAD)
    }
}

/// # Safety
/// For what [`take`] gave.
unsafe extern "C" fn size(taken: *mut c_void) -> c_int {
    if taken.is_null() {
        return 0;
    }
    // SAFETY: `take` wrote the size there.
    unsafe { taken.sub(HEAD).cast::<usize>().read() as c_int }
}

/// # Safety
/// For what [`take`] gave, once.
unsafe extern "C" fn give_back(taken: *mut c_void) {
    if !taken.is_null() {
        // SAFETY: this is where `take` made it start.
        unsafe { libc::free(taken.sub(HEAD)) };
    }
}

/// # Safety
/// As `realloc`, for what [`take`] gave.
unsafe extern "C" fn resize(taken: *mut c_void, bytes: c_int) -> *mut c_void {
    // SAFETY: both are allocations of at least the number of bytes that is copied.
    unsafe {
        let larger = take(bytes);
        if !larger.is_null() && !taken.is_null() {
            larger.cast::<u8>().copy_from_nonoverlapping(taken.cast(), size(taken).min(bytes) as usize);
            give_back(taken);
        }
        larger
    }
}

extern "C" fn round_up(bytes: c_int) -> c_int {
    (bytes + 7) & !7
}

extern "C" fn start(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

extern "C" fn stop(_: *mut c_void) {}

/// Runs something in which one allocation fails; gives whether it came to it.
fn failing<T>(after: i64, work: impl FnOnce() -> T) -> (T, bool) {
    LEFT.store(after, Ordering::SeqCst);
    let outcome = work();
    (outcome, LEFT.swap(-1, Ordering::SeqCst) < 0)
}

const VECTORS: u64 = 20;

fn sample(path: &Path) {
    let store = Store::open(path, OpenOptions::default()).unwrap();
    store
        .write(|tx| {
            let space = tx.get_or_create_space("k")?.id;
            let vectors: Vec<_> =
                (0..VECTORS as u8).map(|n| NewEmbedding { hash: [n; 32], vector: vec![f32::from(n); 100] }).collect();
            tx.insert_embeddings(space, &vectors)?;
            Ok(())
        })
        .unwrap();
    store.close();
}

/// The number of vectors of an index, which must be the one that was made.
fn is_whole(path: &Path) -> bool {
    let names = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let set_aside = names.filter(|name| name.to_string_lossy().contains("corrupt")).count();
    let store = Store::open(path, OpenOptions::default()).unwrap();
    let vectors = store.read(|r| r.embedding_count()).unwrap();
    store.close();
    set_aside == 0 && vectors == VECTORS
}

/// A device short of memory lost its index at a start: "no memory" was taken for damage, and the file was replaced.
#[test]
fn no_memory_is_no_damage() {
    let methods = ffi::sqlite3_mem_methods {
        xMalloc: Some(take),
        xFree: Some(give_back),
        xRealloc: Some(resize),
        xSize: Some(size),
        xRoundup: Some(round_up),
        xInit: Some(start),
        xShutdown: Some(stop),
        pAppData: null_mut(),
    };
    // SAFETY: nothing has used SQLite in this process yet, and SQLite copies the methods.
    let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods) };
    assert_eq!(code, ffi::SQLITE_OK);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    sample(&path);
    assert!(is_whole(&path));

    let mut refused = 0;
    for after in (0..).map(|n| n * n / 64 + n) {
        let (opened, reached) = failing(after, || Store::open(&path, OpenOptions::default()));
        match opened {
            Ok(store) => {
                assert_eq!(store.opened().recovery, None, "allocation {after}");
                store.close();
            }
            Err(error) => {
                assert_eq!(error.code(), Code::Io, "allocation {after}: {error:?}");
                refused += 1;
            }
        }
        assert!(is_whole(&path), "allocation {after}");
        if !reached {
            break;
        }
    }
    assert!(refused > 20, "{refused}");

    let store = Store::open(&path, OpenOptions::default()).unwrap();
    for after in (0..).map(|n| n * n / 64 + n) {
        let work = || {
            let verified = store.file().unwrap().verify(&Cancel::new());
            let written = store.write(move |tx| tx.set_meta("k", &after.to_string()));
            (verified, written)
        };
        let ((verified, written), reached) = failing(after, work);
        for error in [verified.err(), written.err()].into_iter().flatten() {
            assert_eq!(error.code(), Code::Io, "allocation {after}: {error:?}");
        }
        assert!(!store.is_corrupt() && !store.is_suspect(), "allocation {after}");
        if !reached {
            break;
        }
    }
    store.close();
    assert!(is_whole(&path));
}
