//! Tables on a server: HammerDB's own tables, and tables with storage parameters.
//!
//! The files `hammerdb_tables_….txt` describe the tables of a schema that HammerDB has created.

use std::sync::OnceLock;

use crate::common::instance;
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Form, StatementId, require_storage};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};
use tacho_workload::Verdict;
use tokio::runtime::{Builder, EnterGuard, Runtime};

/// Queries on the server's catalog, and the result that they return for HammerDB's own tables.
const POSTGRES: [&str; 2] =
    [include_str!("sql/postgres/catalog.sql"), include_str!("hammerdb_tables_postgres.txt")];
const MYSQL: [&str; 2] =
    [include_str!("sql/mysql/catalog.sql"), include_str!("hammerdb_tables_mysql.txt")];
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
        let options = Options { settings: &settings, ..Options::default() };
        Postgres::start_with(options).expect("a PostgreSQL server")
    })
}

fn bench<'a>(driver: &'a dyn Driver, name: &str) -> Bench<'a> {
    let admin = Bench::new(driver, &server().target());
    admin.script(&format!("CREATE DATABASE {name}")).expect("a new database");
    Bench::new(driver, &format!("{}&dbname={name}", server().target()))
}

fn lines(bench: &Bench<'_>, questions: &str, statement: u16) -> Result<Vec<String>> {
    let session = bench.session()?;
    let mut exchange = bench.wait(Exchange::new(session, bench.catalog(questions)?, Form::Sql))?;
    exchange.execute(StatementId(statement));
    // Strings are shown in quotes.
    let rows = bench.send(&mut exchange)?.remove(0).0;
    Ok(rows.iter().map(|row| row.trim_matches('\'').trim_end().to_owned()).collect())
}

/// Checks that the server's catalog describes the tables of the `hammerdb` profile exactly like
/// HammerDB's own tables.
fn are_hammerdbs(bench: &Bench<'_>, [questions, expected]: [&str; 2]) -> Result<()> {
    make_tables(bench, &[])?;
    let found = lines(bench, questions, DESCRIBED)?;
    assert_eq!(found, expected.lines().collect::<Vec<_>>());
    Ok(())
}

fn make_tables(bench: &Bench<'_>, set: &[(&str, &str)]) -> Result<()> {
    let dialect = bench.driver.dialect();
    for table in instance(1, "hammerdb", set).layout(dialect)?.tables {
        bench.script(&dialect.create_table(&table))?;
        for index in &table.indexes {
            bench.script(&dialect.create_index(&table, index))?;
        }
    }
    Ok(())
}

#[test]
fn the_profile_hammerdb_has_hammerdbs_tables() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    are_hammerdbs(&bench(&*driver, "theirs"), POSTGRES)
}

fn of_the_family(target: &str) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let bench = |name: &str| Bench::new(&*driver, &format!("{target}&database={name}"));
    are_hammerdbs(&bench("theirs"), MYSQL)?;
    let kept = bench("kept");
    make_tables(&kept, &[("partitions", "3"), ("history_pk", "true"), ("engine", "innodb")])?;
    let found = lines(&kept, MYSQL[0], KEPT)?;
    let all = ["customer", "district", "history", "item", "new_order", "order_line", "orders"];
    let expected = all.into_iter().chain(["stock", "warehouse"]).map(|name| match name {
        "history" => "history InnoDB 0 id auto_increment invisible".to_owned(),
        "order_line" => "order_line InnoDB 3".to_owned(),
        name => format!("{name} InnoDB 0"),
    });
    let plain =
        |line: String| line.replace("auto_increment, invisible", "auto_increment invisible");
    let found: Vec<String> = found.into_iter().map(plain).collect();
    assert_eq!(found, expected.collect::<Vec<_>>());
    Ok(())
}

#[test]
fn mariadb_has_hammerdbs_tables() -> Result<()> {
    of_the_family(&MariaDb::shared().target())
}

#[test]
fn mysql_has_hammerdbs_tables() -> Result<()> {
    let Some(server) = MySql::shared_if_there() else { return Ok(()) };
    of_the_family(&server.target())
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
    let found = lines(&bench, POSTGRES[0], KEPT)?;
    let mut expected = Vec::new();
    for name in ["customer", "district", "history", "item", "new_order", "ol_0", "ol_1", "ol_2"] {
        expected.push(format!("{name} ru fillfactor=80 elsewhere"));
    }
    // The partitioned parent table stores no rows itself.
    expected.push("order_line pp".into());
    for name in ["orders", "stock", "warehouse"] {
        expected.push(format!("{name} ru fillfactor=80 elsewhere"));
    }
    assert_eq!(found, expected);
    assert_eq!(lines(&bench, POSTGRES[0], MISPLACED)?, ["0"]);
    let catalog = instance.catalog(driver.dialect())?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    for finding in contract::find(&bench, &mut exchange, &*instance)? {
        assert!(!matches!(finding.verdict, Verdict::Violated { .. }), "{finding:?}");
    }
    let facts = bench.wait(bench.session()?.inspector().facts())?;
    let risk = facts.settings.iter().find(|setting| setting.name == "unlogged tables");
    let risk = risk.expect("a warning of unlogged tables");
    assert!(risk.value == "11" && risk.durability_risk.is_some(), "{risk:?}");
    Ok(())
}

#[test]
fn rejects_unsupported_storage_options() -> Result<()> {
    let sqlite = tacho_driver_sqlite::driver();
    let asked = [
        ("partitions", "2"),
        ("fillfactor", "80"),
        ("unlogged", "true"),
        ("tablespace", "x"),
        ("distributed", "true"),
        ("engine", "x"),
        ("history_pk", "true"),
    ];
    for (key, value) in asked {
        let layout = instance(1, "spec", &[(key, value)]).layout(sqlite.dialect())?;
        let error = require_storage(sqlite.dialect(), &layout).expect_err(key);
        assert!(error.to_string().starts_with(key) && !error.hints().is_empty(), "{error}");
    }
    let layout = instance(1_000, "hammerdb", &[]).layout(sqlite.dialect())?;
    require_storage(sqlite.dialect(), &layout)
}
