//! Tests of the printed text.

use std::io::Write;
use std::sync::{Arc, Mutex};

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Exchange, Form, Output, RowSource, Target, Values};
use tacho_testkit::conformance::{Bench, SQL, statement, tables};

struct Rows(i64);

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if self.0 == 0 {
            return 0;
        }
        self.0 -= 1;
        for id in [1, 2] {
            rows.int(id);
            rows.null();
            rows.decimal(-250);
            rows.text(b"it's");
            rows.time(86_400_000_000);
        }
        2
    }
}

fn exchange(output: Output) -> Result<Exchange> {
    let driver = tacho_driver_print::driver();
    let bench = Bench::new(&*driver, "print");
    let mut environment = bench.environment();
    environment.output = output;
    let session = bench.wait(driver.connect(&Target::parse("print")?, environment))?;
    bench.wait(Exchange::new(session, bench.catalog(SQL)?, Form::Sql))
}

#[test]
fn each_transaction_is_a_block() -> Result<()> {
    let written = Arc::new(Mutex::new(Vec::new()));
    let mut exchange = exchange(written.clone())?;
    exchange.begin(Access::Write);
    exchange.execute(statement::CHANGE).int(3).int(-4);
    exchange.execute(statement::INSERT).int(1).null().decimal(1234).text(b"it's").time(1);
    pollster::block_on(exchange.send())?;
    assert!(written.lock().expect("no panic").is_empty(), "written at its end");
    exchange.commit();
    exchange.execute(statement::READ).int(1);
    pollster::block_on(exchange.send())?;
    pollster::block_on(exchange.session().load(&tables()[0], &mut Rows(1)))?;
    pollster::block_on(exchange.session().script("DROP TABLE a;\nDROP TABLE b;"))?;
    pollster::block_on(exchange.into_session().close())?;
    let written = written.lock().expect("no panic");
    let expected = include_str!("text.sql");
    assert_eq!(String::from_utf8_lossy(&written), expected);
    Ok(())
}

struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_a_request_to_stop() -> Result<()> {
    let mut exchange = exchange(Arc::new(Mutex::new(Closed)))?;
    exchange.execute(statement::IDS);
    let error = pollster::block_on(exchange.send()).expect_err("a closed pipe");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    Ok(())
}
