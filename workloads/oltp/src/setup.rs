//! Settings shared by all clients of a run. They are plain fields, so that performance-critical
//! code need not look up names.
//!
//! The settings never change. Start reading at [`Setup`].

use tacho_core::{Error, Result, Seed};
use tacho_workload::{Choices, Options};

use crate::distribution::Distribution;
use crate::event::{Event, Group};
use crate::params::{
    BULK_ROWS, BULK_TABLES, DELTA, DISTRIBUTION, EVENT, K_DISTRIBUTION, NUMBER_OF_RANGES,
    RANDOM_POINTS, RANGE_SIZE, SECONDARY_INDEX, SKIP_TRX, TABLE_SIZE,
};
use crate::statements::Lists;

/// The fixed properties of one run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Event to run.
    pub event: Event,
    /// The event's groups of statements, and the number of statements in each group.
    pub groups: Vec<(Group, u64)>,
    /// True if the groups run inside a database transaction.
    pub in_transaction: bool,
    /// Number of tables, which is also the scale.
    pub tables: i64,
    /// Number of rows in each table.
    pub size: i64,
    /// Distribution of ids.
    pub ids: Distribution,
    /// For the audit: a limit for the first number drawn for an event, and the fraction of events in which the number
    /// must not exceed this limit.
    ///
    /// The first number is an ID. For random points and ranges, it is a position within the session's range of k
    /// values.
    pub promise: Option<(i64, f64)>,
    /// Distribution of k values within the session's range.
    pub segment: Distribution,
    /// Distribution of k in the loaded rows.
    pub loaded_k: Distribution,
    /// True if k has an index.
    pub secondary_index: bool,
    /// Number of IDs in a range.
    pub range_size: i64,
    /// Lengths of lists.
    pub lists: Lists,
    /// Width of each range of k.
    pub delta: i64,
    /// Number of virtual users.
    pub sessions: i64,
    /// Seed for the inputs.
    pub input_seed: Seed,
    /// Seed for the rows.
    pub data_seed: Seed,
}

impl Setup {
    /// Creates the setup from the user's choices and the parameter values.
    pub fn new(choices: &Choices, options: &Options) -> Result<Self> {
        let event = Event::of(options.text(EVENT));
        require_tables(event, options.on(BULK_TABLES))?;
        let groups = event.groups(options);
        if groups.is_empty() {
            return Err(Error::usage(format!("{} has no statements", options.text(EVENT))).hint(
                "set at least one of the counts, such as point_selects, to a value above 0",
            ));
        }
        let size = options.count(TABLE_SIZE);
        let sessions = u64::from(choices.sessions.max(1));
        let name = options.text(DISTRIBUTION);
        let (ids, segment_size) = (Distribution::of(name, size, options), size / sessions + 1);
        let segment = Distribution::of(name, segment_size, options);
        Ok(Self {
            event,
            groups,
            in_transaction: event.is_transaction() && !options.on(SKIP_TRX),
            tables: choices.scale as i64,
            size: if event.is_bulk() { 0 } else { size as i64 },
            promise: match event {
                Event::RandomPoints | Event::RandomRanges => segment.promise(segment_size as i64),
                _ => ids.promise(size as i64),
            },
            ids,
            segment,
            loaded_k: Distribution::usual(options.text(K_DISTRIBUTION), size),
            secondary_index: options.on(SECONDARY_INDEX),
            range_size: options.count(RANGE_SIZE) as i64,
            lists: Lists {
                points: options.count(RANDOM_POINTS),
                ranges: options.count(NUMBER_OF_RANGES),
                // Only bulk inserts need a statement that inserts many rows. Some databases cannot
                // prepare such a statement.
                rows: if event.is_bulk() { options.count(BULK_ROWS) } else { 1 },
            },
            delta: options.count(DELTA) as i64,
            sessions: sessions as i64,
            input_seed: choices.input_seed().child("inputs"),
            data_seed: choices.data_seed,
        })
    }

    /// Returns the session's range of k values, from which it draws random points and ranges.
    /// Neighbouring ranges have one value in common.
    pub fn segment_of(&self, session: u32) -> (i64, i64) {
        let length = self.size / self.sessions;
        let low = i64::from(session) % self.sessions * length;
        (low, low + length)
    }
}

/// Fails if the tables are of the wrong kind for the event.
fn require_tables(event: Event, are_bulk: bool) -> Result<()> {
    if event.is_bulk() == are_bulk {
        return Ok(());
    }
    let text = if are_bulk {
        format!(
            "bulk_tables=true: {} needs rows, but the bulk-insert tables start empty",
            event.name()
        )
    } else {
        "bulk_tables=false: bulk-insert requires the bulk-insert tables".to_owned()
    };
    Err(Error::usage(text).hint("use --profile bulk-insert, which sets event and bulk_tables"))
}
