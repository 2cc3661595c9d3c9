//! Tests on SQLite: all transactions run, all conditions hold, and every corruption is detected.

use crate::common;
use crate::common::instance;
use tacho_core::{ErrorKind, Result};
use tacho_driver::{Exchange, Form, StatementId, parse_sections};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{drive, find, load};
use tacho_workload::{Client, Instance, Verdict};

const DAMAGE: &str = include_str!("sql/damage.sql");
const EMPTY: &str = include_str!("sql/empty.sql");
const TIMES: &str = include_str!("sql/times.sql");
const TRANSACTIONS: usize = 1_000;

/// Ways to corrupt the data, each with the conditions that it violates.
const FOUND: [(&str, &[&str]); 14] = [
    ("account", &["C1"]),
    ("teller", &["C2", "C4"]),
    ("branch", &["C3", "C4"]),
    ("other_teller", &["C2"]),
    ("other_branch", &["C3"]),
    ("swapped_accounts", &["C1"]),
    ("lost_history", &["C1", "C2", "C3"]),
    ("no_branch", &["C3", "C4", "C5", "C6"]),
    ("no_teller", &["C2", "C4", "C5", "C6"]),
    ("no_account", &["C5"]),
    ("moved_account", &["C5"]),
    ("renumbered_account", &["C5"]),
    ("foreign_history", &["C6", "C7"]),
    ("history_of_nothing", &["C6", "C7"]),
];

struct Database {
    _folder: tempfile::TempDir,
    driver: Box<dyn tacho_driver::Driver>,
    target: String,
}

fn database() -> Database {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("x.db").display());
    Database { _folder: folder, driver: tacho_driver_sqlite::driver(), target }
}

fn open(bench: &Bench<'_>, instance: &dyn Instance) -> Result<Exchange> {
    common::open(bench, instance, Form::Sql)
}

fn clients(instance: &dyn Instance) -> Vec<Box<dyn Client>> {
    (0..4).map(|session| instance.client(session)).collect()
}

/// Returns the IDs of the violated conditions and of the excused conditions.
fn verdicts(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<(Vec<&'static str>, Vec<&'static str>)> {
    let (mut violated, mut excused) = (Vec::new(), Vec::new());
    for finding in find(bench, exchange, instance)? {
        match finding.verdict {
            Verdict::Holds => {}
            Verdict::Violated { .. } => violated.push(finding.check.id),
            Verdict::Excused(_) => excused.push(finding.check.id),
        }
    }
    Ok((violated, excused))
}

#[test]
fn every_condition_holds_after_a_run_and_notices_its_damage() -> Result<()> {
    let (database, instance) = (database(), instance(2, "tpcb-like", &[]));
    let bench = Bench::new(&*database.driver, &database.target);
    load(&bench, &*instance)?;
    let mut exchange = open(&bench, &*instance)?;
    assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]));
    let ended = drive(&bench, &mut exchange, &mut clients(&*instance), TRANSACTIONS);
    assert_eq!(ended[0].committed, TRANSACTIONS as u64);
    assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]));
    let sections = parse_sections(DAMAGE)?;
    assert_eq!(sections.len(), FOUND.len());
    for (section, (name, expected)) in sections.iter().zip(FOUND) {
        assert_eq!(section.name, name);
        bench.wait(exchange.session().script(&format!("BEGIN;\n{}", section.sql[0])))?;
        let (violated, _) = verdicts(&bench, &mut exchange, &*instance)?;
        bench.wait(exchange.session().script("ROLLBACK"))?;
        assert_eq!(violated, expected, "{name}");
    }
    assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]));
    Ok(())
}

/// Every profile can run on data with `balanced=accounts`. A profile may leave out the check of a condition only if the
/// profile really violates this condition.
#[test]
fn all_profiles_run_on_one_database_and_excuse_what_they_break() -> Result<()> {
    let shared = [("balanced", "accounts")];
    let [tpcb_like, simple, select] = common::PROFILES.map(|profile| instance(1, profile, &shared));
    let strict = instance(1, "tpcb-like", &[]);
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    load(&bench, &*simple)?;
    let mut exchange = open(&bench, &*simple)?;
    for (instance, broken) in [
        (&tpcb_like, vec![]),
        (&select, vec![]),
        (&simple, vec!["C2", "C3"]),
        (&tpcb_like, vec!["C2", "C3"]),
    ] {
        drive(&bench, &mut exchange, &mut clients(&**instance), 200);
        assert_eq!(verdicts(&bench, &mut exchange, &*strict)?.0, broken);
        let failed = verdicts(&bench, &mut exchange, &**instance)?;
        assert_eq!(failed, (vec![], vec!["C2", "C3"]));
    }
    Ok(())
}

/// Sessions that draw the same inputs produce the same balances, whether statements are sent prepared or as text.
#[test]
fn the_form_does_not_change_the_data() -> Result<()> {
    let mut totals = Vec::new();
    for form in [Form::Sql, Form::Simple] {
        let (database, instance) = (database(), instance(1, "tpcb-like", &[]));
        let bench = Bench::new(&*database.driver, &database.target);
        load(&bench, &*instance)?;
        let catalog = instance.catalog(bench.driver.dialect())?;
        let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, form))?;
        drive(&bench, &mut exchange, &mut clients(&*instance), TRANSACTIONS);
        let mut exchange = open(&bench, &*instance)?;
        assert_eq!(verdicts(&bench, &mut exchange, &*instance)?, (vec![], vec![]), "{form:?}");
        let sums = bench.catalog(include_str!("sql/sums.sql"))?;
        let mut exchange = bench.wait(Exchange::new(bench.session()?, sums, Form::Sql))?;
        exchange.execute(StatementId(0));
        totals.push(bench.send(&mut exchange)?.remove(0).0);
    }
    assert_eq!(totals[0], totals[1]);
    Ok(())
}

#[test]
fn work_that_was_not_done_is_an_error() -> Result<()> {
    let needed = [
        ("tpcb-like", &["accounts", "tellers", "branches"][..]),
        ("simple-update", &["accounts"]),
        ("select-only", &["accounts"]),
    ];
    let database = database();
    let bench = Bench::new(&*database.driver, &database.target);
    load(&bench, &*instance(1, "tpcb-like", &[]))?;
    for section in parse_sections(EMPTY)? {
        bench.script(&section.sql[0])?;
        for (profile, tables) in needed {
            let instance = instance(1, profile, &[]);
            let mut exchange = open(&bench, &*instance)?;
            let mut client = instance.client(0);
            client.next();
            let error = bench.wait(client.run(&mut exchange)).err().map(|error| error.kind());
            let expected = tables.contains(&section.name.as_str());
            assert_eq!(error, expected.then_some(ErrorKind::Missing), "{profile}");
        }
        let filled = instance(1, "tpcb-like", &[]);
        let table = filled.schema().tables.iter().position(|t| t.name.ends_with(&section.name));
        let table = table.expect("a table of this name");
        let slice = tacho_workload::Slice { table, slots: 0..filled.slots(table) };
        let mut session = bench.session()?;
        bench.wait(session.load(&filled.schema().tables[table], &mut *filled.rows(&slice)))?;
        bench.wait(session.close())?;
    }
    Ok(())
}

#[test]
fn the_history_has_the_time_of_the_server() -> Result<()> {
    let (database, instance) = (database(), instance(1, "tpcb-like", &[]));
    let bench = Bench::new(&*database.driver, &database.target);
    load(&bench, &*instance)?;
    drive(&bench, &mut open(&bench, &*instance)?, &mut clients(&*instance), 100);
    let catalog = bench.catalog(TIMES)?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    exchange.execute(StatementId(0));
    let row = bench.wait(exchange.send())?.one(0)?;
    let (low, high, now) = (row.number(0)?, row.number(1)?, row.number(2)?);
    let hour = 3_600_000_000;
    assert!(now - hour < low && low <= high && high < now + hour, "{low} {high} {now}");
    assert_eq!(low % 1_000, 0, "milliseconds");
    Ok(())
}
