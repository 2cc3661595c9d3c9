//! Checks that profile `hammerdb` changes the intended columns and queries, and nothing else.

use crate::common::{instance, open, rows, violated};
use tacho_core::Result;
use tacho_driver::{Form, Value};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::{self, find, load};
use tacho_testkit::servers::Postgres;
use tacho_workload::{Purpose, Verdict};
use tokio::runtime::Builder;

const NATION: usize = 1;
const SUPPLIER: usize = 2;
const CUSTOMER: usize = 3;
const PART: usize = 4;

/// Returns the strings in one column of a table.
fn texts(set: &[(&str, &str)], table: usize, column: usize) -> Vec<String> {
    let instance = instance(10, set);
    let columns = instance.schema().tables[table].columns.len();
    let values = rows(&*instance, table, 0..instance.slots(table));
    let text = |row: usize| match values.get(row * columns + column) {
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => format!("{other:?}"),
    };
    (0..values.len() / columns).map(text).collect()
}

#[test]
fn every_switch_of_the_rows_changes_its_column_and_nothing_else() {
    // Each deviation, with the columns that it may change.
    let table = [
        ("egypt_in_africa", &[(NATION, 2)][..]),
        ("phones_plain", &[(SUPPLIER, 4), (CUSTOMER, 4)]),
        ("complaints_plain", &[(SUPPLIER, 6)]),
        ("colors_repeat", &[(PART, 1)]),
        ("hammerdb_tables", &[]),
        ("months_later", &[]),
    ];
    for (key, changed) in table {
        for (table, columns) in [(NATION, 4), (SUPPLIER, 7), (CUSTOMER, 8), (PART, 9)] {
            for column in 0..columns {
                let same = texts(&[], table, column) == texts(&[(key, "true")], table, column);
                assert_eq!(same, !changed.contains(&(table, column)), "{key} {table} {column}");
            }
        }
    }
}

/// Checks that HammerDB's tables and rows meet all conditions, that all queries run, and that
/// refreshes keep the data correct.
pub fn runs_as_hammerdb(bench: &Bench<'_>) -> Result<()> {
    let mut choices = contract::choices(1, "hammerdb");
    (choices.sessions, choices.set) = (3, [("refresh".into(), "true".into())].into());
    for form in [Form::Sql, Form::Simple] {
        choices.form = form;
        let instance = contract::instance(&*tacho_workload_tproch::workload(), &choices);
        if form == Form::Sql {
            load(bench, &*instance)?;
        }
        let catalog = instance.catalog(bench.driver.dialect())?;
        let session = bench.session()?;
        let exchange = &mut bench.wait(tacho_driver::Exchange::new(session, catalog, form))?;
        bench.wait(instance.inspect_data(exchange, 0, Purpose::Run))?;
        for session in 0..3 {
            let mut client = instance.client(session);
            while !client.ended() {
                let kind = client.next().transaction;
                let ended = bench.wait(client.run(exchange));
                let ended = ended.and_then(|_| client.verify(exchange));
                assert!(ended.is_ok(), "{form:?} {session} {kind}: {:?}", ended.err());
            }
        }
        for finding in find(bench, exchange, &*instance)? {
            let excused = matches!(finding.verdict, Verdict::Excused(_));
            // After refreshes, it is not known which orders remain, so conditions on these orders are not checked.
            let may_fail =
                finding.check.id.starts_with('Q') || ["H5", "R4"].contains(&finding.check.id);
            assert!(finding.verdict == Verdict::Holds || excused && may_fail, "{finding:?}");
        }
    }
    Ok(())
}

/// Fills HammerDB's tables with the specification's rows. Returns the IDs of the violated conditions and of the queries
/// with wrong results.
pub fn wrong_answers(bench: &Bench<'_>) -> Result<Vec<&'static str>> {
    load(bench, &*instance(1, &[("hammerdb_tables", "true")]))?;
    let asked = instance(1, &[("q15_view", "true")]);
    let mut exchange = open(bench, &*asked)?;
    let found = violated(bench, &mut exchange, &*asked)?;
    Ok(found.into_iter().map(|(id, _)| id).collect())
}

#[test]
fn postgres_has_hammerdbs_tables() -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let target = Postgres::shared().database("theirs")?;
    let driver = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, &target);
    assert_eq!(wrong_answers(&bench)?, Vec::<&str>::new());
    let numbers = bench.script(
        "SELECT 1 / (count(*) - 46) FROM information_schema.columns \
         WHERE table_schema = 'public' AND data_type = 'numeric'",
    );
    assert!(numbers.is_ok(), "{numbers:?}");
    let orphan = bench.script("UPDATE orders SET o_custkey = -1 WHERE o_orderkey = 7");
    assert!(orphan.is_err(), "references are declared");
    bench.script("DROP SCHEMA public CASCADE; CREATE SCHEMA public")?;
    runs_as_hammerdb(&bench)
}
