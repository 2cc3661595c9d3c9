//! Runs the contract suite without a driver, on a driver that does nothing, and on SQLite.

use tacho_testkit::contract;

#[test]
fn contract_without_a_driver() {
    contract::declare_and_generate(&*tacho_workload_tprocc::workload());
}

#[test]
fn contract_on_a_driver_without_data() {
    contract::run(&*tacho_workload_tprocc::workload(), &*tacho_driver_noop::driver(), "noop");
}

#[test]
fn contract_on_a_driver_with_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    contract::run(&*tacho_workload_tprocc::workload(), &*tacho_driver_sqlite::driver(), &target);
}
