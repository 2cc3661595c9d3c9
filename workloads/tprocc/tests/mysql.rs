//! Runs two profiles' statements and routines on MySQL and MariaDB, with 1, 8 and 64 sessions.
//!
//! The tests start their own servers. If MariaDB is missing, they fail with a message that names the package to
//! install.

use std::sync::Arc;

use crate::common::crowds::{Rules, Sum, damages_are_found, enter, expect_totals, run_crowds};
use crate::common::instance_for;
use crate::common::routines::{
    BALANCE, Calls, FIRST, Figures, acceptance_figures_hold, each_ends_once_in_the_server,
    expect_share, make_routines,
};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::Instance;

const WAREHOUSES: u64 = 2;
/// Runs a few hundred transactions of each type, but no more deliveries than there are orders.
const WEIGHTS: (&str, &str) = ("weights", "40,30,10,10,10");

/// Permits deadlocks. `InnoDB` locks gaps between keys, so new-order and delivery can deadlock even
/// if lines are sorted.
const RULES: Rules<'static> = Rules { excused: &[], deadlocks: true, hidden: false };

fn instance_in(form: Form, profile: &str, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    instance_for("mysql", form, WAREHOUSES, profile, set)
}

/// The standard's profile meets all twelve conditions, on a database created as `prepare` creates it.
pub fn keeps_every_condition(target: &str) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let bench = Bench::new(&*driver, &format!("{target}&database=spec"));
    contract::load(&bench, &*instance_in(Form::Sql, "spec", &[WEIGHTS]))?;
    let (mut payments, mut deliveries) = (0, 0);
    for (form, statements) in [
        (Form::Sql, "orders"),
        (Form::Sql, "lines"),
        (Form::Pipelined, "orders"),
        (Form::Procedures, "orders"),
    ] {
        let instance = instance_in(form, "spec", &[WEIGHTS, ("statements", statements)]);
        make_routines(&bench, &*instance)?;
        let Sum { ended, .. } = run_crowds(&bench, &*instance, form, RULES)?;
        assert!(ended[0].rolled_back > 0, "{form:?} {ended:?}");
        payments += ended[1].committed;
        deliveries += ended[3].committed;
        // No delivery may find an order that another delivery has taken.
        assert_eq!(expect_totals(&bench, payments)?, deliveries as i64 * 10, "{form:?}");
    }
    damages_are_found(&bench, &*instance_in(Form::Sql, "spec", &[]))
}

/// Runs HammerDB's profile: first its procedures, with every way to pass values, and then its plain statements.
pub fn keeps_what_hammerdb_can(target: &str) -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_mysql::driver();
    let bench = Bench::new(&*driver, &format!("{target}&database=hammerdb"));
    contract::load(&bench, &*instance_in(Form::Sql, "hammerdb", &[]))?;
    make_routines(&bench, &*instance_in(Form::Sql, "hammerdb", &[]))?;
    let rules = Rules { excused: &["C10", "C11", "C12", "D6", "D8", "D9", "D13"], ..RULES };
    let (mut all, mut new_orders, mut rolled_back) = (0, 0, 0);
    for values in ["direct", "results", "variables"] {
        let instance = instance_in(Form::Procedures, "hammerdb", &[("call_values", values)]);
        let ratio = instance.headline().expect("a headline").ratio;
        assert!((ratio - 2.3 / 0.9899).abs() < 1e-4, "{ratio}");
        let sum = run_crowds(&bench, &*instance, Form::Procedures, rules)?;
        let back: u64 = sum.ended.iter().map(|ended| ended.rolled_back).sum();
        assert_eq!(sum.ended[0].rolled_back, back, "only new-orders are rolled back");
        expect_mix(&*instance, &sum);
        all += sum.committed() + back;
        new_orders += sum.new_orders();
        rolled_back += back;
    }
    let figures = Figures {
        all,
        new_orders,
        ratio: 2.3 / 0.9899,
        rolled_back: Some((rolled_back, 1.0 / 99.0)),
        remote: 0.01,
        without_amount: 0.0,
    };
    acceptance_figures_hold(&bench, &figures)?;
    each_ends_once_in_the_server(&bench, &*instance_in(Form::Procedures, "hammerdb", &[]))?;
    let statements = instance_in(Form::Sql, "hammerdb", &[]);
    let sum = run_crowds(&bench, &*statements, Form::Sql, rules)?;
    expect_mix(&*statements, &sum);
    let (begun, back) =
        (sum.ended[0].committed + sum.ended[0].rolled_back, sum.ended[0].rolled_back);
    expect_share("new-orders rolled back", back as f64, begun as f64, 1.0 / 99.0);
    quirks_are_hammerdbs(&bench, &*statements)
}

/// Checks that the types of the completed transactions match the promised mix, within four standard errors.
///
/// Deadlock victims do not count. There are only a few, and they may be of any type.
fn expect_mix(instance: &dyn Instance, sum: &Sum) {
    let ended = sum.ended.map(|ended| (ended.committed + ended.rolled_back) as f64);
    let all: f64 = ended.iter().sum();
    for (kind, ended) in instance.transactions().iter().zip(ended) {
        expect_share(kind.name, ended, all, kind.share);
    }
}

const CALLS: &str = "-- name: payment() -> (c int)
SET @c = 2999, @last = 'NAMESAKE', @credit = '0', @balance = 0
-- then
CALL payment(1, 1, 1, 1, @c, 1, 5, @last, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a,
    @a, @a, @a, @a, @credit, @a, @a, @balance, @a, NOW())
-- then
SELECT CAST(@c AS SIGNED)
-- name: status() -> (c int)
SET @c = 2999, @last = 'NAMESAKE'
-- then
CALL ostat(1, 1, @c, 1, @last, @a, @a, @a, @a, @a, @a)
-- then
SELECT CAST(@c AS SIGNED)
-- name: delivery()
CALL delivery(1, 7, NOW())
-- name: carriers() -> (first int, second int)
SELECT SUM(CASE o_d_id WHEN 1 THEN 1 ELSE 0 END), SUM(CASE o_d_id WHEN 2 THEN 1 ELSE 0 END)
FROM orders
WHERE o_w_id = 1 AND o_id = 17 AND o_carrier_id = 7
-- name: amounts() -> (whole int)
SELECT COUNT(*) FROM order_line WHERE ol_amount <> ROUND(ol_amount)
";

/// Among n customers with the same name, the procedure selects the one after position n/2, rounded up, if it exists.
///
/// If a district has no order, HammerDB's procedure delivers the order of the previous district once more.
fn quirks_are_hammerdbs(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    let mut calls = Calls::new(bench, instance, CALLS)?;
    for (count, picked) in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4)] {
        calls.namesakes(count)?;
        let before = calls.ask(BALANCE, &[picked])?[0][0];
        assert_eq!(calls.ask(FIRST, &[])?, [[picked]], "of {count}");
        assert_eq!(calls.ask(BALANCE, &[picked])?[0][0], before + 500, "the amount is added");
        assert_eq!(calls.ask(FIRST + 1, &[])?, [[picked]], "of {count}");
    }
    bench.script("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id IN (1, 2)")?;
    bench.script("INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 1, 17)")?;
    calls.ask(FIRST + 2, &[])?;
    assert_eq!(calls.ask(FIRST + 3, &[])?, [[1, 1]]);
    assert_eq!(calls.ask(FIRST + 4, &[])?, [[0]]);
    Ok(())
}
