//! Clocks: for threads that block, for tasks on an event loop, and a virtual one.

mod bell;
mod blocking;
mod signal;
mod task;
mod virtual_time;

pub use blocking::BlockingClock;
pub use signal::Signal;
pub use task::TaskClock;
pub use virtual_time::{VirtualClock, block_on_virtual};
