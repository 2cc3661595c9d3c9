//! The profiles of other tools on PostgreSQL and MariaDB.

use std::sync::OnceLock;

use crate::common::crowds::enter;
use crate::profiles::every_profile_runs;
use tacho_core::Result;
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{MariaDb, Options, Postgres};

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
