//! Runs the shared test suite with MariaDB's ODBC driver.
//!
//! Each database has a test binary of its own, because its ODBC driver may change the locale of the process.

mod common;

use tacho_core::Result;
use tacho_testkit::servers::MariaDb;
use tacho_testkit::{conformance, data_source};

#[test]
fn conforms() -> Result<()> {
    let server = MariaDb::shared();
    server.client("CREATE DATABASE suite CHARACTER SET utf8mb4")?;
    let place = data_source::mariadb(server, "suite");
    let place = format!("{place}&password={}", server.password());
    conformance::run(&*common::driver(&place)?, &place);
    Ok(())
}

#[test]
fn a_query_is_cancelled_by_another_thread_and_has_no_limit() -> Result<()> {
    let server = MariaDb::shared();
    server.client("CREATE DATABASE cancelled")?;
    let place = data_source::mariadb(server, "cancelled");
    let place = format!("{place}&password={}", server.password());
    // If SLEEP is the only expression of a query, an interruption makes it return 1 instead of an error.
    let sleep = "SELECT COUNT(*) AS n FROM information_schema.columns a, information_schema.columns b, \
                 information_schema.columns c WHERE a.ordinal_position * b.ordinal_position < c.ordinal_position";
    common::a_query_is_cancelled(&place, sleep)?;
    let limited = format!("{place}&query-timeout=1s");
    let error = common::driver(&limited).err().expect("the driver knows none");
    assert_eq!(error.kind(), tacho_core::ErrorKind::Unsupported, "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("query-timeout")), "{error}");
    Ok(())
}

#[test]
fn wrong_passwords_are_rejected_and_not_shown() {
    let server = MariaDb::shared();
    let place = format!("{}&password=s3cret", data_source::mariadb(server, "suite"));
    let error = common::driver(&place).err().expect("a wrong password");
    assert_eq!(error.kind(), tacho_core::ErrorKind::Auth, "{error}");
    assert!(!format!("{error} {:?}", error.hints()).contains("s3cret"), "{error}");
}
