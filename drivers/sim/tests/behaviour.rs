//! Tests that the simulation obeys its options and that runs with the same seed give the same results.

use tacho_core::{Clock, ErrorKind, Instant, Result};
use tacho_driver::{Access, Exchange, Form};
use tacho_testkit::conformance::{Bench, statement};

const MICROSECOND: u64 = 1_000;

fn one(exchange: &mut Exchange) -> Result<()> {
    exchange.execute(statement::IDS);
    pollster::block_on(exchange.send()).map(|_| ())
}

/// Returns the times at which the responses to `count` statements arrive.
fn answers(options: &str, count: usize) -> Result<Vec<Instant>> {
    let driver = tacho_driver_sim::driver();
    let bench = Bench::new(&*driver, &format!("sim:?{options}"));
    let clock = bench.environment().clock;
    let mut exchange = bench.exchange(Form::Sql)?;
    (0..count).map(|_| one(&mut exchange).map(|()| clock.now())).collect()
}

#[test]
fn fixed_latencies_add_up() -> Result<()> {
    let got = answers("spread=fixed&latency=100us&statement=5us", 3)?;
    assert_eq!(got, [105, 210, 315].map(|at| Instant(at * MICROSECOND)));
    Ok(())
}

#[test]
fn exponential_latencies_have_their_mean_and_repeat() -> Result<()> {
    let first = answers("latency=1ms&statement=0s", 20_000)?;
    let mean = first[19_999].0 as f64 / 20_000.0 / 1e6;
    assert!((0.98..1.02).contains(&mean), "{mean} ms");
    assert_eq!(first, answers("latency=1ms&statement=0s", 20_000)?, "the same seed");
    assert_ne!(first, answers("latency=1ms&statement=0s&seed=1", 20_000)?, "another seed");
    Ok(())
}

#[test]
fn a_stall_holds_answers_up() -> Result<()> {
    let options = "spread=fixed&latency=4ms&statement=0s&stall_every=10ms&stall=5ms";
    let got = answers(options, 4)?;
    assert_eq!(got, [4, 8, 17, 26].map(|at| Instant(at * 1_000 * MICROSECOND)));
    Ok(())
}

#[test]
fn faults_have_their_shares() -> Result<()> {
    let driver = tacho_driver_sim::driver();
    let bench = Bench::new(&*driver, "sim:?errors=10%&deadlocks=20%");
    let mut exchange = bench.exchange(Form::Sql)?;
    let (mut errors, mut deadlocks) = (0, 0);
    for _ in 0..20_000 {
        exchange.begin(Access::Write);
        exchange.execute(statement::IDS);
        exchange.commit();
        match bench.wait(exchange.send()).map_err(|error| error.kind()) {
            Ok(_) => {}
            Err(ErrorKind::Deadlock) => deadlocks += 1,
            Err(_) => errors += 1,
        }
        bench.wait(exchange.reset())?;
    }
    assert!((1_850..2_150).contains(&errors), "{errors} errors");
    assert!((3_800..4_200).contains(&deadlocks), "{deadlocks} deadlocks");
    let counters = bench.wait(exchange.inspector().counters())?.expect("counters");
    assert_eq!(counters.rollbacks, errors + deadlocks, "each failure is rolled back once");
    assert_eq!(counters.commits + counters.rollbacks, 20_000);
    Ok(())
}

/// A clock whose waits end immediately, as when a run is being stopped.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Instant {
        Instant(0)
    }

    fn timer(&self) -> Box<dyn tacho_core::Timer> {
        Box::new(Self)
    }
}

impl tacho_core::Timer for Stopped {
    fn poll(&mut self, _: Instant, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        std::task::Poll::Ready(())
    }
}

#[test]
fn pending_responses_are_none() -> Result<()> {
    let driver = tacho_driver_sim::driver();
    let bench = Bench::new(&*driver, "sim");
    let mut environment = bench.environment();
    environment.clock = std::sync::Arc::new(Stopped);
    let target = tacho_driver::Target::parse("sim")?;
    let session = bench.wait(driver.connect(&target, environment))?;
    let catalog = bench.catalog(tacho_testkit::conformance::SQL)?;
    let mut exchange = bench.wait(Exchange::new(session, catalog, Form::Sql))?;
    let error = one(&mut exchange).expect_err("no answer");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    bench.wait(exchange.reset())
}
