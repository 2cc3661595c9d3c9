//! Run records on disk. Each run has a folder, which can be read at any time, even after a crash.
//!
//! This crate must never print, and a failed write must never stop a run.
//!
//! Start reading at [`Store`] and [`RunWriter`]. [`record`] defines the structure of `run.json`.

mod archive;
mod atomic;
mod commit_log;
mod distribution;
mod edit;
mod entry;
pub mod event;
mod failure;
mod folder;
mod histograms;
mod history_log;
mod id;
mod interval;
mod intervals;
pub mod journal;
mod latest;
mod listing;
mod lock;
mod merged;
mod parts;
pub mod pipeline;
mod prune;
pub mod record;
mod regular;
mod repair;
mod reserve;
mod schema;
mod seal;
mod select;
mod store;
pub mod sweep;
mod tag;
mod tail;
mod trust;
mod writer;

pub use archive::Imported;
pub use commit_log::{CommitCounts, CommitNotes};
pub use entry::{Broken, Entry, Run};
pub use event::{Event, EventKind, Listener, Retention};
pub use histograms::{Measured, SessionHistogram, histogram_log, read_session_histograms};
pub use history_log::HistoryFile;
pub use interval::{IntervalRecord, IntervalTransaction, ServerIntervalRecord};
pub use intervals::{
    read_all_intervals, read_host_intervals, read_intervals, read_server_intervals,
};
pub use journal::JournalStore;
pub use listing::Listing;
pub use lock::Claim;
pub use merged::{INTERVALS_MAX, Merge, Merged};
pub use parts::{HistogramEntry, read_histograms};
pub use pipeline::PipelineStore;
pub use prune::{PrunePolicy, Removed};
pub use repair::REPAIRED;
pub use schema::{SCHEMAS, schema};
pub use seal::{CHANGED, Checksums, Seal};
pub use select::Catalog;
pub use store::Store;
pub use sweep::{SweepEntry, SweepStore};
pub use tag::check_tag;
pub use tail::Tail;
pub use trust::TrustStore;
pub use writer::RunWriter;
