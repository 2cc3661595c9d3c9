//! Runs the T-SQL statements, both prepared and as text, on a test server that speaks SQL Server's protocol. All
//! conditions must hold.
//!
//! The routines are tested elsewhere, with complete runs of the command-line program.

use crate::common::crowds::enter;
use crate::common::{instance, verdicts};
use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{drive, load};
use tacho_testkit::tds::{Options, Server};

const TRANSACTIONS: usize = 600;
const EQUAL_SHARES: (&str, &str) = ("weights", "20,20,20,20,20");

#[test]
fn every_condition_holds_after_a_run_in_each_form() -> Result<()> {
    every_condition_holds(&Server::start(), TRANSACTIONS)
}

/// On this server, an UPDATE with OUTPUT does not report the number of rows. The server rejects
/// CASE in OUTPUT and a column named `found`.
#[test]
fn every_condition_holds_on_a_compatible_server() -> Result<()> {
    let server = Server::with(Options { babelfish: true, ..Options::default() });
    every_condition_holds(&server, TRANSACTIONS / 3)
}

fn every_condition_holds(server: &Server, transactions: usize) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_sqlserver::driver();
    let place = format!("sqlserver://sa:Secret1!@127.0.0.1:{}/tacho", server.port());
    let bench = Bench::new(&*driver, &format!("{place}?trust_server_certificate=yes"));
    let instance = instance(1, "spec", &[EQUAL_SHARES]);
    load(&bench, &*instance)?;
    for form in [Form::Sql, Form::Simple] {
        let catalog = instance.catalog(bench.driver.dialect())?;
        let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, form))?;
        let mut clients: Vec<_> = (0..4).map(|session| instance.client(session)).collect();
        let ended = drive(&bench, &mut exchange, &mut clients, transactions);
        let few = transactions as u64 / 8;
        assert!(ended.iter().all(|ended| ended.committed > few), "{form:?} {ended:?}");
        assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]), "{form:?}");
    }
    Ok(())
}
