//! Runs every event on MariaDB and MySQL, with sessions that compete for rows. Sends statements both prepared and as
//! text.
//!
//! The tests start their own servers. If MariaDB is missing, they fail with a message that names the package to
//! install.

use crate::common::{KEEPING, crowd, instance, violated};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::load;
use tacho_testkit::servers::{MariaDb, MySql, Options};
use tokio::runtime::Builder;

/// The table is small, so that sessions contend for rows.
const SIZE: (&str, &str) = ("table_size", "50");

fn keeps_its_rows(target: &str) -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let driver = tacho_driver_mysql::driver();
    let place = format!("{target}&database=oltp");
    let bench = Bench::new(&*driver, &place);
    let whole = instance(2, "read-only", 1, &[SIZE]);
    load(&bench, &*whole)?;
    for profile in KEEPING {
        for form in [Form::Sql, Form::Pipelined, Form::Simple] {
            let instance = instance(2, profile, 8, &[SIZE]);
            crowd(&bench, &*instance, form, (8, 20))?;
        }
        assert_eq!(violated(&bench, &*whole)?, [""; 0], "{profile}");
    }
    Ok(())
}

#[test]
fn mariadb_keeps_its_rows() -> Result<()> {
    let server = MariaDb::start()?;
    keeps_its_rows(&server.target())
}

#[test]
fn mysql_keeps_its_rows() -> Result<()> {
    match MySql::start_if_there(Options::default())? {
        Some(server) => keeps_its_rows(&server.target()),
        None => Ok(()),
    }
}
