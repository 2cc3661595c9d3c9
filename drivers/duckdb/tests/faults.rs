//! Tests the error messages for files that cannot be opened, and what happens when two sessions write at the same time.

#![expect(clippy::disallowed_methods, reason = "the tests make files by hand")]

use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Access, Form};
use tacho_testkit::conformance::{Bench, statement};
use tacho_testkit::library;
use tempfile::TempDir;

struct Place {
    folder: TempDir,
    library: std::path::PathBuf,
}

fn place() -> Option<Place> {
    let library = library::duckdb()?;
    Some(Place { folder: tempfile::tempdir().expect("a temporary folder"), library })
}

impl Place {
    fn target(&self, name: &str, options: &str) -> String {
        let file = self.folder.path().join(name);
        format!("duckdb:{}?library={}{options}", file.display(), self.library.display())
    }
}

#[test]
fn second_writer_of_a_row_can_be_retried() -> Result<()> {
    let Some(place) = place() else { return Ok(()) };
    let driver = tacho_driver_duckdb::driver();
    let bench = Bench::new(&*driver, &place.target("x.db", ""));
    bench.reset()?;
    let (mut first, mut second) = (bench.exchange(Form::Sql)?, bench.exchange(Form::Sql)?);
    first.execute(statement::INSERT).int(1).int(1).decimal(1).null().null();
    bench.send(&mut first)?;
    for exchange in [&mut first, &mut second] {
        exchange.begin(Access::Write);
        bench.send(exchange)?;
    }
    first.execute(statement::CHANGE).int(0).int(7);
    bench.send(&mut first)?;
    second.execute(statement::CHANGE).int(0).int(8);
    let error = bench.send(&mut second).expect_err("a conflict");
    assert_eq!(error.kind(), ErrorKind::Serialization, "{error}");
    assert_eq!(error.retry_class(), Retry::SameConnection);
    first.commit();
    bench.send(&mut first)?;
    bench.wait(second.reset())?;
    second.begin(Access::Write);
    second.execute(statement::CHANGE).int(0).int(8);
    second.commit();
    second.execute(statement::READ).int(1);
    assert_eq!(bench.send(&mut second)?[1].0, ["8 1e NULL NULL"]);
    Ok(())
}

#[test]
fn reports_unavailable_databases_with_a_hint() {
    let Some(place) = place() else { return };
    std::fs::write(place.folder.path().join("diary"), "dear diary ".repeat(900)).expect("a file");
    let table = [
        (place.target("no/such.db", ""), ErrorKind::Missing, "does not exist"),
        (place.target("absent.db", "&create=false"), ErrorKind::Missing, "does not exist"),
        (place.target("absent.db", "&mode=ro"), ErrorKind::Missing, "does not exist"),
        (place.target("x.db", "&memory_limit=much"), ErrorKind::Usage, "memory_limit"),
        (place.target("diary", ""), ErrorKind::Resource, "not a valid DuckDB"),
    ];
    for (target, kind, text) in table {
        let driver = tacho_driver_duckdb::driver();
        let error = Bench::new(&*driver, &target).session().err().expect(&target);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let diary = std::fs::read_to_string(place.folder.path().join("diary")).expect("the file");
    assert!(diary.starts_with("dear diary "), "a foreign file stays as it is");
}

/// Results must include rows that were added after the statement was planned. DuckDB 1.5 would omit them from prepared
/// statements.
#[test]
fn rows_that_come_after_a_statement_was_prepared_are_seen() -> Result<()> {
    let Some(place) = place() else { return Ok(()) };
    let driver = tacho_driver_duckdb::driver();
    let bench = Bench::new(&*driver, &place.target("x.db", "&threads=1"));
    bench.reset()?;
    let mut exchange = bench.exchange(Form::Sql)?;
    let ids = [1, 100_000, 1_000_000_000];
    for id in ids {
        exchange.execute(statement::INSERT).int(id).int(id).decimal(0).null().null();
        exchange.execute(statement::IDS);
    }
    let got = bench.send(&mut exchange)?;
    assert_eq!(got[5].0, ids.map(|id| id.to_string()));
    Ok(())
}
