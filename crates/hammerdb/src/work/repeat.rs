//! Repeats work as configured in the virtual user options.

use std::time::Duration;

use tacho_app::{Context, Exit};

/// Number of repetitions, and the pause between them.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// Number of repetitions.
    pub times: u32,
    /// Time between the end of one repetition and the start of the next.
    pub pause: Duration,
}

impl Repeat {
    /// Repeats the work until a repetition fails or the user stops it. `once` performs one repetition, and its argument
    /// says whether this is the last one.
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

/// Waits between two repetitions. Returns false if the wait was interrupted.
pub(super) fn rest(pause: Duration, context: &Context) -> bool {
    let step = Duration::from_millis(50);
    let mut left = pause;
    while !left.is_zero() && !context.interrupted() {
        std::thread::park_timeout(left.min(step));
        left = left.saturating_sub(step);
    }
    !context.interrupted()
}
