//! What systems other than Linux tell of the machine. On Linux every answer is `None`: the kernel's files
//! have been asked already.

#[cfg(windows)]
mod windows;

#[cfg_attr(target_os = "linux", path = "none.rs")]
#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
mod own;

#[cfg(not(unix))]
pub(crate) use own::{cpu_time, disk};
pub(crate) use own::{host, host_reading, memory, processors, storage};
