//! Work that is done several times, as the options of virtual users say.

use std::time::Duration;

use tacho_app::{Context, Exit};

/// How often, and the pause in between.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// How often.
    pub times: u32,
    /// Between one end and the next begin.
    pub pause: Duration,
}

impl Repeat {
    /// Does it until one time fails or the user stops it; `once` learns whether it is the last time.
    pub(super) fn run(self, context: &Context, mut once: impl FnMut(bool) -> Exit) -> Exit {
        let mut exit = Exit::Success;
        for number in 1..=self.times {
            if number > 1 && !rest(self.pause, context) {
                break;
            }
            exit = once(number == self.times);
            if exit != Exit::Success {
                break;
            }
        }
        exit
    }
}

/// Waits, and says whether the wait was not cut short.
pub(super) fn rest(pause: Duration, context: &Context) -> bool {
    let step = Duration::from_millis(50);
    let mut left = pause;
    while !left.is_zero() && !context.interrupted() {
        std::thread::park_timeout(left.min(step));
        left = left.saturating_sub(step);
    }
    !context.interrupted()
}
