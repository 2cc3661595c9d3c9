//! Work that a server defers while it is busy.
//!
//! Start reading at [`DeferredWork`].

use tacho_core::Result;

use crate::BoxFuture;

/// Work that a server defers while it is busy, such as writing dirty pages to disk. After a run, the server is made to
/// finish this work, one kind after the other. Afterwards, its settings are restored.
pub trait DeferredWork: Send {
    /// Returns the kinds of work in the order in which they are done.
    fn kinds(&self) -> &'static [&'static str];

    /// Makes the server do this kind of work as fast as possible, and returns the amount of work.
    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>>;

    /// Returns the remaining amount of the current kind of work.
    fn left(&mut self) -> BoxFuture<'_, Result<Left>>;

    /// Stops the work that is still running and restores every changed setting. Called after each kind of work, even if
    /// it could not begin.
    fn end(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// The remaining deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The amount, in the unit of its kind.
    pub amount: u64,
    /// The progress of the work.
    pub pace: Pace,
}

/// The progress of the deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The server reports that it is working.
    Working,
    /// The server reports that it has ended, whatever remains.
    Over,
    /// The server does not report its progress; the remaining amount must be compared.
    Unknown,
}
