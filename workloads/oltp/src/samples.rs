//! Compares samples of the loaded rows with the generator's rows, without the columns that events may change.
//!
//! An event either adds one to `k` or writes a new `c`. `pad` changes only if an event deletes a
//! row and inserts it again.
//!
//! Start reading at [`samples`].

use std::sync::Arc;

use tacho_driver::{Reply, Row, RowSource, Value, Values};
use tacho_workload::{Judge, Sample, Slice, Violations};

use crate::generate::Rows;
use crate::input::{C_LENGTH, PAD_LENGTH};
use crate::setup::Setup;
use crate::statements::Whole;

/// Number of ID ranges if there is a single table. With more tables, there are fewer ranges,
/// because each range is read from every table.
const RANGES: i64 = 20;
/// Number of rows in a range.
const RANGE_ROWS: i64 = 50;
/// Number of digits in a group, plus the dash that follows it.
const GROUP: usize = 12;

/// Returns samples of ID ranges from all tables.
pub fn samples(setup: &Arc<Setup>) -> Vec<Sample> {
    let rng = &mut setup.input_seed.child("samples").rng(0);
    let rows = RANGE_ROWS.min(setup.size);
    let sample = |_| {
        let first = rng.between(1, setup.size - rows + 1);
        let mut bound = Values::default();
        bound.int(first);
        bound.int(first + rows - 1);
        let setup = Arc::clone(setup);
        let judge = Judge::Compare(Arc::new(move |_, reply| compare(&setup, reply)));
        Sample { statement: Whole::SampleRows.into(), bound, judge }
    };
    (0..(RANGES / setup.tables).max(1)).map(sample).collect()
}

fn compare(setup: &Arc<Setup>, reply: &Reply) -> Violations {
    let mut violations = Violations::default();
    for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
        if let Some(column) = changed(setup, row) {
            let table = String::from_utf8_lossy(row.text(0).unwrap_or_default()).into_owned();
            let id = row.number(1).unwrap_or_default();
            let first =
                format!("{table}, id {id}: {column} does not match the loaded row or its updates");
            violations.add(Violations { count: 1, first });
        }
    }
    violations
}

/// Returns the first column whose value cannot be explained by events that changed the loaded row, if there is one.
fn changed(setup: &Arc<Setup>, row: Row<'_>) -> Option<&'static str> {
    let (table, id) = (number_of(row.text(0).ok()?)?, row.number(1).ok()?);
    if !(1..=setup.tables).contains(&table) || !(1..=setup.size).contains(&id) {
        return None;
    }
    let slots = id as u64 - 1..id as u64;
    let slice = Slice { table: table as usize - 1, slots };
    let mut loaded = Values::default();
    Rows::new(Arc::clone(setup), &slice).next_batch(&mut loaded);
    let (Ok(k), Ok(c), Ok(pad)) = (row.number(2), row.text(3), row.text(4)) else {
        return Some("a value");
    };
    let (c, pad) = (c.trim_ascii_end(), pad.trim_ascii_end());
    let is_kept = matches!(loaded.get(3), Value::Text(text) if text.trim_ascii_end() == pad);
    let least = match loaded.get(1) {
        Value::Int(number) if is_kept => number,
        _ => 1,
    };
    let wrong =
        [("k", k < least), ("c", !is_text(c, C_LENGTH)), ("pad", !is_text(pad, PAD_LENGTH))];
    wrong.into_iter().find(|(_, wrong)| *wrong).map(|(column, _)| column)
}

/// Returns the number at the end of a table's name.
fn number_of(name: &[u8]) -> Option<i64> {
    let name = std::str::from_utf8(name).ok()?.trim_end();
    name[name.find(|letter: char| letter.is_ascii_digit())?..].parse().ok()
}

/// Returns true if the text consists of groups of digits separated by dashes.
fn is_text(text: &[u8], length: usize) -> bool {
    let is_right = |(at, letter): (usize, &u8)| {
        if at % GROUP == GROUP - 1 { *letter == b'-' } else { letter.is_ascii_digit() }
    };
    text.len() == length && text.iter().enumerate().all(is_right)
}
