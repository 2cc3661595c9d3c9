//! Checks of generated rows. The parts into which a load is divided must contain each row exactly once. The rows must
//! fit the schema, and each row may depend only on its own number.

use std::ops::Range;

use tacho_core::{Column, Type};
use tacho_driver::{Value, Values};
use tacho_workload::{Instance, Slice};

/// Number of slots that are checked at the start and at the end of each table.
const SAMPLE: u64 = 200;
const DAY_US: i64 = 86_400_000_000;

/// Checks that the parts into which a load is divided contain each row of each table exactly once.
pub fn units_cover_every_slot_once(instance: &dyn Instance) {
    let tables = instance.schema().tables.len();
    let mut ranges: Vec<Vec<Range<u64>>> = vec![Vec::new(); tables];
    for index in 0..instance.units() {
        for slice in instance.unit(index).slices {
            ranges[slice.table].push(slice.slots);
        }
    }
    for (table, mut ranges) in ranges.into_iter().enumerate() {
        ranges.sort_by_key(|range| range.start);
        let mut next = 0;
        for range in ranges {
            assert_eq!(range.start, next, "table {table}: a gap or an overlap");
            next = range.end;
        }
        assert_eq!(next, instance.slots(table), "table {table}: slots are missing");
    }
}

/// Checks that rows have a value for each column. Values must have the right type and length, and may be NULL only
/// where this is allowed.
pub fn rows_fit_the_schema(instance: &dyn Instance) {
    for (table, about) in instance.schema().tables.iter().enumerate() {
        let width = about.columns.len();
        for slots in samples(instance.slots(table)) {
            let (values, rows) = generated(instance, table, slots);
            assert_eq!(values.len(), rows * width, "{}: values in {rows} rows", about.name);
            for at in 0..values.len() {
                let column = &about.columns[at % width];
                assert!(fits(values.get(at), column), "{column:?}: {:?}", values.get(at));
            }
        }
    }
}

/// Checks that rows have the same bytes whether they are generated at once, in pieces, or as part of a longer range.
pub fn rows_do_not_depend_on_the_cut(instance: &dyn Instance) {
    for table in 0..instance.schema().tables.len() {
        for slots in samples(instance.slots(table)) {
            let (whole, _) = generated(instance, table, slots.clone());
            for piece in [1, 7, 64] {
                let mut joined = Values::default();
                for start in slots.clone().step_by(piece) {
                    let end = (start + piece as u64).min(slots.end);
                    let (part, _) = generated(instance, table, start..end);
                    (0..part.len()).for_each(|at| joined.push(part.get(at)));
                }
                assert!(joined == whole, "table {table}, {slots:?} in pieces of {piece}");
            }
        }
    }
}

fn samples(slots: u64) -> [Range<u64>; 2] {
    [0..slots.min(SAMPLE), slots.saturating_sub(SAMPLE)..slots]
}

/// Returns all values in a range of rows, and the number of rows that the source reports.
fn generated(instance: &dyn Instance, table: usize, slots: Range<u64>) -> (Values, usize) {
    let mut source = instance.rows(&Slice { table, slots });
    let (mut values, mut rows) = (Values::default(), 0);
    loop {
        match source.next_batch(&mut values) {
            0 => return (values, rows),
            made => rows += made,
        }
    }
}

fn fits(value: Value<'_>, column: &Column) -> bool {
    match (value, column.ty) {
        (Value::Null, _) => column.nullable,
        (Value::Int(number), Type::SmallInt) => i16::try_from(number).is_ok(),
        (Value::Int(number), Type::Int) => i32::try_from(number).is_ok(),
        (Value::Int(_), Type::BigInt) | (Value::Time(_), Type::Timestamp) => true,
        (Value::Time(micros), Type::Date) => micros % DAY_US == 0,
        (Value::Decimal(unscaled), Type::Decimal { precision, .. }) => {
            unscaled.unsigned_abs() < 10_u64.pow(u32::from(precision))
        }
        (Value::Text(text), Type::Char(length)) => text.len() == usize::from(length),
        (Value::Text(text), Type::Varchar(length)) => text.len() <= usize::from(length),
        _ => false,
    }
}
