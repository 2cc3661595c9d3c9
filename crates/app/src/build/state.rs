//! How far a build is, as a front end shows it.

use std::time::Duration;

/// Progress of a build.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildState {
    /// One entry for each table.
    pub tables: Vec<TableState>,
    /// Time since the begin.
    pub elapsed: Duration,
    /// Rows loaded in this session of building, which a resumed build begins at 0.
    pub rows: u64,
    /// Rows that remain.
    pub remaining: u64,
}

/// Progress of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableState {
    /// Name.
    pub name: &'static str,
    /// Rows loaded in this session of building.
    pub rows: u64,
    /// Rows to load in it.
    pub expected: u64,
}

/// What a loader of a build does. The data are loaded in parts, by their numbers in the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoaderState {
    /// It is there, and these parts are its share, the last one included; `None` if nothing is left for
    /// it. Whoever has done the own share takes parts of others'.
    Share(Option<(u64, u64)>),
    /// It begins a part.
    Begins(u64),
    /// It has loaded a part.
    Loaded(u64),
    /// Nothing is left for it.
    Over,
}

impl BuildState {
    /// Rows per second so far.
    pub fn rate(&self) -> f64 {
        self.rows as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Time that the rest takes at the rate so far; `None` before anything is known.
    pub fn time_remaining(&self) -> Option<Duration> {
        let settled = self.rows > 0 && self.elapsed > Duration::from_millis(500);
        settled.then(|| Duration::from_secs_f64((self.remaining as f64 / self.rate()).min(1e7)))
    }
}
