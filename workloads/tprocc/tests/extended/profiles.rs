//! Loads other tools' tables on real servers, runs all of their transactions, and checks all conditions.

use std::sync::OnceLock;

use crate::common::crowds::{Rules, enter, open, run_crowds};
use crate::common::{instance_for, verdicts};
use tacho_core::Result;
use tacho_driver::{Driver, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{drive, load};
use tacho_testkit::servers::{MariaDb, Options, Postgres};

/// The profiles, each with its form and the conditions that it violates by design.
const PROFILES: [(&str, Form, &[&str]); 5] = [
    ("tpcc-mysql", Form::Sql, &["C10", "C11", "C12", "D8", "D9", "D13"]),
    ("dbt2", Form::Pipelined, &["C10", "C11", "C12", "D8", "D9", "D13"]),
    ("sysbench-tpcc", Form::Simple, &["D8", "D13"]),
    ("go-tpc", Form::Sql, &["D12", "D13"]),
    ("benchbase", Form::Pipelined, &["C10", "C11", "C12", "D9", "D12", "D13"]),
];
/// Parameters for a mix of all transaction types. The share of deliveries is low, because there are not many
/// undelivered orders.
const WEIGHTS: [(&str, &str); 2] = [("mix", "weights"), ("weights", "40,30,10,10,10")];
/// A single warehouse is enough, because the tests of Tacho's own profiles cover remote warehouses.
const WAREHOUSES: u64 = 1;

/// Runs concurrent sessions on the database of each profile.
fn every_profile_runs(driver: &dyn Driver, target: impl Fn(&str) -> String) -> Result<()> {
    for (profile, form, excused) in PROFILES {
        let target = target(&profile.replace('-', "_"));
        let bench = Bench::new(driver, &target);
        let instance = instance_for(driver.dialect().id(), form, WAREHOUSES, profile, &WEIGHTS);
        load(&bench, &*instance)?;
        let rules = Rules { excused, deadlocks: true, hidden: false };
        let sum = run_crowds(&bench, &*instance, form, rules)?;
        assert!(sum.ended.iter().all(|ended| ended.committed > 20), "{profile} {:?}", sum.ended);
        assert!(sum.ended[0].rolled_back > 0, "{profile} {:?}", sum.ended);
    }
    Ok(())
}

#[test]
fn every_profile_runs_on_postgres() -> Result<()> {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    let settings = &[("max_connections", "200")];
    let start = || Postgres::start_with(Options { settings, ..Options::default() });
    let server = SERVER.get_or_init(|| start().expect("a PostgreSQL server"));
    every_profile_runs(&*driver, |name| {
        let admin = Bench::new(&*driver, &server.target());
        admin.script(&format!("CREATE DATABASE {name}")).expect("a new database");
        format!("{}&dbname={name}", server.target())
    })
}

#[test]
fn every_profile_runs_on_mariadb() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let server = MariaDb::start().expect("a MariaDB server");
    every_profile_runs(&*driver, |name| format!("{}&database={name}", server.target()))
}

#[test]
fn every_profile_runs_on_sqlite() -> Result<()> {
    let driver = tacho_driver_sqlite::driver();
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (profile, _, excused) in PROFILES {
        let target = format!("sqlite:{}?synchronous=off", folder.path().join(profile).display());
        let bench = Bench::new(&*driver, &target);
        // The foreign keys of other tools' tables are defined only for database servers, so leave them out on SQLite.
        let set = [WEIGHTS[0], WEIGHTS[1], ("foreign_keys", "none")];
        let instance = instance_for("sqlite", Form::Sql, 1, profile, &set);
        load(&bench, &*instance)?;
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        let mut clients: Vec<_> = (0..4).map(|session| instance.client(session)).collect();
        let ended = drive(&bench, &mut exchange, &mut clients, 1_000);
        assert!(ended.iter().all(|ended| ended.committed > 50), "{profile} {ended:?}");
        assert!(ended[0].rolled_back > 0, "{profile} {ended:?}");
        let expected = (vec![], excused.to_vec());
        assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, expected, "{profile}");
    }
    Ok(())
}
