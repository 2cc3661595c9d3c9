//! Work that a server defers while it is busy.
//!
//! Start reading at [`DeferredWork`].

use tacho_core::Result;

use crate::BoxFuture;

/// Work that a server defers while it is busy, such as writing changed pages back. After a run it is made
/// to do it at once, one kind after the other; its settings are restored afterwards.
pub trait DeferredWork: Send {
    /// The kinds of work, in the order in which they are done.
    fn kinds(&self) -> &'static [&'static str];

    /// How much there is of a kind. From now on the server does it as fast as it can.
    fn begin(&mut self, kind: usize) -> BoxFuture<'_, Result<u64>>;

    /// How much of it is left.
    fn left(&mut self) -> BoxFuture<'_, Result<Left>>;

    /// Stops what still runs, and restores every setting that was changed. Called after each kind, also
    /// after one that could not begin.
    fn end(&mut self) -> BoxFuture<'_, Result<()>>;
}

/// What is left of deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// How much, in the unit of its kind.
    pub amount: u64,
    /// Whether it continues.
    pub pace: Pace,
}

/// Whether a server continues its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It says that it is at work.
    Working,
    /// It says that it has ended, whatever is left.
    Over,
    /// It does not say; see what is left.
    Unknown,
}
