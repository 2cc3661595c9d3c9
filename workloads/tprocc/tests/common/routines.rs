//! Checks the data that HammerDB's routines write, and calls individual routines.

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_workload::Instance;

use super::crowds::{crowd, numbers, questions};

const ACCEPTANCE: &str = include_str!("../sql/acceptance.sql");
const ROUTINES: &str = include_str!("../sql/routines.sql");

/// Removes all routines and creates those that the instance needs.
pub fn make_routines(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    let routines = instance.routines(bench.driver.dialect())?;
    let scripts = routines.drop.iter().chain(&routines.create);
    scripts.into_iter().try_for_each(|script| bench.script(script))
}

/// Checks that the fraction of `found` in `all` is as expected, within four standard errors.
pub fn expect_share(what: &str, found: f64, all: f64, expected: f64) {
    let error = (expected * (1.0 - expected) / all).sqrt();
    let share = found / all;
    assert!((share - expected).abs() <= 4.0 * error, "{what}: {share} of {all}, not {expected}");
}

/// Acceptance values for a database with two warehouses. See section 12 of Tacho's specification.
pub struct Figures {
    /// Number of completed transactions.
    pub all: u64,
    /// Number of new orders in the database.
    pub new_orders: u64,
    /// Expected ratio of TPM to NOPM.
    pub ratio: f64,
    /// Number of new orders that were rolled back, and the expected fraction.
    pub rolled_back: Option<(u64, f64)>,
    /// Expected fraction of lines that are supplied by another warehouse.
    pub remote: f64,
    /// Expected number of lines per order that have no amount.
    pub without_amount: f64,
}

/// Checks the acceptance values for the orders that the run has added.
pub fn acceptance_figures_hold(bench: &Bench<'_>, figures: &Figures) -> Result<()> {
    let Figures { all, new_orders, .. } = *figures;
    expect_share("NOPM of TPM", new_orders as f64, all as f64, 1.0 / figures.ratio);
    if let Some((rolled_back, share)) = figures.rolled_back {
        let begun = (new_orders + rolled_back) as f64;
        expect_share("new-orders rolled back", rolled_back as f64, begun, share);
    }
    let mut exchange = questions(bench, ACCEPTANCE)?;
    let mut ask =
        |statement| Ok::<_, tacho_core::Error>(numbers(&mut exchange, statement, &[])?[0].clone());
    let orders = ask(0)?;
    assert_eq!(orders[0], new_orders as i64);
    // An order has n = 5 to 15 lines. The probability that none of them is remote is 0.99^n.
    let local: f64 = (5..=15).map(|n| 0.99_f64.powi(n)).sum::<f64>() / 11.0;
    expect_share("orders with all_local = 0", orders[1] as f64, orders[0] as f64, 1.0 - local);
    let lines = ask(1)?;
    expect_share("remote lines", lines[1] as f64, lines[0] as f64, figures.remote);
    let (without, orders) = (lines[2] as f64, orders[0] as f64);
    expect_share("lines without amount", without, orders, figures.without_amount);
    assert_eq!(ask(2)?, [0]);
    bench.wait(exchange.into_session().close())
}

/// Checks that the server counts each transaction of a session exactly once. The server also counts other activity, so
/// its count may exceed the number of calls by up to half.
#[expect(clippy::disallowed_methods, reason = "a server takes a moment of real time")]
pub fn each_ends_once_in_the_server(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    const CALLS: u64 = 400;
    let mut observer = bench.session()?;
    let mut count = || -> Result<u64> {
        let counters = bench.wait(observer.inspector().counters())?.expect("counters");
        Ok(counters.commits + counters.rollbacks)
    };
    let before = count()?;
    let (ended, _) = crowd(bench, instance, (Form::Procedures, false), (1, CALLS as usize))?;
    assert_eq!(ended.iter().map(|kind| kind.committed + kind.rolled_back).sum::<u64>(), CALLS);
    // Some servers update their counters only after the session has ended, and reading the counters
    // may itself be counted.
    let mut told = 0;
    for _ in 0..50 {
        told = count()? - before;
        if told >= CALLS {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!((CALLS..CALLS * 3 / 2).contains(&told), "{told} of {CALLS} in the server");
    bench.wait(observer.close())
}

/// A session that calls single routines and rolls each call back. Its statements are the sections
/// of an SQL file, followed by the statements in `calls`.
pub struct Calls<'a> {
    bench: &'a Bench<'a>,
    pub exchange: Exchange,
}

impl<'a> Calls<'a> {
    pub fn new(bench: &'a Bench<'a>, instance: &dyn Instance, calls: &str) -> Result<Self> {
        make_routines(bench, instance)?;
        let exchange = questions(bench, &format!("{ROUTINES}\n{calls}"))?;
        Ok(Self { bench, exchange })
    }

    /// Gives the first `count` customers in the first district the same name.
    pub fn namesakes(&mut self, count: i64) -> Result<()> {
        let sql = format!(
            "BEGIN; UPDATE customer SET c_last = 'NAMESAKE', c_first = SUBSTRING('ABCDEFGH', c_id, 1), c_credit = 'GC' \
             WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= {count}"
        );
        self.bench.wait(self.exchange.session().script(&sql))
    }

    pub fn rollback(&mut self) -> Result<()> {
        self.bench.wait(self.exchange.session().script("ROLLBACK"))
    }

    pub fn ask(&mut self, statement: u16, params: &[i64]) -> Result<Vec<Vec<i64>>> {
        numbers(&mut self.exchange, statement, params)
    }
}

/// Section `balance`.
pub const BALANCE: u16 = 0;
/// Section `stock_of_item`.
pub const STOCK: u16 = 1;
/// Section `lines_of_order`.
pub const LINES: u16 = 2;
/// Section `next_order`.
pub const NEXT_ORDER: u16 = 3;
/// Number of the first statement after those in the file.
pub const FIRST: u16 = 4;
