//! A real database: every event runs, all conditions hold, and each damage is found.

use crate::common::{KEEPING, instance, open, violated};
use tacho_core::{ErrorKind, Result};
use tacho_driver::{Driver, Form, parse_sections};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{drive, load};
use tacho_workload::Purpose;

const DAMAGE: &str = include_str!("sql/damage.sql");
/// Each damage with the conditions that it violates.
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

/// A copy of the file of a database.
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

/// Sessions insert rows that no other one has, also in a second run.
#[test]
fn inserts_begin_after_the_last_row() -> Result<()> {
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    let whole = instance(2, "insert", 3, &[SMALL]);
    load(&bench, &*whole)?;
    for profile in ["insert", "bulk-insert", "insert"] {
        let instance = instance(2, profile, 3, &[SMALL, ("bulk_rows", "7")]);
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        bench.wait(instance.inspect_data(&mut exchange, 0, Purpose::Run))?;
        let mut users = [0, 1, 2].map(|session| instance.client(session));
        let ended = drive(&bench, &mut exchange, &mut users, 50);
        assert_eq!(ended[0].committed, 50, "{profile}");
        bench.wait(exchange.into_session().close())?;
    }
    // Both are excused from the conditions that they break.
    assert_eq!(violated(&bench, &*whole)?, [""; 0]);
    assert_eq!(violated(&bench, &*instance(2, "read-only", 1, &[SMALL]))?, ["C1", "C2"]);
    Ok(())
}

#[test]
fn rows_that_are_not_there_are_an_error() -> Result<()> {
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

#[test]
fn an_event_without_statements_is_refused() {
    let choices = tacho_testkit::contract::choices(1, "update-index");
    let set = [("index_updates".to_owned(), "0".to_owned())].into();
    let choices = tacho_workload::Choices { set, ..choices };
    let error = tacho_workload_oltp::workload().instance(&choices).err().expect("an error");
    assert!(error.message().contains("no statement left"), "{error}");
}
