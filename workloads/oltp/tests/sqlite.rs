//! Tests on SQLite: every event runs, every condition holds, and any corruption is detected.

use crate::common::{KEEPING, instance, open, violated};
use tacho_core::{ErrorKind, Result};
use tacho_driver::{Driver, Exchange, Form, parse_sections};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{drive, load};
use tacho_workload::Purpose;

const DAMAGE: &str = include_str!("sql/damage.sql");
/// Ways to corrupt the data, each with the conditions that it violates.
const FOUND: [(&str, &[&str]); 4] =
    [("lost_row", &["C1"]), ("moved_row", &["C2"]), ("short_c", &["C3"]), ("short_pad", &["C3"])];
const SMALL: (&str, &str) = ("table_size", "500");

struct Database {
    _folder: tempfile::TempDir,
    driver: Box<dyn Driver>,
    target: String,
}

fn database() -> Database {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("x.db").display());
    Database { _folder: folder, driver: tacho_driver_sqlite::driver(), target }
}

#[test]
fn every_condition_holds_after_every_event_and_notices_its_damage() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    let whole = instance(3, "read-write", 1, &[SMALL]);
    load(&bench, &*whole)?;
    for profile in KEEPING {
        for form in [Form::Sql, Form::Simple] {
            let instance = instance(3, profile, 1, &[SMALL]);
            let mut exchange = open(&bench, &*instance, form)?;
            let ended = drive(&bench, &mut exchange, &mut [instance.client(0)], 100);
            assert_eq!(ended[0].committed, 100, "{profile} {form:?}");
            bench.wait(exchange.into_session().close())?;
        }
    }
    assert_eq!(violated(&bench, &*whole)?, [""; 0]);
    let sections = parse_sections(DAMAGE)?;
    assert_eq!(sections.len(), FOUND.len());
    for (section, (name, expected)) in sections.iter().zip(FOUND) {
        assert_eq!(section.name, name);
        let copy = database_copy(&database);
        let bench = Bench::new(&*database.driver, &copy.1);
        bench.script(&section.sql[0])?;
        assert_eq!(violated(&bench, &*whole)?, expected, "{name}");
    }
    Ok(())
}

/// Returns a copy of a database file.
fn database_copy(database: &Database) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    let file = database.target.trim_start_matches("sqlite:");
    let file = file.split('?').next().unwrap_or(file);
    let text = format!("VACUUM INTO '{}'", copy.display());
    let bench = Bench::new(&*database.driver, &database.target);
    bench.script(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let target = format!("sqlite:{}", copy.display());
    (folder, target)
}

/// Two sessions must never insert rows with the same ID, not even in a second run.
#[test]
fn inserts_begin_after_the_last_row() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    let whole = instance(2, "insert", 3, &[SMALL]);
    load(&bench, &*whole)?;
    for profile in ["insert", "insert"] {
        let instance = instance(2, profile, 3, &[SMALL]);
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
        let mut users = [0, 1, 2].map(|session| instance.client(session));
        let ended = drive(&bench, &mut exchange, &mut users, 50);
        assert_eq!(ended[0].committed, 50, "{profile}");
        bench.wait(exchange.into_session().close())?;
    }
    // The conditions that the event violates by design are not checked, so none is reported.
    assert_eq!(violated(&bench, &*whole)?, [""; 0]);
    assert_eq!(violated(&bench, &*instance(2, "read-only", 1, &[SMALL]))?, ["C1", "C2"]);
    Ok(())
}

#[test]
fn missing_rows_are_an_error() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    load(&bench, &*instance(1, "read-only", 1, &[SMALL]))?;
    bench.script("DELETE FROM sbtest1")?;
    for profile in ["point-select", "read-only", "update-index", "update-non-index"] {
        let instance = instance(1, profile, 1, &[SMALL]);
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        let mut user = instance.client(0);
        user.next();
        let error = bench.wait(user.run(&mut exchange)).err().map(|error| error.kind());
        assert_eq!(error, Some(ErrorKind::Missing), "{profile}");
    }
    Ok(())
}

const BULK_DAMAGE: &str = include_str!("sql/bulk_damage.sql");
const BULK_FOUND: [(&str, &[&str]); 3] =
    [("lost_bulk_row", &["B1"]), ("moved_bulk_row", &["B1", "B2"]), ("other_k", &["B2"])];

/// Each session fills its own table without gaps, even in a second run or if a response is lost.
#[test]
fn bulk_inserts_have_tables_of_their_own() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    let whole = instance(3, "bulk-insert", 1, &[]);
    load(&bench, &*whole)?;
    let rows = |exchange: &mut Exchange| -> Result<i64> {
        exchange.execute(whole.counters()[0].statement);
        bench.wait(exchange.send())?.one(0)?.number(0)
    };
    for (run, size) in ["7", "20"].into_iter().enumerate() {
        let instance = instance(3, "bulk-insert", 3, &[("bulk_rows", size)]);
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
        let before = rows(&mut exchange)?;
        let mut users = [0, 1, 2].map(|session| instance.client(session));
        let ended = drive(&bench, &mut exchange, &mut users, 30);
        assert_eq!(ended[0].committed, 30, "{run}");
        let mut moved = [0];
        users[0].growth(&mut moved);
        assert_eq!(rows(&mut exchange)? - before, 30 * moved[0], "{run}");
        // Another client has already used the row numbers with which this client starts. The client
        // must skip to the next numbers until it finds unused ones.
        let mut late = instance.client(1);
        let number = rows(&mut exchange)?;
        for attempt in 0..20 {
            late.next();
            if bench.wait(late.run(&mut exchange)).is_ok() {
                assert!(attempt > 0, "{run}");
                break;
            }
            exchange.rollback();
            bench.wait(exchange.send())?;
        }
        assert_eq!(rows(&mut exchange)? - number, moved[0], "{run}");
        assert_eq!(violated(&bench, &*whole)?, [""; 0], "{run}");
        bench.wait(exchange.into_session().close())?;
    }
    for (section, (name, expected)) in parse_sections(BULK_DAMAGE)?.iter().zip(BULK_FOUND) {
        assert_eq!(section.name, name);
        let copy = database_copy(&database);
        let bench = Bench::new(&*database.driver, &copy.1);
        bench.script(&section.sql[0])?;
        assert_eq!(violated(&bench, &*whole)?, expected, "{name}");
    }
    Ok(())
}

#[test]
fn two_sessions_have_no_table_in_common() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    let instance = instance(2, "bulk-insert", 3, &[]);
    load(&bench, &*instance)?;
    let mut exchange = open(&bench, &*instance, Form::Sql)?;
    let found = bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run));
    let error = found.expect_err("a refusal");
    assert!(error.message().contains("2 tables for 3 sessions"), "{error}");
    bench.wait(exchange.into_session().close())
}

#[test]
fn rejects_tables_that_do_not_fit_the_event() {
    for (profile, value) in [("bulk-insert", "false"), ("read-write", "true")] {
        let mut choices = tacho_testkit::contract::choices(1, profile);
        choices.set = [("bulk_tables".to_owned(), value.to_owned())].into();
        let error = tacho_workload_oltp::workload().instance(&choices).err().expect("an error");
        assert!(error.message().contains(&format!("bulk_tables={value}")), "{error}");
    }
}

#[test]
fn rejects_events_without_statements() {
    let choices = tacho_testkit::contract::choices(1, "update-index");
    let set = [("index_updates".to_owned(), "0".to_owned())].into();
    let choices = tacho_workload::Choices { set, ..choices };
    let error = tacho_workload_oltp::workload().instance(&choices).err().expect("an error");
    assert!(error.message().contains("has no statements"), "{error}");
}
