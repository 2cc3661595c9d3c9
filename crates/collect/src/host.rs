//! The machine that generates the load.

#![expect(clippy::disallowed_methods, reason = "reads kernel files that describe the machine")]

use std::path::Path;

use crate::other;

/// Description of a machine, which is part of every run's record. Unknown properties are empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Network name.
    pub name: String,
    /// Operating system and version, such as `Debian GNU/Linux 12 (bookworm)`.
    pub os: String,
    /// Kernel version.
    pub kernel: String,
    /// Processor architecture, such as `x86_64`.
    pub arch: String,
    /// Processor model.
    pub cpu: String,
    /// Number of cores available to this process.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// Describes this machine.
pub fn host() -> Host {
    other::host().unwrap_or_else(|| Host {
        name: line("/proc/sys/kernel/hostname"),
        os: field("/etc/os-release", "PRETTY_NAME", '=')
            .unwrap_or_else(|| std::env::consts::OS.into()),
        kernel: line("/proc/sys/kernel/osrelease"),
        arch: std::env::consts::ARCH.into(),
        cpu: field("/proc/cpuinfo", "model name", ':').unwrap_or_default(),
        cores: cores(),
        memory_bytes: memory_bytes(),
    })
}

/// Returns the number of cores available to this process, which is at least 1.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

fn memory_bytes() -> u64 {
    let text = field("/proc/meminfo", "MemTotal", ':').unwrap_or_default();
    text.trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

/// Returns the content of a kernel file, or an empty string if it cannot be read.
pub(crate) fn line(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// Returns the value in the first line of the form `key <separator> value`, without quotes.
pub(crate) fn field(path: &str, key: &str, separator: char) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores() {
        let host = host();
        assert!(host.cores >= 1);
        assert!(!host.arch.is_empty() && !host.os.is_empty());
    }
}
