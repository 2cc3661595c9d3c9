//! The history of a metric over saved runs.

use tacho_analysis::{LeftOut, Trend};
use tacho_core::Result;
use tacho_store::record::Record;
use tacho_store::{Entry, Store};

/// Returns the history of a metric. `selector` chooses the runs: `tag:NAME`, a workload, or a comma-separated list.
/// Without a selector, all runs are included.
pub fn trend(store: &Store, selector: Option<&str>, metric: Option<&str>) -> Result<Trend> {
    let mut unreadable = Vec::new();
    let workload = selector.and_then(|word| tacho_registry::workload(word).ok());
    let id = workload.map(|workload| workload.manifest().id);
    let records = all(store, id.or(selector), &mut unreadable)?;
    let records = match selector {
        // The argument may be the name of a user-defined workload. If no run has recorded this name, the argument is
        // a selector such as `tag:NAME`.
        Some(word) if id.is_none() && records.is_empty() => {
            unreadable.clear();
            store.catalog()?.find_all(word)?.into_iter().map(|run| run.record).collect()
        }
        _ => records,
    };
    let mut trend = Trend::of(selector.unwrap_or("all runs"), &records, metric)?;
    trend.left_out.extend(unreadable);
    Ok(trend)
}

/// Returns all readable runs in chronological order. If a workload is given, returns only its runs.
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
    // The catalog lists the newest run first, but a history starts with the oldest.
    records.reverse();
    Ok(records)
}
