//! The conformance suite, which checks the requirements for drivers. Which of them apply depends on the driver's
//! capabilities.
//!
//! The suite must not name a driver. Each check is a function that takes a [`Bench`], and panics or returns an error.
//!
//! Start reading at [`run`].

pub mod allocation;
pub(crate) mod bench;
mod canned;
mod data;
mod errors;
mod literals;
mod load;
mod manifest;
pub mod statement;
mod transactions;
mod work;

use tacho_core::Result;
use tacho_driver::{Driver, Scheduling};

pub use bench::{Bench, SQL, tables};

use crate::live::enter;

type Check = fn(&Bench<'_>) -> Result<()>;

/// Checks for all drivers.
const ALWAYS: &[(&str, Check)] = &[
    ("the manifest is complete", manifest::is_complete),
    ("unknown options are refused", manifest::unknown_options_are_refused),
    ("facts name a version", manifest::facts_name_a_version),
    ("sizes name each table", manifest::sizes_name_each_table),
    ("rights are told and nothing is made", manifest::rights_are_told),
    ("a catalog replaces another", canned::a_catalog_replaces_another),
    ("loading counts the rows", load::loading_counts_the_rows),
    ("a rollback needs no transaction", transactions::a_rollback_needs_no_transaction),
    ("counters follow the transactions", transactions::counters_follow),
];

/// Checks for drivers that return invented results.
const WITHOUT_DATA: &[(&str, Check)] = &[
    ("answers have the declared shape", canned::answers_have_the_declared_shape),
    ("no tables are listed", canned::no_tables_are_listed),
    ("no work is told", work::nothing_is_told),
];

/// Checks for drivers that store rows.
const WITH_DATA: &[(&str, Check)] = &[
    ("tables come and go", data::tables_come_and_go),
    ("a new index is noticed", data::a_new_index_is_noticed),
    ("every value comes back", data::every_value_comes_back),
    ("written rows are counted", data::written_rows_are_counted),
    ("a parameter is used twice", data::a_parameter_is_used_twice),
    ("the first row has its moment", data::the_first_row_has_its_moment),
    ("sums are exact", data::sums_are_exact),
    ("all forms give the same", data::all_forms_give_the_same),
    ("literals give what parameters give", literals::they_give_what_parameters_give),
    ("nothing is prepared for literals", literals::nothing_is_prepared),
    ("several literal statements stop at an error", literals::several_stop_at_an_error),
    ("work grows with what is read", work::it_grows_with_what_is_read),
    ("only a commit stays", transactions::only_a_commit_stays),
    ("others see only commits", transactions::others_see_only_commits),
    ("a dropped session leaves nothing", transactions::a_dropped_session_leaves_nothing),
    ("loaded rows are there", load::loaded_rows_are_there),
    ("days are loaded and compared", load::days_are_loaded_and_compared),
    ("a load is part of the transaction", load::a_load_is_part_of_the_transaction),
    ("errors have their kind", errors::errors_have_their_kind),
    ("nothing runs after an error", errors::nothing_runs_after_an_error),
    ("a failed statement keeps its commit back", errors::a_failed_statement_keeps_its_commit_back),
    (
        "the last before COMMIT keeps it back or leaves it in doubt",
        errors::a_last_statement_keeps_its_commit_back,
    ),
    ("statements survive an error", errors::statements_survive_an_error),
];

/// Runs the suite for `driver` on the database at `target`. The names of its tables start with `conformance`.
///
/// # Panics
/// Panics if the driver violates the contract.
pub fn run(driver: &dyn Driver, target: &str) {
    check(&Bench::new(driver, target));
}

/// Runs the suite on a server of another product that uses the same protocol as the driver's database.
///
/// # Panics
/// Panics like [`run`].
pub fn run_on_relative(driver: &dyn Driver, target: &str) {
    let mut bench = Bench::new(driver, target);
    bench.relative = true;
    check(&bench);
}

/// Runs the suite on a server that executes a COMMIT even if the statement directly before it has failed.
///
/// # Panics
/// Panics like [`run`].
pub fn run_with_doubt(driver: &dyn Driver, target: &str) {
    let mut bench = Bench::new(driver, target);
    bench.doubtful = true;
    check(&bench);
}

fn check(bench: &Bench<'_>) {
    let driver = bench.driver;
    let _inside = (driver.scheduling() == Scheduling::Task).then(enter);
    let chosen = if driver.capabilities().stores_data { WITH_DATA } else { WITHOUT_DATA };
    for (name, check) in ALWAYS.iter().chain(chosen) {
        let outcome = bench.reset().and_then(|()| check(bench));
        assert!(outcome.is_ok(), "{name}: {:?}", outcome.err());
    }
    bench.clean().expect("the suite's tables can be removed");
}
