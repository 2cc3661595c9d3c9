//! Hundreds of sessions with keying and think times: the memory of each, and their accounts.
//!
//! The server is a stub in this process, whose thread is left out of the count.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Form, Target};
use tacho_engine::{Interrupt, Interval, LoadPlan, Measurement, Observer, Setup, Share, Stop};
use tacho_metrics::Phase;
use tacho_testkit::allocation::{Counting, all_bytes, leave_out};
use tacho_testkit::contract::choices;
use tacho_workload::Choices;

const SESSIONS: u32 = 500;
/// What a run costs without regard to its sessions, such as histograms, is in a run of a few too.
const FEW: u32 = 50;
/// What the project promises for each session.
const BYTES_MAX: i64 = 40 * 1024;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes at the end of an interval.
#[derive(Default)]
struct Most(i64);

impl Observer for Most {
    fn interval(&mut self, _: &Interval<'_>) {
        self.0 = self.0.max(all_bytes());
    }
}

fn setup(form: Form, port: u16) -> Result<Setup> {
    let choices = Choices {
        form,
        sessions: SESSIONS,
        dialect: "postgres".into(),
        ..choices(u64::from(SESSIONS / 10), "spec")
    };
    Ok(Setup {
        driver: tacho_registry::driver("postgres")?,
        target: Target::parse(&format!("postgres://u@127.0.0.1:{port}/d?sslmode=disable"))?,
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
        share: Share::WHOLE,
        gate: None,
        steps: Arc::new([]),
        sets: 1,
    })
}

#[test]
fn a_session_is_small_and_every_transaction_is_accounted_for() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let most_statements = setup(Form::Procedures, port)?;
    let catalog = most_statements.instance.catalog(most_statements.driver.dialect())?;
    std::thread::spawn(move || {
        leave_out();
        tacho_testkit::postgres_stub::serve(listener, &catalog)
    });
    for form in [Form::Sql, Form::Pipelined, Form::Procedures] {
        let (few, _) = measured(form, FEW, port)?;
        let (many, run) = measured(form, SESSIONS, port)?;
        let each = (many - few) / i64::from(SESSIONS - FEW);
        assert!((1_000..BYTES_MAX).contains(&each), "{form:?}: {each} bytes a session");
        assert!(
            run.imbalance.is_none() && run.lost.is_empty(),
            "{:?} {:?}",
            run.imbalance,
            run.lost
        );
        assert_eq!((run.panics, run.abandoned), (0, 0), "{form:?}");
        let mut ended = 0;
        for series in run.total.series(Phase::Measure) {
            let ledger = &series.ledger;
            assert_eq!(
                (ledger.failures(), ledger.skipped),
                (0, 0),
                "{form:?}: {:?}",
                run.total.faults
            );
            assert_eq!(ledger.started, ledger.ended() + ledger.unfinished, "{form:?}");
            // Figures are of the phase in which a transaction ended, accounts of that in which it was due.
            assert_eq!(series.latency.count(), series.ended.good(), "{form:?}");
            ended += series.ended.good();
        }
        // A cycle of keying and thinking is about a second: most sessions have worked.
        assert!(ended > u64::from(SESSIONS), "{form:?}: {ended}");
        // Ramp-up and ramp-down share one series.
        let phases = [Phase::RampUp, Phase::Measure].into_iter();
        let late: u64 = phases.clone().map(|phase| run.total.lateness(phase).count()).sum();
        let all = phases.flat_map(|phase| run.total.series(phase));
        assert_eq!(late, all.map(|own| own.ledger.started).sum::<u64>(), "{form:?}");
    }
    Ok(())
}

/// Runs so many sessions: the bytes that all of it took, and what was measured.
fn measured(form: Form, sessions: u32, port: u16) -> Result<(i64, Measurement)> {
    let mut setup = setup(form, port)?;
    setup.plan.sessions = sessions;
    let before = all_bytes();
    let mut most = Most::default();
    let run = tacho_engine::run(&setup, &Interrupt::default(), &mut most)?;
    Ok((most.0 - before, run))
}
