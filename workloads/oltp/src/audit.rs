//! What the inputs were, and what they had to be: the rules of the generator audit.
//!
//! It must count drawn inputs and never results. Start reading at [`rules`].

use tacho_workload::{AuditRule, Tally};

use crate::event::Group;
use crate::input::{Input, Source};
use crate::setup::Setup;

const TABLE: &str = "oltp docs, Transactions: the table of a group";
const ID: &str = "oltp docs, Distributions";
/// A share may be off by one in a hundred; a short run's may be off by more.
const TOLERANCE: f64 = 0.01;

/// What one session has drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    events: u64,
    /// Of the first group: events in whose lower half of the tables it was.
    lower_tables: u64,
    /// Events whose first draw from a distribution is among those that are promised.
    promised: u64,
}

impl Counts {
    /// Counts one input, by its first table and the first number that is drawn from a distribution.
    #[inline]
    pub fn add(&mut self, setup: &Setup, input: &Input, source: &Source) {
        if setup.event.is_bulk() {
            return;
        }
        let (table, drawn) = match (setup.groups.first(), &input.numbers[..]) {
            // The id of a new row is no draw, and its k is one.
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

/// The rules, in the order in which [`Counts::tally`] adds; none for bulk inserts, which draw nothing.
pub fn rules(setup: &Setup) -> Vec<AuditRule> {
    if setup.event.is_bulk() {
        return Vec::new();
    }
    let lower = (setup.tables / 2) as f64 / setup.tables as f64;
    let mut rules = vec![share("tables in the lower half", lower, TABLE)];
    if let Some((_, expected)) = setup.promise {
        rules.push(share("first draws up to the promised one", expected, ID));
    }
    rules
}

fn share(name: &'static str, expected: f64, clause: &'static str) -> AuditRule {
    // Of a single table none is in the lower half, and no tolerance is needed.
    let tolerance = if expected > 0.0 && expected < 1.0 { TOLERANCE } else { 0.0 };
    AuditRule::share(name, expected, (expected - tolerance, expected + tolerance), clause)
}
