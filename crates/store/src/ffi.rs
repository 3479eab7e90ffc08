//! The only unsafe code of the store: what rusqlite has no safe call for.
#![expect(unsafe_code, reason = "rusqlite has no safe call for these")]

use rusqlite::{Connection, ffi};

use crate::error::of_sqlite;
use model::error::Result;

/// `int xEntryPoint(sqlite3*, char**, const sqlite3_api_routines*)`, the signature of every SQLite extension.
type EntryPoint =
    unsafe extern "C" fn(*mut ffi::sqlite3, *mut *mut std::ffi::c_char, *const ffi::sqlite3_api_routines) -> i32;

/// Adds the functions of sqlite-vec to one connection (`vec_distance_cosine` is what we use).
///
/// # Errors
/// When SQLite refuses the registration.
pub(crate) fn register_vec(conn: &Connection) -> Result<()> {
    // SAFETY: sqlite-vec declares its entry point without arguments, but the C function has the signature of
    // every SQLite extension, and is linked with SQLITE_CORE, so that it needs no routine table (null is what
    // SQLite itself passes to built-in extensions).
    let entry: EntryPoint = unsafe { std::mem::transmute(sqlite_vec::sqlite3_vec_init as *const ()) };
    let mut message = std::ptr::null_mut();
    // SAFETY: the handle is open for as long as `conn` lives, and no other thread uses it: `conn` is not Sync.
    let code = unsafe { entry(conn.handle(), &raw mut message, std::ptr::null()) };
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    if !message.is_null() {
        // SAFETY: SQLite's convention: the message was made by sqlite3_mprintf and is ours to free.
        unsafe { ffi::sqlite3_free(message.cast()) };
    }
    let failure = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
    Err(of_sqlite(failure).context("sqlite-vec could not be registered"))
}

/// The `errno` of the operating-system call that failed last on this connection, 0 = none.
pub(crate) fn system_errno(conn: &Connection) -> i32 {
    // SAFETY: reads one field of an open handle that no other thread uses.
    unsafe { ffi::sqlite3_system_errno(conn.handle()) }
}

/// Turns extension loading off for good on this connection: the bundled build has it on.
pub(crate) fn disable_load_extension(conn: &Connection) {
    // SAFETY: changes two flags of an open handle that no other thread uses; it cannot fail on an open handle.
    unsafe { ffi::sqlite3_enable_load_extension(conn.handle(), 0) };
}
