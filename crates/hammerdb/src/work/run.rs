//! Implements `vurun`, which performs a run and prints the same lines as HammerDB.
//!
//! The run record contains all results. NOPM and TPM are computed from the time that actually elapsed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tacho_app::{Context, Exit, Job, Request, RunReport, settle};
use tacho_core::Result;
use tacho_metrics::Phase;
use tacho_store::record::{Record, ResultRecord, RunEnd, RunVerdict, SettledRecord};
use tacho_store::{Event, IntervalRecord, Listener};

use super::absent::explained;
use super::echo::EchoDriver;
use super::request::{Flags, RunPlan};
use super::transcript::{State, Transcript};
use super::{RunTask, job, pool, theirs, timing, words};
use crate::dictionary::Benchmark;

pub(super) fn run(task: &RunTask, context: &Context, transcript: &Transcript) -> Exit {
    task.repeat.run(context, |last| once(task, context, transcript, last))
}

/// Returns the numbers of the virtual users that run transactions.
fn active(plan: &RunPlan) -> std::ops::RangeInclusive<u32> {
    if plan.test { 1..=plan.users } else { 2..=plan.users + 1 }
}

fn once(task: &RunTask, context: &Context, transcript: &Transcript, last: bool) -> Exit {
    let plan = &task.plan;
    let mut lines = RunLines::new(task, transcript);
    if !plan.test {
        transcript.is(1, State::Running);
    }
    let outcome = measure(task, context, &mut lines);
    let (begun, started) = (lines.begun, lines.started);
    let mut users = Users { task, transcript, begun, last, gone: false };
    let exit = match outcome {
        Ok(report) => {
            if started < plan.users {
                let late = plan.users - started;
                transcript
                    .says(1, format!("{late} Virtual Users did not log in before the run ended"));
            }
            let exit = tell(task, &report, context, &mut users);
            transcript.epilogue(epilogue(&report, trial(task).as_deref()));
            exit
        }
        Err(error) => {
            let error = explained(error, &plan.flags, context);
            transcript.fails(if begun { 1 } else { *active(plan).start() }, &error).1
        }
    };
    if last || exit != Exit::Success {
        let state = if exit == Exit::Success { State::Success } else { State::Failed };
        users.end(state);
        if !plan.test {
            transcript.is(1, state);
        }
    }
    exit
}

/// Returns notes for the user. They are printed only after the version, because parsers expect the version in the first
/// line.
fn notes(task: &RunTask) -> Vec<String> {
    let mut notes = task.plan.notes.clone();
    if task.minute != Duration::from_mins(1) && !task.plan.test {
        let length = task.minute.as_secs_f64();
        notes.push(format!("TACHO_HAMMERDB_MINUTE is set: a minute lasts {length} seconds"));
    }
    notes
}

/// The virtual users that run transactions. This type makes sure that their end is reported only once.
struct Users<'a> {
    task: &'a RunTask,
    transcript: &'a Transcript,
    begun: bool,
    /// True if this is the last repetition.
    last: bool,
    gone: bool,
}

impl Users<'_> {
    fn end(&mut self, state: State) {
        if std::mem::replace(&mut self.gone, true) {
            return;
        }
        for user in active(&self.task.plan) {
            if self.begun && self.task.plan.verbose {
                self.transcript.says(user, "All asynchronous clients complete");
            }
            self.transcript.is(user, state);
        }
    }

    /// Marks the virtual users as finished once their transactions are done. The monitor is not finished yet.
    fn measured(&mut self, failures: u64) {
        if !self.last {
            return;
        }
        let failed = self.task.plan.raise_error && failures > 0;
        self.end(if failed { State::Failed } else { State::Success });
    }
}

/// Returns the job of a run. The run may also use a schema that HammerDB built.
pub(super) fn run_job(
    flags: &Flags,
    tags: &[String],
    context: &Context,
    benchmark: Benchmark,
) -> Result<Job> {
    let mut flags = flags.clone();
    flags.push(("tag".into(), tags.to_vec()));
    let mut job = job(flags, context)?;
    job.adopted = theirs::find(&job, context, benchmark)?;
    Ok(job)
}

fn measure(task: &RunTask, context: &Context, lines: &mut RunLines<'_>) -> Result<RunReport> {
    let mut job = run_job(&task.plan.flags, &task.tags, context, Benchmark::TprocC)?;
    job.server_tpm = true;
    lines.adopted = job.adopted.as_ref().map(|adopted| theirs::found(adopted, Benchmark::TprocC));
    // A run does not create stored routines, so it can call them only if they exist in the schema.
    let missing = job.adopted.as_ref().is_some_and(|adopted| adopted.routines.is_none());
    if task.plan.routines && !missing {
        if job.has_routines()? {
            job.resolved = job.resolved.with("form", &["procedures".into()])?;
        } else {
            let title = job.driver.manifest().title;
            lines.transcript.says(
                1,
                format!("Stored routines for {title} do not exist: sending SQL statements instead"),
            );
        }
    }
    if task.plan.test {
        let (transcript, first) = (lines.transcript.clone(), *active(&task.plan).start());
        job.driver =
            Arc::new(EchoDriver { driver: job.driver, transcript, first, users: task.plan.users });
    }
    tacho_app::run(Request::new(&job, context), lines)
}

/// Prints the results.
fn tell(task: &RunTask, report: &RunReport, context: &Context, users: &mut Users<'_>) -> Exit {
    let (plan, transcript) = (&task.plan, users.transcript);
    let Some(result) = &report.record.result else { return Exit::Internal };
    let complete = matches!(result.ended_by, RunEnd::Time | RunEnd::Count);
    if plan.test {
        transcript.says(1, transactions(result));
    } else if complete {
        if !plan.replica {
            transcript.says(1, "Test complete, Taking end Transaction Count.");
        }
        if plan.pool {
            pooled(plan, report, result, transcript);
        }
        transcript.says(1, configured(plan));
        if plan.replica {
            transcript.says(1, transactions(result));
        } else {
            transcript.says(1, test_result(plan, task.result_name, result));
        }
    } else {
        let (seconds, why) = (result.measured_s, &result.ended_by);
        transcript.says(1, format!("Test stopped after {seconds:.1} seconds ({why}): no result"));
        transcript.says(1, transactions(result));
    }
    for line in result.settled.iter().flat_map(settled) {
        transcript.says(1, line);
    }
    tell_errors(result, transcript);
    let failures: u64 = result.errors.iter().map(|error| error.count).sum();
    if complete && !plan.test {
        if plan.time_profile {
            transcript.says(1, "Gathering timing data from Active Virtual Users...");
        }
        users.measured(failures);
    }
    if plan.time_profile && complete {
        profile(task, report, transcript);
    }
    if let Some(flags) = &plan.settle
        && complete
    {
        bring_to_rest(flags, context, transcript);
    }
    if plan.raise_error && failures > 0 {
        transcript.error(1, format!("raiseerror is set, and {failures} transactions failed"));
        return Exit::Target;
    }
    exit_of(report, complete)
}

/// Prints the transactions that failed.
pub(super) fn tell_errors(result: &ResultRecord, transcript: &Transcript) {
    for error in &result.errors {
        let what = format!("{} {} {}", error.transaction, error.kind, error.code);
        transcript
            .says(1, format!("{} failed: {}, first: {}", error.count, what.trim(), error.example));
    }
}

/// Returns the exit code of a run. An INVALID verdict does not stop the script if the run was complete.
pub(super) fn exit_of(report: &RunReport, complete: bool) -> Exit {
    if report.exit == Exit::Invalid && complete { Exit::Success } else { report.exit }
}

/// Prints how many transactions of a connect pool were executed. The client's own counts are used, because no database
/// knows the counts of the others.
fn pooled(plan: &RunPlan, report: &RunReport, result: &ResultRecord, transcript: &Transcript) {
    let kinds = |count: &dyn Fn(&str) -> u64| {
        let words: Vec<String> =
            pool::kinds().map(|(name, ours)| format!("{name} {}", count(ours))).collect();
        words.join(" ")
    };
    for (user, counts) in timing::user_counts(&report.folder, plan.users).unwrap_or_default() {
        let text = kinds(&|name| counts.get(name).copied().unwrap_or(0));
        transcript.says(user, format!("VU{user} processed {text} transactions"));
    }
    let per_minute = |name: &str| {
        let kind = result.transactions.iter().find(|kind| kind.name == name);
        let count = kind.map_or(0, |kind| kind.count) as f64;
        (count * 60.0 / result.measured_s.max(1e-9)).round() as u64
    };
    transcript.says(1, format!("CLIENT SIDE TPM : {}", kinds(&per_minute)));
}

fn configured(plan: &RunPlan) -> String {
    match plan.clients {
        None => format!("{} Active Virtual Users configured", plan.users),
        Some(clients) => {
            let sessions = plan.users * clients;
            let users = plan.users;
            format!("{users} VU * {clients} AC = {sessions} Active Sessions configured")
        }
    }
}

fn test_result(plan: &RunPlan, name: &str, result: &ResultRecord) -> String {
    let nopm = result.headline.as_ref().map_or(0.0, |headline| headline.per_minute).round();
    let tpm = result.tpm.as_ref().map_or(0.0, |tpm| tpm.per_minute).round();
    if plan.tpm_first {
        format!("TEST RESULT : System achieved {tpm} {name} TPM at {nopm} NOPM")
    } else {
        format!("TEST RESULT : System achieved {nopm} NOPM from {tpm} {name} TPM")
    }
}

fn transactions(result: &ResultRecord) -> String {
    let kinds = result.transactions.iter().filter(|kind| kind.name != "all");
    let counts: Vec<String> =
        kinds.map(|kind| format!("{} {}", kind.name.replace('_', " "), kind.count)).collect();
    format!("Processed transactions: {}", counts.join(", "))
}

fn profile(task: &RunTask, report: &RunReport, transcript: &Transcript) {
    transcript.says(1, "Calculating timings...");
    let path: &Path = &task.profile_file;
    let users = task.plan.users;
    match timing::write(path, task.result_name, users, report) {
        Ok(reported) => {
            if reported < users as usize {
                transcript.says(1, "WARNING:Timing Data Incomplete");
                transcript.says(1, format!("{reported} out of {users} Virtual Users reported"));
            }
            transcript.says(1, format!("Writing timing data to {}", path.display()));
        }
        Err(error) => {
            transcript.says(1, format!("WARNING:Timing Data Incomplete: {}", words(&error)));
        }
    }
}

/// Writes dirty pages to disk and cleans up, so that the database is idle when the next run starts.
fn bring_to_rest(flags: &Flags, context: &Context, transcript: &Transcript) {
    transcript.says(1, "Checkpoint and Vacuum");
    let failure = match job(flags.clone(), context) {
        Ok(job) => settle(Request::new(&job, context), &mut ()).failures.into_iter().next(),
        Err(error) => Some(error),
    };
    match failure {
        None => transcript.says(1, "Checkpoint and Vacuum Complete"),
        Some(error) => {
            transcript.says(1, format!("Checkpoint and Vacuum failed: {}", words(&error)));
        }
    }
}

/// Describes the deferred work that the server has completed, in the words of HammerDB.
fn settled(work: &SettledRecord) -> [String; 2] {
    let SettledRecord { what, before, left, waited_s, .. } = work;
    let (kind, starting) = if what.starts_with("purge") {
        ("Purge", format!("Starting purge: history list length {before}"))
    } else {
        ("Write back", format!("Starting write back: dirty buffer pages {before}"))
    };
    let seconds = *waited_s as u64;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let seconds = seconds % 60;
    let span = format!("{hours} hrs:{minutes:02} mins:{seconds:02} secs");
    let end = if *left == 0 {
        format!("{kind} complete in {span}")
    } else {
        format!("{kind} stopped with {left} left after {span}")
    };
    [starting, end]
}

/// Returns HammerDB's message for a schema whose stored routines are of another kind than requested, for example
/// functions instead of procedures. According to this message, the existing routines are used.
fn other_routines(plan: &RunPlan, title: &str, record: &Record) -> Option<String> {
    let found = record.plan.parameters.get("routines")? == "procedures";
    let wanted = plan.procedures.filter(|wanted| plan.routines && *wanted != found)?;
    let (wanted, there) = if wanted {
        ("stored procedures", "functions")
    } else {
        ("functions", "stored procedures")
    };
    Some(format!(
        "{title} TPROC-C: {wanted} requested, but {there} found. Auto-switching pg_storedprocs to {found}."
    ))
}

/// Describes the warehouses that a virtual user uses. With n sessions, each session uses every n-th warehouse and
/// continues from the first warehouse after reaching the last.
fn assigned(user: u32, plan: &RunPlan, warehouses: u64) -> String {
    let sessions = u64::from(plan.users * plan.clients.unwrap_or(1));
    let of = |session: u64| {
        let each = warehouses.div_ceil(sessions);
        (0..each).map(move |turn| (session + turn * sessions) % warehouses + 1)
    };
    let numbers = (u64::from(user)..sessions).step_by(plan.users as usize).flat_map(of);
    let numbers: std::collections::BTreeSet<u64> = numbers.collect();
    let list: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let (count, list) = (list.len(), list.join(" "));
    let users = plan.users;
    format!(
        "Assigned {count} WIDs = {list} based on VU count {users}, Warehouses = {count} out of \
         {warehouses}"
    )
}

/// Describes why a run does not count as a measurement: it is a test run, or its minutes are shorter than real ones.
fn trial(task: &RunTask) -> Option<String> {
    let minute = task.minute.as_secs_f64();
    if task.plan.test {
        return Some("a test driver run, which measures nothing".into());
    }
    (task.minute != Duration::from_mins(1))
        .then(|| format!("a trial run in which a minute lasts {minute} seconds"))
}

/// IDs of notices about a run that was too short. Such notices are expected in a trial.
const SHORT: [&str; 1] = ["V03"];

/// Returns a line with the run's ID and its verdict. For a trial, notices about a run that was too short do not affect
/// the verdict.
pub(super) fn epilogue(report: &RunReport, trial: Option<&str>) -> String {
    let Record { id, result, .. } = &report.record;
    let Some(result) = result else { return String::new() };
    let invalid = result.notices.iter().filter(|notice| notice.invalidates);
    let serious = |id: &str| trial.is_none() || !SHORT.contains(&id);
    let reasons: Vec<String> = invalid
        .filter(|notice| serious(&notice.id))
        .map(|notice| format!("{} {}: {}", notice.id, notice.name, notice.text))
        .collect();
    let verdict = match (result.verdict(), trial) {
        (verdict, Some(trial)) if verdict != RunVerdict::Invalid || reasons.is_empty() => {
            trial.to_owned()
        }
        (RunVerdict::Valid, _) => "VALID".into(),
        (RunVerdict::Invalid, _) => format!("INVALID, {}", reasons.join("; ")),
        (verdict, _) => format!("{}, {}", verdict.word(), result.unsettled().join("; ")),
    };
    format!("Tacho run {id} is {verdict}; to show its report: tacho show {id}")
}

/// Converts the progress of a run to output lines.
struct RunLines<'a> {
    task: &'a RunTask,
    transcript: &'a Transcript,
    begun: bool,
    /// Number of virtual users that have started, and number of sessions that have logged in.
    started: u32,
    clients: u32,
    phase: Phase,
    /// The start of the current phase and the end of the last interval, both in seconds after the start of the load.
    from_s: f64,
    at_s: f64,
    /// Number of minutes of the current phase that have been printed.
    minutes_printed: u64,
    /// Number of warehouses, if each virtual user has warehouses of its own.
    warehouses: Option<u64>,
    /// A description of the schema, if HammerDB built it.
    adopted: Option<String>,
}

impl<'a> RunLines<'a> {
    fn new(task: &'a RunTask, transcript: &'a Transcript) -> Self {
        Self {
            task,
            transcript,
            begun: false,
            started: 0,
            clients: 0,
            phase: Phase::RampUp,
            from_s: 0.0,
            at_s: 0.0,
            minutes_printed: 0,
            warehouses: None,
            adopted: None,
        }
    }

    /// Prints the virtual users that have started. `sessions` is the number of sessions that have logged in so far.
    /// Until all users have a session, each login belongs to a new user.
    fn present(&mut self, sessions: u32) {
        let plan = &self.task.plan;
        let output = if plan.test { "without output suppressed" } else { "with output suppressed" };
        let first = *active(plan).start();
        for user in self.started..sessions.min(plan.users) {
            let (user, limit) = (first + user, plan.iterations);
            self.transcript.is(user, State::Running);
            if let Some(warehouses) = self.warehouses {
                self.transcript.says(user, assigned(user - first, plan, warehouses));
            }
            self.transcript.says(user, format!("Processing {limit} transactions {output}..."));
        }
        self.started = self.started.max(sessions.min(plan.users));
        if plan.verbose {
            for session in self.clients..sessions {
                let user = first + session % plan.users;
                let client = session / plan.users + 1;
                self.transcript
                    .says(user, format!("Started asynchronous clients:vuser{user}:ac{client}"));
            }
        }
        self.clients = self.clients.max(sessions);
    }

    /// Prints a line for each minute that has passed in the current phase, up to `minute`.
    fn minutes(&mut self, minute: u64) {
        let planned = match self.phase {
            Phase::RampUp => self.task.plan.rampup,
            Phase::Measure => self.task.plan.duration,
            Phase::RampDown => 0,
        };
        for minute in self.minutes_printed + 1..=minute.min(planned) {
            let text = match self.phase {
                Phase::RampUp => format!("Rampup {minute} minutes complete ..."),
                _ => format!("{minute} ...,"),
            };
            self.transcript.says(1, text);
        }
        self.minutes_printed = self.minutes_printed.max(minute.min(planned));
    }
}

impl Listener for RunLines<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.transcript.says(1, text.as_str()),
            Event::Begins { record, .. } => self.begins(record),
            Event::Phase { phase, .. } => {
                if let Some(phase) = Phase::named(phase) {
                    self.phase(phase);
                }
            }
            Event::Interval { interval } => self.interval(interval),
            _ => {}
        }
    }
}

impl RunLines<'_> {
    fn begins(&mut self, record: &Record) {
        self.begun = true;
        self.transcript.record(&record.id);
        let plan = &self.task.plan;
        if plan.time_profile {
            self.transcript.says(1, "Initializing xtprof time profiler");
        }
        if !plan.test {
            self.transcript.says(1, format!("DBVersion:{}", version(&record.server.version)));
            if plan.replica {
                self.transcript.says(1, "Operating in Replica Mode, No Snapshots taken...");
            }
            self.transcript.says(1, format!("Beginning rampup time of {} minutes", plan.rampup));
        }
        for note in self.adopted.take().into_iter().chain(notes(self.task)) {
            self.transcript.says(1, note);
        }
        if let Some(line) = other_routines(plan, self.task.result_name, record) {
            self.transcript.says(1, line);
        }
        let is_owned = record.plan.parameters.get("warehouses").is_some_and(|how| how == "owned");
        self.warehouses = is_owned.then_some(record.plan.scale.0 as u64);
        let all = plan.users * plan.clients.unwrap_or(1);
        self.present(if plan.stagger.is_zero() { all } else { 1 });
    }

    fn phase(&mut self, phase: Phase) {
        if self.task.plan.test {
            return;
        }
        if phase == Phase::Measure {
            self.minutes(self.task.plan.rampup);
            if !self.task.plan.replica {
                self.transcript.says(1, "Rampup complete, Taking start Transaction Count.");
            }
            self.transcript.measures();
            let duration = self.task.plan.duration;
            self.transcript.says(1, format!("Timing test period of {duration} in minutes"));
        } else if self.phase == Phase::Measure {
            self.minutes(u64::MAX);
        }
        (self.phase, self.from_s, self.minutes_printed) = (phase, self.at_s, 0);
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        if interval.phase != Phase::RampDown.name() {
            self.present(interval.sessions);
        }
        if self.task.plan.test {
            return;
        }
        self.at_s = interval.at_s;
        let minute = self.task.minute.as_secs_f64();
        // An interval never ends early, but it usually ends slightly late.
        self.minutes(((self.at_s - self.from_s) / minute + 0.01) as u64);
    }
}

/// Returns the version number contained in a server's version string.
pub(super) fn version(text: &str) -> &str {
    let word = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let word = word.unwrap_or(text);
    word.split(['-', '~', '+']).next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        for (text, number) in [
            ("PostgreSQL 15.18 (Debian 15.18-1)", "15.18"),
            ("MariaDB 10.11.19-MariaDB-0+deb12u1", "10.11.19"),
            ("MySQL 9.7.4", "9.7.4"),
        ] {
            assert_eq!(version(text), number);
        }
    }
}
