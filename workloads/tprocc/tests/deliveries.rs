//! Concurrent deliveries in one warehouse. Each of them must deliver the oldest order in each
//! district, clause 2.7.4.2.
//!
//! Start reading at [`all_deliver`].

use std::sync::Arc;
use std::time::Duration;

use crate::common::crowds::{enter, numbers, open, questions};
use crate::common::routines::make_routines;
use crate::common::{instance_for, verdicts};
use tacho_core::{Result, Retry};
use tacho_driver::{Driver, Exchange, Form, Scheduling};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_testkit::servers::{Options, Postgres};
use tacho_workload::{Client, Instance, Outcome, Tally};

/// Number of sessions, and number of deliveries in each. In total, there are 110 deliveries.
const CROWDS: [(u32, u64); 3] = [(1, 6), (8, 5), (64, 1)];
/// Number of undelivered orders in each district, which is slightly more than the sessions deliver.
const OPEN: i64 = 120;
const DELIVERIES: (&str, &str) = ("weights", "0,0,0,100,0");
const QUESTIONS: &str = "-- name: open() -> (open int, delivered int)
SELECT (SELECT COUNT(*) FROM new_order),
    (SELECT COUNT(*) FROM orders WHERE o_carrier_id IS NOT NULL)
-- name: carrier(d int, o int) -> (found int)
SELECT COUNT(*) FROM orders
WHERE o_w_id = 1 AND o_d_id = :d AND o_id = :o AND o_carrier_id IS NOT NULL
";

fn instance(driver: &dyn Driver, form: Form, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    let set: Vec<(&str, &str)> = set.iter().copied().chain([DELIVERIES]).collect();
    instance_for(driver.dialect().id(), form, 1, "spec", &set)
}

/// Loads the tables and marks all orders as delivered.
pub fn load(driver: &dyn Driver, target: &str) -> Result<()> {
    let _inside = enter();
    let bench = Bench::new(driver, target);
    contract::load(&bench, &*instance(driver, Form::Sql, &[]))?;
    change(&bench, "+", "o_carrier_id IS NULL")?;
    bench.script(
        "UPDATE order_line SET ol_delivery_d = (SELECT MIN(c_since) FROM customer)
         WHERE ol_delivery_d IS NULL;
         UPDATE orders SET o_carrier_id = 1 WHERE o_carrier_id IS NULL;
         DELETE FROM new_order",
    )
}

/// Marks the last `count` orders in each district as undelivered again.
fn reopen(bench: &Bench<'_>, count: i64) -> Result<()> {
    let first = 3_001 - count;
    change(bench, "-", &format!("o_id >= {first}"))?;
    bench.script(&format!(
        "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_o_id >= {first};
         UPDATE orders SET o_carrier_id = NULL WHERE o_id >= {first};
         INSERT INTO new_order (no_w_id, no_d_id, no_o_id)
         SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_id >= {first}"
    ))
}

/// Changes the delivery counters and balances of the customers whose order satisfies the condition `some`. With `+` as
/// the sign, the order counts as delivered, and with `-` as undelivered. Each customer has only one order.
fn change(bench: &Bench<'_>, sign: &str, some: &str) -> Result<()> {
    bench.script(&format!(
        "UPDATE customer SET c_delivery_cnt = c_delivery_cnt {sign} 1, c_balance = c_balance {sign} (
             SELECT SUM(ol_amount) FROM orders JOIN order_line
             ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
             WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND {some})
         WHERE EXISTS (SELECT 1 FROM orders
             WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND {some})"
    ))
}

/// Runs `times` deliveries and retries those that fail. Returns the number of skipped districts and
/// the number of visited districts.
async fn deliver(mut exchange: Exchange, mut user: Box<dyn Client>, times: u64) -> (u64, u64) {
    for _ in 0..times {
        user.next();
        loop {
            match user.run(&mut exchange).await {
                Ok(outcome) => break assert_eq!(outcome, Outcome::Committed),
                Err(error) => {
                    assert_eq!(error.retry_class(), Retry::SameConnection, "{error}");
                    exchange.reset().await.expect("a rollback");
                }
            }
        }
    }
    exchange.into_session().close().await.expect("a farewell");
    let mut tally = Tally::new(12);
    user.audit(&mut tally);
    tally.get(11)
}

/// Runs deliveries in concurrent sessions. Returns the number of districts that they skipped, and
/// the number that they visited.
fn crowd(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    form: Form,
    (sessions, each): (u32, u64),
) -> Result<(u64, u64)> {
    let users = (0..sessions).map(|session| {
        let exchange = open(bench, instance, form)?;
        Ok(deliver(exchange, instance.client(session), each))
    });
    let users = users.collect::<Result<Vec<_>>>()?;
    let counts: Vec<(u64, u64)> = if bench.driver.scheduling() == Scheduling::Thread {
        let start = |user| std::thread::spawn(|| pollster::block_on(user));
        let threads: Vec<_> = users.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    } else {
        let tasks: Vec<_> = users.into_iter().map(tokio::spawn).collect();
        tasks.into_iter().map(|task| bench.wait(task).expect("no panic")).collect()
    };
    Ok(counts.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)))
}

/// Returns the number of undelivered orders and the number of delivered orders.
fn orders(bench: &Bench<'_>) -> Result<(i64, i64)> {
    let mut exchange = questions(bench, QUESTIONS)?;
    let found = numbers(&mut exchange, 0, &[])?.remove(0);
    bench.wait(exchange.into_session().close())?;
    Ok((found[0], found[1]))
}

/// Tests deliveries in each form with up to `sessions_max` sessions. A district may be skipped only
/// when all of its orders have been delivered.
pub fn all_deliver(
    driver: &dyn Driver,
    target: &str,
    ways: &[(Form, &[(&str, &str)])],
    sessions_max: u32,
) -> Result<()> {
    let _inside = enter();
    let bench = Bench::new(driver, target);
    for (form, set) in ways {
        let instance = instance(driver, *form, set);
        make_routines(&bench, &*instance)?;
        reopen(&bench, OPEN)?;
        let (mut open_before, mut delivered_before) = orders(&bench)?;
        assert_eq!(open_before, OPEN * 10);
        for (sessions, each) in CROWDS.into_iter().filter(|crowd| crowd.0 <= sessions_max) {
            let counts = crowd(&bench, &*instance, *form, (sessions, each))?;
            let way = format!("{target} {form:?} {set:?} {sessions}");
            let visited = u64::from(sessions) * each * 10;
            assert_eq!(counts, (0, visited), "{way}");
            let (open, delivered) = orders(&bench)?;
            let by = visited as i64;
            assert_eq!((open, delivered), (open_before - by, delivered_before + by), "{way}");
            (open_before, delivered_before) = (open, delivered);
        }
        // There are more deliveries than orders, so some districts must be skipped because they are empty.
        let asked = (8, open_before as u64 / 80 + 2);
        let (skipped, visited) = crowd(&bench, &*instance, *form, asked)?;
        assert_eq!((orders(&bench)?.0, visited - skipped), (0, open_before as u64), "{form:?}");
        let mut exchange = open(&bench, &*instance, Form::Sql)?;
        let found = verdicts(&bench, &mut exchange, &*instance)?;
        assert_eq!(found, (vec![], vec![]), "{form:?} {set:?}");
        bench.wait(exchange.into_session().close())?;
    }
    Ok(())
}

/// Another delivery takes the only order in each district. The tested delivery waits for it and
/// must then deliver an order that was entered meanwhile.
pub fn an_order_entered_meanwhile_is_delivered(
    driver: &dyn Driver,
    target: &str,
    ways: &[(Form, &[(&str, &str)])],
) -> Result<()> {
    let _inside = enter();
    let bench = Bench::new(driver, target);
    for (form, set) in ways {
        let instance = instance(driver, *form, set);
        make_routines(&bench, &*instance)?;
        reopen(&bench, 2)?;
        bench.script("DELETE FROM new_order WHERE no_o_id = 3000")?;
        let mut other = bench.session()?;
        bench.wait(other.script("BEGIN; DELETE FROM new_order WHERE no_o_id = 2999"))?;
        let exchange = open(&bench, &*instance, *form)?;
        let ours = tokio::spawn(deliver(exchange, instance.client(0), 1));
        // Wait until the delivery is blocked. If it started only after the new order was inserted,
        // it would find the order at once.
        bench.wait(tokio::time::sleep(Duration::from_millis(500)));
        assert!(!ours.is_finished(), "{form:?}: it did not wait");
        bench.script("INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 1, 3000)")?;
        bench.wait(other.script("COMMIT"))?;
        bench.wait(other.close())?;
        assert_eq!(bench.wait(ours).expect("no panic"), (9, 10), "{form:?} {set:?}");
        let mut exchange = questions(&bench, QUESTIONS)?;
        assert_eq!(numbers(&mut exchange, 1, &[1, 3000])?, [[1]], "{form:?} {set:?}");
        assert_eq!(numbers(&mut exchange, 0, &[])?[0][0], 0);
        bench.wait(exchange.into_session().close())?;
    }
    Ok(())
}

pub type Ways = &'static [(Form, &'static [(&'static str, &'static str)])];

pub const POSTGRES: Ways = &[
    (Form::Sql, &[]),
    (Form::Simple, &[]),
    (Form::Pipelined, &[]),
    (Form::Procedures, &[("routines", "functions")]),
    (Form::Procedures, &[("routines", "procedures")]),
];

pub fn postgres() -> Result<Postgres> {
    let settings = &[("max_connections", "200")];
    Postgres::start_with(Options { settings, ..Options::default() })
}

#[test]
fn sqlite_skips_no_open_order() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("x.db");
    let target = format!("sqlite:{}?synchronous=off", file.display());
    let driver = tacho_driver_sqlite::driver();
    load(&*driver, &target)?;
    all_deliver(&*driver, &target, &[(Form::Sql, &[])], 8)
}
