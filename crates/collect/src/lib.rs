//! Observers of the host, of our own process, and of the calendar.
//!
//! It reads the operating system and nothing else; no database, no run file. Linux comes first;
//! elsewhere unknown facts are empty, never guessed.

mod host;
mod process;

pub use host::{Host, cores, host};
pub use process::{cpu_time, local_time, wall_clock};
