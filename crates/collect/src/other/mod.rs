//! Functions that report facts about the machine on systems other than Linux. On Linux, they return `None`.

#[cfg(windows)]
mod windows;

#[cfg_attr(target_os = "linux", path = "none.rs")]
#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
mod platform;

#[cfg(not(unix))]
pub(crate) use platform::{cpu_time, disk};
pub(crate) use platform::{host, host_reading, memory, processors, storage};
