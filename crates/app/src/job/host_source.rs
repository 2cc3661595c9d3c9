//! Machines to observe.

use tacho_collect::HostReading;
use tacho_core::Result;
use tacho_store::record::HostRecord;

/// A remote machine whose counters are collected.
pub trait HostSource: Send + Sync {
    /// Returns the machine's address without passwords.
    fn address(&self) -> &str;

    /// Returns a description of the machine.
    fn host(&self) -> Result<HostRecord>;

    /// Returns the current counters.
    fn read(&self) -> Result<HostReading>;
}
