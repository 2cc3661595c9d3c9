//! The 13 cloud queries must return the same results on every engine.

use tacho_core::Result;
use tacho_driver::{Exchange, Form, Reply};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, load};
use tacho_testkit::servers::{MariaDb, MySql, Postgres};
use tacho_workload::Purpose;
use tokio::runtime::Builder;

/// Returns the query results for the smallest data set as strings.
fn answers(bench: &Bench<'_>) -> Result<Vec<Vec<String>>> {
    let mut choices = contract::choices(1, "cloud");
    choices.sessions = 2;
    let instance = contract::instance(&*tacho_workload_tproch::workload(), &choices);
    load(bench, &*instance)?;
    let catalog = instance.catalog(bench.driver.dialect())?;
    let exchange = &mut bench.wait(Exchange::new(bench.session()?, catalog, Form::Sql))?;
    bench.wait(instance.inspect_data(exchange, 0, Purpose::Run))?;
    let mut client = instance.client(1);
    let mut found = Vec::new();
    while !client.ended() {
        assert_eq!(client.next().transaction, found.len(), "in the order of their numbers");
        let ended = bench.wait(client.run(exchange));
        let ended = ended.and_then(|_| client.verify(exchange));
        assert!(ended.is_ok(), "c{}: {:?}", found.len() + 1, ended.err());
        found.push(rows(exchange.reply()));
    }
    Ok(found)
}

fn rows(reply: &Reply) -> Vec<String> {
    let rows = (0..reply.rows(0)).filter_map(|at| reply.get(0, at));
    rows.map(|row| {
        let cells = (0..row.columns()).map(|column| format!("{:?}", row.get(column)));
        cells.collect::<Vec<_>>().join("|")
    })
    .collect()
}

#[test]
fn all_engines_agree() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("c.db").display());
    let right = answers(&Bench::new(&*tacho_driver_sqlite::driver(), &target))?;
    let counts: Vec<usize> = right.iter().map(Vec::len).collect();
    assert_eq!(counts[..7], [10, 1, 1, 1, 1, 100, 100]);
    assert!(counts[7..11].iter().all(|count| *count == 0) && counts[12] > 0, "{counts:?}");
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let driver = tacho_driver_postgres::driver();
    assert_eq!(answers(&Bench::new(&*driver, &Postgres::shared().database("cloud")?))?, right);
    let driver = tacho_driver_mysql::driver();
    let place = format!("{}&database=cloud", MariaDb::shared().target());
    assert_eq!(answers(&Bench::new(&*driver, &place))?, right);
    if let Some(mysql) = MySql::shared_if_there() {
        let place = format!("{}&database=cloud", mysql.target());
        assert_eq!(answers(&Bench::new(&*driver, &place))?, right);
    }
    Ok(())
}

#[test]
fn rejects_refreshes() {
    let mut choices = contract::choices(1, "cloud");
    choices.set = [("refresh".into(), "true".into())].into();
    let refused = tacho_workload_tproch::workload().instance(&choices).err();
    assert!(!refused.expect("a refusal").hints().is_empty());
}
