//! The parameters and profiles. There is one profile for each sysbench script.
//!
//! This file only declares parameters. `setup.rs` converts their values to plain fields.
//!
//! Start reading at [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Profile, STORAGE, STORAGE_PARAMETER};

/// Parameter: event to run.
pub const EVENT: &str = "event";
/// Parameter: number of rows in a table.
pub const TABLE_SIZE: &str = "table_size";
/// Parameter: distribution of IDs.
pub const DISTRIBUTION: &str = "distribution";
/// Parameter: distribution of column k in the loaded rows.
pub const K_DISTRIBUTION: &str = "k_distribution";
/// Parameter: whether k has an index.
pub const SECONDARY_INDEX: &str = "secondary_index";
/// Parameter: number of IDs in a range.
pub const RANGE_SIZE: &str = "range_size";
/// Parameters: number of statements in each group, in execution order.
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
/// Parameter: whether statements run outside a transaction.
pub const SKIP_TRX: &str = "skip_trx";
/// Parameter: number of values in a list.
pub const RANDOM_POINTS: &str = "random_points";
/// Parameter: number of ranges in a statement.
pub const NUMBER_OF_RANGES: &str = "number_of_ranges";
/// Parameter: width of each range in `random_ranges`.
pub const DELTA: &str = "delta";
/// Parameter: whether to use the bulk-insert tables.
pub const BULK_TABLES: &str = "bulk_tables";
/// Parameter: number of rows in a bulk-insert statement.
pub const BULK_ROWS: &str = "bulk_rows";
/// Parameter for `special`: percentage of IDs that count as special, so that they are drawn more often.
pub const SPECIAL_PCT: &str = "special_pct";
/// Parameter for `special`: percentage of draws that select a special ID.
pub const SPECIAL_RES: &str = "special_res";
/// Parameter for `special` and `gaussian`: number of uniform random numbers that each draw averages.
pub const ITERATIONS: &str = "iterations";
/// Parameter for `pareto`: the number h, for which a fraction h of the IDs receives a fraction 1 - h of the draws.
pub const PARETO_H: &str = "pareto_h";
/// Parameter for `zipfian`: the exponent.
pub const ZIPFIAN_EXP: &str = "zipfian_exp";

const DISTRIBUTIONS: ParameterKind =
    ParameterKind::Choice(&["special", "uniform", "gaussian", "pareto", "zipfian"]);

const fn group(key: &'static str, default: &'static str, help: &'static str) -> Parameter {
    Parameter::new(key, ParameterKind::Count { min: 0, max: 1_000 }, default, help)
}

#[rustfmt::skip]
const EVENTS: ParameterKind = ParameterKind::Choice(&[
    "read-write", "read-only", "write-only", "point-select", "update-index", "update-non-index", "delete", "insert",
    "bulk-insert", "random-points", "random-ranges",
]);

/// The parameters.
#[rustfmt::skip]
pub static PARAMETERS: [Parameter; 26] = [
    Parameter::new(EVENT, EVENTS, "read-write", "sysbench script to run"),
    Parameter::new(TABLE_SIZE, ParameterKind::Count { min: 1, max: 2_000_000_000 }, "10000", "number of rows in each table"),
    Parameter::new(DISTRIBUTION, DISTRIBUTIONS, "special",
        "distribution of ids; by default, sysbench 1.0 uses special, and sysbench 1.1 uses uniform"),
    Parameter::new(K_DISTRIBUTION, DISTRIBUTIONS, "special",
        "distribution of column k in the loaded rows"),
    Parameter::new(SECONDARY_INDEX, ParameterKind::Switch, "true", "create an index on column k"),
    Parameter::new(RANGE_SIZE, ParameterKind::Count { min: 1, max: 1_000_000 }, "100", "number of ids in a range"),
    group(GROUPS[0], "10", "number of selects by id"),
    group(GROUPS[1], "1", "number of range selects"),
    group(GROUPS[2], "1", "number of sums over a range"),
    group(GROUPS[3], "1", "number of range selects ordered by c"),
    group(GROUPS[4], "1", "number of selects for distinct values of c in a range"),
    group(GROUPS[5], "1", "number of updates to the indexed column k"),
    group(GROUPS[6], "1", "number of updates to the non-indexed column c"),
    group(GROUPS[7], "1", "number of deletes, each followed by an insert of the same id"),
    Parameter::new(SKIP_TRX, ParameterKind::Switch, "false",
        "run each statement as a separate transaction, without begin and commit"),
    Parameter::new(RANDOM_POINTS, ParameterKind::Count { min: 1, max: 1_000 }, "10",
        "number of values in the random-points list"),
    Parameter::new(NUMBER_OF_RANGES, ParameterKind::Count { min: 1, max: 500 }, "10",
        "number of ranges in the random-ranges condition"),
    Parameter::new(DELTA, ParameterKind::Count { min: 0, max: 1_000_000 }, "5", "width of each range in random-ranges"),
    Parameter::new(BULK_TABLES, ParameterKind::Switch, "false",
        "use the bulk-insert tables: one empty table per session, with only the columns id and k"),
    Parameter::new(BULK_ROWS, ParameterKind::Count { min: 1, max: 65_535 }, "100",
        "number of rows in a bulk-insert statement"),
    Parameter::new(SPECIAL_PCT, ParameterKind::Factor { min: 0.001, max: 100.0 }, "1",
        "for special: percentage of ids that are drawn most often; they are near the middle of the range"),
    Parameter::new(SPECIAL_RES, ParameterKind::Factor { min: 0.0, max: 100.0 }, "75",
        "for special: percentage of draws that return one of the frequent ids"),
    Parameter::new(ITERATIONS, ParameterKind::Count { min: 1, max: 1_000 }, "12",
        "for special and gaussian: number of uniform random numbers to average for each id"),
    Parameter::new(PARETO_H, ParameterKind::Factor { min: 0.001, max: 0.999 }, "0.2",
        "for pareto: the fraction h of the ids, starting with the lowest, that receives a fraction 1 - h of the draws"),
    Parameter::new(ZIPFIAN_EXP, ParameterKind::Factor { min: 0.0, max: 20.0 }, "0.8",
        "for zipfian: the exponent, where 0 means uniform"),
    STORAGE_PARAMETER,
];

/// Parameters that affect the data: row contents and table storage.
pub static DATA_PARAMETERS: [&str; 5] =
    [TABLE_SIZE, K_DISTRIBUTION, SECONDARY_INDEX, BULK_TABLES, STORAGE];

/// The profiles. The first one is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 11] = [
    Profile::new("read-write", "oltp_read_write: 14 reads and 4 writes in a transaction", &[]),
    Profile::new("read-only", "oltp_read_only: 14 reads in a transaction", &[(EVENT, "read-only")]),
    Profile::new("write-only", "oltp_write_only: 4 writes in a transaction", &[(EVENT, "write-only")]),
    Profile::new("point-select", "oltp_point_select: a select by id", &[(EVENT, "point-select")]),
    Profile::new("update-index", "oltp_update_index: an update of an indexed column", &[(EVENT, "update-index")]),
    Profile::new("update-non-index", "oltp_update_non_index: an update of a non-indexed column",
        &[(EVENT, "update-non-index")]),
    Profile::new("delete", "oltp_delete: a delete; the tables eventually become empty", &[(EVENT, "delete")]),
    Profile::new("insert", "oltp_insert: an insert; the tables grow", &[(EVENT, "insert")]),
    Profile::new("bulk-insert", "bulk_insert: an insert of many rows into the session's table; \
                                 the tables grow",
        &[(EVENT, "bulk-insert"), (BULK_TABLES, "true")]),
    Profile::new("random-points", "select_random_points: a select with a list of k values", &[(EVENT, "random-points")]),
    Profile::new("random-ranges", "select_random_ranges: a count over ranges of k values", &[(EVENT, "random-ranges")]),
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
