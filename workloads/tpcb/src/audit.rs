//! Rules for auditing the generator. Each compares a statistic of the inputs with its required value.
//!
//! The audit must count the inputs that were drawn, never the results of transactions. Start reading at [`rules`].

use tacho_workload::{AuditRule, Tally};

use crate::input::{DELTA, Input};
use crate::setup::Setup;

const AID: &str = "aid: random(1, 100000 * :scale)";
const BID: &str = "bid: random(1, :scale)";
const TID: &str = "tid: random(1, 10 * :scale)";
const AMOUNT: &str = "delta: random(-5000, 5000)";

/// Permitted difference between a measured fraction or mean and the expected one. It is larger for short runs.
const TOLERANCE: f64 = 0.01;

/// Counts of the inputs drawn by one session. A sum would take more than a century to overflow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Number of inputs: one per transaction, and one per retry with a new input.
    draws: u64,
    /// Sum of the account numbers.
    aids: u64,
    /// Number of accounts drawn from the lower half of the account numbers.
    lower_aids: u64,
    /// Number of accounts drawn from the middle half of the range, between the first and the third quartile.
    middle_aids: u64,
    /// Number of branches drawn from the lower half.
    lower_bids: u64,
    /// Number of tellers drawn from the lower half.
    lower_tids: u64,
    /// Number of amounts above zero.
    deposits: u64,
    /// Sum of the absolute amounts.
    moved: u64,
}

impl Counts {
    /// Counts one input.
    #[inline]
    pub fn add(&mut self, setup: &Setup, input: &Input) {
        let lower = |number: i64, last: i64| u64::from(number <= last / 2);
        let last = setup.accounts();
        self.draws += 1;
        self.aids += input.aid as u64;
        self.lower_aids += lower(input.aid, last);
        self.middle_aids += u64::from(input.aid > last / 4 && input.aid <= last / 4 * 3);
        self.lower_bids += lower(input.bid, setup.branches);
        self.lower_tids += lower(input.tid, setup.tellers());
        self.deposits += u64::from(input.delta > 0);
        self.moved += input.delta.unsigned_abs();
    }

    /// Adds the counts to `tally`, in the order of [`rules`].
    pub fn tally(&self, setup: &Setup, tally: &mut Tally) {
        let sums = [
            self.aids,
            self.lower_aids,
            self.middle_aids,
            self.lower_bids,
            self.lower_tids,
            self.deposits,
            self.moved,
        ];
        for (rule, sum) in sums.into_iter().enumerate().take(rules(setup).len()) {
            tally.add(rule, sum, self.draws);
        }
    }
}

/// Returns the rules, in the order of [`Counts::tally`]. For select-only, there are only rules for accounts.
pub fn rules(setup: &Setup) -> Vec<AuditRule> {
    let accounts = setup.accounts() as f64;
    let mut rules = vec![
        // The variance of a uniform distribution from 1 to n is (n² − 1) / 12.
        mean("mean account", f64::midpoint(accounts, 1.0), accounts / 12_f64.sqrt(), AID),
        share("accounts in the lower half", 0.5, AID),
        share("accounts in the middle half", 0.5, AID),
    ];
    if setup.script.writes() {
        let (amounts, half) = ((2 * DELTA + 1) as f64, DELTA as f64);
        // The numbers from 1 to d add up to d (d + 1) / 2, and their squares to d (d + 1) (2 d + 1) / 6.
        let moved = half * (half + 1.0) / amounts;
        let squares = half * (half + 1.0) / 3.0;
        rules.extend([
            share("branches in the lower half", lower_half(setup.branches), BID),
            share("tellers in the lower half", lower_half(setup.tellers()), TID),
            share("deposits", half / amounts, AMOUNT),
            mean("mean amount", moved, (squares - moved * moved).sqrt(), AMOUNT),
        ]);
    }
    rules
}

/// Returns the fraction of the numbers from 1 to `last` that do not exceed half of `last`.
fn lower_half(last: i64) -> f64 {
    (last / 2) as f64 / last as f64
}

fn share(name: &'static str, expected: f64, clause: &'static str) -> AuditRule {
    // With a single branch, no input can be in the lower half, so the fraction is exactly 0 and needs no tolerance.
    let tolerance = if expected > 0.0 { TOLERANCE } else { 0.0 };
    AuditRule::share(name, expected, (expected - tolerance, expected + tolerance), clause)
}

fn mean(name: &'static str, expected: f64, deviation: f64, clause: &'static str) -> AuditRule {
    let band = (expected * (1.0 - TOLERANCE), expected * (1.0 + TOLERANCE));
    AuditRule { name, expected, band, deviation, share: false, clause }
}
