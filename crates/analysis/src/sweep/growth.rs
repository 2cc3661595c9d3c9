//! The growth of the data over the runs of a sweep.
//!
//! Start reading at [`growth`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::{DataRecord, Record, SizesRecord};

/// Smallest relative growth that is reported.
const REPORTED_FROM: f64 = 0.01;

/// The growth of one target's data from before the first run to after the last run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DataGrowth {
    /// Name of the target.
    pub target_name: String,
    /// Number of runs on the same data.
    pub runs: u64,
    /// Total size before the first run.
    pub before_bytes: u64,
    /// Total size after the last run.
    pub after_bytes: u64,
    /// The table that grew the most, including its indexes; absent if the database does not report table sizes.
    pub table: Option<TableGrowth>,
}

/// The growth of one table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TableGrowth {
    /// Name of the table.
    pub name: String,
    /// Growth in bytes.
    pub bytes: u64,
    /// Growth in rows, as estimated by the server; absent if it is unknown or not positive.
    pub rows: Option<u64>,
}

/// The data of one run.
pub(super) struct RunData {
    target_name: String,
    started_at: String,
    data: DataRecord,
}

impl RunData {
    pub(super) fn of(record: &Record) -> Option<Self> {
        Some(Self {
            target_name: record.plan.target_name.clone(),
            started_at: record.started_at.clone(),
            data: record.data.clone()?,
        })
    }

    /// Returns true if both runs used the same data.
    fn has_same_data(&self, other: &Self) -> bool {
        self.target_name == other.target_name && self.data.loaded_at == other.data.loaded_at
    }
}

/// Returns the growth of the data on each target. Data that was loaded again for each run is skipped.
pub(super) fn growth(mut runs: Vec<RunData>) -> Vec<DataGrowth> {
    runs.sort_by(|one, other| one.started_at.cmp(&other.started_at));
    let mut groups: Vec<Vec<RunData>> = Vec::new();
    for run in runs {
        match groups.iter_mut().find(|group| group[0].has_same_data(&run)) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups.iter().filter_map(|group| of_group(group)).collect()
}

fn of_group(runs: &[RunData]) -> Option<DataGrowth> {
    let [first, .., last] = runs else { return None };
    let before = first.data.sizes_before.as_ref()?;
    let after = last.data.sizes_after.as_ref()?;
    let (before_bytes, after_bytes) = (before.total_bytes()?, after.total_bytes()?);
    let share = after_bytes as f64 / before_bytes.max(1) as f64 - 1.0;
    (share >= REPORTED_FROM).then(|| DataGrowth {
        target_name: first.target_name.clone(),
        runs: runs.len() as u64,
        before_bytes,
        after_bytes,
        table: largest(before, after),
    })
}

/// Returns the table that grew the most.
fn largest(before: &SizesRecord, after: &SizesRecord) -> Option<TableGrowth> {
    let tables = after.tables.iter().filter_map(|table| {
        let old = before.tables.iter().find(|old| old.name == table.name)?;
        let bytes = table.bytes? + table.index_bytes.unwrap_or(0);
        let old_bytes = old.bytes? + old.index_bytes.unwrap_or(0);
        let bytes = bytes.checked_sub(old_bytes).filter(|bytes| *bytes > 0)?;
        let rows = table.rows.zip(old.rows).and_then(|(rows, old)| rows.checked_sub(old));
        Some(TableGrowth { name: table.name.clone(), bytes, rows: rows.filter(|rows| *rows > 0) })
    });
    tables.max_by_key(|table| table.bytes)
}

#[cfg(test)]
mod tests {
    use tacho_store::record::TableSizeRecord;

    use super::*;

    const MB: u64 = 1 << 20;

    fn sizes(history: u64) -> SizesRecord {
        let table = |name: &str, bytes, rows| TableSizeRecord {
            name: name.into(),
            rows: Some(rows),
            bytes: Some(bytes),
            ..TableSizeRecord::default()
        };
        let tables =
            vec![table("accounts", 90 * MB, 1_000), table("history", history * MB, history * 9)];
        SizesRecord { database_bytes: Some((100 + history) * MB), tables }
    }

    /// Creates the data of a run whose history grows from one size to another.
    fn data(loaded_at: &str, [before, after]: [u64; 2]) -> DataRecord {
        DataRecord {
            loaded_at: loaded_at.into(),
            sizes_before: Some(sizes(before)),
            sizes_after: Some(sizes(after)),
            ..DataRecord::default()
        }
    }

    fn of(runs: &[(&str, DataRecord)]) -> Vec<DataGrowth> {
        let run = |(started_at, data): &(&str, DataRecord)| RunData {
            target_name: "pg".into(),
            started_at: (*started_at).into(),
            data: data.clone(),
        };
        growth(runs.iter().map(run).collect())
    }

    #[test]
    fn data_that_is_not_restored_grows() {
        // The points are not listed in the order in which their runs took place.
        let found =
            of(&[("2", data("a", [10, 30])), ("1", data("a", [0, 10])), ("3", data("b", [0, 40]))]);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.runs, one.before_bytes, one.after_bytes), (2, 100 * MB, 130 * MB));
        let table = one.table.as_ref().expect("a table");
        assert_eq!((&table.name[..], table.bytes, table.rows), ("history", 30 * MB, Some(270)));
        assert_eq!(of(&[("1", data("a", [0, 40])), ("2", data("b", [0, 40]))]), []);
        assert_eq!(of(&[("1", data("a", [0, 0])), ("2", data("a", [0, 0]))]), []);
    }
}
