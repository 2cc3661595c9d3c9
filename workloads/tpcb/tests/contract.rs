//! Runs the contract suite without a driver and on three drivers: one that does nothing, one that simulates a server in
//! virtual time, and SQLite.

use tacho_testkit::contract;

#[test]
fn contract_without_a_driver() {
    contract::declare_and_generate(&*tacho_workload_tpcb::workload());
}

#[test]
fn contract_on_a_driver_without_data() {
    contract::run(&*tacho_workload_tpcb::workload(), &*tacho_driver_noop::driver(), "noop");
}

#[test]
fn contract_on_virtual_time() {
    contract::run(&*tacho_workload_tpcb::workload(), &*tacho_driver_sim::driver(), "sim");
}

#[test]
fn contract_on_a_driver_with_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    contract::run(&*tacho_workload_tpcb::workload(), &*tacho_driver_sqlite::driver(), &target);
}
