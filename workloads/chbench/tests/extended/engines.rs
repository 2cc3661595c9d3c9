//! Verifies that every database returns the same results as SQLite, after the load and after the same transactions.
//!
//! The tests start their own servers. If PostgreSQL is missing, they fail with a message that names the package to
//! install.

use std::sync::LazyLock;

use crate::common::{instance, loaded, opened, transacted, violated};
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Field, Reply, Row, Value, ValueKind, Values};
use tacho_testkit::conformance::Bench;
use tacho_testkit::live;
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};
use tacho_workload::{Check, Instance};

/// Number of transactions that one session runs between the two rounds of queries.
const TRANSACTIONS: usize = 1_500;
/// Columns that databases round differently, so that the last digit may differ by one.
const ROUNDED: [&str; 5] = ["avg_qty", "avg_amount", "mkt_share", "promo_revenue", "avg_yearly"];

/// The rows of a result as strings. They are sorted, because some queries do not specify the order of equal rows.
type Answer = Vec<Vec<String>>;

/// The results of all queries right after the load and after the transactions.
type Answers = [Vec<(&'static str, Vec<Field>, Answer)>; 2];

static REFERENCE: LazyLock<Answers> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("reference.db").display());
    answers(&*tacho_driver_sqlite::driver(), &target).expect("the reference answers")
});

fn answers(driver: &dyn Driver, target: &str) -> Result<Answers> {
    let bench = Bench::new(driver, target);
    let instance = instance(driver.dialect().id());
    loaded(&bench, &*instance)?;
    let mut exchange = opened(&bench, &*instance)?;
    let before = asked(&bench, &mut exchange, &*instance)?;
    transacted(&bench, &mut exchange, &*instance, TRANSACTIONS);
    assert_eq!(violated(&bench, &mut exchange, &*instance)?, []);
    let after = asked(&bench, &mut exchange, &*instance)?;
    bench.wait(exchange.into_session().close())?;
    Ok([before, after])
}

fn asked(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    instance: &dyn Instance,
) -> Result<Vec<(&'static str, Vec<Field>, Answer)>> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    let queries = instance.checks().into_iter().filter(|check| check.id.starts_with('Q'));
    queries
        .map(|Check { id, statement, bound, .. }| {
            let bound: Values = bound;
            exchange.execute(statement).all(&bound);
            let columns = &catalog.get(statement).results;
            Ok((id, columns.clone(), texts(columns, bench.wait(exchange.send())?)))
        })
        .collect()
}

fn texts(columns: &[Field], reply: &Reply) -> Answer {
    let text = |row: &Row<'_>, at: usize| match row.get(at) {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => String::from_utf8_lossy(text).trim_end().to_owned(),
        Value::Int(number) | Value::Decimal(number) | Value::Time(number) => number.to_string(),
    };
    let row = |row: Row<'_>| (0..columns.len()).map(|at| text(&row, at)).collect::<Vec<_>>();
    let mut rows: Answer = (0..reply.rows(0)).filter_map(|at| reply.get(0, at)).map(row).collect();
    rows.sort();
    rows
}

fn same(field: &Field, one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<i64>().ok();
    let near = || Some(number(one)?.abs_diff(number(other)?) <= 1);
    one == other || ROUNDED.contains(&field.name.as_str()) && near().unwrap_or(false)
}

fn agrees(driver: &dyn Driver, target: &str) -> Result<()> {
    let found = answers(driver, target)?;
    for ((when, found), right) in ["loaded", "worked on"].iter().zip(&found).zip(&*REFERENCE) {
        assert_eq!(found.len(), 22);
        for ((id, columns, rows), (_, _, right)) in found.iter().zip(right) {
            assert_eq!(rows.len(), right.len(), "{id}, {when}: number of rows");
            for (row, right) in rows.iter().zip(right) {
                let all = columns.iter().zip(row.iter().zip(right));
                let mut wrong = all.filter(|(field, (one, other))| !same(field, one, other));
                assert!(wrong.next().is_none(), "{id}, {when}: {row:?} is not {right:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_reference_says_something() {
    let rows = |when: usize| REFERENCE[when].iter().map(|(_, _, rows)| rows.len());
    let asked: Vec<usize> = rows(1).collect();
    let empty = |count: &usize| *count == 0;
    assert!(asked.iter().filter(|count| empty(count)).count() <= 2, "{asked:?}");
    assert!(REFERENCE[0].iter().zip(&REFERENCE[1]).any(|(before, after)| before.2 != after.2));
    let kinds: Vec<ValueKind> = REFERENCE[0]
        .iter()
        .flat_map(|(_, columns, _)| columns.iter().map(|column| column.kind))
        .collect();
    assert!(kinds.contains(&ValueKind::Time) && kinds.contains(&ValueKind::Decimal(4)));
}

#[test]
fn mariadb_agrees() -> Result<()> {
    let _inside = live::enter();
    let server = MariaDb::start()?;
    agrees(&*tacho_driver_mysql::driver(), &format!("{}&database=chbench", server.target()))
}

#[test]
fn mysql_agrees() -> Result<()> {
    let _inside = live::enter();
    let Some(server) = MySql::start_if_there(Options::default())? else { return Ok(()) };
    agrees(&*tacho_driver_mysql::driver(), &format!("{}&database=chbench", server.target()))
}

#[test]
fn postgresql_agrees() -> Result<()> {
    let _inside = live::enter();
    let server = Postgres::start_with(Options::default());
    let server = server.unwrap_or_else(|error| panic!("{error}; {}", error.hints().join("; ")));
    agrees(&*tacho_driver_postgres::driver(), &server.target())
}
