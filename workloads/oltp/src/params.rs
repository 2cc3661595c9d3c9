//! The parameters and the profiles, one for each of sysbench's scripts.
//!
//! It must never decide anything: `setup.rs` turns the values into plain fields. Start reading at
//! [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Profile, STORAGE, STORAGE_PARAMETER};

/// Which event runs.
pub const EVENT: &str = "event";
/// Rows of a table.
pub const TABLE_SIZE: &str = "table_size";
/// How ids are drawn.
pub const DISTRIBUTION: &str = "distribution";
/// How the column k of the rows was drawn.
pub const K_DISTRIBUTION: &str = "k_distribution";
/// Whether k has an index.
pub const SECONDARY_INDEX: &str = "secondary_index";
/// Ids of a range.
pub const RANGE_SIZE: &str = "range_size";
/// Counts of the groups of statements, in the order of their execution.
pub const GROUPS: [&str; 8] = [
    "point_selects",
    "simple_ranges",
    "sum_ranges",
    "order_ranges",
    "distinct_ranges",
    "index_updates",
    "non_index_updates",
    "delete_inserts",
];
/// Whether statements stand alone.
pub const SKIP_TRX: &str = "skip_trx";
/// Values of a list.
pub const RANDOM_POINTS: &str = "random_points";
/// Ranges of a statement.
pub const NUMBER_OF_RANGES: &str = "number_of_ranges";
/// Width of each of them.
pub const DELTA: &str = "delta";
/// Whether the tables are those of bulk-insert.
pub const BULK_TABLES: &str = "bulk_tables";
/// Rows of a statement that inserts many.
pub const BULK_ROWS: &str = "bulk_rows";
/// Of `special`: per cent of the ids that are frequent.
pub const SPECIAL_PCT: &str = "special_pct";
/// Of `special`: per cent of the draws that go there.
pub const SPECIAL_RES: &str = "special_res";
/// Of `special` and `gaussian`: numbers of which each is a mean.
pub const ITERATIONS: &str = "iterations";
/// Of `pareto`: the part of the ids that gets the rest of the draws.
pub const PARETO_H: &str = "pareto_h";
/// Of `zipfian`: the exponent.
pub const ZIPFIAN_EXP: &str = "zipfian_exp";

const DISTRIBUTIONS: ParameterKind =
    ParameterKind::Choice(&["special", "uniform", "gaussian", "pareto", "zipfian"]);

const fn group(key: &'static str, default: &'static str, help: &'static str) -> Parameter {
    Parameter { key, kind: ParameterKind::Count { min: 0, max: 1_000 }, default, help }
}

/// The parameters.
pub static PARAMETERS: [Parameter; 26] = [
    Parameter {
        key: EVENT,
        kind: ParameterKind::Choice(&[
            "read-write",
            "read-only",
            "write-only",
            "point-select",
            "update-index",
            "update-non-index",
            "delete",
            "insert",
            "bulk-insert",
            "random-points",
            "random-ranges",
        ]),
        default: "read-write",
        help: "sysbench script to run",
    },
    Parameter {
        key: TABLE_SIZE,
        kind: ParameterKind::Count { min: 1, max: 2_000_000_000 },
        default: "10000",
        help: "rows of each table",
    },
    Parameter {
        key: DISTRIBUTION,
        kind: DISTRIBUTIONS,
        default: "special",
        help: "how ids are drawn: special is the default of sysbench 1.0, uniform that of 1.1",
    },
    Parameter {
        key: K_DISTRIBUTION,
        kind: DISTRIBUTIONS,
        default: "special",
        help: "how the column k of the rows is drawn when they are loaded",
    },
    Parameter {
        key: SECONDARY_INDEX,
        kind: ParameterKind::Switch,
        default: "true",
        help: "an index on the column k",
    },
    Parameter {
        key: RANGE_SIZE,
        kind: ParameterKind::Count { min: 1, max: 1_000_000 },
        default: "100",
        help: "ids of a range",
    },
    group(GROUPS[0], "10", "selects by id"),
    group(GROUPS[1], "1", "selects of a range"),
    group(GROUPS[2], "1", "sums over a range"),
    group(GROUPS[3], "1", "selects of a range in the order of c"),
    group(GROUPS[4], "1", "selects of the distinct c of a range"),
    group(GROUPS[5], "1", "updates of the column k, which has an index"),
    group(GROUPS[6], "1", "updates of the column c, which has none"),
    group(GROUPS[7], "1", "deletes, each followed by an insert of the same id"),
    Parameter {
        key: SKIP_TRX,
        kind: ParameterKind::Switch,
        default: "false",
        help: "no begin and no commit: each statement is a transaction",
    },
    Parameter {
        key: RANDOM_POINTS,
        kind: ParameterKind::Count { min: 1, max: 1_000 },
        default: "10",
        help: "values in the list of random-points",
    },
    Parameter {
        key: NUMBER_OF_RANGES,
        kind: ParameterKind::Count { min: 1, max: 500 },
        default: "10",
        help: "ranges in the condition of random-ranges",
    },
    Parameter {
        key: DELTA,
        kind: ParameterKind::Count { min: 0, max: 1_000_000 },
        default: "5",
        help: "width of each range of random-ranges",
    },
    Parameter {
        key: BULK_TABLES,
        kind: ParameterKind::Switch,
        default: "false",
        help: "tables of bulk-insert: id and k alone, empty, one for each session",
    },
    Parameter {
        key: BULK_ROWS,
        kind: ParameterKind::Count { min: 1, max: 65_535 },
        default: "100",
        help: "rows of a statement of bulk-insert",
    },
    Parameter {
        key: SPECIAL_PCT,
        kind: ParameterKind::Factor { min: 0.001, max: 100.0 },
        default: "1",
        help: "of special: per cent of the ids around the middle that are frequent",
    },
    Parameter {
        key: SPECIAL_RES,
        kind: ParameterKind::Factor { min: 0.0, max: 100.0 },
        default: "75",
        help: "of special: per cent of the draws that go to frequent ids",
    },
    Parameter {
        key: ITERATIONS,
        kind: ParameterKind::Count { min: 1, max: 1_000 },
        default: "12",
        help: "of special and gaussian: uniform numbers whose mean is an id",
    },
    Parameter {
        key: PARETO_H,
        kind: ParameterKind::Factor { min: 0.001, max: 0.999 },
        default: "0.2",
        help: "of pareto: the lowest part h of the ids gets the part 1 - h of the draws",
    },
    Parameter {
        key: ZIPFIAN_EXP,
        kind: ParameterKind::Factor { min: 0.0, max: 20.0 },
        default: "0.8",
        help: "of zipfian: the exponent; 0 is uniform",
    },
    STORAGE_PARAMETER,
];

/// What the rows are made of, and how they are kept.
pub static DATA_PARAMETERS: [&str; 5] =
    [TABLE_SIZE, K_DISTRIBUTION, SECONDARY_INDEX, BULK_TABLES, STORAGE];

/// The profiles; the first is the default.
pub static PROFILES: [Profile; 11] = [
    Profile {
        id: "read-write",
        about: "oltp_read_write: 14 reads, 4 writes in a transaction",
        values: &[],
    },
    Profile {
        id: "read-only",
        about: "oltp_read_only: 14 reads in a transaction",
        values: &[(EVENT, "read-only")],
    },
    Profile {
        id: "write-only",
        about: "oltp_write_only: 4 writes in a transaction",
        values: &[(EVENT, "write-only")],
    },
    Profile {
        id: "point-select",
        about: "oltp_point_select: a select by id",
        values: &[(EVENT, "point-select")],
    },
    Profile {
        id: "update-index",
        about: "oltp_update_index: an update of a column with an index",
        values: &[(EVENT, "update-index")],
    },
    Profile {
        id: "update-non-index",
        about: "oltp_update_non_index: an update of a column without one",
        values: &[(EVENT, "update-non-index")],
    },
    Profile {
        id: "delete",
        about: "oltp_delete: a delete; the tables become empty",
        values: &[(EVENT, "delete")],
    },
    Profile {
        id: "insert",
        about: "oltp_insert: an insert; the tables grow",
        values: &[(EVENT, "insert")],
    },
    Profile {
        id: "bulk-insert",
        about: "bulk_insert: an insert of many rows into a table of each session; the tables grow",
        values: &[(EVENT, "bulk-insert"), (BULK_TABLES, "true")],
    },
    Profile {
        id: "random-points",
        about: "select_random_points: a select of a list of k",
        values: &[(EVENT, "random-points")],
    },
    Profile {
        id: "random-ranges",
        about: "select_random_ranges: a count over ranges of k",
        values: &[(EVENT, "random-ranges")],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_docs_explain_every_parameter_and_profile() {
        let keys = PARAMETERS.iter().map(|parameter| parameter.key);
        for word in keys.chain(PROFILES.iter().map(|profile| profile.id)) {
            assert!(crate::MANIFEST.docs.contains(&format!("`{word}`")), "docs.md lacks {word}");
        }
    }
}
