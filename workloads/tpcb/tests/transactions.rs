//! Compares the statements of each transaction with the printing driver's output.

use std::sync::{Arc, Mutex};

use crate::common;
use crate::common::instance;
use tacho_core::Result;
use tacho_driver::{Exchange, Form, Target, Traffic};
use tacho_testkit::conformance::Bench;

/// Runs the second transaction of session 1 repeatedly. Returns the text that the printing driver wrote, and the
/// traffic.
fn written(profile: &str, form: Form, times: usize) -> Result<(String, Traffic)> {
    let (driver, instance) = (tacho_driver_print::driver(), instance(3, profile, &[]));
    let bench = Bench::new(&*driver, "print");
    let output = Arc::new(Mutex::new(Vec::new()));
    let mut environment = bench.environment();
    environment.output = output.clone();
    let session = bench.wait(driver.connect(&Target::parse("print")?, environment))?;
    let catalog = instance.catalog(driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(session, catalog, form))?;
    let mut client = instance.client(1);
    client.next();
    client.next();
    for _ in 0..times {
        bench.wait(client.run(&mut exchange))?;
    }
    let traffic = exchange.traffic();
    bench.wait(exchange.into_session().close())?;
    let written = output.lock().expect("no panic").clone();
    Ok((String::from_utf8_lossy(&written).into_owned(), traffic))
}

#[test]
fn statements_and_round_trips() -> Result<()> {
    let expected = [
        ("tpcb-like", include_str!("sql/tpcb-like.sql"), 7),
        ("simple-update", include_str!("sql/simple-update.sql"), 5),
        ("select-only", include_str!("sql/select-only.sql"), 1),
    ];
    for (profile, text, statements) in expected {
        for (form, round_trips) in [(Form::Sql, statements), (Form::Pipelined, 1)] {
            let (found, traffic) = written(profile, form, 1)?;
            assert_eq!(found, text, "{profile}");
            assert_eq!(traffic, Traffic { statements, round_trips }, "{profile}");
        }
    }
    Ok(())
}

#[test]
fn the_same_input_runs_again_after_a_failure() -> Result<()> {
    for profile in common::PROFILES {
        let once = written(profile, Form::Sql, 1)?.0;
        assert_eq!(written(profile, Form::Sql, 2)?.0, once.repeat(2));
    }
    Ok(())
}
