//! Taking bytes out of a file that other programs append to.
//!
//! A file that is replaced by a copy of itself loses what a program appends that opened it before: it still writes to the
//! old one. So the file stays the same and is changed in place. Cutting it shorter has the same danger, because an append
//! can come between the last look and the cut. It is therefore only done while the system says that nobody else has the
//! file open, and keeps everybody who wants to open it waiting. In all other cases the bytes are written over with spaces
//! and the empty line stays: that concerns no other byte, whoever writes at the same time.
//!
//! What remains by nature: a program that has read the file before, and then writes all of it anew, brings back what it
//! has read.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
};

/// How often the bytes are looked for again when they have moved meanwhile.
const ATTEMPTS: usize = 20;

/// Takes the bytes that `find` names out of a file, which is open for reading and writing; false when it names none.
/// `read` gives the content of the file.
///
/// # Errors
/// What `read` gives, and when the file cannot be written or never rests.
pub(crate) fn take_out(
    file: &File,
    read: impl Fn(&File) -> io::Result<Vec<u8>>,
    find: impl Fn(&[u8]) -> Option<Range<usize>>,
) -> io::Result<bool> {
    let alone = exclusive::Hold::on(file);
    for _ in 0..ATTEMPTS {
        let content = read(file)?;
        let Some(range) = find(&content) else { return Ok(false) };
        if alone.is_some() {
            close_gap(file, &content, range)?;
            return Ok(true);
        }
        // Nothing is between this look and the write: whoever has moved the line by then is seen.
        let bytes = content.get(range.clone()).unwrap_or_default();
        if read_at(file, &range).is_ok_and(|now| now == bytes) {
            write_at(file, range.start, &blank(bytes))?;
            file.sync_data()?;
            return Ok(true);
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program keeps writing the file anew"))
}

/// Whether another program has a file open for writing, as far as the system knows; `file` is open for reading only. What that
/// program still writes would be lost with a file that is replaced.
pub(crate) fn is_written_elsewhere(file: &File) -> bool {
    exclusive::is_written(file)
}

/// Moves what follows up, then cuts the file. For a moment the gap is at the end, so that the cut takes nothing but
/// spaces, however late or never it is done.
fn close_gap(file: &File, content: &[u8], range: Range<usize>) -> io::Result<()> {
    let mut moved = content.get(range.end..).unwrap_or_default().to_vec();
    moved.extend(blank(content.get(range.clone()).unwrap_or_default()));
    write_at(file, range.start, &moved)?;
    file.sync_data()?;
    file.set_len((content.len() - range.len()) as u64)?;
    file.sync_data()
}

/// As many bytes that say nothing: an empty line.
fn blank(bytes: &[u8]) -> Vec<u8> {
    let mut spaces = vec![b' '; bytes.len()];
    if let Some(last) = spaces.last_mut() {
        *last = b'\n';
    }
    spaces
}

fn read_at(mut file: &File, range: &Range<usize>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; range.len()];
    file.seek(SeekFrom::Start(range.start as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn write_at(mut file: &File, at: usize, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at as u64))?;
    file.write_all(bytes)
}

/// Having a file to oneself, as far as the system knows such a thing.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod exclusive {
    #![expect(unsafe_code, reason = "rustix has no safe call for leases")]

    use std::{fs::File, os::fd::AsRawFd, time::Duration};

    /// A file that is just being looked at by somebody is tried again.
    const ATTEMPTS: u32 = 10;
    const PAUSE: Duration = Duration::from_millis(2);

    /// `fcntl(2)`; not in every libc.
    const F_SETSIG: libc::c_int = 10;

    /// A write lease: nobody else has the file open, and who opens it waits until this is dropped.
    pub(super) struct Hold<'a>(&'a File);

    impl<'a> Hold<'a> {
        /// None when somebody else has the file open, when it is another user's, or on a file system without leases.
        pub(super) fn on(file: &'a File) -> Option<Self> {
            lease(file, libc::F_WRLCK).is_ok().then_some(Self(file))
        }
    }

    /// Nobody gets a lease to read while somebody has the file open for writing.
    pub(super) fn is_written(file: &File) -> bool {
        match lease(file, libc::F_RDLCK) {
            Ok(()) => {
                control(file, libc::F_SETLEASE, libc::F_UNLCK);
                false
            }
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }

    fn lease(file: &File, kind: libc::c_int) -> std::io::Result<()> {
        // Who is kept waiting is announced by a signal. The usual one would end the process; this one is ignored by a
        // process that does not want it.
        if !control(file, F_SETSIG, libc::SIGURG) {
            return Err(std::io::Error::last_os_error());
        }
        let mut attempt = 1;
        while !control(file, libc::F_SETLEASE, kind) {
            let error = std::io::Error::last_os_error();
            if error.kind() != std::io::ErrorKind::WouldBlock || attempt == ATTEMPTS {
                return Err(error);
            }
            attempt += 1;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    impl Drop for Hold<'_> {
        fn drop(&mut self) {
            // It ends with the file at the latest.
            control(self.0, libc::F_SETLEASE, libc::F_UNLCK);
        }
    }

    fn control(file: &File, command: libc::c_int, value: libc::c_int) -> bool {
        // SAFETY: these commands take an integer, and the descriptor is open for as long as `file` lives.
        unsafe { libc::fcntl(file.as_raw_fd(), command, value) == 0 }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod exclusive {
    use std::fs::File;

    /// Nothing here keeps other programs out.
    pub(super) struct Hold;

    impl Hold {
        pub(super) const fn on(_: &File) -> Option<Self> {
            None
        }
    }

    /// Nothing here tells.
    pub(super) const fn is_written(_: &File) -> bool {
        false
    }
}
