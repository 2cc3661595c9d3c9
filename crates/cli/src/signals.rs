//! Ctrl-C and the wish of the system to end us: the first drains and summarises, the second aborts,
//! both keep what exists; the third ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tacho_app::Exit;
use tacho_engine::Interrupt;

/// The first signal that came.
#[derive(Debug, Default)]
pub(crate) struct StoppedBy(AtomicI32);

impl StoppedBy {
    /// Its exit code.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::SeqCst) {
            SIGINT => Some(Exit::Interrupted),
            SIGTERM => Some(Exit::Terminated),
            _ => None,
        }
    }
}

/// Watches for signals on a thread of its own.
pub(crate) fn watch(interrupt: &Interrupt) -> Arc<StoppedBy> {
    let stopped_by = Arc::new(StoppedBy::default());
    // Without the handlers the default holds: a signal ends the process at once.
    // A file that may not grow is an error of the write and no reason to be ended.
    if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGXFSZ]) {
        let (interrupt, seen) = (interrupt.clone(), Arc::clone(&stopped_by));
        std::thread::spawn(move || {
            for signal in signals.forever().filter(|signal| *signal != SIGXFSZ) {
                let _ = seen.0.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                if signal == SIGTERM {
                    interrupt.terminate();
                } else {
                    interrupt.press();
                }
                if interrupt.presses() > 2 {
                    let _still = leave_screen();
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        });
    }
    stopped_by
}

/// Gives the terminal back before a signal ends the process that drains nothing. Only called for a
/// view: without one such signals are left to whoever started us, such as `nohup`.
pub(crate) fn give_back_at_end() {
    if let Ok(mut signals) = Signals::new([SIGHUP, SIGQUIT]) {
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let _still = leave_screen();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }
}

/// Gives the terminal back; while the lock is held nothing is drawn on it any more.
fn leave_screen() -> std::io::StderrLock<'static> {
    let still = std::io::stderr().lock();
    tacho_tui::give_back();
    still
}
