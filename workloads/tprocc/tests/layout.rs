//! Tables as they are on a server: HammerDB's own, and the ways of keeping them.
//!
//! What HammerDB makes is in `hammerdb_tables.txt`, written down from a survey of its schema and not
//! from our statements.

mod common;

use std::sync::OnceLock;

use common::instance;
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Form, StatementId, require_storage};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_testkit::servers::Postgres;
use tacho_workload::Verdict;
use tokio::runtime::{Builder, EnterGuard, Runtime};

const CATALOG: &str = include_str!("sql/catalog.sql");
const HAMMERDB: &str = include_str!("hammerdb_tables.txt");
const DESCRIBED: u16 = 0;
const KEPT: u16 = 1;
const MISPLACED: u16 = 2;

fn enter() -> EnterGuard<'static> {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop")).enter()
}

fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let settings = [("allow_in_place_tablespaces", "on")];
        let options = tacho_testkit::servers::Options { settings: &settings, ..Default::default() };
        Postgres::start_with(options).expect("a PostgreSQL server")
    })
}

fn bench<'a>(driver: &'a dyn Driver, name: &str) -> Bench<'a> {
    let admin = Bench::new(driver, &server().target());
    admin.script(&format!("CREATE DATABASE {name}")).expect("a new database");
    Bench::new(driver, &format!("{}&dbname={name}", server().target()))
}

fn lines(bench: &Bench<'_>, statement: u16) -> Result<Vec<String>> {
    let session = bench.session()?;
    let mut exchange = bench.wait(Exchange::new(session, bench.catalog(CATALOG)?, Form::Sql))?;
    exchange.execute(StatementId(statement));
    // Texts are shown in quotes.
    let rows = bench.send(&mut exchange)?.remove(0).0;
    Ok(rows.iter().map(|row| row.trim_matches('\'').trim_end().to_owned()).collect())
}

#[test]
fn the_profile_hammerdb_has_hammerdbs_tables() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    let bench = bench(&*driver, "theirs");
    let dialect = driver.dialect();
    for table in instance(1, "hammerdb", &[]).layout(dialect)?.tables {
        bench.script(&dialect.create_table(&table))?;
        for index in &table.indexes {
            bench.script(&dialect.create_index(&table, index))?;
        }
    }
    let found = lines(&bench, DESCRIBED)?;
    assert_eq!(found, HAMMERDB.lines().collect::<Vec<_>>());
    Ok(())
}

#[test]
fn tables_are_kept_as_asked_and_stay_consistent() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    let bench = bench(&*driver, "kept");
    bench.script("CREATE TABLESPACE elsewhere LOCATION ''")?;
    let set = [
        ("partitions", "3"),
        ("fillfactor", "80"),
        ("unlogged", "true"),
        ("tablespace", "elsewhere"),
    ];
    let instance = instance(1, "hammerdb", &set);
    contract::load(&bench, &*instance)?;
    let found = lines(&bench, KEPT)?;
    let mut expected = Vec::new();
    for name in ["customer", "district", "history", "item", "new_order", "ol_0", "ol_1", "ol_2"] {
        expected.push(format!("{name} ru fillfactor=80 elsewhere"));
    }
    // The parent keeps nothing by itself.
    expected.push("order_line pp".into());
    for name in ["orders", "stock", "warehouse"] {
        expected.push(format!("{name} ru fillfactor=80 elsewhere"));
    }
    assert_eq!(found, expected);
    assert_eq!(lines(&bench, MISPLACED)?, ["0"]);
    let catalog = instance.catalog(driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    for finding in contract::find(&bench, &mut exchange, &*instance)? {
        assert!(!matches!(finding.verdict, Verdict::Violated { .. }), "{finding:?}");
    }
    let facts = bench.wait(bench.session()?.facts())?;
    let risk = facts.settings.iter().find(|setting| setting.name == "unlogged tables");
    let risk = risk.expect("a warning of unlogged tables");
    assert!(risk.value == "11" && risk.durability_risk.is_some(), "{risk:?}");
    Ok(())
}

#[test]
fn what_a_database_cannot_do_is_refused() -> Result<()> {
    let sqlite = tacho_driver_sqlite::driver();
    let asked = [
        ("partitions", "2"),
        ("fillfactor", "80"),
        ("unlogged", "true"),
        ("tablespace", "x"),
        ("distributed", "true"),
    ];
    for (key, value) in asked {
        let layout = instance(1, "spec", &[(key, value)]).layout(sqlite.dialect())?;
        let error = require_storage(sqlite.dialect(), &layout).expect_err(key);
        assert!(error.to_string().starts_with(key) && !error.hints().is_empty(), "{error}");
    }
    let layout = instance(1_000, "hammerdb", &[]).layout(sqlite.dialect())?;
    require_storage(sqlite.dialect(), &layout)
}
