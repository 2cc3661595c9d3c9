//! The profiles: each tool's switches. They follow descriptions of the tools' behaviour, not their code.
//!
//! This file must contain only data. Start reading at [`PROFILES`].

use tacho_workload::Profile;

use crate::params::HAMMERDB;

type Values = &'static [(&'static str, &'static str)];

const TPCC_MYSQL: Values = &[
    ("tables", "tpcc-mysql"),
    ("foreign_keys", "enforced"),
    ("statements", "apart"),
    ("warehouses", "all"),
    ("mix", "deck"),
    ("credit_half_bad", "true"),
    ("tax_coarse", "true"),
    ("discount_coarse", "true"),
    ("marks", "lower"),
    ("open_amounts", "to_100"),
    ("stock_level_district", "each"),
    ("payment_whole_amounts", "true"),
    ("unused_item", "sorted"),
    ("rollback_at", "item"),
    ("stock_counters_frozen", "true"),
    ("payment_counters", "none"),
    ("line_amount_taxed", "true"),
    ("stock_refill", "q"),
    ("district_write", "absolute"),
    ("stock_write", "absolute"),
    ("stock_districts", "ten"),
    ("balance_write", "absolute"),
    ("customer_data", "unchanged"),
    ("names_counted", "true"),
    ("order_status_random_customer", "true"),
    ("last_order", "maximum"),
    ("delivery_pick", "minimum"),
    ("delivery_commit", "districts"),
    ("stock_level_count", "items"),
];

const DBT2: Values = &[
    ("tables", "dbt2"),
    ("statements", "apart"),
    ("warehouses", "range"),
    ("loaded_lines", "5_to_14"),
    ("order_lines", "6_to_15"),
    ("remote_lines", "none"),
    ("remote_payments", "none"),
    ("nurand_constant_zero", "true"),
    ("sort_lines", "false"),
    ("stock_level_district", "each"),
    ("rollback_at", "item"),
    ("stock_counters_frozen", "true"),
    ("payment_counters", "sum_plus_1"),
    ("stock_refill", "q_plus_11"),
    ("terms", "separate"),
    ("stock_read", "plain"),
    ("places", "lock_write"),
    ("customer_read", "plain"),
    ("balance_write", "absolute"),
    ("by_name_position", "first"),
    ("status_position", "first"),
    ("delivery_pick", "plain"),
    ("delivery_credit", "amount_times_quantity"),
    ("stock_level_count", "all"),
];

const SYSBENCH_TPCC: Values = &[
    ("tables", "sysbench-tpcc"),
    ("foreign_keys", "unchecked"),
    ("statements", "apart"),
    ("warehouses", "all"),
    ("mix", "of23"),
    ("strings", "one_letter"),
    ("marks", "none"),
    ("tax_coarse", "true"),
    ("discount_coarse", "true"),
    ("stock_level_district", "each"),
    ("uniform_customer", "true"),
    ("uniform_item", "true"),
    ("uniform_name", "true"),
    ("payment_whole_amounts", "true"),
    ("remote_lines", "flagged"),
    ("remote_payments", "district"),
    ("unused_item", "last_but_one"),
    ("sort_lines", "false"),
    ("rollback_at", "item"),
    ("stock_counters_frozen", "true"),
    ("payment_counters", "sum"),
    ("line_amount_taxed", "true"),
    ("line_rounding", "whole"),
    ("stock_refill", "q"),
    ("district_write", "absolute"),
    ("stock_write", "absolute"),
    ("balance_write", "absolute"),
    ("names_counted", "true"),
    ("by_name_position", "past_middle"),
    ("status_position", "past_middle"),
    ("last_order", "all"),
    ("status_lines", "district"),
];

const GO_TPC: Values = &[
    ("tables", "go-tpc"),
    ("statements", "batches"),
    ("warehouses", "all"),
    ("stock_level_district", "each"),
    ("remote_lines", "recorded"),
    ("distinct_items", "true"),
    ("sort_lines", "false"),
    ("rollback_at", "items"),
    ("line_amount_taxed", "true"),
    ("stock_write", "absolute"),
    ("payment_order", "district_first"),
    ("ping", "true"),
];

const BENCHBASE: Values = &[
    ("tables", "benchbase"),
    ("foreign_keys", "enforced"),
    ("statements", "apart"),
    ("sort_lines", "false"),
    ("rollback_at", "item"),
    ("terms", "separate"),
    ("line_writes", "at_end"),
    ("stock_write", "absolute"),
    ("customer_read", "plain"),
    ("balance_write", "absolute"),
    ("delivery_pick", "plain"),
    ("delivery_districts", "terminal"),
];

/// The profiles. The first one is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 7] = [
    Profile::new("spec", "TPC-C's data, inputs and rules", &[]),
    Profile::new("hammerdb", "the data, inputs and rules of HammerDB's client-SQL mode", &HAMMERDB),
    Profile::new("tpcc-mysql", "tpcc-mysql's tables, inputs and statements, but without its \
                                undefined constants C",
        TPCC_MYSQL),
    Profile::new("dbt2", "DBT-2's tables and inputs, and the statements of its routines, sent one \
                          by one", DBT2),
    Profile::new("sysbench-tpcc", "sysbench-tpcc's tables, inputs and statements; add --form \
                                   simple to send them as text",
        SYSBENCH_TPCC),
    Profile::new("go-tpc", "go-tpc's tables and inputs, and its statements, which handle lists of items and lines", GO_TPC),
    Profile::new("benchbase", "BenchBase's tables, inputs and statements, at isolation level \
        SERIALIZABLE",
        BENCHBASE),
];

/// Groups of related parameters. To find out which parameters make two configurations differ, Tacho changes one group
/// after another.
///
/// Groups that affect the data come first, because changing them requires a new load.
#[rustfmt::skip]
pub static GROUPS: [(&str, &[&str]); 17] = [
    ("population", &["strings", "marks", "loaded_lines", "open_amounts", "credit_half_bad", "tax_coarse",
        "discount_coarse", "zip_left", "phone_left", "state_alphanumeric", "original_lowercase", "amounts_reversed",
        "customer_of_order"]),
    ("tables and indexes", &["tables", "hammerdb_tables", "history_pk"]),
    ("foreign keys", &["foreign_keys"]),
    ("mix", &["mix", "weights"]),
    ("choice of warehouse", &["warehouses", "home"]),
    ("distributions", &["uniform_customer", "uniform_item", "uniform_name", "nurand_constant_zero",
        "last_name_constant_same"]),
    ("remote work", &["remote_payments", "remote_lines"]),
    ("order lines", &["order_lines", "sort_lines", "distinct_items", "unused_item", "rollback_1_in_99"]),
    ("statements apart", &["statements", "hammerdb_statements", "stale_writes"]),
    ("new-order statements", &["rollback_at", "stock_counters_frozen", "stock_refill", "line_amount_taxed",
        "line_rounding", "terms", "line_writes", "district_write", "stock_read", "stock_write", "stock_districts"]),
    ("payment statements", &["payment_counters", "payment_whole_amounts", "payment_order", "payment_adds", "places",
        "customer_read", "balance_write", "customer_data", "names_counted", "by_name_position"]),
    ("order-status statements", &["status_position", "last_order", "status_lines", "order_status_random_customer"]),
    ("delivery statements", &["delivery_pick", "delivery_commit", "delivery_credit", "delivery_districts",
        "delivery_stops_at_empty"]),
    ("stock-level statements", &["stock_level_count", "stock_level_district"]),
    ("counters", &["counters_frozen"]),
    ("think times", &["think_rounded", "think_uncapped", "think_means_swapped"]),
    ("stored routines", &["hammerdb_routines", "routines", "call_values", "by_name_never_matches"]),
];
