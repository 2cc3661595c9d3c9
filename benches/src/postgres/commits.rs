//! What `--verify commits` costs: the same load with and without marks and notes, in turn.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{CommitLog, Environment, Form, Target};
use tacho_engine::{BlockingClock, EventLoop, Interrupt, Observer};
use tacho_store::CommitNotes;
use tacho_workload::CommitMarks;

use super::{Load, Took, ours, prepare, print_pairs, server, setup};
use crate::measure::measure;

const ROUNDS: usize = 7;
const TRANSACTIONS: u64 = 3_000;
const KEY: i64 = 1;

struct Deaf;

impl Observer for Deaf {}

pub(crate) fn run() -> Result<()> {
    let server = server(&[("synchronous_commit", "off")])?;
    println!("tprocc, profile spec, 10 warehouses, Unix socket, {ROUNDS} rounds in turn");
    let target = server.target();
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        scale: 10,
        form: Form::Sql,
        sessions: 4,
        transactions: TRANSACTIONS,
        set: &[],
    };
    prepare(&target, &load, 2)?;
    for form in [Form::Sql, Form::Pipelined] {
        let load = Load { form, ..load };
        let mut took: [Vec<Took>; 2] = Default::default();
        marked(&target, &load)?;
        for _ in 0..ROUNDS {
            took[0].push(marked(&target, &load)?);
            took[1].push(ours(&target, &load)?);
        }
        let all = |at: usize, value: fn(&Took) -> f64| -> Vec<f64> {
            took[at].iter().map(value).collect()
        };
        let print = |what: &str, value: fn(&Took) -> f64| {
            let what = format!("{what}, {} sessions, {form:?}", load.sessions);
            print_pairs(&what, ("with marks", &all(0, value)), ("without", &all(1, value)));
        };
        print("transactions per minute", |took| took.tpm);
        print("CPU us of the client per transaction", |took| took.micros);
    }
    Ok(())
}

/// The load with marks in the database and notes on disk, each of which must be there afterwards.
fn marked(target: &str, load: &Load) -> Result<Took> {
    let folder = tempfile::tempdir()?;
    let notes = Arc::new(CommitNotes::create(folder.path(), load.sessions, KEY)?);
    let mut setup = setup(target, load)?;
    setup.commits = Some(Arc::clone(&notes) as Arc<dyn CommitLog>);
    let (driver, output) = (Arc::clone(&setup.driver), setup.output.clone());
    let event_loop = EventLoop::new()?;
    let place = Target::parse(target)?;
    let make = async {
        #[expect(
            clippy::disallowed_methods,
            reason = "the clock of the session that makes the table"
        )]
        let clock = Arc::new(BlockingClock::new(std::time::Instant::now(), Arc::default()));
        let (seed, session) = (setup.plan.seed, u32::MAX);
        let environment = Environment { clock, output, seed, session, create: false, set: 0 };
        let session = driver.connect(&place, environment).await?;
        CommitMarks::create(session, driver.dialect(), KEY, load.sessions).await
    };
    let mut marks = event_loop.block_on(make)?;
    let (measurement, cost) =
        measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
    measurement?;
    let found = event_loop.block_on(marks.read())?;
    let present: u64 = found.sessions.iter().map(|(_, commits)| commits).sum();
    let known = notes.counts().acknowledged;
    if present != known || known < load.transactions / 2 {
        let text = format!("{present} marks in the database, {known} known");
        return Err(Error::new(ErrorKind::Other, text));
    }
    Ok(Took::new(cost, load.transactions))
}
