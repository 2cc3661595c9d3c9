//! Shared code for tests on servers. It runs concurrent sessions and checks the resulting data.

use std::sync::OnceLock;

use tacho_core::{Result, Retry};
use tacho_driver::{Exchange, Form, StatementId, parse_sections};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::Ended;
use tacho_workload::{Check, Client, Instance, Outcome, Verdict, run_checks};
use tokio::runtime::{Builder, EnterGuard, Runtime};

use super::{DAMAGES, verdicts};

const DAMAGE: &str = include_str!("../sql/damage.sql");
const TOTALS: &str = include_str!("../sql/totals.sql");
/// Number of sessions, and number of transactions that each session runs.
const CROWDS: [(u32, usize); 3] = [(1, 200), (8, 50), (64, 10)];

/// The anomalies that a test with concurrent sessions tolerates.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Conditions that the profile violates by design.
    pub excused: &'a [&'a str],
    /// True if transactions may be rolled back because of a deadlock.
    pub deadlocks: bool,
    /// True if a routine may report success even if a deadlock has rolled it back. HammerDB's procedures do this.
    pub hidden: bool,
}

/// Amounts by which the clients' transactions increased each counter.
pub type Sums = [i64; 8];

/// Requires all conditions to hold, and permits no deadlocks.
pub const ALL: Rules<'static> = Rules { excused: &[], deadlocks: false, hidden: false };

/// The totals of all sessions: the outcomes by transaction type, and the number of hidden rollbacks. A rollback is
/// hidden if the new order was reported as committed.
#[derive(Default)]
pub struct Sum {
    pub ended: [Ended; 5],
    pub hidden: u64,
}

impl Sum {
    /// Returns the number of transactions that reported a commit.
    pub fn committed(&self) -> u64 {
        self.ended.iter().map(|ended| ended.committed).sum()
    }

    /// Returns the number of new orders in the database.
    pub fn new_orders(&self) -> u64 {
        self.ended[0].committed - self.hidden
    }
}

/// Enters an event loop, which runs on its own threads and is shared by all tests.
pub fn enter() -> EnterGuard<'static> {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(2).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop")).enter()
}

/// Opens a session for a form.
pub fn open(bench: &Bench<'_>, instance: &dyn Instance, form: Form) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, form))
}

/// Opens a session that can run the statements in an SQL file of the tests.
pub fn questions(bench: &Bench<'_>, file: &str) -> Result<Exchange> {
    bench.wait(Exchange::new(bench.session()?, bench.catalog(file)?, Form::Sql))
}

/// Runs a statement and returns its rows as numbers.
pub fn numbers(exchange: &mut Exchange, statement: u16, params: &[i64]) -> Result<Vec<Vec<i64>>> {
    let mut call = exchange.execute(StatementId(statement));
    for param in params {
        call = call.int(*param);
    }
    let reply = pollster::block_on(exchange.send())?;
    let rows = (0..reply.rows(0)).filter_map(|row| reply.get(0, row));
    rows.map(|row| (0..row.columns()).map(|column| row.number(column)).collect()).collect()
}

/// Runs sessions concurrently. Counts their transactions' outcomes by type.
pub fn crowd(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    (form, victims): (Form, bool),
    (sessions, each): (u32, usize),
) -> Result<([Ended; 5], Sums)> {
    let mut users = Vec::new();
    for session in 0..sessions {
        let exchange = open(bench, instance, form)?;
        users.push(tokio::spawn(work(exchange, instance.client(session), each, victims)));
    }
    let (mut sum, mut moved) = ([Ended::default(); 5], Sums::default());
    for user in users {
        let (ended, growth) = bench.wait(user).expect("no panic")?;
        moved.iter_mut().zip(growth).for_each(|(sum, growth)| *sum += growth);
        for (sum, one) in sum.iter_mut().zip(ended) {
            sum.committed += one.committed;
            sum.rolled_back += one.rolled_back;
        }
    }
    Ok((sum, moved))
}

pub async fn work(
    mut exchange: Exchange,
    mut user: Box<dyn Client>,
    transactions: usize,
    victims: bool,
) -> Result<([Ended; 5], Sums)> {
    let (mut ended, mut moved) = ([Ended::default(); 5], Sums::default());
    for _ in 0..transactions {
        let kind = user.next().transaction;
        match user.run(&mut exchange).await {
            Ok(Outcome::Committed) => {
                ended[kind].committed += 1;
                let mut sums = Sums::default();
                user.growth(&mut sums);
                moved.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
            }
            Ok(Outcome::RolledBack) => ended[kind].rolled_back += 1,
            // The server rolls back a transaction that it chooses as a deadlock victim.
            Err(error) if victims && error.retry_class() == Retry::SameConnection => {
                exchange.reset().await?;
            }
            Err(error) => return Err(error),
        }
    }
    exchange.into_session().close().await?;
    Ok((ended, moved))
}

/// Returns the values of the counters that verify commits.
fn sums(exchange: &mut Exchange, instance: &dyn Instance) -> Result<Vec<i64>> {
    let counters = instance.counters().into_iter();
    counters
        .map(|counter| Ok(numbers(exchange, counter.statement.0, &[])?[0][counter.column]))
        .collect()
}

/// Returns the current value of the headline metric's counter, the number of new orders.
pub fn new_orders(exchange: &mut Exchange, instance: &dyn Instance) -> Result<i64> {
    let headline = instance.headline().expect("a headline");
    Ok(numbers(exchange, headline.counter.0, &[])?[0][0])
}

/// Runs the workload in one form with each number of sessions. The counter must grow by the number
/// of commits each time.
///
/// The conditions are checked only at the end, because later transactions do not repair a violation.
pub fn run_crowds(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    form: Form,
    rules: Rules<'_>,
) -> Result<Sum> {
    let mut exchange = open(bench, instance, form)?;
    let mut sum = Sum::default();
    for size in CROWDS {
        let before = new_orders(&mut exchange, instance)?;
        let sums_before = sums(&mut exchange, instance)?;
        let (ended, moved) = crowd(bench, instance, (form, rules.deadlocks), size)?;
        let after = new_orders(&mut exchange, instance)?;
        let hidden = ended[0].committed as i64 - (after - before);
        let hides = rules.hidden && form == Form::Procedures && size.0 > 1;
        let most = if hides { ended[0].committed as i64 / 10 } else { 0 };
        assert!((0..=most).contains(&hidden), "{form:?} {size:?}: {hidden} missing");
        sum.hidden += hidden as u64;
        let sums = sums(&mut exchange, instance)?.into_iter().zip(sums_before).zip(moved);
        for (at, ((after, before), moved)) in sums.enumerate() {
            let missing = moved - (after - before);
            assert!(missing == 0 || hides && missing > 0, "{form:?} {size:?} {at}: {missing}");
        }
        for (sum, one) in sum.ended.iter_mut().zip(ended) {
            sum.committed += one.committed;
            sum.rolled_back += one.rolled_back;
        }
    }
    let found = verdicts(bench, &mut exchange, instance)?;
    assert_eq!(found, (vec![], rules.excused.to_vec()), "{form:?}");
    bench.wait(exchange.into_session().close())?;
    Ok(sum)
}

/// Checks the totals that no condition covers. Returns the number of delivered orders.
pub fn expect_totals(bench: &Bench<'_>, payments: u64) -> Result<i64> {
    let mut exchange = questions(bench, TOTALS)?;
    let found: Vec<Vec<i64>> = (0..6)
        .map(|statement| Ok(numbers(&mut exchange, statement, &[])?.remove(0)))
        .collect::<Result<_>>()?;
    assert_eq!(found[0], found[1], "stock counters and new lines");
    assert!(found[0][2] > 0, "some lines are remote");
    assert_eq!(found[2][0], payments as i64);
    assert!(found[3][0] >= 10 && found[3][1] <= 100, "stock stays within 10 and 100: {found:?}");
    assert_eq!(found[4][0], found[4][1], "o_all_local marks the orders with remote lines");
    assert!(found[5][0] > 0, "payments of bad credit leave notes");
    bench.wait(exchange.into_session().close())?;
    Ok(found[2][1])
}

/// Damages the data in several ways, and checks that the conditions detect each damage on this server. To save time,
/// only the conditions that must detect the damage are checked.
pub fn damages_are_found(bench: &Bench<'_>, instance: &dyn Instance) -> Result<()> {
    let mut exchange = open(bench, instance, Form::Sql)?;
    let catalog = instance.catalog(bench.driver.dialect())?;
    for section in parse_sections(DAMAGE)? {
        let broken = DAMAGES.iter().find(|(name, _)| *name == section.name).expect("a case").1;
        bench.wait(exchange.session().script(&format!("BEGIN;\n{}", section.sql[0])))?;
        let checks = instance.checks().into_iter().filter(|check| broken.contains(&check.id));
        let checks: Vec<Check> = checks.collect();
        for finding in bench.wait(run_checks(&mut exchange, &catalog, &checks))? {
            let violated = matches!(finding.verdict, Verdict::Violated { count: 1.., .. });
            assert!(violated, "{} {}", section.name, finding.check.id);
        }
        bench.wait(exchange.session().script("ROLLBACK"))?;
    }
    bench.wait(exchange.into_session().close())
}
