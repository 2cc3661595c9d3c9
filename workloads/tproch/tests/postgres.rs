//! Checks every query result on PostgreSQL.
//!
//! The tests start their own server. If PostgreSQL is missing, they fail with a message that names the package to
//! install.

use crate::common::{has_plans, instance, is_kept, is_limited, is_refreshed, is_right};
use tacho_core::{ErrorKind, Result};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tokio::runtime::Builder;

/// Runs a test in its own database on the shared server.
fn on_server(database: &str, test: impl Fn(&Bench<'_>) -> Result<()>) -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let target = Postgres::shared().database(database)?;
    let driver = tacho_driver_postgres::driver();
    test(&Bench::new(&*driver, &target))
}

#[test]
fn every_answer_is_right() -> Result<()> {
    on_server("answers", |bench| {
        is_right(bench)?;
        has_plans(bench)?;
        is_refreshed(bench)?;
        is_limited(bench)
    })
}

#[test]
fn tables_are_kept_as_asked_for() -> Result<()> {
    on_server("kept", |bench| {
        is_kept(bench, &[("foreign_keys", "true"), ("unlogged", "true")])?;
        // With foreign keys, the server itself rejects a reference to a nonexistent row.
        let lost = bench.script("UPDATE orders SET o_custkey = -1 WHERE o_orderkey = 7");
        assert_eq!(lost.expect_err("a reference to nothing").kind(), ErrorKind::Constraint);
        Ok(())
    })
}

#[test]
fn large_tables_are_spread_over_partitions() -> Result<()> {
    on_server("parted", |bench| {
        is_kept(bench, &[("partitions", "3"), ("unlogged", "true")])?;
        let part = bench.script("SELECT 1 / count(*) FROM ONLY lineitem_2");
        assert!(part.is_ok(), "the third partition has rows: {part:?}");
        Ok(())
    })
}

#[test]
fn rejects_unsupported_storage_before_the_load() {
    let asked = [("foreign_keys", "true"), ("partitions", "3"), ("unlogged", "true")];
    let refused = instance(1, &asked).layout(tacho_driver_postgres::driver().dialect());
    assert!(!refused.expect_err("all three").hints().is_empty());
}

/// A scale step has 15,000 orders. Their keys are eight of every 32 numbers, so the last one is 60,000.
#[test]
fn partitions_cover_all_order_keys() {
    let driver = tacho_driver_postgres::driver();
    let layout = instance(1, &[("partitions", "3")]).layout(driver.dialect()).expect("a layout");
    let highest: Vec<u64> = layout
        .tables
        .iter()
        .filter_map(|table| table.storage.partitions.as_ref())
        .map(|partitions| partitions.highest)
        .collect();
    assert_eq!(highest, [60_000, 60_000]);
}
