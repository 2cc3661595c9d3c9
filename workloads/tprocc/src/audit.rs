//! Rules for auditing the generator. Each compares a statistic of the inputs with its required value.
//!
//! The permitted ranges are those of TPC-C audits of long runs. The audit must count the inputs that were drawn. It
//! must never count the results of transactions.
//!
//! Start reading at [`rules`].

use tacho_workload::{AuditRule, Tally};

use crate::mix::KINDS;
use crate::settings::{Remote, Sequence};
use crate::setup::Setup;

/// Counts of the inputs that one session has drawn.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Transactions by type.
    pub kinds: [u64; KINDS],
    /// Number of new-order inputs: one per transaction, and one per retry with a new input.
    pub new_orders: u64,
    /// Payment inputs.
    pub payments: u64,
    /// Order-status inputs.
    pub statuses: u64,
    /// New-order transactions with an unused item.
    pub unused_items: u64,
    /// Order lines.
    pub lines: u64,
    /// Order lines supplied by another warehouse.
    pub remote_lines: u64,
    /// Payments by a customer of another warehouse.
    pub remote_payments: u64,
    /// Payments by last name.
    pub payments_by_name: u64,
    /// Order-status transactions that select the customer by last name.
    pub statuses_by_name: u64,
    /// Districts visited by deliveries.
    pub districts: u64,
    /// Number of visited districts that had no order to deliver.
    pub districts_skipped: u64,
}

const SHARES: [&str; KINDS] = [
    "new-order share",
    "payment share",
    "order-status share",
    "delivery share",
    "stock-level share",
];

/// Flags for all rules except those on the mix. If HammerDB's routines draw the inputs on the server, the client does
/// not know all of them. It then cannot audit the rules whose flag is true.
const UNSEEN: [bool; 7] = [true, false, false, false, true, false, true];

/// Leaves out the rules that the client cannot audit.
fn seen<T>(setup: &Setup, all: [T; 7]) -> impl Iterator<Item = T> {
    let hidden = setup.draws_in_server();
    all.into_iter().zip(UNSEEN).filter(move |(_, unseen)| !(hidden && *unseen)).map(|(one, _)| one)
}

/// Returns the rules in the order in which [`Counts::tally`] adds the counts.
pub fn rules(setup: &Setup) -> Vec<AuditRule> {
    let several = setup.warehouses > 1;
    let remote = |share: f64, band| if several { (share, band) } else { (0.0, (0.0, 0.0)) };
    let share = |what, share: f64, band| match what {
        Remote::Warehouse => remote(share, band),
        _ => (0.0, (0.0, 0.0)),
    };
    let behaviour = &setup.behaviour;
    let (line, line_band) = share(behaviour.remote_lines, 0.01, (0.0095, 0.0105));
    let (payment, payment_band) = share(behaviour.remote_payments, 0.15, (0.14, 0.16));
    let lines = (behaviour.lines_min + 15) as f64 / 2.0;
    let lengths = (16 - behaviour.lines_min) as f64;
    // A delivery skips a district if another delivery has just taken the district's oldest order.
    let skipped_max = if setup.sequence == Sequence::Apart { 1.0 } else { 0.01 };
    let rollback = rollback_share(setup);
    let mut rules: Vec<AuditRule> = SHARES
        .into_iter()
        .zip(setup.mix.shares())
        .map(|(name, share)| AuditRule::share(name, share, around(share, 0.02), "5.2.3"))
        .collect();
    let rest = [
        AuditRule::share("remote order lines", line, line_band, "2.4.1.5"),
        AuditRule::share("remote payments", payment, payment_band, "2.5.1.2"),
        AuditRule::share("payments by name", 0.6, (0.57, 0.63), "2.5.1.2"),
        AuditRule::share("order-status by name", 0.6, (0.57, 0.63), "2.6.1.2"),
        AuditRule::share("unused items", rollback, around(rollback, 0.1), "2.4.1.4"),
        AuditRule {
            name: "mean order lines",
            expected: lines,
            band: (lines - 0.5, lines + 0.5),
            // The number of lines is uniformly distributed. With n possible values, its variance is (n² − 1) / 12.
            deviation: ((lengths * lengths - 1.0) / 12.0).sqrt(),
            share: false,
            clause: "2.4.1.3",
        },
        AuditRule::share("deliveries of empty districts", 0.0, (0.0, skipped_max), "2.7.4.2"),
    ];
    rules.extend(seen(setup, rest));
    rules
}

/// Returns the fraction of new-order transactions that contain an unused item and are rolled back.
pub fn rollback_share(setup: &Setup) -> f64 {
    if setup.draws_in_server() {
        return setup.routines.rollback_one_in.map_or(0.0, |one_in| 1.0 / one_in as f64);
    }
    1.0 / setup.behaviour.rollback_one_in as f64
}

fn around(share: f64, distance: f64) -> (f64, f64) {
    (share * (1.0 - distance), (share * (1.0 + distance)).min(1.0))
}

impl Counts {
    /// Adds the counts to `tally`, in the order of [`rules`].
    pub fn tally(&self, setup: &Setup, tally: &mut Tally) {
        let all: u64 = self.kinds.iter().sum();
        for (kind, count) in self.kinds.iter().enumerate() {
            tally.add(kind, *count, all);
        }
        let rest = [
            (self.remote_lines, self.lines),
            (self.remote_payments, self.payments),
            (self.payments_by_name, self.payments),
            (self.statuses_by_name, self.statuses),
            (self.unused_items, self.new_orders),
            (self.lines, self.new_orders),
            (self.districts_skipped, self.districts),
        ];
        for (at, (sum, draws)) in seen(setup, rest).enumerate() {
            tally.add(KINDS + at, sum, draws);
        }
    }
}
