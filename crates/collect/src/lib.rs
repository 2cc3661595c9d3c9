//! Observers of the host, of our own process, of the server, and of the calendar.
//!
//! It writes no run file and prints nothing. Linux comes first; `other` asks other systems for what they have. Unknown facts
//! are empty, never guessed.

mod hiccup;
mod host;
mod machine;
mod observe;
mod other;
mod process;
mod server;
mod storage;

pub use hiccup::{HiccupMeter, Hiccups};
pub use host::{Host, cores, host};
pub use machine::{
    Disk, Memory, OpenFiles, clock_source, cpu_quota, disk, governors, is_virtual, memory,
    open_files, processors,
};
pub use observe::{
    CpuTicks, DiskCounters, HostReading, NetworkCounters, NumaNode, Pressure, host_reading,
    tick_seconds,
};
pub use process::{ClockPair, cpu_time, local_time, wall_clock};
pub use server::{Gauge, ServerSeen, ServerWatch};
pub use storage::{Storage, storage};
