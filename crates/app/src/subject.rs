//! Finds the runs or sweeps that selectors refer to. A sweep includes the runs of its points.
//!
//! Start reading at [`subjects`].

use std::collections::HashMap;
use std::path::PathBuf;

use tacho_analysis::{Measurement, SweepSide, SweepView};
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::record::Record;
use tacho_store::sweep::SweepRecord;
use tacho_store::{Catalog, Entry, Run, Seal, Store, SweepStore};

use crate::Context;

/// The prefix of selectors that refer to sweeps.
const SWEEP: &str = "sweep:";
/// The selector for the latest run. Likewise, `sweep:latest` is the latest sweep.
const LATEST: &str = "latest";

/// The runs or the sweep that a selector names.
enum Subject {
    Runs(Vec<Run>),
    Sweep(Box<SweepRecord>),
}

/// The runs or sweeps that the user selected, each along with its selector.
pub(crate) enum Subjects {
    /// Runs.
    Runs(Vec<(String, Vec<Run>)>),
    /// Sweeps.
    Sweeps(Vec<(String, SweepRecord)>),
}

/// Resolves all selectors. Runs and sweeps cannot be mixed.
pub(crate) fn subjects(context: &Context, store: &Store, selectors: &[&str]) -> Result<Subjects> {
    let catalog = store.catalog()?;
    let (mut runs, mut sweeps) = (Vec::new(), Vec::new());
    for selector in selectors {
        match subject(context, &catalog, selector)? {
            Subject::Runs(run) => runs.push(((*selector).to_owned(), run)),
            Subject::Sweep(sweep) => sweeps.push(((*selector).to_owned(), *sweep)),
        }
    }
    match (sweeps.first(), runs.first()) {
        (None, _) => Ok(Subjects::Runs(runs)),
        (Some(_), None) => Ok(Subjects::Sweeps(sweeps)),
        (Some((sweep, _)), Some((run, _))) => Err(Error::usage(format!(
            "{sweep} is a sweep, but {run} is a run, so they cannot be compared"
        ))
        .hint("to compare two sweeps, use tacho compare sweep:latest~1 sweep:latest")
        .hint(format!("to list the sweep's runs, use tacho sweep --show {sweep} -o json"))),
    }
}

/// Finds the run or sweep for a selector. Sweeps are searched only if no run has this name.
fn subject(context: &Context, catalog: &Catalog<'_>, selector: &str) -> Result<Subject> {
    let sweeps = SweepStore::open(&context.folder);
    if let Some(selector) = selector.strip_prefix(SWEEP) {
        return Ok(Subject::Sweep(Box::new(sweeps.find(selector)?)));
    }
    let unknown = match catalog.find_all(selector) {
        Ok(runs) => return Ok(Subject::Runs(runs)),
        Err(unknown) => unknown,
    };
    match sweeps.find(selector) {
        Ok(sweep) if !selector.starts_with(LATEST) => Ok(Subject::Sweep(Box::new(sweep))),
        _ => Err(unknown.hint("specify a sweep by its id or as sweep:latest")),
    }
}

/// The contents of an archive.
#[derive(Debug, Default)]
pub struct Chosen {
    /// Runs without duplicates.
    pub runs: Vec<Run>,
    /// Paths of sweep records.
    pub sweeps: Vec<PathBuf>,
    /// The number of runs that were omitted because they are unfinished or unreadable. Named runs are never omitted.
    pub left_out: usize,
}

/// Returns the selected runs and sweeps, and the runs of each sweep. By default, all completed runs and all sweeps
/// are selected.
pub fn chosen(context: &Context, selectors: &[&str]) -> Result<Chosen> {
    let (store, mut chosen) = (context.store(), Chosen::default());
    if selectors.is_empty() {
        for entry in store.list()? {
            match entry {
                Entry::Loaded(run) if run.state() == "complete" => {
                    let run = run.verified();
                    if run.seal == Seal::Broken {
                        chosen.left_out += 1;
                    } else {
                        chosen.runs.push(run);
                    }
                }
                _ => chosen.left_out += 1,
            }
        }
        let sweeps = store.sweeps().list()?.into_iter().filter(|sweep| sweep.record.is_ok());
        chosen.sweeps = sweeps.map(|sweep| sweep.path).collect();
        return Ok(chosen);
    }
    let catalog = store.catalog()?;
    for selector in selectors {
        match subject(context, &catalog, selector)? {
            Subject::Runs(runs) => chosen.runs.extend(runs),
            Subject::Sweep(sweep) => {
                chosen.sweeps.push(store.sweeps().path(&sweep));
                for id in sweep.runs() {
                    chosen.runs.push(store.find(id)?);
                }
            }
        }
    }
    chosen.runs.sort_by(|one, other| one.record.id.cmp(&other.record.id));
    chosen.runs.dedup_by(|one, other| one.record.id == other.record.id);
    Ok(chosen)
}

/// Returns the sweep with this ID, or the latest sweep for `sweep:latest`. Returns `None` if the selector refers to a
/// run instead.
pub fn named_sweep(context: &Context, selector: &str) -> Result<Option<SweepRecord>> {
    let sweeps = SweepStore::open(&context.folder);
    if let Some(selector) = selector.strip_prefix(SWEEP) {
        return sweeps.find(selector).map(Some);
    }
    if selector.starts_with(LATEST) || context.store().find(selector).is_ok() {
        return Ok(None);
    }
    Ok(sweeps.find(selector).ok())
}

/// Returns all runs in the store by id.
fn by_id(store: &Store) -> Result<HashMap<String, Run>> {
    let loaded = store.list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some((run.record.id.clone(), *run)),
        Entry::Broken(_) => None,
    });
    Ok(loaded.collect())
}

/// Returns the runs of a sweep by ID. Returns an error if a run is missing or unreadable.
pub fn runs_of(store: &Store, sweep: &SweepRecord) -> Result<HashMap<String, Record>> {
    let runs = by_id(store)?;
    demand_runs(sweep, store, &runs)?;
    Ok(runs.into_iter().map(|(id, run)| (id, run.record)).collect())
}

/// Returns an error if runs of a sweep are missing, because any output about the sweep would lack their results.
fn demand_runs(sweep: &SweepRecord, store: &Store, runs: &HashMap<String, Run>) -> Result<()> {
    let missing: Vec<&str> = sweep.runs().filter(|id| !runs.contains_key(*id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (count, all) = (missing.len(), counted(sweep.runs().count() as u64, "run"));
    let text = format!("sweep {} is missing {count} of {all}: {}", sweep.id, missing.join(", "));
    Err(Error::new(ErrorKind::Missing, text)
        .hint(format!("measure them again with tacho sweep --resume {}", sweep.id))
        .hint(format!("or restore their folders in {} from a copy", store.path().display()))
        .hint(format!("or show the remaining points with tacho report {} --force", sweep.id)))
}

/// Returns sweeps along with the runs of their points. `read` is called for each run. Its second argument is true if
/// the run is the only one of its point. If `force` is true, missing runs are not an error.
pub(crate) fn sides(
    store: &Store,
    sweeps: Vec<(String, SweepRecord)>,
    force: bool,
    read: impl Fn(Run, bool) -> Result<Measurement>,
) -> Result<Vec<SweepSide>> {
    let runs = by_id(store)?;
    if !force {
        sweeps.iter().try_for_each(|(_, sweep)| demand_runs(sweep, store, &runs))?;
    }
    let of_row = |ids: &Vec<String>| {
        let known = ids.iter().filter_map(|id| runs.get(id)).cloned();
        let whole = |run: Run| if ids.len() == 1 { run.verified() } else { run };
        known.map(|run| read(whole(run), ids.len() == 1)).collect::<Result<Vec<Measurement>>>()
    };
    let side = |(name, record)| {
        let view = SweepView::of(record, |id| Some(runs.get(id)?.record.clone()));
        let runs = view.rows.iter().map(|row| of_row(&row.runs)).collect::<Result<_>>()?;
        Ok(SweepSide { name, view, runs })
    };
    sweeps.into_iter().map(side).collect()
}
