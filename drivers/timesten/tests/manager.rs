//! Tests the driver on SQLite instead of TimesTen. SQLite accepts TimesTen's type names, and tables replace TimesTen's
//! views.

use tacho_core::Result;
use tacho_driver::{Access, Form, RowSource, Target, Values};
use tacho_testkit::conformance::{self, Bench, statement};
use tacho_testkit::data_source;

/// Returns the target for a database file.
fn target(folder: &tempfile::TempDir) -> Result<String> {
    let keywords = data_source::sqlite(&folder.path().join("suite.db"));
    let keywords = Target::parse(&keywords)?.place;
    Ok(format!("timesten:?library=libodbc.so.2&user=me&keywords={keywords}"))
}

/// Script that creates tables in place of the views that every TimesTen database has. They describe one procedure.
const VIEWS: &str = "CREATE TABLE dual (user TEXT); INSERT INTO dual VALUES (''); \
    CREATE TABLE user_objects (object_name TEXT, object_id INT, object_type TEXT); \
    INSERT INTO user_objects VALUES ('P', 7, 'PROCEDURE'); \
    CREATE TABLE user_source (name TEXT, type TEXT, line INT, text TEXT); \
    INSERT INTO user_source VALUES ('P', 'PROCEDURE', 1, 'PROCEDURE p AS'), ('P', 'PROCEDURE', 2, 'BEGIN')";

/// A single batch of rows for the first table of the test suite.
struct Rows(i64);

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let count = std::mem::take(&mut self.0);
        for id in 0..count {
            rows.int(id);
            rows.null();
            rows.decimal(1_050);
            rows.text("naïve".as_bytes());
            rows.time(1_700_000_000_000_000);
        }
        count as usize
    }
}

#[test]
fn tables_are_made_loaded_read_and_listed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (driver, place) = (tacho_driver_timesten::driver(), target(&folder)?);
    let bench = Bench::new(&*driver, &place);
    bench.script(VIEWS)?;
    bench.reset()?;
    let mut session = bench.session()?;
    let [table, ..] = conformance::tables();
    assert_eq!(bench.wait(session.load(&table, &mut Rows(700)))?, 700);
    let objects = bench.wait(session.inspector().objects())?;
    let stored = objects.iter().find(|object| object.name == table.name).expect("the table");
    assert!(stored.shape.iter().any(|line| line.contains("NUMBER")), "{:?}", stored.shape);
    let routine = objects.iter().find(|object| object.name == "p").expect("the procedure");
    assert_eq!((&*routine.drop, routine.shape.len()), ("DROP PROCEDURE p", 2));
    bench.wait(session.close())?;
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.execute(statement::READ).int(699);
    let [row] = &bench.send(&mut exchange)?.remove(0).0[..] else { panic!("one row") };
    assert!(row.starts_with("NULL 1050e 'naïve'"), "{row}");
    exchange.begin(Access::Write);
    exchange.execute(statement::CHANGE).int(690).int(7);
    exchange.rollback();
    exchange.execute(statement::EITHER).int(7);
    let answers = bench.send(&mut exchange)?;
    assert_eq!(
        answers.iter().map(|(rows, changed)| (rows.len(), *changed)).collect::<Vec<_>>(),
        [(0, 10), (1, 0)]
    );
    Ok(())
}

/// This table stands in for TimesTen's view of the same name, which the monitor query reads.
#[test]
fn the_monitor_counts_transactions() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (driver, place) = (tacho_driver_timesten::driver(), target(&folder)?);
    let bench = Bench::new(&*driver, &place);
    let mut session = bench.session()?;
    bench.wait(session.script(
        "ATTACH ':memory:' AS sys; CREATE TABLE sys.monitor (xact_commits INT, xact_rollbacks INT); \
         INSERT INTO sys.monitor VALUES (70, 3)",
    ))?;
    let counters = bench.wait(session.inspector().counters())?.expect("there is a monitor");
    assert_eq!((counters.commits, counters.rollbacks), (70, 3));
    bench.wait(session.close())
}
