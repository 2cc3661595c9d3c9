//! What a selector names: runs, or a sweep with the runs of its points.
//!
//! Start reading at [`subject`].

use std::collections::HashMap;

use tacho_core::Result;
use tacho_report::{Measurement, SweepSide, SweepView};
use tacho_store::sweep::SweepRecord;
use tacho_store::{Entry, Run, Store, SweepStore};

use crate::Context;

/// Begins a selector of a sweep.
const SWEEP: &str = "sweep:";
/// Without that beginning it names the latest run.
const LATEST: &str = "latest";

/// Runs, or a sweep.
pub(crate) enum Subject {
    Runs(Vec<Run>),
    Sweep(Box<SweepRecord>),
}

/// A run of that name comes first: sweeps are asked only where there is none.
pub(crate) fn subject(context: &Context, store: &Store, selector: &str) -> Result<Subject> {
    let sweeps = SweepStore::open(&context.folder);
    if let Some(selector) = selector.strip_prefix(SWEEP) {
        return Ok(Subject::Sweep(Box::new(sweeps.find(selector)?)));
    }
    let unknown = match store.find_all(selector) {
        Ok(runs) => return Ok(Subject::Runs(runs)),
        Err(unknown) => unknown,
    };
    match sweeps.find(selector) {
        Ok(sweep) if !selector.starts_with(LATEST) => Ok(Subject::Sweep(Box::new(sweep))),
        _ => Err(unknown.hint("a sweep is named by its id, or as sweep:latest")),
    }
}

/// All runs of the store by their ids: listed once, since a sweep may have hundreds.
pub(crate) fn by_id(store: &Store) -> Result<HashMap<String, Run>> {
    let loaded = store.list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some((run.record.id.clone(), *run)),
        Entry::Broken(_) => None,
    });
    Ok(loaded.collect())
}

/// A sweep with the runs of its points, each read by `read`: it is told whether the run is the only
/// one of its point.
pub(crate) fn side(
    name: &str,
    record: SweepRecord,
    runs: &HashMap<String, Run>,
    read: impl Fn(Run, bool) -> Result<Measurement>,
) -> Result<SweepSide> {
    let view = SweepView::of(record, |id| Some(runs.get(id)?.record.clone()));
    let of_row = |ids: &Vec<String>| {
        let known = ids.iter().filter_map(|id| runs.get(id)).cloned();
        known.map(|run| read(run, ids.len() == 1)).collect::<Result<Vec<Measurement>>>()
    };
    let runs = view.rows.iter().map(|row| of_row(&row.runs)).collect::<Result<_>>()?;
    Ok(SweepSide { name: name.into(), view, runs })
}
