//! Concurrent deliveries in one warehouse on MariaDB, MySQL and DuckDB.

use crate::deliveries::{
    POSTGRES, Ways, all_deliver, an_order_entered_meanwhile_is_delivered, load, postgres,
};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::library;
use tacho_testkit::servers::{MariaDb, MySql};

const MYSQL: Ways = &[
    (Form::Sql, &[]),
    (Form::Sql, &[("statements", "lines")]),
    (Form::Pipelined, &[]),
    (Form::Procedures, &[]),
];

fn mysql_family_skips_no_open_order(target: &str) -> Result<()> {
    let driver = tacho_driver_mysql::driver();
    let target = format!("{target}&database=deliveries");
    load(&*driver, &target)?;
    all_deliver(&*driver, &target, MYSQL, 64)?;
    for level in ["read-uncommitted", "read-committed", "serializable"] {
        all_deliver(&*driver, &format!("{target}&isolation={level}"), &MYSQL[..1], 8)?;
    }
    Ok(())
}

#[test]
fn mariadb_skips_no_open_order() -> Result<()> {
    mysql_family_skips_no_open_order(&MariaDb::shared().target())
}

#[test]
fn mysql_skips_no_open_order() -> Result<()> {
    let Some(server) = MySql::shared_if_there() else { return Ok(()) };
    mysql_family_skips_no_open_order(&server.target())
}

#[test]
fn duckdb_skips_no_open_order() -> Result<()> {
    let Some(library) = library::duckdb() else { return Ok(()) };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("x.db");
    let target = format!("duckdb:{}?library={}", file.display(), library.display());
    let driver = tacho_driver_duckdb::driver();
    load(&*driver, &target)?;
    all_deliver(&*driver, &target, &[(Form::Sql, &[])], 8)
}

#[test]
fn postgres_skips_no_open_order() -> Result<()> {
    let (server, driver) = (postgres()?, tacho_driver_postgres::driver());
    let target = server.target();
    load(&*driver, &target)?;
    all_deliver(&*driver, &target, POSTGRES, 64)?;
    for level in ["repeatable-read", "serializable"] {
        // At these isolation levels, deliveries fail more often and are repeated, so use fewer sessions.
        let ways = &[POSTGRES[0], POSTGRES[2], POSTGRES[3]];
        all_deliver(&*driver, &format!("{target}&isolation={level}"), ways, 8)?;
    }
    an_order_entered_meanwhile_is_delivered(&*driver, &target, POSTGRES)
}
