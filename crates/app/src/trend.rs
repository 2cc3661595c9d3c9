//! A figure over the history of saved runs.

use tacho_analysis::{LeftOut, Trend};
use tacho_core::Result;
use tacho_store::record::Record;
use tacho_store::{Entry, Store};

/// Follows a figure over the runs that `selector` names: `tag:NAME`, a workload, or runs with commas
/// between them; all runs if it is absent.
pub fn trend(store: &Store, selector: Option<&str>, metric: Option<&str>) -> Result<Trend> {
    let mut unreadable = Vec::new();
    let workload = selector.and_then(|word| tacho_registry::workload(word).ok());
    let id = workload.map(|workload| workload.manifest().id);
    let records = all(store, id.or(selector), &mut unreadable)?;
    let records = match selector {
        // A workload of a folder is known by its runs wherever the folder is.
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
