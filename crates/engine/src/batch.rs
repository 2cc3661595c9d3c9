//! Scheduling policy for the threads that run event loops.
//!
//! If Tacho shares a host with the server, each response wakes an event loop, which then preempts a server process.
//! This costs two extra context switches. Under `SCHED_BATCH` (see sched(7)), the loop waits for a free core instead
//! and then handles several responses at once.

/// Prevents the calling thread from preempting other threads when it wakes up. If the system refuses this, only
/// performance suffers.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no dependency provides this call, and musl's version does nothing")]
pub(crate) fn keep_from_preempting() {
    let (thread, priority): (libc::pid_t, libc::c_int) = (0, 0);
    let call = libc::SYS_sched_setscheduler;
    // SAFETY: the kernel reads one integer, the priority, which must be 0 for this policy.
    let _ = unsafe { libc::syscall(call, thread, libc::SCHED_BATCH, &raw const priority) };
}

/// Does nothing, because only Linux has this scheduling policy.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_from_preempting() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// Returns field 41 of a line from `/proc`, which is the scheduling policy. The program name in parentheses may
    /// contain spaces.
    #[expect(clippy::disallowed_methods, reason = "only the kernel knows a thread's policy")]
    fn policy() -> Option<String> {
        let line = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        line.rsplit_once(')')?.1.split_whitespace().nth(41 - 3).map(str::to_owned)
    }

    #[test]
    fn only_the_calling_thread_changes() {
        let changed = std::thread::spawn(|| {
            super::keep_from_preempting();
            policy()
        });
        assert_eq!(changed.join().ok().flatten().as_deref(), Some("3"), "SCHED_BATCH");
        assert_eq!(policy().as_deref(), Some("0"), "SCHED_OTHER");
    }
}
