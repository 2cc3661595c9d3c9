//! Measures the cost of `--verify commits` by running the same load with and without commit marks.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{CommitLog, Environment, Form, Target};
use tacho_engine::{BlockingClock, EventLoop, Interrupt, Observer};
use tacho_store::CommitNotes;
use tacho_workload::{CommitMarks, MarkerStore, Marks};

use crate::load::{Load, Took, ours, prepare, print_pairs, setup};
use crate::measure::measure;
use crate::{mysql, postgres};

const ROUNDS: usize = 41;
const TRANSACTIONS: u64 = 6_000;
const WAREHOUSES: u64 = 10;
const KEY: i64 = 1;

struct Deaf;

impl Observer for Deaf {}

/// Runs the benchmark on PostgreSQL, with commits that do not wait for the disk.
pub(crate) fn postgres() -> Result<()> {
    let server = postgres::server(&[("synchronous_commit", "off")])?;
    pairs(&server.target(), &[Form::Sql, Form::Pipelined], 4)
}

/// Runs the benchmark on MariaDB and, if available, MySQL, with and without commits that wait for the disk.
pub(crate) fn mysql() -> Result<()> {
    for product in mysql::products() {
        for server in [mysql::safe_server, mysql::server] {
            pairs(&server(product)?.target(), &[Form::Sql], 4)?;
        }
    }
    Ok(())
}

/// Runs the benchmark on SQLite, with and without commits that wait for the disk.
pub(crate) fn sqlite() -> Result<()> {
    for synchronous in ["full", "off"] {
        let folder = tempfile::tempdir()?;
        println!("synchronous={synchronous} on {}", folder.path().display());
        let file = folder.path().join("bench.db");
        let target = format!("sqlite:{}?synchronous={synchronous}", file.display());
        pairs(&target, &[Form::Sql], 1)?;
    }
    Ok(())
}

/// Runs the load in pairs of rounds, one round with commit marks and one without. Every other pair runs in reverse
/// order, so that neither variant is always first.
fn pairs(target: &str, forms: &[Form], sessions: u32) -> Result<()> {
    println!("tprocc, profile spec, {WAREHOUSES} warehouses, {ROUNDS} alternating rounds");
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        scale: WAREHOUSES,
        form: Form::Sql,
        sessions,
        transactions: TRANSACTIONS,
        set: &[],
    };
    prepare(target, &load, sessions.min(2))?;
    for form in forms {
        let load = Load { form: *form, ..load };
        let mut took: [Vec<Took>; 2] = Default::default();
        marked(target, &load)?;
        for round in 0..ROUNDS {
            for with in if round % 2 == 0 { [true, false] } else { [false, true] } {
                let one = if with { marked(target, &load)? } else { ours(target, &load)? };
                took[usize::from(!with)].push(one);
            }
        }
        let all = |at: usize, value: fn(&Took) -> f64| -> Vec<f64> {
            took[at].iter().map(value).collect()
        };
        let print = |what: &str, value: fn(&Took) -> f64| {
            let what = format!("{what}, {} sessions, {form:?}", load.sessions);
            print_pairs(&what, ("with marks", &all(0, value)), ("without", &all(1, value)));
        };
        print("transactions per minute", |took| took.tpm);
        print("client CPU time per transaction (us)", |took| took.micros);
    }
    Ok(())
}

/// Runs the load with marks in the database and a commit log on disk, and checks that no mark is missing.
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
            reason = "provides the clock for the session that creates the table"
        )]
        let clock = Arc::new(BlockingClock::new(std::time::Instant::now(), Arc::default()));
        let (seed, session) = (setup.plan.seed, u32::MAX);
        let cancels = tacho_driver::Cancels::default();
        let environment =
            Environment { clock, output, seed, session, create: false, set: 0, cancels };
        let session = driver.connect(&place, environment).await?;
        let Ok(mut store) = MarkerStore::open(session, driver.dialect()).await? else {
            return Err(Error::new(ErrorKind::Missing, "the data has no marker"));
        };
        let marks = Marks::new(KEY, load.sessions);
        CommitMarks::create(&mut store, driver.dialect(), &marks).await?;
        CommitMarks::open(store.into_session(), driver.dialect()).await
    };
    let mut marks = event_loop.block_on(make)?;
    let (measurement, cost) =
        measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
    measurement?;
    let found = event_loop.block_on(marks.read())?;
    let present: u64 = found.sessions.iter().map(|(_, marked)| marked.commits).sum();
    let known = notes.counts().acknowledged;
    if present != known || known < load.transactions / 2 {
        let text = format!("found {present} marks in the database, but expected {known}");
        return Err(Error::new(ErrorKind::Other, text));
    }
    Ok(Took::new(cost, load.transactions))
}
