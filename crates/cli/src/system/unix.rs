//! Ctrl-C and the wish of the system to end us: the first drains and summarises, the second aborts,
//! both keep what exists; the third ends the process at once.

use std::io::IsTerminal;
use std::os::raw::c_int;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tacho_engine::Interrupt;

use super::{StoppedBy, leave_screen};

/// Watches for signals on a thread of its own.
pub(crate) fn watch(interrupt: &Interrupt) -> Arc<StoppedBy> {
    let stopped_by = Arc::new(StoppedBy::default());
    // Without the handlers the default holds: a signal ends the process at once.
    // A file that may not grow is an error of the write and no reason to be ended.
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
        // Where memory does not suffice for a thread, the default holds too: the command reports the limit.
        let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
    }
    stopped_by
}

/// Passes a signal on. Whoever quits does not want to wait for a summary: that is the second press too.
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

/// The end of the terminal and the key that quits, unless whoever started us, such as `nohup`, wants them
/// ignored.
fn unless_ignored() -> impl Iterator<Item = c_int> {
    let ignored = ignored();
    let is_ignored = move |signal: c_int| match ignored {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        // Not known: `nohup` leaves no terminal behind.
        None => !std::io::stdout().is_terminal(),
    };
    [SIGHUP, SIGQUIT].into_iter().filter(move |signal| !is_ignored(*signal))
}

/// The signals that this process was started to ignore, one bit each, where the system says so.
#[expect(clippy::disallowed_methods, reason = "the system's word on our own process")]
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// As if Ctrl-C had come from the keyboard.
pub(crate) fn press_ctrl_c() {
    let _ = signal_hook::low_level::raise(SIGINT);
}

/// Whether the terminal listens to us. It would stop a process in the background that changes its modes.
pub(crate) fn is_in_foreground() -> bool {
    let group = rustix::termios::tcgetpgrp(std::io::stderr());
    group.is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The limit of the address space, of `ulimit -v`.
pub(crate) fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}
