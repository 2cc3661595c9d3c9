//! Tests of values, strings and loads at their limits.

use tacho_core::{Column, ErrorKind, Result, Table, Type};
use tacho_driver::{Access, Form, RowSource, StatementId, Values};
use tacho_testkit::conformance::{Bench, tables};
use tacho_testkit::live::ManyRows;

use crate::common::{Encryption, driver, enter, exchange, server, target};

#[test]
fn a_load_of_many_packets_arrives_whole() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for options in ["", "&packet_size=512", "&load=insert"] {
        let server = server(Encryption::Login);
        let bench = Bench::new(&*driver, &target(&server, options));
        bench.reset()?;
        let mut session = bench.session()?;
        let [table, ..] = tables();
        let loaded = bench.wait(session.load(&table, &mut ManyRows::sound(30_000)))?;
        assert_eq!((loaded, bench.totals()?[0].split(' ').next()), (30_000, Some("30000")));
        assert_eq!(session.slow_load().is_some(), options.contains("insert"));
    }
    Ok(())
}

/// If the server rejects a bulk load, the same rows must be loaded with `INSERT`, and a notice must be reported.
#[test]
fn inserts_rows_if_the_bulk_load_is_rejected() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for (within, count) in [(false, 1_000), (true, 2_500)] {
        let server = server(Encryption::Login);
        let bench = Bench::new(&*driver, &target(&server, ""));
        bench.reset()?;
        server.fail("insert bulk", 40_515, 1);
        let mut exchange = bench.exchange(Form::Sql)?;
        if within {
            exchange.begin(Access::Write);
            bench.send(&mut exchange)?;
        }
        let [table, ..] = tables();
        let loaded = bench.wait(exchange.session().load(&table, &mut ManyRows::sound(count)))?;
        assert_eq!(loaded, count as u64);
        assert!(exchange.session().slow_load().is_some_and(|why| why.contains("INSERT BULK")));
        if within {
            exchange.commit();
            bench.send(&mut exchange)?;
        }
        assert_eq!(bench.totals()?[0].split(' ').next(), Some(count.to_string().as_str()));
    }
    Ok(())
}

#[test]
fn failed_loads_leave_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Login);
    let bench = Bench::new(&*driver, &target(&server, ""));
    bench.reset()?;
    let [table, ..] = tables();
    bench.wait(bench.session()?.load(&table, &mut ManyRows::sound(10)))?;
    let mut session = bench.session()?;
    let error =
        bench.wait(session.load(&table, &mut ManyRows::sound(20_000))).expect_err("a key twice");
    assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error:?}");
    assert_eq!(bench.totals()?[0].split(' ').next(), Some("10"));
    assert_eq!(bench.wait(session.inspector().tables())?.len(), 3, "the session is of use");
    Ok(())
}

/// A single row with a string that does not fit into one packet.
struct Long(bool);

impl RowSource for Long {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if !std::mem::take(&mut self.0) {
            return 0;
        }
        rows.int(1);
        rows.text("数".repeat(4_000).as_bytes());
        1
    }
}

#[test]
fn long_texts_round_trip_and_longer_ones_are_rejected() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Login);
    let bench = Bench::new(&*driver, &target(&server, "&packet_size=512"));
    let column = |name, ty, nullable| Column { name, ty, nullable, declared: None };
    let table = Table {
        name: "conformance_long",
        columns: vec![column("id", Type::Int, false), column("s", Type::Varchar(4_000), true)],
        key: vec!["id"],
        ..Table::default()
    };
    bench.script(&driver.dialect().create_table(&table))?;
    assert_eq!(bench.wait(bench.session()?.load(&table, &mut Long(true)))?, 1);
    let sql = "-- name: put(id int, s text)\nINSERT INTO conformance_long (id, s) VALUES (:id, :s)
-- name: take(id int) -> (s text)\nSELECT s FROM conformance_long WHERE id = :id";
    let mut exchange = exchange(&bench, sql, Form::Sql)?;
    let text = "数".repeat(4_000);
    exchange.execute(StatementId(0)).int(2).text(text.as_bytes());
    for id in [1, 2] {
        exchange.execute(StatementId(1)).int(id);
    }
    let found = bench.send(&mut exchange)?;
    assert_eq!(found[1].0, [format!("'{text}'")]);
    assert_eq!(found[2].0, [format!("'{text}'")]);
    exchange.execute(StatementId(0)).int(3).text(format!("{text}数").as_bytes());
    let error = bench.send(&mut exchange).expect_err("too long");
    assert_eq!(error.kind(), ErrorKind::Constraint, "{error}");
    exchange.execute(StatementId(1)).int(1);
    bench.send(&mut exchange)?;
    Ok(())
}

#[test]
fn a_write_may_return_rows() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Login);
    let bench = Bench::new(&*driver, &target(&server, ""));
    bench.reset()?;
    let sql = "-- name: take(id int) -> (n int)
UPDATE conformance SET n = n + 1 OUTPUT inserted.n WHERE id = :id
-- name: put(id int)
INSERT INTO conformance (id, n) VALUES (:id, 1)";
    for form in [Form::Sql, Form::Simple] {
        let mut exchange = exchange(&bench, sql, form)?;
        bench.script("DELETE FROM conformance")?;
        exchange.execute(StatementId(1)).int(7);
        exchange.execute(StatementId(0)).int(7);
        exchange.execute(StatementId(0)).int(7);
        exchange.execute(StatementId(0)).int(8);
        let found = bench.send(&mut exchange)?;
        let rows: Vec<&[String]> = found.iter().map(|(rows, _)| &rows[..]).collect();
        assert_eq!(rows, [&[][..], &["2".to_owned()], &["3".to_owned()], &[]]);
        assert_eq!(found.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1, 1, 0]);
    }
    Ok(())
}
