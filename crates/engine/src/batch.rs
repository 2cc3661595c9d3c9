//! How the kernel schedules the thread of an event loop.
//!
//! On a host that the server shares, each answer wakes the loop. With the usual policy it interrupts a server process
//! for this one answer, and the server continues after two more switches of context. With `SCHED_BATCH` (sched(7)) it runs
//! when the core is free, and finds several answers.

/// Asks that the calling thread interrupts no other one when it wakes; no right is needed. Where the kernel refuses,
/// as in some containers, the thread keeps the usual policy, which costs time and changes no result.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "no crate of the workspace has this call, and that of musl does nothing"
)]
pub(crate) fn keep_from_preempting() {
    let (thread, priority): (libc::pid_t, libc::c_int) = (0, 0);
    let call = libc::SYS_sched_setscheduler;
    // SAFETY: the kernel reads one integer, the priority, behind the pointer, and this policy has no other than 0.
    let _ = unsafe { libc::syscall(call, thread, libc::SCHED_BATCH, &raw const priority) };
}

/// Other systems have no such policy.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_from_preempting() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// The policy is the 41st field of the line; the name of the program, in parentheses, may contain spaces.
    #[expect(clippy::disallowed_methods, reason = "only the kernel knows the policy of a thread")]
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
