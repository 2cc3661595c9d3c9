//! What is measured and what follows from it: histograms, ledgers, intervals, estimates.
//!
//! This crate takes no time and prints nothing. Start reading at [`Recorder`] and [`Ledger`].

mod estimate;
mod histogram;
mod ledger;
mod quantile;
mod recorder;
mod steady;

pub use estimate::{Estimate, batch_means};
pub use histogram::Latencies;
pub use ledger::{Imbalance, Ledger};
pub use quantile::{QUANTILES, Quantile, sample_floor};
pub use recorder::{Connection, Ending, Fault, Phase, Recorder, Series};
pub use steady::{Steadiness, steadiness};
