//! Lowers the calling thread's priority, so that indexing never competes with the gateway.

/// Steps of niceness: enough that any normal thread goes first, without starving.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread for good. Best effort: where the system refuses, nothing changes.
pub fn lower() {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: takes no pointers; 0 is the calling thread (Linux keeps niceness per thread).
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS);
    }
    // On macOS niceness belongs to the whole process; threads have a quality of service instead.
    #[cfg(target_vendor = "apple")]
    // SAFETY: takes no pointers and concerns the calling thread only.
    unsafe {
        libc::pthread_set_qos_class_self_np(libc::qos_class_t::QOS_CLASS_UTILITY, 0);
    }
    #[cfg(windows)]
    // SAFETY: the pseudo handle of the calling thread is always valid.
    unsafe {
        use windows_sys::Win32::System::Threading::{
            GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
        };
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
    }
}
