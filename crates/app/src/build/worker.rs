//! A loading session. It loads its own units, and then units of other sessions until none are left.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Instant, Result, Schema};
use tacho_driver::{Access as Begin, RowSource};
use tacho_engine::Interrupt;
use tacho_store::event::{BuildState, LoaderState, TableState};
use tacho_workload::{Instance, MarkerStore};

use super::counted::Counted;
use super::{Tell, until_stopped};
use crate::Request;
use crate::access::environment;

/// The state shared by all loading sessions of a build.
pub(crate) struct Shared {
    todo: Vec<u64>,
    /// The units that have yet to be loaded. Each loading session gets a range of positions in `todo`.
    shares: Mutex<Vec<Range<usize>>>,
    rows: Vec<AtomicU64>,
    expected: Vec<u64>,
    failed: AtomicBool,
    interrupt: Interrupt,
    set: u32,
}

impl Shared {
    pub(crate) fn new(
        instance: &dyn Instance,
        todo: Vec<u64>,
        interrupt: Interrupt,
        set: u32,
    ) -> Self {
        let tables = instance.schema().tables.len();
        let mut expected = vec![0; tables];
        for unit in &todo {
            for slice in instance.unit(*unit).slices {
                let (rows, slots) =
                    (instance.expected_rows(slice.table), instance.slots(slice.table).max(1));
                let share = slice.slots.end - slice.slots.start;
                expected[slice.table] +=
                    (u128::from(rows) * u128::from(share) / u128::from(slots)) as u64;
            }
        }
        Self { todo, ..Self::of_rows(expected, interrupt, set) }
    }

    /// Returns the shared state for a load that is not divided into units. Its rows are counted by table.
    pub(crate) fn of_rows(expected: Vec<u64>, interrupt: Interrupt, set: u32) -> Self {
        Self {
            todo: Vec::new(),
            shares: Mutex::default(),
            rows: expected.iter().map(|_| AtomicU64::new(0)).collect(),
            expected,
            failed: AtomicBool::new(false),
            interrupt,
            set,
        }
    }

    /// Makes the other sessions stop after one of them has failed.
    pub(crate) fn give_up(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Returns true if the build has to end early.
    pub(crate) fn stopped(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.interrupt.interrupt_count() > 0
    }

    /// Returns a table's row counter.
    pub(crate) fn counter(&self, table: usize) -> &AtomicU64 {
        &self.rows[table]
    }

    /// Divides the units into one contiguous range per loading session. Returns each range's first and last unit.
    pub(crate) fn deal(&self, loaders: usize) -> Vec<Option<(u64, u64)>> {
        let (each, more) = (self.todo.len() / loaders.max(1), self.todo.len() % loaders.max(1));
        let begin = |loader: usize| loader * each + loader.min(more);
        let shares: Vec<Range<usize>> =
            (0..loaders).map(|loader| begin(loader)..begin(loader + 1)).collect();
        let ends = |share: &Range<usize>| {
            let units = &self.todo[share.clone()];
            Some((*units.first()?, *units.last()?))
        };
        let dealt = shares.iter().map(ends).collect();
        *self.shares.lock().unwrap_or_else(PoisonError::into_inner) = shares;
        dealt
    }

    /// Returns the next unit for a loading session. If the session's own units are used up, takes a unit from the
    /// session with the most units left.
    fn next(&self, loader: usize) -> Option<u64> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let place = shares.get_mut(loader).and_then(Iterator::next).or_else(|| {
            shares
                .iter_mut()
                .max_by_key(ExactSizeIterator::len)
                .and_then(DoubleEndedIterator::next_back)
        });
        place.map(|place| self.todo[place])
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows.iter().map(|rows| rows.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn state(&self, instance: &dyn Instance, now: Instant) -> BuildState {
        let tables: Vec<TableState> = instance
            .schema()
            .tables
            .iter()
            .enumerate()
            .map(|(index, table)| TableState {
                name: table.name.to_owned(),
                rows: self.rows[index].load(Ordering::Relaxed),
                expected: self.expected[index],
            })
            .collect();
        BuildState::of(tables, now.since(Instant(0)))
    }
}

/// The source of the rows and the tables that receive them.
#[derive(Clone, Copy)]
pub(crate) struct Loading<'a> {
    pub(crate) instance: &'a dyn Instance,
    pub(crate) layout: &'a Schema,
}

/// Loads units until none are left or the build is stopped. If it had to use a slower method of loading, returns the
/// reason.
pub(crate) fn load_units(
    Request { job, context }: Request<'_>,
    loading: Loading<'_>,
    shared: &Shared,
    loader: usize,
    tell: Tell<'_>,
) -> Result<Option<&'static str>> {
    let outcome = until_stopped(|| shared.stopped(), async {
        let environment = environment(context, false, shared.set);
        let session = job.driver.connect(&job.target, environment).await?;
        let Ok(mut store) = MarkerStore::open(session, job.driver.dialect()).await? else {
            return Err(Error::new(ErrorKind::Missing, "the marker tables no longer exist"));
        };
        while !shared.stopped()
            && let Some(unit) = shared.next(loader)
        {
            tell(LoaderState::Begins(unit));
            if let Err(error) = load_unit(&mut store, loading, unit, shared).await {
                // The rollback also undid the unit's marker entry, so the next `prepare` loads the unit again.
                let _ = store.exchange().reset().await;
                if shared.interrupt.interrupt_count() > 0 && error.kind() == ErrorKind::Cancelled {
                    // The caller reports the interrupt and adds a hint, so return no error.
                    break;
                }
                return Err(error.during(format!("load unit {unit} of the build")));
            }
            tell(LoaderState::Loaded(unit));
        }
        if !shared.stopped() {
            tell(LoaderState::Over);
        }
        let session = store.into_session();
        let slow = session.slow_load();
        session.close().await.map(|()| slow)
    });
    // If loading was stopped, return no error here: the caller or the session that failed reports the reason.
    outcome?.unwrap_or(Ok(None))
}

async fn load_unit(
    store: &mut MarkerStore,
    Loading { instance, layout }: Loading<'_>,
    unit: u64,
    shared: &Shared,
) -> Result<()> {
    store.exchange().begin(Begin::Write);
    store.exchange().send().await?;
    let mut rows = 0;
    for slice in instance.unit(unit).slices {
        let table = &layout.tables[slice.table];
        let mut source = Counted {
            source: instance.rows(&slice),
            total: &shared.rows[slice.table],
            rows: 0,
            stop: &|| shared.stopped(),
        };
        let loaded = store.exchange().session().load(table, &mut source).await?;
        if let Some(error) = source.error() {
            return Err(error);
        }
        if loaded != source.rows {
            return Err(Error::new(
                ErrorKind::Protocol,
                format!(
                    "sent {} rows of {}, but the server received {loaded}",
                    source.rows, table.name
                ),
            ));
        }
        rows += loaded;
    }
    if shared.stopped() {
        return Err(Error::new(ErrorKind::Cancelled, "the build was stopped"));
    }
    store.unit_done(unit, rows);
    store.exchange().commit();
    store.exchange().send().await.map(|_| ())
}
