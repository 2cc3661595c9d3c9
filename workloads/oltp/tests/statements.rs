//! Compares the statements of each event with the printing driver's output. Their number must be
//! the same as in sysbench.

use std::sync::{Arc, Mutex};

use crate::common::instance;
use tacho_core::Result;
use tacho_driver::{Exchange, Form, Target, Traffic};
use tacho_testkit::conformance::Bench;

/// Runs the first event of session 0. Returns the printed text and the traffic.
fn written(profile: &str, form: Form, set: &[(&str, &str)]) -> Result<(String, Traffic)> {
    let (driver, instance) = (tacho_driver_print::driver(), instance(3, profile, 4, set));
    let bench = Bench::new(&*driver, "print");
    let output = Arc::new(Mutex::new(Vec::new()));
    let mut environment = bench.environment();
    environment.output = output.clone();
    let session = bench.wait(driver.connect(&Target::parse("print")?, environment))?;
    let catalog = instance.catalog(driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(session, catalog, form))?;
    let mut client = instance.client(0);
    client.next();
    bench.wait(client.run(&mut exchange))?;
    let traffic = exchange.traffic();
    bench.wait(exchange.into_session().close())?;
    let written = output.lock().expect("no panic").clone();
    Ok((String::from_utf8_lossy(&written).into_owned(), traffic))
}

fn verbs(text: &str) -> Vec<&str> {
    let begins = ["BEGIN", "COMMIT", "SELECT", "UPDATE", "DELETE", "INSERT"];
    let lines = text.lines().filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
    lines.map(|line| line.split([' ', ';']).next().unwrap_or_default()).collect()
}

#[test]
fn each_event_has_as_many_statements_as_with_sysbench() -> Result<()> {
    let table = [
        ("read-write", 20),
        ("read-only", 16),
        ("write-only", 6),
        ("point-select", 1),
        ("update-index", 1),
        ("update-non-index", 1),
        ("delete", 1),
        ("insert", 1),
        ("bulk-insert", 1),
        ("random-points", 1),
        ("random-ranges", 1),
    ];
    for (profile, statements) in table {
        for (form, round_trips) in [(Form::Sql, statements), (Form::Pipelined, 1)] {
            let (text, traffic) = written(profile, form, &[])?;
            assert_eq!(traffic, Traffic { statements, round_trips }, "{profile}\n{text}");
        }
    }
    let (_, traffic) = written("read-write", Form::Sql, &[("skip_trx", "true")])?;
    assert_eq!(traffic.statements, 18, "no begin and no commit");
    let none = [("point_selects", "0"), ("delete_inserts", "2")];
    assert_eq!(written("read-write", Form::Sql, &none)?.1.statements, 12);
    Ok(())
}

#[test]
fn statements_are_in_the_order_of_sysbench() -> Result<()> {
    let (text, _) = written("read-write", Form::Sql, &[("point_selects", "1")])?;
    let expected = [
        "BEGIN", "SELECT", "SELECT", "SELECT", "SELECT", "SELECT", "UPDATE", "UPDATE", "DELETE",
        "INSERT", "COMMIT",
    ];
    assert_eq!(verbs(&text), expected, "{text}");
    for part in ["SUM(k)", "SELECT DISTINCT c", "ORDER BY c", "k = k + 1", "SET c = "] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let (text, _) = written("random-points", Form::Sql, &[("random_points", "3")])?;
    assert!(text.contains("k IN ("), "{text}");
    Ok(())
}
