//! Tests the loaded rows: golden digests, and slots that are equal at every scale.

use crate::common::{instance, rows};
use tacho_driver::{Value, Values};

/// Digests of the rows in the second of two scale steps, computed from the output of `tpchgen-cli`.
///
/// If a digest changes, so does every user's data, and the manifest needs a new version.
const GOLDEN: [(&str, u64); 9] = [
    ("region", 13_096_786_307_855_343_761),
    ("nation", 11_125_457_017_146_865_091),
    ("supplier", 8_420_627_084_619_680_424),
    ("customer", 6_214_622_633_980_853_728),
    ("part", 16_462_593_359_414_443_253),
    ("partsupp", 9_173_679_019_264_874_626),
    ("orders", 931_324_708_236_928_967),
    ("lineitem", 9_818_460_017_063_238_717),
    ("refreshes", 9_062_238_735_548_909_006),
];

/// Returns an FNV-1a digest of the values, which is the same on every machine.
fn digest(values: &Values) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |kind: u8, bytes: &[u8]| {
        for byte in [kind].iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for at in 0..values.len() {
        match values.get(at) {
            Value::Null => add(b'n', &[]),
            Value::Int(number) => add(b'i', &number.to_le_bytes()),
            Value::Decimal(number) => add(b'd', &number.to_le_bytes()),
            Value::Time(micros) => add(b't', &micros.to_le_bytes()),
            Value::Text(text) => add(b's', text),
        }
    }
    hash
}

#[test]
fn golden_digests() {
    let instance = instance(2, &[]);
    let found: Vec<(&str, u64)> = instance
        .schema()
        .tables
        .iter()
        .enumerate()
        .map(|(table, about)| {
            let last = instance.slots(table) - 1;
            (about.name, digest(&rows(&*instance, table, last..last + 1)))
        })
        .collect();
    assert_eq!(found, GOLDEN);
}

#[test]
fn the_last_slot_of_every_scale_is_as_long_as_the_others() {
    let supplier = 2;
    for steps in (1..=1_000).chain([12_345, 2_999_999, 3_000_000]) {
        let instance = instance(steps, &[]);
        let values = rows(&*instance, supplier, steps - 1..steps);
        assert_eq!(values.len(), 7 * 100, "{steps}");
        assert_eq!(values.get(7 * 99), Value::Int(steps as i64 * 100), "{steps}");
    }
}

#[test]
fn the_first_rows_in_words() {
    let instance = instance(100, &[]);
    let first = |table: usize| {
        let columns = instance.schema().tables[table].columns.len();
        let values = rows(&*instance, table, 0..1);
        (0..columns).map(|at| format!("{:?}", shown(values.get(at)))).collect::<Vec<_>>().join("|")
    };
    // These are the values that the generator in clause 4.2.3 produces for scale factor 1.
    let supplier = first(2);
    assert!(supplier.starts_with(r#""1"|"Supplier#000000001"|" N kD4on9OM Ipw3,gf0JBoQDd7tgrzrddZ"|"17"|"27-918-335-1736"|"5755.94""#), "{supplier}");
    let order = first(6);
    assert!(
        order.starts_with(
            r#""1"|"36901"|"O"|"173665.47"|"1996-01-02"|"5-LOW"|"Clerk#000000951"|"0""#
        ),
        "{order}"
    );
    let line = first(7);
    assert!(line.starts_with(r#""1"|"155190"|"7706"|"1"|"17.00"|"21168.23"|"0.04"|"0.02"|"N"|"O"|"1996-03-13"|"1996-02-12"|"1996-03-22"|"DELIVER IN PERSON"|"TRUCK""#), "{line}");
}

fn shown(value: Value<'_>) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(number) => number.to_string(),
        Value::Decimal(cents) => format!("{}.{:02}", cents / 100, cents % 100),
        Value::Time(midnight) => {
            let days = midnight / 86_400_000_000;
            let index = tpchgen::dates::MIN_GENERATE_DATE + days as i32
                - tpchgen::dates::TPCHDate::UNIX_EPOCH_OFFSET;
            tpchgen::dates::TPCHDate::new(index).to_string()
        }
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

#[test]
fn a_unit_is_a_step_of_every_table_until_there_are_too_many() {
    for (steps, units, last) in
        [(1, 2, 1), (10_000, 10_001, 1), (10_001, 5_002, 1), (3_000_000, 10_001, 300)]
    {
        let instance = instance(steps, &[]);
        assert_eq!(instance.units(), units, "{steps}");
        let slices = instance.unit(units - 1).slices;
        assert_eq!(slices.len(), 6);
        assert!(slices.iter().all(|slice| slice.slots == (steps - last..steps)), "{slices:?}");
    }
}
