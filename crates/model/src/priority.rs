//! Lowers the priority of this addon's threads, so that they never compete with the gateway's event loop.

/// What a thread is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Somebody waits for it: searches, requests, files that are read.
    Answers,
    /// Nobody waits for it: embedding notes.
    Background,
}

/// Lowers the priority of the calling thread for good. Best effort: where the system refuses, nothing changes.
#[cfg_attr(not(windows), expect(unsafe_code, reason = "calls of the system that take no pointers"))]
pub fn lower(work: Work) {
    // Steps of niceness: a thread that waits for an event goes first, and nobody starves.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let niceness = match work {
        Work::Answers => 4,
        Work::Background => 10,
    };
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: takes no pointers; 0 is the calling thread (Linux keeps niceness per thread).
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, niceness);
    }
    // On macOS niceness belongs to the whole process; threads have a quality of service instead.
    #[cfg(target_vendor = "apple")]
    let class = match work {
        Work::Answers => libc::qos_class_t::QOS_CLASS_USER_INITIATED,
        Work::Background => libc::qos_class_t::QOS_CLASS_UTILITY,
    };
    #[cfg(target_vendor = "apple")]
    // SAFETY: takes no pointers and concerns the calling thread only.
    unsafe {
        libc::pthread_set_qos_class_self_np(class, 0);
    }
    #[cfg(windows)]
    if work == Work::Background {
        lower_on_windows();
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
    let _ = work;
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "calls of the system that take no pointers but a handle")]
fn lower_on_windows() {
    // SAFETY: the pseudo handle of the calling thread is always valid.
    unsafe {
        use windows_sys::Win32::System::Threading::{
            GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
        };
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
    }
}
