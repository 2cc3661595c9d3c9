//! Work that a server postpones while it is busy.
//!
//! Start reading at [`DeferredWork`].

use tacho_core::Result;

use crate::BoxFuture;

/// Work that a busy server postpones, such as writing dirty pages to disk. After a run, Tacho asks the server to do
/// this work.
pub trait DeferredWork: Send {
    /// Returns the kinds of work in the order in which they are done. The last kind writes changed data to disk, as a
    /// checkpoint does.
    fn kinds(&self) -> &'static [&'static str];

    /// Makes the server do one kind of work as fast as possible. Returns the amount of work.
    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>>;

    /// Returns how much work of the current kind is left.
    fn left(&mut self) -> BoxFuture<'_, Result<Left>>;

    /// Stops the work and restores all settings that were changed for it. Called even if [`Self::begin`] failed.
    fn end(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// The remaining deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The amount of work, in the unit of its kind.
    pub amount: u64,
    /// The progress of the work.
    pub pace: Pace,
}

/// The progress of the deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The server reports that it is working.
    Working,
    /// The server has reported that it is done, even if some work is left.
    Over,
    /// The server does not report when it is done, so the caller must check how much work is left.
    Unknown,
}
