//! A figure over the history of saved runs.

use tacho_analysis::{LeftOut, Trend};
use tacho_core::Result;
use tacho_store::record::Record;
use tacho_store::{Entry, Store};

/// Follows a figure over the runs that `selector` names: `tag:NAME`, a workload, or runs with commas
/// between them; all runs if it is absent.
pub fn trend(store: &Store, selector: Option<&str>, metric: Option<&str>) -> Result<Trend> {
    let mut unreadable = Vec::new();
    let records = match selector {
        Some(word) if tacho_registry::workload(word).is_err() => {
            store.catalog()?.find_all(word)?.into_iter().map(|run| run.record).collect()
        }
        workload => all(store, workload, &mut unreadable)?,
    };
    let mut trend = Trend::of(selector.unwrap_or("all runs"), &records, metric)?;
    trend.left_out.extend(unreadable);
    Ok(trend)
}

/// All runs that can be read, oldest first; of one workload if it is named.
fn all(
    store: &Store,
    workload: Option<&str>,
    unreadable: &mut Vec<LeftOut>,
) -> Result<Vec<Record>> {
    let loaded = store.list()?.into_iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some(run.record),
        Entry::Broken(broken) => {
            let (id, reason) = (broken.id, format!("it cannot be read: {}", broken.reason));
            unreadable.push(LeftOut { id, reason });
            None
        }
    });
    let mut records: Vec<Record> = loaded
        .filter(|record| workload.is_none_or(|workload| record.plan.workload == workload))
        .collect();
    // The list is for people, newest first.
    records.reverse();
    Ok(records)
}
