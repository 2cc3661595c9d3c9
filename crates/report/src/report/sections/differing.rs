//! The conditions that differ between runs. The runs are shown side by side, without a baseline.

use std::collections::BTreeMap;

use tacho_analysis::{Reported, clean, condition_values, differences};
use tacho_store::record::Record;

use crate::compare::conditions_block;
use crate::document::Section;
use crate::padding::cut;
use crate::table::{Column, Table};
use crate::words::ABSENT;

/// Maximum width of a value, in characters.
const VALUE_CHARS_MAX: usize = 40;
/// Maximum number of runs that each have their own column. If there are more runs, a single column
/// lists all values.
const COLUMNS_MAX: usize = 4;

/// Returns a row for each condition that differs between runs without a baseline.
pub(super) fn section(report: &Reported) -> Option<Section> {
    let records: Vec<&Record> = report.measurements().map(|run| &run.record).collect();
    let (first, others) = records.split_first()?;
    if others.is_empty() || !report.comparisons.is_empty() {
        return None;
    }
    let mut names: Vec<String> =
        others.iter().flat_map(|run| differences(first, run)).map(|one| one.name).collect();
    names.sort();
    names.dedup();
    Section::of(
        "differences",
        "Differences",
        vec![conditions_block(table(&names, &records).filled())],
    )
}

fn table(names: &[String], records: &[&Record]) -> Table {
    let conditions: Vec<BTreeMap<String, String>> =
        records.iter().map(|record| condition_values(record)).collect();
    let value = |run: &BTreeMap<String, String>, name: &String| {
        run.get(name).map_or(ABSENT.into(), |value| cut(&clean(value), VALUE_CHARS_MAX))
    };
    let mut columns = vec![Column::left("condition", names.iter().map(|name| clean(name)))];
    if records.len() <= COLUMNS_MAX {
        columns.extend(records.iter().zip(&conditions).map(|(record, run)| {
            Column::left(&record.id, names.iter().map(|name| value(run, name)))
        }));
    } else {
        let all = |name: &String| {
            let mut values: Vec<String> = conditions.iter().map(|run| value(run, name)).collect();
            values.sort();
            values.dedup();
            values.join(", ")
        };
        columns.push(Column::left("values", names.iter().map(all)));
    }
    Table::new(columns)
}
