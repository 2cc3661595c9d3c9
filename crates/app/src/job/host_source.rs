//! Machines to observe.

use tacho_collect::HostReading;
use tacho_core::Result;
use tacho_store::record::HostRecord;

/// A machine that answers from elsewhere.
pub trait HostSource: Send + Sync {
    /// Its address, without secrets.
    fn address(&self) -> &str;

    /// What kind of machine it is.
    fn host(&self) -> Result<HostRecord>;

    /// Its counters now.
    fn read(&self) -> Result<HostReading>;
}
