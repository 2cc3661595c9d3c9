//! The `hammerdb` profile on MariaDB.

use crate::hammerdb::{runs_as_hammerdb, wrong_answers};
use tacho_core::Result;
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::MariaDb;
use tokio::runtime::Builder;

#[test]
fn mariadb_has_hammerdbs_tables() -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let server = MariaDb::shared();
    let driver = tacho_driver_mysql::driver();
    let place = format!("{}&database=answers", server.target());
    // On this database, HammerDB stores supply costs without cents. Q2 returns the right rows despite this, because
    // there are only a few suppliers.
    assert_eq!(wrong_answers(&Bench::new(&*driver, &place))?, ["R3", "Q9", "Q11"]);
    let place = format!("{}&database=theirs", server.target());
    runs_as_hammerdb(&Bench::new(&*driver, &place))
}
