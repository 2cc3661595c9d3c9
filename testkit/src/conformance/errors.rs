//! Checks of errors: their kinds, and what a session can still do after an error.

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_driver::{Access, Catalog, Exchange, Form, Reply, StatementId};

use super::statement::{IDS, INSERT, PAIR};
use super::{Bench, SQL};

fn insert(exchange: &mut Exchange, id: i64) {
    exchange.execute(INSERT).int(id).int(id).decimal(100).null().null();
}

fn failure(bench: &Bench<'_>, exchange: &mut Exchange) -> Error {
    bench.send(exchange).expect_err("the exchange fails")
}

pub fn errors_have_their_kind(bench: &Bench<'_>) -> Result<()> {
    let scripts = [
        // To provoke a syntax error, one unknown word is not enough, because some databases read it as a procedure
        // call.
        ("SELECT * FRM conformance", ErrorKind::Syntax),
        ("DELETE FROM conformance_absent", ErrorKind::Missing),
        ("DELETE FROM conformance WHERE absent = 1", ErrorKind::Missing),
    ];
    for (sql, kind) in scripts {
        let error = bench.script(sql).expect_err(sql);
        assert_eq!(error.kind(), kind, "{sql}: {error}");
        assert!(error.native_code().is_some(), "{sql}: the database's own code");
    }
    let mut exchange = bench.exchange(Form::Sql)?;
    insert(&mut exchange, 1);
    insert(&mut exchange, 1);
    assert_eq!(failure(bench, &mut exchange).kind(), ErrorKind::UniqueViolation);
    exchange.execute(PAIR).int(1).int(1).text(b"one");
    exchange.execute(PAIR).int(2).int(2).text(b"one");
    assert_eq!(failure(bench, &mut exchange).kind(), ErrorKind::UniqueViolation);
    exchange.execute(PAIR).int(3).int(3).null();
    assert_eq!(failure(bench, &mut exchange).kind(), ErrorKind::Constraint);
    a_statement_on_a_missing_table(bench)
}

/// Some databases notice the missing table when they prepare the statement, and others when they execute it.
fn a_statement_on_a_missing_table(bench: &Bench<'_>) -> Result<()> {
    let catalog = bench.catalog("-- name: gone() -> (n int)\nSELECT n FROM conformance_absent")?;
    let error = match bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql)) {
        Err(error) => error,
        Ok(mut exchange) => {
            exchange.execute(StatementId(0));
            failure(bench, &mut exchange)
        }
    };
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert!(error.to_string().contains("gone"), "it names the statement: {error}");
    Ok(())
}

/// Checks that the COMMIT after a failed statement has no effect. The driver sends the statement and the COMMIT either
/// separately or in one round trip.
pub fn a_failed_statement_keeps_its_commit_back(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    insert(&mut exchange, 1);
    insert(&mut exchange, 2);
    exchange.commit();
    let reply = bench.wait(exchange.send_together())?;
    assert_eq!((reply.len(), reply.affected(0), reply.affected(1)), (2, 1, 1));
    exchange.begin(Access::Write);
    insert(&mut exchange, 3);
    insert(&mut exchange, 2);
    exchange.commit();
    let error = bench.wait(exchange.send_together()).map(drop).expect_err("a second row 2");
    assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
    bench.wait(exchange.reset())?;
    assert_eq!(bench.totals()?, ["2 200e"]);
    bench.wait(exchange.into_session().close())
}

/// A driver may prepare a statement and the COMMIT after it as one block. If the statement fails, the COMMIT must still
/// have no effect.
///
/// Some servers may lose the connection.
pub fn a_last_statement_keeps_its_commit_back(bench: &Bench<'_>) -> Result<()> {
    let catalog = Arc::new(Catalog::clone(&*bench.catalog(SQL)?).with_last(INSERT));
    for form in bench.forms() {
        bench.reset()?;
        let open = || bench.wait(Exchange::new(bench.session()?, catalog.clone(), form));
        let (mut exchange, mut possible) = (open()?, vec!["6 600e".to_owned()]);
        // Test success and failure at least twice each, because a driver sends the parameter types only the first time.
        for (first, last, fails) in
            [(1, 2, false), (3, 4, false), (5, 2, true), (7, 2, true), (9, 10, false)]
        {
            exchange.begin(Access::Write);
            insert(&mut exchange, first);
            bench.wait(exchange.send())?;
            insert(&mut exchange, last);
            exchange.commit();
            let sent = bench.wait(exchange.send_together()).map(Reply::len);
            assert_eq!(sent.is_err(), fails, "{form:?}: row {last}: {sent:?}");
            let Err(error) = sent else { continue };
            if bench.doubtful && form != Form::Simple {
                assert_eq!(error.retry_class(), Retry::NewConnection, "{form:?}: {error}");
                assert!(exchange.commit_in_doubt(), "{form:?}: {error}");
                let rows = 6 + possible.len();
                possible.push(format!("{rows} {rows}00e"));
                exchange = open()?;
            } else {
                assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{form:?}: {error}");
                bench.wait(exchange.reset())?;
            }
        }
        let found = bench.totals()?.remove(0);
        assert!(possible.contains(&found), "{form:?}: {found} is none of {possible:?}");
        bench.wait(exchange.into_session().close())?;
    }
    Ok(())
}

pub fn nothing_runs_after_an_error(bench: &Bench<'_>) -> Result<()> {
    for form in bench.forms() {
        bench.reset()?;
        let mut exchange = bench.exchange(form)?;
        exchange.begin(Access::Write);
        insert(&mut exchange, 1);
        insert(&mut exchange, 1);
        insert(&mut exchange, 2);
        exchange.commit();
        assert_eq!(failure(bench, &mut exchange).kind(), ErrorKind::UniqueViolation);
        bench.wait(exchange.reset())?;
        assert_eq!(bench.totals()?, ["0 NULL"], "{form:?}");
    }
    Ok(())
}

pub fn statements_survive_an_error(bench: &Bench<'_>) -> Result<()> {
    for form in bench.forms() {
        bench.reset()?;
        statements_survive_an_error_in(bench, form)?;
    }
    Ok(())
}

fn statements_survive_an_error_in(bench: &Bench<'_>, form: Form) -> Result<()> {
    let mut exchange = bench.exchange(form)?;
    for round in 0..3 {
        exchange.begin(Access::Write);
        insert(&mut exchange, round);
        exchange.commit();
        exchange.begin(Access::Write);
        insert(&mut exchange, round);
        failure(bench, &mut exchange);
        bench.wait(exchange.reset())?;
        exchange.execute(IDS);
        assert_eq!(bench.send(&mut exchange)?[0].0.len() as i64, round + 1);
    }
    Ok(())
}
