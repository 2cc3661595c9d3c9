//! Tests the messages that are shown when the database is unusable.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Exchange, Form, StatementId};
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

/// The query in this test takes minutes, because it counts all pairs of rows of a table.
///
/// Derby cannot cancel a query, so the client closes the connection.
#[test]
fn a_query_is_cancelled_by_another_thread() -> Result<()> {
    let Some(derby) = Derby::start_if_there() else { return Ok(()) };
    let driver = tacho_driver_db2::driver();
    let place = derby.target();
    let bench = Bench::new(&*driver, &place);
    let sql = "-- name: long() -> (n int)\nSELECT COUNT(*) FROM SYS.SYSCOLUMNS A, SYS.SYSCOLUMNS B, \
               SYS.SYSCOLUMNS C, SYS.SYSCOLUMNS D WHERE A.COLUMNNAME < B.COLUMNNAME AND C.COLUMNNAME < \
               D.COLUMNNAME AND A.COLUMNNUMBER + B.COLUMNNUMBER < C.COLUMNNUMBER + D.COLUMNNUMBER";
    let mut exchange =
        bench.wait(Exchange::new(bench.session()?, bench.catalog(sql)?, Form::Sql))?;
    let cancels = bench.cancels.clone();
    let (say, over) = channel();
    let canceller = std::thread::spawn(move || {
        while over.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
            cancels.running().cancel();
        }
    });
    exchange.execute(StatementId(0));
    let error = bench.send(&mut exchange).expect_err("it is cancelled");
    assert!(say.send(()).is_ok() && canceller.join().is_ok());
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    // The client library reports either that it has reconnected, or that it could not do so because the server is still
    // busy with the query.
    let text = error.to_string();
    assert!(["30108", "30081"].iter().any(|code| text.contains(code)), "{text}");
    Ok(())
}

#[test]
fn reports_unavailable_databases_with_a_hint() {
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
