//! Findings about the database: its response, its version, the user's privileges, and its data.
//!
//! Each check has its own line in the output, and runs even if others fail. Nothing is created, changed or removed.
//!
//! Start reading at [`target`].

use std::sync::Arc;
use std::time::Duration;

use tacho_analysis::{Finding, Health, TargetDiagnosis};
use tacho_collect::{local_time, wall_clock};
use tacho_core::units::{counted, grouped, latency};
use tacho_core::{Clock, Error, ErrorKind, Result};
use tacho_driver::{
    Advice, Catalog, Exchange, Form, ServerFacts, Session, StatementId, parse_sections,
};
use tacho_metrics::{Latencies, QUANTILES};
use tacho_workload::{Marker, MarkerState};

use super::Wanted;
use super::patience::{ask, is_last};
use super::tested::is_tested;
use crate::access::{Access, Data, data, environment};
use crate::clock::clock;
use crate::headroom::{MONITORING_SESSIONS, shortage};
use crate::recognition::Recognition;
use crate::{Context, Job, Request};

const NOTHING: &str = "-- name: nothing() -> (one int)";
/// The number of responses needed to estimate the 99th percentile.
const QUESTIONS: u64 = 1_000;
/// The time limit for measuring the response time. When it is reached, the measurement ends with fewer responses.
const ASKED_FOR: Duration = Duration::from_millis(800);
/// The maximum acceptable difference between the client's and the server's clock.
const DATES_MAX: Duration = Duration::from_secs(1);
/// The name of the server setting that describes the connection's transport.
const TRANSPORT: &str = "transport";

/// The findings about a target.
pub(super) struct Found {
    pub(super) diagnosis: TargetDiagnosis,
    /// The number of files that one session keeps open on this machine, as measured by Tacho. It is 1 if Tacho
    /// measures less or cannot measure it.
    pub(super) files_per_session: u64,
}

/// Inspects a target. `unreachable` contains the error if the target is known to be unreachable.
pub(super) fn target(
    mut job: Job,
    unreachable: Option<Error>,
    wanted: Wanted,
    context: &Context,
) -> Result<Found> {
    let mut look = Look {
        access: Access::new(&job)?,
        context,
        wanted,
        findings: Vec::new(),
        files_per_session: 1,
    };
    match unreachable {
        Some(error) => look.findings.push(Finding::failed("reachable", &error)),
        None if !job.driver.capabilities().stores_data => {
            let title = job.driver.manifest().title;
            look.findings
                .push(Finding::good("reachable", format!("{title}: no database to check")));
        }
        None => look.all(&mut job),
    }
    let Look { findings, files_per_session, .. } = look;
    let diagnosis =
        TargetDiagnosis { name: job.target_name.clone(), url: job.target.redacted(), findings };
    Ok(Found { diagnosis, files_per_session })
}

/// An inspection of a target.
struct Look<'a> {
    access: Access,
    context: &'a Context,
    wanted: Wanted,
    findings: Vec<Finding>,
    files_per_session: u64,
}

impl Look<'_> {
    fn ask<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let is_login = self.findings.is_empty();
        ask(&self.access.event_loop, self.context, is_login, answer)
    }

    /// Runs all checks. A failure that makes further checks impossible is the last finding.
    fn all(&mut self, job: &mut Job) {
        if job.driver.library(Some(&job.target)).is_err() {
            let id = job.driver.manifest().id;
            let text = "not opened because the driver's library was not found";
            let hint = format!("see {id}, above");
            return self.findings.push(Finding::problem("reachable", text, hint));
        }
        let files = tacho_collect::open_files();
        let session = match self.ask(self.access.open(Request { job, context: self.context })) {
            Ok(session) => session,
            Err(error) => {
                let error = Recognition::of(&job.target).explain(error);
                return self.findings.push(Finding::failed("reachable", &error));
            }
        };
        let grown = tacho_collect::open_files()
            .zip(files)
            .map(|(now, then)| now.open - then.open.min(now.open));
        self.files_per_session = grown.unwrap_or(1).max(1);
        let Some(mut session) = self.round_trip(job, session) else { return };
        if self.server(job, session.as_mut()) {
            self.data(job, session);
        }
    }

    /// Measures how long the server takes to respond to the shortest possible statement. The statement is sent
    /// repeatedly, and in the same way as a run sends its statements.
    fn round_trip(&mut self, job: &Job, session: Box<dyn Session>) -> Option<Box<dyn Session>> {
        let outcome = self.ask(times(job, session));
        match outcome {
            Ok((session, times)) => {
                self.findings.push(round_trip(job, &times));
                Some(session)
            }
            Err(error) => {
                self.findings.push(Finding::failed("reachable", &error));
                None
            }
        }
    }

    /// Adds findings about the server. Returns true if further checks can be run.
    fn server(&mut self, job: &Job, session: &mut dyn Session) -> bool {
        let facts = self
            .ask(session.inspector().facts())
            .map(|facts| server(job, &facts.without_secrets()));
        if !self.note("settings", facts) {
            return false;
        }
        let found = self.ask(session.inspector().privileges());
        let found = found.map(|found| found.iter().flat_map(privileges).collect());
        if !self.note("privileges", found) {
            return false;
        }
        let found = self.ask(session.inspector().headroom());
        let found =
            found.map(|found| found.map(|server| self.connections(&server)).into_iter().collect());
        if !self.note("connections", found) {
            return false;
        }
        let statistics = self.statistics(job);
        if !self.note("statistics", statistics) {
            return false;
        }
        let before = wall_clock();
        let found = self.ask(session.inspector().server_time());
        let ours = before + (wall_clock().saturating_sub(before)) / 2;
        let found =
            found.map(|theirs| theirs.map(|theirs| dates(ours, theirs)).into_iter().collect());
        self.note("clock", found)
    }

    /// Adds the findings of a check to the diagnosis. If the check failed, adds the failure. Returns true if further
    /// requests can be sent.
    fn note(&mut self, name: &str, found: Result<Vec<Finding>>) -> bool {
        match found {
            Ok(found) => {
                self.findings.extend(found);
                true
            }
            Err(error) if is_last(&error) => {
                self.findings.push(Finding::failed(name, &error));
                false
            }
            Err(error) => {
                self.findings.push(Finding::warned(name, &error));
                true
            }
        }
    }

    fn connections(&self, headroom: &tacho_driver::Headroom) -> Finding {
        let (free, wanted) = (headroom.sessions, self.wanted.sessions);
        let text = format!("{} free", grouped(free));
        let found = match shortage(headroom, wanted, MONITORING_SESSIONS) {
            None => Finding::good("connections", text),
            Some(error) => {
                let asked = counted(wanted.into(), "session");
                let text = format!(
                    "{text}, but {asked} are needed, plus {MONITORING_SESSIONS} for monitoring"
                );
                let found = self.wanted.too_few("connections", text, "");
                Finding { hints: error.hints().to_vec(), ..found }
            }
        };
        found.value("free", free)
    }

    /// Returns a finding about the server statistics that Tacho could record during a run.
    fn statistics(&self, job: &Job) -> Result<Vec<Finding>> {
        let environment = environment(self.context, false, self.access.set);
        let collector = self.ask(job.driver.collector(&job.target, environment))?;
        let Some(collector) = collector else { return Ok(Vec::new()) };
        let missing = collector.missing();
        if missing.is_empty() {
            let text = "the server's wait events and counters are available";
            return Ok(vec![Finding::good("statistics", text)]);
        }
        let line = |missing: &String| {
            let (what, hint) = missing.split_once(": ").unwrap_or((missing, missing));
            Finding::warning("statistics", format!("not available: {what}"), hint)
        };
        Ok(missing.iter().map(line).collect())
    }

    /// Inspects the loaded data. If the data can be used, missing privileges for loading become a mere warning.
    fn data(&mut self, job: &mut Job, session: Box<dyn Session>) {
        let found = match self.ask(data(job, session)) {
            Ok(found) => self.judged(job, found),
            Err(error) => Finding::failed("data", &error),
        };
        if found.health == Health::Good && !job.driver.capabilities().embedded {
            for finding in self.findings.iter_mut().filter(|finding| finding.name == "privileges") {
                finding.health = finding.health.min(Health::Warning);
            }
        }
        self.findings.push(found);
    }

    fn judged(&self, job: &mut Job, found: Data) -> Finding {
        let health = match &found {
            Data::Empty(_) => Health::Warning,
            Data::Foreign(_) => Health::Problem,
            Data::Ours(_, marker) if marker.workload == job.workload.manifest().id => {
                let known = marker.version == job.workload.manifest().version;
                if known { Health::Warning } else { Health::Problem }
            }
            Data::Ours(_, marker) => match tacho_registry::recorded_workload(&marker.workload) {
                Err(_) => {
                    let text = format!(
                        "{}, a workload that is not included in this build",
                        marker.workload
                    );
                    return Finding::problem("data", text, "use the Tacho build that created it");
                }
                Ok(workload) => {
                    job.workload = workload;
                    let known = marker.version == job.workload.manifest().version;
                    if known { Health::Warning } else { Health::Problem }
                }
            },
        };
        let ready = self.ask(async {
            let (mut store, marker) = self.access.ready(job, found).await?;
            // Check whether the user may update the marker. For an embedded database, this is unnecessary, because it
            // has no users. If its file is writable, so is the marker.
            if !job.driver.capabilities().embedded {
                store.try_update(&marker).await?;
            }
            store.into_session().close().await.map(|()| marker)
        });
        match ready {
            Ok(marker) => loaded(job, &marker),
            // `prepare` can fix missing or incomplete data. With any other error, a run is impossible.
            Err(error) if error.kind() == ErrorKind::Missing => {
                Finding { health, ..Finding::failed("data", &error) }
            }
            Err(error) => Finding::failed("data", &error),
        }
    }
}

/// Measures the round-trip time of the shortest possible statement.
async fn times(job: &Job, session: Box<dyn Session>) -> Result<(Box<dyn Session>, Latencies)> {
    let dialect = job.driver.dialect();
    let sections = [parse_sections(&format!("{NOTHING}\n{}", dialect.one_row()))?];
    let catalog = Arc::new(Catalog::build(dialect, &["nothing"], &sections)?);
    let mut exchange = Exchange::new(session, catalog, Form::Sql).await?;
    let clock = clock();
    let begin = clock.now();
    let mut times = Latencies::new();
    while times.count() < QUESTIONS && clock.now().since(begin) < ASKED_FOR {
        let sent = clock.now();
        exchange.execute(StatementId(0));
        exchange.send().await?.one(0)?;
        times.record(clock.now().since(sent));
    }
    Ok((exchange.into_session(), times))
}

fn round_trip(job: &Job, times: &Latencies) -> Finding {
    let at = |name| {
        QUANTILES
            .iter()
            .find(|quantile| quantile.name == name)
            .and_then(|quantile| times.at(*quantile))
    };
    let (p50, p99) = (at("p50"), at("p99"));
    let each = if job.driver.capabilities().embedded { "a statement" } else { "round trip" };
    let count = counted(times.count(), "statement");
    let text = match (p50, p99) {
        (Some(p50), Some(p99)) => {
            format!("{} {each} (p99 {}, {count})", latency(p50), latency(p99))
        }
        (Some(p50), None) => format!("{} {each} ({count}, too few for p99)", latency(p50)),
        _ => format!("responds, but too slowly to estimate the latency ({count})"),
    };
    let us = |span: Duration| span.as_nanos() as f64 / 1e3;
    Finding::good("reachable", text)
        .value("statements", times.count())
        .maybe("p50_us", p50.map(us))
        .maybe("p99_us", p99.map(us))
}

/// Returns findings about the server's version, the transport of the connection, and settings that would cause a
/// warning in a run.
fn server(job: &Job, facts: &ServerFacts) -> Vec<Finding> {
    let mut found = vec![version(job.driver.manifest().tested, &facts.version)];
    let transport = facts.settings.iter().find(|setting| setting.name == TRANSPORT);
    found.extend(transport.map(|setting| travels(&setting.value)));
    let before = found.len();
    for setting in &facts.settings {
        if let Some(risk) = &setting.durability_risk {
            let text = format!("{}={}: {risk}", setting.name, setting.value);
            let hint = "use the production value, or report the setting along with the results";
            found.push(Finding::warning("settings", text, hint));
        }
    }
    let advice = |Advice { text, hint }: &Advice| Finding::warning("settings", text, hint);
    found.extend(facts.advice.iter().map(advice));
    if found.len() == before && facts.settings.len() > usize::from(transport.is_some()) {
        found.push(Finding::good(
            "settings",
            "no settings found that could cause commits to be lost",
        ));
    }
    found
}

/// Returns a finding about the transport and whether it is encrypted.
fn travels(transport: &str) -> Finding {
    let open = if transport == "tcp" { ", not encrypted" } else { "" };
    Finding::good(TRANSPORT, format!("{transport}{open}")).value(TRANSPORT, transport)
}

fn version(tested: &str, version: &str) -> Finding {
    let is_tested = is_tested(tested, version);
    let found = match is_tested {
        Some(true) if tested.contains("not tested") => {
            Finding::good("version", format!("{version}; tested: {tested}"))
        }
        Some(true) => Finding::good("version", format!("{version}, tested")),
        Some(false) => Finding::warning(
            "version",
            format!("{version}, not tested"),
            format!("tested: {tested}"),
        ),
        None => Finding::good("version", version),
    };
    found.value("version", version).maybe("tested", is_tested)
}

fn privileges(found: &tacho_driver::Privileges) -> Vec<Finding> {
    let granted = found.granted.join(", ");
    let granted = (!granted.is_empty()).then(|| Finding::good("privileges", granted));
    let missing = found.missing.iter();
    let missing =
        missing.map(|privilege| Finding::problem("privileges", &privilege.text, &privilege.hint));
    granted.into_iter().chain(missing).collect()
}

fn dates(ours: Duration, theirs: Duration) -> Finding {
    let apart = ours.abs_diff(theirs);
    let found = if apart <= DATES_MAX {
        Finding::good("clock", "client and server clocks agree to within a second")
    } else {
        let text = format!("client and server clocks are {} apart", latency(apart));
        Finding::warning("clock", text, "synchronize the clocks so that logs can be compared")
    };
    let seconds = theirs.as_secs_f64() - ours.as_secs_f64();
    found.value("server_ahead_s", seconds)
}

fn loaded(job: &Job, marker: &Marker) -> Finding {
    debug_assert_eq!(marker.state, MarkerState::Ready);
    let manifest = job.workload.manifest();
    let scale = manifest.scale_text(marker.scale);
    let at = local_time(Duration::from_micros(marker.loaded_at.unsigned_abs()));
    let day = at.get(..16).unwrap_or(&at).replace('T', " ");
    let text = format!("{} scale {scale}, seed {}, loaded {day}", manifest.id, marker.seed.0);
    Finding::good("data", text)
        .value("workload", manifest.id)
        .value("scale", manifest.scale_amount(marker.scale).0)
        .value("seed", marker.seed.0)
        .value("profile", marker.profile.clone())
        .value("loaded_at", at)
        .value("runs", marker.runs)
}
