//! Handles Ctrl-C, Ctrl-Break, closing the console window, logging off and system shutdown on Windows.

use std::sync::{Arc, OnceLock};

use tacho_engine::Interrupt;

use super::{INTERRUPT, StoppedBy, leave_screen};

/// The Ctrl-C handler. The live view reads Ctrl-C as a key, so it calls this handler itself.
static PRESSED: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Handles Ctrl-C on a system thread. The first press lets the sessions finish their transactions, the second aborts
/// them, and the third ends the process.
pub(crate) fn watch(interrupt: &Interrupt) -> Arc<StoppedBy> {
    let stopped_by = Arc::new(StoppedBy::default());
    let (interrupt, seen) = (interrupt.clone(), Arc::clone(&stopped_by));
    let pressed = move || {
        seen.note(INTERRUPT);
        let was = interrupt.interrupt_count();
        interrupt.press();
        if was > 1 {
            let _still = leave_screen();
            end();
        }
    };
    let _ = PRESSED.set(Box::new(pressed));
    // If the handler cannot be installed, Ctrl-C ends the process immediately.
    let _ = ctrlc::set_handler(press_ctrl_c);
    stopped_by
}

/// Acts as if Ctrl-C had been pressed outside the live view.
pub(crate) fn press_ctrl_c() {
    if let Some(pressed) = PRESSED.get() {
        pressed();
    }
}

#[expect(clippy::exit, reason = "the third Ctrl-C ends the process even if something hangs")]
fn end() {
    std::process::exit(128 + INTERRUPT);
}

/// Returns true, because a Windows console always accepts output from this process.
pub(crate) fn is_in_foreground() -> bool {
    true
}

/// Returns `None`, because Windows has no address space limit.
pub(crate) fn address_space() -> Option<u64> {
    None
}
