//! Handles requests to stop, such as Ctrl-C. After the first one, the sessions finish their transactions. The second
//! one aborts them but keeps the results. The third one ends the process immediately.

use std::io::IsTerminal;
use std::os::raw::c_int;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tacho_engine::Interrupt;

use super::{StoppedBy, leave_screen};

/// Handles signals on a separate thread.
pub(crate) fn watch(interrupt: &Interrupt) -> Arc<StoppedBy> {
    let stopped_by = Arc::new(StoppedBy::default());
    // If the handlers cannot be installed, a signal ends the process at once.
    //
    // SIGXFSZ is handled so that a file that becomes too large causes an error instead of ending the process.
    let watched = [SIGINT, SIGTERM, SIGXFSZ].into_iter().chain(unless_ignored());
    if let Ok(mut signals) = Signals::new(watched) {
        let (interrupt, seen) = (interrupt.clone(), Arc::clone(&stopped_by));
        let watch = move || {
            for signal in signals.forever().filter(|signal| *signal != SIGXFSZ) {
                seen.note(signal);
                let was = interrupt.interrupt_count();
                press(&interrupt, signal);
                if was > 1 {
                    let _still = leave_screen();
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        };
        // A memory limit may prevent this thread from starting. Signals then have their default effect, and the
        // command reports the limit later.
        let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
    }
    stopped_by
}

/// Passes a signal on. SIGQUIT counts as two requests to stop, because the user who sends it does not want to wait
/// for a summary.
fn press(interrupt: &Interrupt, signal: c_int) {
    match signal {
        SIGINT => interrupt.press(),
        SIGQUIT => {
            interrupt.terminate();
            interrupt.press();
        }
        _ => interrupt.terminate(),
    }
}

/// Returns SIGHUP and SIGQUIT, except those that the process was started to ignore. For example, `nohup` ignores
/// SIGHUP.
fn unless_ignored() -> impl Iterator<Item = c_int> {
    let ignored = ignored();
    let is_ignored = move |signal: c_int| match ignored {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        // If the ignored signals are unknown, look at the output. If it is not a terminal, the program may have been
        // started with `nohup`, so ignore both signals.
        None => !std::io::stdout().is_terminal(),
    };
    [SIGHUP, SIGQUIT].into_iter().filter(move |signal| !is_ignored(*signal))
}

/// Returns the signals that were already ignored when this process started, with one bit for each signal. Returns
/// `None` if they are unknown.
#[expect(
    clippy::disallowed_methods,
    reason = "reads the operating system's information about this process"
)]
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Raises the signal as if Ctrl-C had been pressed on the keyboard.
pub(crate) fn press_ctrl_c() {
    let _ = signal_hook::low_level::raise(SIGINT);
}

/// Returns true if this process is in the foreground. If a background process changes the terminal's modes, the
/// terminal stops it.
pub(crate) fn is_in_foreground() -> bool {
    let group = rustix::termios::tcgetpgrp(std::io::stderr());
    group.is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Returns the address space limit set by `ulimit -v`.
pub(crate) fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}
