//! Observes the host, Tacho's own process and the server, and reads the wall clock.
//!
//! This crate must not write run files or print anything. Facts that are unknown are left empty and are never guessed.

mod hiccup;
mod host;
mod machine;
mod observe;
mod other;
mod process;
mod server;
mod storage;
mod tree;

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
pub use tree::{CpuMeter, CpuReading, allowed_cores};
