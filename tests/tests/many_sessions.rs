//! Runs with hundreds of sessions that have keying and think times. Measures the memory per session
//! and checks the transaction counts.
//!
//! The servers are stubs within this process. Memory allocated by their threads does not count.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Catalog, Form, Target};
use tacho_engine::{Interrupt, Interval, LoadPlan, Measurement, Observer, Setup, Share, Stop};
use tacho_metrics::Phase;
use tacho_testkit::allocation::{Counting, all_bytes, leave_out};
use tacho_testkit::contract::choices;
use tacho_workload::Choices;

const SESSIONS: u32 = 500;
/// Number of sessions in a small run. Its memory use is subtracted, so that only the memory of the
/// additional sessions remains.
const FEW: u32 = 50;
/// The project's memory limit per session.
const BYTES_MAX: i64 = 40 * 1024;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak number of allocated bytes, measured at the end of each interval.
#[derive(Default)]
struct Most(i64);

impl Observer for Most {
    fn interval(&mut self, _: &Interval<'_>) {
        self.0 = self.0.max(all_bytes());
    }
}

/// A driver to test: its name, the option that disables encryption, and a function that acts as its server.
struct Stubbed {
    driver: &'static str,
    option: &'static str,
    serve: fn(TcpListener, &Catalog) -> Result<()>,
}

const POSTGRES: Stubbed = Stubbed {
    driver: "postgres",
    option: "sslmode=disable",
    serve: tacho_testkit::postgres_stub::serve,
};
const SQL_SERVER: Stubbed = Stubbed {
    driver: "sqlserver",
    option: "encrypt=optional",
    serve: tacho_testkit::tds::stub::serve,
};

fn setup(server: &Stubbed, form: Form, port: u16) -> Result<Setup> {
    let Stubbed { driver, option, .. } = server;
    let choices = Choices {
        form,
        sessions: SESSIONS,
        dialect: (*driver).into(),
        ..choices(u64::from(SESSIONS / 10), "spec")
    };
    Ok(Setup {
        driver: tacho_registry::driver(driver)?,
        target: Target::parse(&format!("{driver}://u@127.0.0.1:{port}/d?{option}"))?,
        instance: tacho_registry::workload("tprocc")?.instance(&choices)?,
        form,
        plan: LoadPlan {
            workers: Some(2),
            pacing: 0.05,
            ramp_up: Duration::from_secs(1),
            interval: Duration::from_millis(100),
            drain: Duration::from_mins(1),
            ..LoadPlan::closed(SESSIONS, Stop::After(Duration::from_secs(2)))
        },
        output: Arc::new(Mutex::new(std::io::sink())),
        routes: None,
        commits: None,
        history: None,
        share: Share::WHOLE,
        gate: None,
        steps: Arc::new([]),
        sets: 1,
    })
}

#[test]
fn a_session_is_small_and_every_transaction_is_accounted_for() -> Result<()> {
    let _alone = alone();
    accounted(&POSTGRES, &[Form::Sql, Form::Pipelined, Form::Procedures])
}

#[test]
fn a_session_of_tds_is_small_too() -> Result<()> {
    let _alone = alone();
    accounted(&SQL_SERVER, &[Form::Sql])
}

/// Runs the tests one at a time, because each measures the memory of the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accounted(server: &Stubbed, forms: &[Form]) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let most_statements = setup(server, Form::Procedures, port)?;
    let catalog = most_statements.instance.catalog(most_statements.driver.dialect())?;
    let serve = server.serve;
    std::thread::spawn(move || {
        leave_out();
        serve(listener, &catalog)
    });
    for form in forms.iter().copied() {
        let (few, _) = measured(server, form, FEW, port)?;
        let (many, run) = measured(server, form, SESSIONS, port)?;
        let each = (many - few) / i64::from(SESSIONS - FEW);
        assert!((1_000..BYTES_MAX).contains(&each), "{form:?}: {each} bytes a session");
        assert!(
            run.imbalance.is_none() && run.lost.is_empty(),
            "{:?} {:?}",
            run.imbalance,
            run.lost
        );
        assert_eq!((run.panics, run.abandoned), (0, 0), "{form:?}");
        for series in run.total.series(Phase::Measure) {
            let ledger = &series.ledger;
            assert_eq!(
                (ledger.failures(), ledger.skipped),
                (0, 0),
                "{form:?}: {:?}",
                run.total.faults
            );
            assert_eq!(ledger.started, ledger.ended() + ledger.unfinished, "{form:?}");
            // Metrics count a transaction in the phase in which it ended, whereas the ledger counts
            // it in the phase in which it was due.
            assert_eq!(series.latency.count(), series.ended.good(), "{form:?}");
        }
        // Ramp-up and ramp-down share one series.
        let phases = [Phase::RampUp, Phase::Measure].into_iter();
        let late: u64 = phases.clone().map(|phase| run.total.lateness(phase).count()).sum();
        let all = phases.flat_map(|phase| run.total.series(phase));
        assert_eq!(late, all.map(|series| series.ledger.started).sum::<u64>(), "{form:?}");
        // Keying and thinking take about a second in total, so even on a slow machine, most
        // sessions have run a transaction by then.
        assert!(late > u64::from(SESSIONS), "{form:?}: {late}");
    }
    Ok(())
}

/// Runs the given number of sessions. Returns the total number of allocated bytes, and the measurement.
fn measured(server: &Stubbed, form: Form, sessions: u32, port: u16) -> Result<(i64, Measurement)> {
    let mut setup = setup(server, form, port)?;
    setup.plan.sessions = sessions;
    let before = all_bytes();
    let mut most = Most::default();
    let run = tacho_engine::run(&setup, &Interrupt::default(), &mut most)?;
    Ok((most.0 - before, run))
}
