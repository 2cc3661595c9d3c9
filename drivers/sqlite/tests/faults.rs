//! Tests of the messages shown when a file cannot be used.

#![expect(clippy::disallowed_methods, reason = "the tests make damaged files by hand")]

use std::fs;
use std::path::PathBuf;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Access, Form, RowSource, Values};
use tacho_testkit::conformance::{Bench, statement, tables};
use tempfile::TempDir;

struct Place {
    folder: TempDir,
}

fn place() -> Place {
    Place { folder: tempfile::tempdir().expect("a temporary folder") }
}

impl Place {
    fn file(&self) -> PathBuf {
        self.folder.path().join("x.db")
    }

    fn target(&self, options: &str) -> String {
        format!("sqlite:{}{options}", self.file().display())
    }

    /// Creates the test suite's tables with 1,000 rows.
    fn prepare(&self) -> Result<()> {
        let driver = tacho_driver_sqlite::driver();
        let bench = Bench::new(&*driver, &self.target(""));
        bench.reset()?;
        let mut session = bench.session()?;
        bench.wait(session.load(&tables()[0], &mut Rows { next: 0, end: 1_000 }))?;
        bench.wait(session.close())
    }
}

struct Rows {
    next: i64,
    end: i64,
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let count = (self.end - self.next).min(100);
        for _ in 0..count {
            rows.int(self.next);
            rows.int(self.next);
            rows.decimal(self.next);
            rows.text(&[b'x'; 90]);
            rows.null();
            self.next += 1;
        }
        count as usize
    }
}

fn refusal(target: &str) -> Error {
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, target);
    bench.session().err().expect(target)
}

fn check(error: &Error, kind: ErrorKind, code: Option<&str>, text: &str) {
    assert_eq!((error.kind(), error.native_code()), (kind, code), "{error}");
    assert!(error.to_string().contains(text), "{error}");
    assert!(!error.hints().is_empty() || kind == ErrorKind::Missing, "{error}");
}

#[test]
fn does_not_create_a_missing_file_without_permission() {
    let place = place();
    for option in ["?create=false", "?mode=ro"] {
        check(&refusal(&place.target(option)), ErrorKind::Missing, None, "does not exist");
        assert!(!place.file().exists());
    }
}

#[test]
fn a_missing_directory_is_named() {
    let place = place();
    let inner = place.folder.path().join("no/such");
    let error = refusal(&format!("sqlite:{}", inner.join("x.db").display()));
    check(
        &error,
        ErrorKind::Missing,
        None,
        &format!("directory {} does not exist", inner.display()),
    );
    let error = refusal(&format!("sqlite:{}", place.folder.path().display()));
    check(&error, ErrorKind::Missing, None, "is a directory");
}

#[test]
fn a_foreign_file_is_not_touched() -> Result<()> {
    let place = place();
    let text = "dear diary, this is no database at all\n".repeat(200);
    fs::write(place.file(), &text)?;
    let error = refusal(&place.target(""));
    check(&error, ErrorKind::Protocol, Some("SQLITE_NOTADB"), "not an SQLite database");
    assert_eq!(fs::read_to_string(place.file())?, text);
    assert_eq!(place.folder.path().read_dir()?.count(), 1);
    Ok(())
}

#[test]
fn a_damaged_file_is_an_error_of_the_data() -> Result<()> {
    let place = place();
    place.prepare()?;
    let mut bytes = fs::read(place.file())?;
    // Keep the first page, which contains the schema, and overwrite the pages that contain the rows.
    bytes[4096..].fill(0xA5);
    fs::write(place.file(), bytes)?;
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &place.target(""));
    let error = bench.totals().expect_err("a damaged file");
    check(&error, ErrorKind::Protocol, Some("SQLITE_CORRUPT"), "run totals");
    Ok(())
}

#[test]
fn waits_for_a_lock_up_to_the_busy_timeout() -> Result<()> {
    let place = place();
    place.prepare()?;
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &place.target("?busy_timeout=50ms"));
    let (mut first, mut second) = (bench.exchange(Form::Sql)?, bench.exchange(Form::Sql)?);
    first.begin(Access::Write);
    bench.send(&mut first)?;
    second.begin(Access::Write);
    let error = bench.send(&mut second).expect_err("a locked file");
    check(&error, ErrorKind::LockTimeout, Some("SQLITE_BUSY"), "BEGIN IMMEDIATE");
    bench.wait(second.reset())?;
    first.rollback();
    bench.send(&mut first)?;
    second.begin(Access::Write);
    second.commit();
    bench.send(&mut second)?;
    Ok(())
}

#[test]
fn readers_that_become_writers_too_late_can_be_retried() -> Result<()> {
    let place = place();
    place.prepare()?;
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &place.target(""));
    let (mut first, mut second) = (bench.exchange(Form::Sql)?, bench.exchange(Form::Sql)?);
    first.begin(Access::Read);
    first.execute(statement::TOTALS);
    bench.send(&mut first)?;
    second.execute(statement::CHANGE).int(0).int(0);
    bench.send(&mut second)?;
    first.execute(statement::CHANGE).int(0).int(1);
    let error = bench.send(&mut first).expect_err("an old snapshot");
    assert_eq!(error.kind(), ErrorKind::Serialization, "{error}");
    assert_eq!(error.native_code(), Some("SQLITE_BUSY_SNAPSHOT"));
    bench.wait(first.reset())
}

#[test]
fn a_read_only_session_reads_and_does_not_write() -> Result<()> {
    let place = place();
    place.prepare()?;
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &place.target("?mode=ro"));
    assert_eq!(bench.totals()?, ["1000 499500e"]);
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.execute(statement::CHANGE).int(0).int(0);
    let error = bench.send(&mut exchange).expect_err("a read-only file");
    check(&error, ErrorKind::Auth, Some("SQLITE_READONLY"), "run change");
    Ok(())
}

#[test]
fn a_full_disk_undoes_the_load() -> Result<()> {
    let place = place();
    place.prepare()?;
    let driver = tacho_driver_sqlite::driver();
    let bench = Bench::new(&*driver, &place.target("?max_pages=50"));
    let mut session = bench.session()?;
    let mut rows = Rows { next: 1_000, end: 100_000 };
    let error = bench.wait(session.load(&tables()[0], &mut rows)).expect_err("a full disk");
    check(&error, ErrorKind::Resource, Some("SQLITE_FULL"), "load conformance");
    assert_eq!(bench.totals()?, ["1000 499500e"]);
    Ok(())
}

#[test]
fn rejects_another_page_size() -> Result<()> {
    let place = place();
    place.prepare()?;
    check(&refusal(&place.target("?page_size=8192")), ErrorKind::Usage, None, "4096");
    Ok(())
}

#[test]
fn facts_are_the_settings_in_force() -> Result<()> {
    let place = place();
    let driver = tacho_driver_sqlite::driver();
    let bench =
        Bench::new(&*driver, &place.target("?synchronous=normal&page_size=8192&cache_mb=2"));
    let facts = bench.wait(bench.session()?.inspector().facts())?;
    assert_eq!(facts.version, format!("SQLite {}", rusqlite::version()));
    let expected = [
        ("journal_mode", "wal", false),
        ("synchronous", "normal", true),
        ("page_size", "8192", false),
        ("cache_size", "-2048", false),
        ("locking_mode", "normal", false),
        ("busy_timeout", "10000", false),
    ];
    for (name, value, risky) in expected {
        let setting = facts.settings.iter().find(|setting| setting.name == name).expect(name);
        assert_eq!((setting.value.as_str(), setting.durability_risk.is_some()), (value, risky));
    }
    let of = |name: &str| facts.settings.iter().find(|setting| setting.name == name);
    let default = |name: &str| of(name).and_then(|setting| setting.default.as_deref());
    assert_eq!((default("page_size"), default("synchronous")), (Some("4096"), Some("full")));
    assert_eq!(default("journal_mode"), Some("delete"));
    assert!(of("auto_vacuum").is_none(), "it is as SQLite has it by itself");
    Ok(())
}
