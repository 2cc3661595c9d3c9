//! Rules for auditing the generator. Each compares a statistic of the inputs with its required value.
//!
//! The audit must count the inputs that were drawn, never the results of transactions. Start reading at [`rules`].

use tacho_workload::{AuditRule, Tally};

use crate::event::Group;
use crate::input::{Input, Source};
use crate::setup::Setup;

const TABLE: &str = "oltp docs, Transactions: table selection";
const ID: &str = "oltp docs, Distributions";
/// Permitted difference between a measured and an expected fraction. For short runs, a larger difference is permitted.
const TOLERANCE: f64 = 0.01;

/// Counts of the inputs that one session has drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    events: u64,
    /// Number of events whose first group of statements used a table from the lower half of all tables.
    lower_tables: u64,
    /// Number of events whose first random number did not exceed the limit in `Setup::promise`.
    promised: u64,
}

impl Counts {
    /// Counts an event's input: the first table, and the first number drawn for this table.
    #[inline]
    pub fn add(&mut self, setup: &Setup, input: &Input, source: &Source) {
        if setup.event.is_bulk() {
            return;
        }
        let (table, drawn) = match (setup.groups.first(), &input.numbers[..]) {
            // The ID of a new row is not drawn at random, so use its value of k instead.
            (Some((Group::Insert, _)), [table, _, k, ..]) => (*table, *k),
            (Some((Group::RandomPoints | Group::RandomRanges, _)), [table, k, ..]) => {
                (*table, k - source.segment.0 + 1)
            }
            (_, [table, id, ..]) => (*table, *id),
            _ => return,
        };
        self.events += 1;
        self.lower_tables += u64::from(table < setup.tables / 2);
        if let Some((limit, _)) = setup.promise {
            self.promised += u64::from(drawn <= limit);
        }
    }

    /// Adds the counts to `tally`, in the order of [`rules`].
    pub fn tally(&self, setup: &Setup, tally: &mut Tally) {
        if setup.event.is_bulk() {
            return;
        }
        tally.add(0, self.lower_tables, self.events);
        if setup.promise.is_some() {
            tally.add(1, self.promised, self.events);
        }
    }
}

/// Returns the rules, in the order of [`Counts::tally`]. There are no rules for bulk inserts,
/// because they draw no input.
pub fn rules(setup: &Setup) -> Vec<AuditRule> {
    if setup.event.is_bulk() {
        return Vec::new();
    }
    let lower = (setup.tables / 2) as f64 / setup.tables as f64;
    let mut rules = vec![share("tables in the lower half", lower, TABLE)];
    if let Some((_, expected)) = setup.promise {
        rules.push(share("events whose first id is within the expected limit", expected, ID));
    }
    rules
}

fn share(name: &'static str, expected: f64, clause: &'static str) -> AuditRule {
    // With a single table, no event can use a table in the lower half, so the expected fraction is exactly 0.
    let tolerance = if expected > 0.0 && expected < 1.0 { TOLERANCE } else { 0.0 };
    AuditRule::share(name, expected, (expected - tolerance, expected + tolerance), clause)
}
