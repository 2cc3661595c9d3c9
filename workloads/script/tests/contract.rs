//! Runs the contract suite on every workload folder: without a driver and on up to three drivers. One does nothing, one
//! simulates a server in virtual time, and the third is SQLite.

use crate::common::{example, read, shipped};
use tacho_driver::Driver;
use tacho_testkit::contract;
use tacho_workload::Workload;

fn all_drivers(workload: &dyn Workload) {
    contract::declare_and_generate(workload);
    let drivers: [(Box<dyn Driver>, &str); 2] =
        [(tacho_driver_noop::driver(), "noop"), (tacho_driver_sim::driver(), "sim")];
    for (driver, target) in drivers {
        contract::run(workload, &*driver, target);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    contract::run(workload, &*tacho_driver_sqlite::driver(), &target);
}

/// Runs only those parts of the suite that use a database with data, because these workloads
/// require statements to return rows.
fn with_data(workload: &dyn Workload) {
    contract::declare_and_generate(workload);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    contract::run(workload, &*tacho_driver_sqlite::driver(), &target);
}

#[test]
fn the_example_of_a_new_workload() {
    let folder = example();
    all_drivers(&*read(folder.path()).expect("a workload"));
}

#[test]
fn the_core_workloads_of_ycsb() {
    with_data(&*read(&shipped("../../examples/ycsb")).expect("a workload"));
}

#[test]
fn the_job_queue() {
    with_data(&*read(&shipped("../../examples/queue")).expect("a workload"));
}

#[test]
fn the_bank_of_pgbench() {
    all_drivers(&*read(&shipped("tests/tpcb")).expect("a workload"));
}
