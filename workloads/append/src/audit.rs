//! Rules for auditing the generator. Each compares a statistic of the inputs with its required value.
//!
//! The audit must count the inputs that were drawn, never the results of transactions. Start reading at [`rules`].

use tacho_workload::{AuditRule, Tally};

use crate::input::Input;
use crate::setup::Setup;

/// Document that defines the shares.
const CLAUSE: &str = "append docs, Transactions";
/// Permitted difference between the actual and the expected share. It is larger for short runs.
const TOLERANCE: f64 = 0.01;

/// Counts of one session's inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    operations: u64,
    reads: u64,
    hot: u64,
}

impl Counts {
    /// Counts one input.
    #[inline]
    pub fn add(&mut self, setup: &Setup, input: &Input) {
        for operation in input.operations() {
            self.operations += 1;
            self.reads += u64::from(operation.is_read);
            self.hot += u64::from(operation.slot < setup.hot);
        }
    }

    /// Adds the counts to `tally`, in the order of [`rules`].
    pub fn tally(&self, _: &Setup, tally: &mut Tally) {
        tally.add(0, self.reads, self.operations);
        tally.add(1, self.hot, self.operations);
    }
}

/// Returns the rules, in the order of [`Counts::tally`].
pub fn rules(setup: &Setup) -> Vec<AuditRule> {
    vec![share("reads", setup.read_share), share("operations on hot keys", setup.hot_share)]
}

fn share(name: &'static str, percent: i64) -> AuditRule {
    let expected = percent as f64 / 100.0;
    // A share of 0 % or 100 % is met exactly.
    let tolerance = if percent == 0 || percent == 100 { 0.0 } else { TOLERANCE };
    AuditRule::share(name, expected, (expected - tolerance, expected + tolerance), CLAUSE)
}
