//! What a user is told when a database cannot be used.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Form};
use tacho_testkit::conformance::{Bench, statement};
use tacho_testkit::derby::Derby;

#[test]
fn a_server_that_is_gone_is_a_lost_connection() -> Result<()> {
    let Some(mut derby) = Derby::start_if_there() else { return Ok(()) };
    let driver = tacho_driver_db2::driver();
    let place = derby.target();
    let bench = Bench::new(&*driver, &place);
    bench.reset()?;
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    bench.send(&mut exchange)?;
    derby.kill();
    exchange.execute(statement::TOTALS);
    let error = bench.send(&mut exchange).expect_err("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let error = bench.session().err().expect("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(!error.hints().is_empty(), "{error}");
    Ok(())
}

#[test]
fn what_cannot_be_opened_is_named_with_a_remedy() {
    let Some(derby) = Derby::start_if_there() else { return };
    let driver = tacho_driver_db2::driver();
    for (login, database, kind) in [
        ("app:secret", "ABSENT", ErrorKind::Missing),
        ("app:secret", "TOOLONGFORANAME", ErrorKind::Missing),
    ] {
        let place = derby.target_of(login, database);
        let error = Bench::new(&*driver, &place).session().err().expect(database);
        assert_eq!(error.kind(), kind, "{error}");
        let shown = format!("{error} {:?}", error.hints());
        assert!(!error.hints().is_empty() && !shown.contains("secret"), "{shown}");
    }
    let error = Bench::new(&*driver, &format!("{}&schema=a;b", derby.target())).session();
    let error = error.err().expect("no such name");
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
}
