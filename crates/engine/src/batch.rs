//! Scheduling policy for the threads that run event loops.
//!
//! If the load generator and the server share a host, each response wakes up an event loop. Under the default policy,
//! the loop preempts a server process to handle this single response, and the server resumes only after two more
//! context switches. Under `SCHED_BATCH` (see sched(7)), the loop runs when a core is free, and by then it finds
//! several responses.

/// Stops the calling thread from preempting other threads when it wakes up. This does not require any privileges. If
/// the kernel rejects the request, as in some containers, the thread keeps the default policy; this costs time but does
/// not change any results.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no dependency provides this call, and musl's version does nothing")]
pub(crate) fn keep_from_preempting() {
    let (thread, priority): (libc::pid_t, libc::c_int) = (0, 0);
    let call = libc::SYS_sched_setscheduler;
    // SAFETY: the kernel reads one integer from the pointer, which is the priority; this policy requires priority 0.
    let _ = unsafe { libc::syscall(call, thread, libc::SCHED_BATCH, &raw const priority) };
}

/// Does nothing, because this policy does not exist on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_from_preempting() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// Returns field 41 of the line, which contains the policy. The program name, which is in parentheses, may contain
    /// spaces.
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
