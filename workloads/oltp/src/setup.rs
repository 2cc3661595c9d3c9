//! What all clients of a run share: plain fields, so that no hot path looks a name up.
//!
//! Nothing in it changes. Start reading at [`Setup`].

use tacho_core::{Error, Result, Seed};
use tacho_workload::{Choices, Options};

use crate::distribution::Distribution;
use crate::event::{Event, Group};
use crate::params::{
    BULK_ROWS, BULK_TABLES, DELTA, DISTRIBUTION, EVENT, K_DISTRIBUTION, NUMBER_OF_RANGES,
    RANDOM_POINTS, RANGE_SIZE, SECONDARY_INDEX, SKIP_TRX, TABLE_SIZE,
};
use crate::statements::Lists;

/// One run's fixed facts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which event runs.
    pub event: Event,
    /// Its groups of statements with their counts.
    pub groups: Vec<(Group, u64)>,
    /// Whether a database transaction is around them.
    pub in_transaction: bool,
    /// Number of tables: the scale.
    pub tables: i64,
    /// Rows of each.
    pub size: i64,
    /// How ids are drawn.
    pub ids: Distribution,
    /// What can be promised of the first draw of an event, of an id or of a place in the segment: those up to a
    /// limit have a share.
    pub promise: Option<(i64, f64)>,
    /// How values of k are drawn from the segment of a session.
    pub segment: Distribution,
    /// How k of the loaded rows was drawn.
    pub loaded_k: Distribution,
    /// Whether k has an index.
    pub secondary_index: bool,
    /// Ids of a range.
    pub range_size: i64,
    /// Lengths of lists.
    pub lists: Lists,
    /// Width of each range of k.
    pub delta: i64,
    /// Virtual users.
    pub sessions: i64,
    /// Seed of the inputs.
    pub input_seed: Seed,
    /// Seed of the rows.
    pub data_seed: Seed,
}

impl Setup {
    /// The facts of these choices.
    pub fn new(choices: &Choices, options: &Options) -> Result<Self> {
        let event = Event::of(options.text(EVENT));
        require_tables(event, options.on(BULK_TABLES))?;
        let groups = event.groups(options);
        if groups.is_empty() {
            return Err(Error::usage(format!("{} has no statement left", options.text(EVENT)))
                .hint("set one of the counts, such as point_selects, above 0"));
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
                // Not every database can prepare a statement of many rows, and the others need none.
                rows: if event.is_bulk() { options.count(BULK_ROWS) } else { 1 },
            },
            delta: options.count(DELTA) as i64,
            sessions: sessions as i64,
            input_seed: choices.input_seed().child("inputs"),
            data_seed: choices.data_seed,
        })
    }

    /// The values of k that a session asks for with random points and ranges: neighbours share the ends.
    pub fn segment_of(&self, session: u32) -> (i64, i64) {
        let length = self.size / self.sessions;
        let low = i64::from(session) % self.sessions * length;
        (low, low + length)
    }
}

/// Fails if the event and the tables do not fit.
fn require_tables(event: Event, are_bulk: bool) -> Result<()> {
    if event.is_bulk() == are_bulk {
        return Ok(());
    }
    let text = if are_bulk {
        format!("bulk_tables=true: the tables of bulk-insert have no rows for {}", event.name())
    } else {
        "bulk_tables=false: bulk-insert has tables of its own".to_owned()
    };
    Err(Error::usage(text).hint("--profile bulk-insert sets event and bulk_tables"))
}
