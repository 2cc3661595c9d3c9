//! Tests a simulated server that loses connections, responses and commits at random. Tacho's commit log must match the
//! commits that the server has really made.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde_json::Value;
use tacho_core::{Error, ErrorKind, Result, Rng, Seed};
use tacho_driver::{
    BoxFuture, Catalog, CommitLog, Driver, Environment, Form, Marked, Reply, Session, Step, Steps,
    Target, Value as Bound, forwards,
};
use tacho_engine::{Interrupt, LoadPlan, Observer, OnDisconnect, Setup, Share, Stop};
use tacho_metrics::Phase;
use tacho_store::{CommitCounts, CommitNotes};
use tacho_testkit::contract::choices;
use tacho_tests::{Done, Folder, Running, Signal};
use tacho_workload::Choices;

use crate::live::set_clock;
use crate::live::small_disk::SmallDisk;

const SESSIONS: u32 = 9;
/// The key of the run, which is stored with the counters.
const KEY: i64 = 1;

/// The kind of fault that affects a session in addition to lost connections. Each session has only one kind, because
/// two kinds could cancel each other out.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// Some responses to commits are lost, and some commits are rejected.
    Unanswered,
    /// Crashes lose the most recent commits.
    Crashes,
    /// Commits are applied twice.
    Twice,
    /// Some commits are acknowledged but not applied, and some responses to commits are lost.
    Swallowed,
}

fn fate(session: u32) -> Fate {
    [Fate::Unanswered, Fate::Crashes, Fate::Twice, Fate::Swallowed][session as usize % 4]
}

/// The events that really happened on the server: the marks of each session, and the outcomes of its commits.
#[derive(Default)]
struct Truth {
    marks: Vec<Vec<u64>>,
    done: CommitCounts,
}

/// The simulation with additional faults.
struct Faulty {
    inner: Arc<dyn Driver>,
    seed: Seed,
    truth: Arc<Mutex<Truth>>,
}

impl Truth {
    /// Returns a session's commit marks as the database would store them in a row.
    fn marked(&self, session: u32) -> Marked {
        let marks = &self.marks[session as usize];
        Marked {
            commits: marks.len() as u64,
            latest: Some(marks.last().copied().unwrap_or_default()),
        }
    }
}

struct FaultySession {
    inner: Box<dyn Session>,
    session: u32,
    rng: Rng,
    truth: Arc<Mutex<Truth>>,
    marks: [Option<u16>; 3],
    gone: bool,
}

impl FaultySession {
    fn is(&self, step: &Step, which: usize) -> bool {
        matches!(step, Step::Execute { statement, .. } if Some(statement.0) == self.marks[which])
    }

    fn lost(&mut self) -> Error {
        self.gone = true;
        Error::new(ErrorKind::Connect, "the connection is lost, as drawn")
    }

    /// Returns the counter of the session, read on a new connection.
    fn read(&self, steps: &[Step], reply: &mut Reply) {
        let truth = self.truth.lock().unwrap_or_else(PoisonError::into_inner);
        for step in steps.iter().filter(|step| matches!(step, Step::Execute { .. })) {
            let reads = self.is(step, 2);
            reply.start(if reads { 3 } else { 0 });
            if reads {
                let Marked { commits, latest } = truth.marked(self.session);
                reply.values().int(commits as i64);
                reply.values().int(latest.unwrap_or_default() as i64);
                reply.values().int(KEY);
            }
            reply.finish(1);
        }
    }

    /// Commits a transaction with these marks.
    fn commit(&mut self, numbers: &[u64]) -> Result<()> {
        let marks = numbers.len() as u64;
        let drawn = self.rng.between(0, 99);
        let truth = Arc::clone(&self.truth);
        let mut truth = truth.lock().unwrap_or_else(PoisonError::into_inner);
        let truth = &mut *truth;
        let stored = &mut truth.marks[self.session as usize];
        match (fate(self.session), drawn) {
            (Fate::Unanswered, 0..3) | (Fate::Swallowed, 3..6) => {
                stored.extend(numbers);
                truth.done.recovered += marks;
                return Err(self.lost());
            }
            (Fate::Unanswered, 3..6) | (Fate::Swallowed, 6..9) => {
                truth.done.absent += marks;
                return Err(self.lost());
            }
            (Fate::Unanswered, 6..9) => {
                return Err(Error::new(ErrorKind::Deadlock, "refused, as drawn"));
            }
            (Fate::Crashes, 0..3) => {
                let tail = (self.rng.between(0, 5) as usize).min(stored.len());
                stored.truncate(stored.len() - tail);
                truth.done.lost += tail as u64;
                truth.done.absent += marks;
                return Err(self.lost());
            }
            (Fate::Twice, 0..3) => {
                stored.extend(numbers.iter().chain(numbers));
                truth.done.phantom += marks;
            }
            (Fate::Swallowed, 0..3) => truth.done.lost += marks,
            _ => stored.extend(numbers),
        }
        truth.done.acknowledged += marks;
        Ok(())
    }
}

impl Session for FaultySession {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        let place = |name: &str| {
            catalog
                .statements()
                .iter()
                .position(|statement| statement.name == name)
                .map(|at| at as u16)
        };
        self.marks = ["mark", "mark_settle", "mark_read"].map(place);
        self.inner.prepare(catalog)
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        if self.gone {
            return Poll::Ready(Err(self.lost()));
        }
        if steps.steps.iter().any(|step| self.is(step, 1) || self.is(step, 2)) {
            self.read(steps.steps, reply);
            return Poll::Ready(Ok(()));
        }
        ready!(self.inner.poll_exchange(steps, reply, context))?;
        let number = |step: &Step| match step {
            Step::Execute { params, .. } if self.is(step, 0) => {
                match steps.values.get(params.start as usize) {
                    Bound::Int(number) => u64::try_from(number).ok(),
                    _ => None,
                }
            }
            _ => None,
        };
        let numbers: Vec<u64> = steps.steps.iter().filter_map(number).collect();
        if !numbers.is_empty() {
            return Poll::Ready(self.commit(&numbers));
        }
        // If a commit is applied twice, do not lose the response. Otherwise, Tacho could not tell whether the commit
        // was applied once or twice.
        let may_break = fate(self.session) != Fate::Twice || !steps.steps.contains(&Step::Commit);
        if may_break && self.rng.between(0, 999) == 0 {
            return Poll::Ready(Err(self.lost()));
        }
        Poll::Ready(Ok(()))
    }

    forwards!(inner: simple, script, text_rows, load, slow_load, drop_set, inspector, close);
}

impl Driver for Faulty {
    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async move {
            let session = environment.session;
            let inner = self.inner.connect(target, environment).await?;
            if session >= SESSIONS {
                return Ok(inner);
            }
            let truth = Arc::clone(&self.truth);
            // Every connection has different faults.
            let so_far = {
                let truth = truth.lock().unwrap_or_else(PoisonError::into_inner);
                truth.marks[session as usize].len() as u64
                    + truth.done.absent
                    + truth.done.recovered
            };
            let rng = self.seed.nth(session.into()).rng(so_far);
            let marks = [None; 3];
            let session = FaultySession { inner, session, rng, truth, marks, gone: false };
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }

    forwards!(inner: manifest, capabilities, dialect, scheduling, check, code, library);
    forwards!(inner: runs_code, remove, collector, settings, deferred_work);
}

struct Deaf;

impl Observer for Deaf {}

/// Runs a load with the faults of this seed. Returns what really happened to the commits, and what the commit log says.
fn run(seed: u64, form: Form) -> Result<(CommitCounts, CommitCounts)> {
    let truth = Arc::new(Mutex::new(Truth {
        marks: vec![Vec::new(); SESSIONS as usize],
        ..Truth::default()
    }));
    let driver =
        Faulty { inner: tacho_registry::driver("sim")?, seed: Seed(seed), truth: truth.clone() };
    let folder = tempfile::tempdir()?;
    let notes = Arc::new(CommitNotes::create(folder.path(), SESSIONS, KEY)?);
    let choices = Choices { form, sessions: SESSIONS, ..choices(1, "spec") };
    let target = "sim:?latency=2ms&errors=0.1%&deadlocks=0.1%&stall_every=2s&stall=300ms";
    let setup = Setup {
        driver: Arc::new(driver),
        target: Target::parse(target)?,
        instance: tacho_registry::workload("tprocc")?.instance(&choices)?,
        form,
        plan: LoadPlan {
            seed: Seed(seed),
            on_disconnect: OnDisconnect::Reconnect,
            ..LoadPlan::closed(SESSIONS, Stop::After(Duration::from_secs(10)))
        },
        output: Arc::new(Mutex::new(std::io::sink())),
        routes: None,
        steps: Arc::new([]),
        commits: Some(notes.clone()),
        history: None,
        share: Share::WHOLE,
        gate: None,
        sets: 1,
    };
    let measured = tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf)?;
    assert_eq!((&measured.imbalance, measured.panics), (&None, 0), "accounts");
    let truth = truth.lock().unwrap_or_else(PoisonError::into_inner);
    for session in 0..SESSIONS {
        notes.found(session, truth.marked(session));
    }
    let series = [Phase::Measure, Phase::RampUp].map(|phase| measured.total.series(phase));
    let marked: u64 = series.iter().flat_map(|all| all.iter()).map(|series| series.marked).sum();
    assert_eq!(marked, truth.done.acknowledged, "the accounts have every mark");
    // The notes as stored on disk.
    drop(setup);
    drop(notes);
    Ok((truth.done, CommitNotes::open(folder.path())?.counts()))
}

/// Returns the seeds to test. Environment variables can request a single seed or a number of seeds. The default is a
/// thousand seeds.
fn seeds() -> std::ops::Range<u64> {
    #[expect(clippy::disallowed_methods, reason = "a failing seed is repeated by its number")]
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match (number("TACHO_FAULT_SEED"), number("TACHO_FAULT_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, count) => 0..count.unwrap_or(1_000),
    }
}

#[test]
fn the_notes_say_what_the_server_has_done() -> Result<()> {
    let mut sum = CommitCounts::default();
    for seed in seeds() {
        let form = [Form::Sql, Form::Pipelined][(seed % 2) as usize];
        let (truth, found) = run(seed, form)?;
        let same = |counts: &CommitCounts| {
            let CommitCounts { acknowledged, recovered, absent, lost, phantom, .. } = *counts;
            [acknowledged, recovered, absent, lost, phantom, counts.unresolved]
        };
        assert_eq!(
            same(&truth),
            same(&found),
            "acknowledged, recovered, absent, lost, phantom, unresolved; repeat with \
             TACHO_FAULT_SEED={seed} cargo test -p tacho-tests --test tests -- simulated_faults"
        );
        assert_eq!(found.lost > 0, found.lost_last_us.is_some(), "{found:?}");
        sum.lost += found.lost;
        sum.recovered += found.recovered;
        sum.phantom += found.phantom;
        sum.absent += found.absent;
    }
    let each = [sum.lost, sum.recovered, sum.phantom, sum.absent];
    assert!(each.iter().all(|count| *count > 0), "each fault came about: {each:?}");
    Ok(())
}

#[test]
fn the_command_keeps_its_accounts_under_faults() {
    let folder = Folder::new();
    let shares = ["0%", "0.05%", "0.5%"];
    // Test fewer seeds here, because a complete command takes as long as hundreds of runs inside the engine.
    let commands = (seeds().count() / 160).max(6);
    for seed in seeds().take(commands) {
        let at = |offset: u64| shares[((seed / offset) % 3) as usize];
        let line = format!(
            "run tprocc 'sim:?seed={seed}&errors={}&deadlocks={}&stall_every=3s&stall=500ms&\
             outage_at={}s&outage=2s' -c 8 -d 12s --ramp-up 1s --seed {seed} --on-disconnect reconnect \
             --retry same",
            at(1),
            at(3),
            2 + seed % 8
        );
        let done = folder.tacho(&line).done();
        let record = folder.record("latest");
        let (result, code) = (&record["result"], done.code());
        let valid = result["valid"] == true;
        assert_eq!(code, if valid { 0 } else { 4 }, "tacho {line}\n{}", done.out);
        accounts_hold(&record, &format!("tacho {line}"));
        folder.tacho("show latest").exits(0);
    }
}

fn accounts_hold(record: &Value, what: &str) {
    let accounts = &record["result"]["accounting"];
    let count = |name: &str| accounts[name].as_u64().expect("a count");
    let ended = ["committed", "rolled_back", "failed", "unfinished"].map(count);
    assert_eq!(count("started"), ended.iter().sum::<u64>(), "{what}");
    assert_eq!(count("due"), count("started") + count("skipped"), "{what}");
}

/// Tests of faults of Tacho itself: its process is killed, the disk for the record is full, or the clock is changed.
///
/// After such a fault, all data that Tacho had saved must still be readable, and the next run must work.
#[test]
fn our_own_faults_leave_records_that_can_be_read() {
    let many = (seeds().count() / 170).max(6);
    for seed in seeds().take(many) {
        let folder = Folder::new();
        // Keep the small disk mounted until the end of the loop, because the record on it is read below.
        let (place, _disk) = match seed % 3 {
            0 => (killed(&folder, seed), None),
            1 => match on_a_full_disk(&folder, seed) {
                Some(disk) => ("--dir small", Some(disk)),
                None => continue,
            },
            _ => match with_a_calendar_that_is_set(&folder, seed) {
                Some(place) => (place, None),
                None => continue,
            },
        };
        folder.tacho(&format!("show latest --timeline {place}")).exits(0).says(&["ramp-up"]);
        folder.tacho(&format!("run tprocc sim -c 2 -d 60s --ramp-up 1s {place}")).exits(0);
        let listed = folder.tacho(&format!("runs list {place}")).exits(0);
        assert!(!listed.out.contains("damaged"), "seed {seed}\n{}", listed.out);
    }
}

fn killed(folder: &Folder, seed: u64) -> &'static str {
    let mut run = folder.tacho(&endless(seed)).start();
    intervals(&mut run, Seed(seed).rng(0).between(1, 60));
    run.signal(Signal::KILL);
    assert_eq!(run.wait().code(), 137, "seed {seed}");
    assert_eq!(saved(folder, "")["state"], "incomplete", "seed {seed}");
    ""
}

fn on_a_full_disk(folder: &Folder, seed: u64) -> Option<SmallDisk> {
    let small = folder.file("small");
    std::fs::create_dir(&small).expect("a folder");
    let disk = SmallDisk::of(&small, folder.path(), "1m")?;
    let mut run = folder.tacho(&format!("{} --dir small", endless(seed))).start();
    intervals(&mut run, Seed(seed).rng(0).between(1, 60));
    // The command must fail, because the disk is full.
    folder.shell("cat /dev/zero > small/filler").done();
    intervals(&mut run, 200);
    interrupted(run, seed).says(&["W08"]);
    folder.shell("rm small/filler").exits(0);
    assert_eq!(saved(folder, "--dir small")["state"], "complete", "seed {seed}");
    Some(disk)
}

/// In virtual time, a change of the clock must have no effect. In real time, a large change must be reported.
fn with_a_calendar_that_is_set(folder: &Folder, seed: u64) -> Option<&'static str> {
    let mut rng = Seed(seed).rng(0);
    let step = ["+1h", "-1h", "+5", "-5", "+0.1", "-0.1"][rng.between(0, 5) as usize];
    let (is_virtual, in_ramp_up) = (rng.between(0, 1) == 0, rng.between(0, 2) == 0);
    let load = match (is_virtual, in_ramp_up) {
        (true, _) => "sim -c 8 -d 10m --ramp-up 5s".to_owned(),
        (false, true) => "noop -c 2 --pacing x0.001 -d 2s --ramp-up 3s".to_owned(),
        (false, false) => "noop -c 2 --pacing x0.001 -d 4s --ramp-up 0.5s".to_owned(),
    };
    let load = format!("run tprocc {load} --seed {seed} --check none");
    let intervals_before = match (is_virtual, in_ramp_up) {
        (true, _) => rng.between(1, 60),
        (false, true) => 1,
        (false, false) => 2,
    };
    let call = folder.tacho(&format!("{load} --progress json"));
    let mut run = set_clock::with_calendar(call, folder, "calendar")?.start();
    intervals(&mut run, intervals_before);
    set_clock::step(folder, "calendar", step);
    let done = run.wait();
    let record = saved(folder, "");
    let what = format!("seed {seed}, {step}, {load}\n{}", done.out);
    let is_named = !is_virtual && !in_ramp_up && !step.contains("0.1");
    assert_eq!(done.out.contains("V10"), is_named, "{what}");
    assert_eq!(done.code(), if is_named { 4 } else { 0 }, "{what}");
    accounts_hold(&record, &what);
    if is_virtual {
        folder.tacho(&load).exits(0);
        let same = ["accounting", "transactions"];
        let again = saved(folder, "");
        assert!(same.iter().all(|key| record["result"][key] == again["result"][key]), "{what}");
    }
    Some("")
}

/// Returns the arguments of a run that takes 100 hours of virtual time.
fn endless(seed: u64) -> String {
    format!("run tprocc sim -c 8 -d 100h --seed {seed} --progress json")
}

fn interrupted(run: Running, seed: u64) -> Done {
    run.signal(Signal::INT);
    let done = run.wait();
    done.says(&["Saved"]);
    assert_eq!(done.code(), 130, "seed {seed}");
    done
}

fn saved(folder: &Folder, place: &str) -> Value {
    folder.tacho(&format!("show latest {place} -o json")).exits(0).json()
}

/// Waits for the given number of intervals.
fn intervals(run: &mut Running, count: i64) {
    let seen = Cell::new(0);
    run.until_event(|event| {
        seen.set(seen.get() + i64::from(event["event"] == "interval"));
        seen.get() >= count
    });
}
