//! Runs the shared test suite through IBM's client, against Derby and any Db2 server that the user specifies.

#![expect(clippy::disallowed_methods, reason = "the variable is for owners of a server")]

use tacho_core::Result;
use tacho_driver::{Environment, Form, StatementId, Target};
use tacho_testkit::derby::Derby;
use tacho_testkit::{conformance, live};

#[test]
fn conforms() {
    let Some(derby) = Derby::start_if_there() else { return };
    let driver = tacho_driver_db2::driver();
    conformance::run_on_relative(&*driver, &derby.target());
}

/// Runs the test suite on the Db2 server that the user specifies. Tests cannot start one, because no package registry
/// offers Db2.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the results must know")]
fn conforms_on_a_live_server() {
    match std::env::var("TACHO_TEST_DB2") {
        Ok(target) => conformance::run(&*tacho_driver_db2::driver(), &target),
        Err(_) => eprintln!(
            "NOT TESTED: the driver db2 on a live Db2; hint: TACHO_TEST_DB2=db2://USER:PASSWORD@HOST/DATABASE"
        ),
    }
}

/// A table set is a schema. The schema is created if allowed, and dropped once it is empty.
#[test]
fn sets_are_schemas() -> Result<()> {
    let Some(derby) = Derby::start_if_there() else { return Ok(()) };
    let driver = tacho_driver_db2::driver();
    let place = derby.target();
    let bench = conformance::Bench::new(&*driver, &place);
    let target = Target::parse(&place)?;
    let open = |set, create| {
        let environment = Environment { set, create, ..bench.environment() };
        bench.wait(driver.connect(&target, environment))
    };
    assert!(open(1, false).is_err(), "it may not be made");
    drop(open(1, true)?);
    let (mut first, mut second) = (open(1, true)?, open(2, true)?);
    bench.wait(first.script("CREATE TABLE of_first (a INTEGER)"))?;
    assert_eq!(bench.wait(first.inspector().tables())?, ["of_first"]);
    assert!(bench.wait(second.inspector().tables())?.is_empty());
    bench.wait(first.drop_set())?;
    assert_eq!(bench.wait(first.inspector().tables())?, ["of_first"], "it is not empty");
    bench.wait(first.script("DROP TABLE of_first"))?;
    for mut session in [first, second] {
        bench.wait(session.drop_set())?;
        bench.wait(session.close())?;
    }
    assert!(open(1, false).is_err() && open(2, false).is_err(), "they are gone");
    Ok(())
}

/// Derby has no SQL procedures, so the procedure is written in Java. An output parameter is a one-element array.
#[test]
fn a_procedure_returns_into_variables() -> Result<()> {
    let Some(derby) = Derby::start_if_there() else { return Ok(()) };
    let driver = tacho_driver_db2::driver();
    let place = derby.target();
    let bench = conformance::Bench::new(&*driver, &place);
    let create = "CREATE PROCEDURE fill (OUT y INTEGER, IN x INTEGER) LANGUAGE JAVA PARAMETER STYLE JAVA \
                  NO SQL EXTERNAL NAME 'java.util.Arrays.fill'";
    let mut session = bench.session()?;
    bench.wait(session.script(create))?;
    bench.wait(session.close())?;
    let sql = "-- name: call(x int) -> (y int)\nCALL fill(:y, :x)\n\
               -- name: wrong(x int) -> (y int, z int)\nCALL fill(:y, :x)";
    let mut exchange =
        live::exchange(&bench, sql.split("-- name: wrong").next().unwrap_or_default(), Form::Sql)?;
    for number in [7, -1, i64::from(i32::MAX)] {
        exchange.execute(StatementId(0)).int(number);
        assert_eq!(bench.send(&mut exchange)?.remove(0).0, [number.to_string()]);
    }
    let error = live::exchange(&bench, sql, Form::Sql).err().expect("a variable is missing");
    assert!(error.to_string().contains("returns no value for :z"), "{error}");
    Ok(())
}
