//! The data structures of a measurement and the statistics computed from them.
//!
//! This crate never reads the clock or prints. Start reading at [`Recorder`] and [`Ledger`].

mod bootstrap;
mod change;
mod change_point;
mod effect;
mod estimate;
mod factors;
mod geometric;
mod growth;
mod highest_rate;
mod histogram;
mod holm;
mod ledger;
mod moderation;
mod noise;
mod power;
mod quantile;
mod recorder;
mod run_end;
mod statement_series;
mod steady;
mod step_series;
mod transaction_log;
mod warm_up;

pub use bootstrap::{quantile_mean, quantile_means};
pub use change::{Change, Direction, Verdict, change, difference, paired_change};
pub use change_point::change_points;
pub use effect::{Effect, PAIRS_MIN, POINTS_BY_SPREAD, Sample, moderated, overall_effect};
pub use estimate::{Estimate, Mean, batch_means};
pub use factors::{Cell, FactorEffect, FactorLevel, factor_effects};
pub use geometric::{geometric_mean, penalised_mean, query_mean};
pub use growth::{COUNTERS_MAX, Growth};
pub use highest_rate::{HELD, RateEstimate, RateSearch, Window};
pub use histogram::Latencies;
pub use holm::holm;
pub use ledger::{Ending, Imbalance, Ledger, Outcomes};
pub use moderation::Moderation;
pub use noise::Noise;
pub use power::{FAMILY_WISE, Power};
pub use quantile::{QUANTILES, Quantile, sample_floor};
pub use recorder::{Begun, Connection, ConnectionEvent, Execution, Fault, Phase, Recorder, Series};
pub use run_end::RunEnd;
pub use statement_series::{StatementRecords, StatementSeries};
pub use steady::{SteadinessVerdict, steadiness};
pub use step_series::{StepRecords, StepSeries};
pub use transaction_log::{LoggedOutcome, LoggedTransaction, TransactionLog};
pub use warm_up::warm_up;
