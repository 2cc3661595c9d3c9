//! Checks the column `h_data`, which contains a note about each payment. The load writes random notes, whereas a
//! payment writes the names of its warehouse and district.
//!
//! The history table has no key, so the notes are compared as a multiset. Start reading at [`judge`].

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_driver::{Reply, Value, Values};
use tacho_workload::{Judge, Violations};

use crate::generate::Generator;
use crate::schema::{CUSTOMERS, DISTRICT, DISTRICTS, HISTORY, WAREHOUSE};

/// Columns that contain the names and the note.
const W_NAME: usize = 3;
const D_NAME: usize = 5;
const H_DATA: usize = 7;

/// Returns a function that checks the payment notes of a district. The load and the payments determine which notes must
/// exist, and how many of each.
pub fn judge(generator: Arc<Generator>, w: i64, d: i64) -> Judge {
    Judge::Compare(Arc::new(move |_, reply| compare(&generator, w, d, reply)))
}

fn compare(generator: &Generator, w: i64, d: i64, reply: &Reply) -> Violations {
    let district = ((w - 1) * DISTRICTS + d - 1) as u64;
    let payment = [
        text(generator, WAREHOUSE, w as u64 - 1, W_NAME),
        text(generator, DISTRICT, district, D_NAME),
    ];
    let mut loaded: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    let first = district * CUSTOMERS as u64;
    for slot in first..first + CUSTOMERS as u64 {
        *loaded.entry(text(generator, HISTORY, slot, H_DATA)).or_default() += 1;
    }
    let place = format!("warehouse {w}, district {d}");
    let mut violations = Violations::default();
    for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
        let (note, count) = (row.text(0).unwrap_or_default(), row.number(1).unwrap_or(1));
        let of_load = loaded.remove(note.trim_ascii_end()).unwrap_or(0);
        // Names may be padded with blanks.
        let words = note.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let unknown = if words.eq(payment.iter()) { 0 } else { count - of_load };
        if unknown != 0 {
            let note = String::from_utf8_lossy(note);
            let first = format!(
                "{place}: {count} payments have the h_data {note}, but {of_load} \
                                 were loaded"
            );
            violations.add(Violations { count: unknown.unsigned_abs(), first });
        }
    }
    if let Some((note, _)) = loaded.first_key_value() {
        let note = String::from_utf8_lossy(note);
        let first = format!("{place}: the payment with h_data {note} is missing");
        violations.add(Violations { count: loaded.len() as u64, first });
    }
    violations
}

/// Returns a text column from a loaded row.
fn text(generator: &Generator, table: usize, slot: u64, column: usize) -> Vec<u8> {
    let mut row = Values::default();
    generator.slot(table, slot, &mut row);
    match row.get(column) {
        Value::Text(text) => text.to_vec(),
        _ => Vec::new(),
    }
}
