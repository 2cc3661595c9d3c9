//! Clocks for blocking threads, for tasks on an event loop, and for virtual time.

mod bell;
mod blocking;
mod signal;
mod task;
mod virtual_time;

pub use blocking::BlockingClock;
pub use signal::Signal;
pub use task::TaskClock;
pub use virtual_time::{VirtualClock, block_on_virtual};
