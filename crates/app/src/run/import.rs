//! Creates an `INVALID` run from the file that an agent saved after losing its coordinator. The run covers only
//! this agent's load.
//!
//! Start reading at [`import`].

use std::path::Path;
use std::time::Duration;

use tacho_cluster::{HostSeen, Records, Saved, notes_of};
use tacho_config::{Source, Stop, Verify, resolve};
use tacho_core::units::{counted, span};
use tacho_core::{Error, ErrorKind, Instant, Result, Seed};
use tacho_driver::ServerFacts;
use tacho_engine::{Gathered, Interval, Measurement, Observer};
use tacho_metrics::{Phase, Recorder, RunEnd};
use tacho_store::record::{Record, ResultRecord, RunVerdict};
use tacho_store::{CommitNotes, Listener, RunWriter};

use super::evaluate::Evaluation;
use super::examine::Examined;
use super::measure::Measured;
use super::notices::Notice;
use super::observer::{RunObserver, Watching};
use super::opened::Opened;
use super::series::{own_kinds, sum};
use super::{RunReport, load_plan, result, save};
use crate::cluster::Briefing;
use crate::{Context, Exit, Job, Request};

/// Creates a run from this file.
///
/// # Errors
/// Returns an error if an agent did not write the file or if the file contradicts its own plan.
pub fn import(path: &Path, context: &Context, listener: &mut dyn Listener) -> Result<RunReport> {
    let saved = Saved::read(path)?;
    let damaged = |text: String| {
        Error::new(ErrorKind::Protocol, text)
            .during(format!("read {}", path.display()))
            .hint("the file is damaged, or it was written by another version of Tacho")
    };
    let briefing: Briefing = serde_json::from_value(saved.briefing.clone())
        .map_err(|error| damaged(format!("could not read the plan: {error}")))?;
    let (job, opened) = opened(&briefing, context)?;
    let kinds = opened.instance.transactions().len();
    if !saved.records.iter().all(|one| fits(&one.recorder, kinds)) {
        return Err(damaged("the records belong to another workload".into()));
    }
    if saved.records.is_empty() {
        return Err(damaged("it contains no intervals".into()));
    }
    let id_seed = Seed(tacho_collect::wall_clock().as_nanos() as u64);
    let mut writer = RunWriter::create(&context.store(), opened.record.clone(), id_seed)?;
    if CommitNotes::exist(&notes_of(path)) {
        CommitNotes::copy(&notes_of(path), writer.folder())?;
    }
    let request = Request::new(&job, context);
    let watching = Watching { of_past: true, ..Watching::default() };
    let mut observer = RunObserver::new(request, &opened, &mut writer, watching, listener);
    let mut measurement = replay(&saved, &opened, &mut observer);
    drop(observer);
    let marked = opened.record.plan.judgement.verify == Verify::Commits;
    let (instance, dialect) = (opened.instance.as_ref(), job.driver.dialect());
    measurement.catalog = tacho_engine::catalog(instance, dialect, marked)?.0;
    let load_hosts = vec![host(&saved, &opened, &measurement)];
    let measured = Measured { load_hosts, ..Measured::alone(measurement) };
    let examined = Examined::default();
    let result = result::result(&job, &opened, &measured, &examined);
    let evaluation = evaluation(&saved, &opened, &measured, &result);
    writer.close().ok();
    let id = writer.id().to_owned();
    let record = save::complete(Record { id, ..opened.record }, None, result, evaluation);
    let folder = writer.finish(record.clone())?;
    let notice = job.workload.manifest().notice;
    Ok(RunReport { record, folder, notice, exit: Exit::Success })
}

/// Returns the job and the run as they were at the start of the load.
fn opened(briefing: &Briefing, context: &Context) -> Result<(Job, Opened)> {
    let mut plan = briefing.plan.clone();
    plan.data.set.clone_from(&briefing.set);
    let saved = Some((plan, "of the coordinator".to_owned()));
    let job = Job::new(resolve(Source { saved, ..Source::default() })?, context)?;
    let mut choices = job.choices(None)?;
    choices.loaded_at = briefing.loaded_at;
    let instance = job.workload.instance(&choices)?;
    let opened = Opened {
        plan: load_plan(&job.resolved, instance.as_ref())?,
        choices,
        instance,
        thresholds: Vec::new(),
        facts: ServerFacts::default(),
        structure: Vec::new(),
        record: briefing.record.clone(),
        checks: Vec::new(),
    };
    Ok((job, opened))
}

/// Returns true if the saved results of a load contain as many transaction types as the workload has.
fn fits(recorder: &Recorder, kinds: usize) -> bool {
    let is_known = |kind: usize| kind < kinds;
    [Phase::Measure, Phase::RampUp].iter().all(|phase| recorder.series(*phase).len() == kinds)
        && recorder.faults.iter().all(|one| is_known(one.transaction))
        && recorder.executions.iter().all(|one| is_known(one.transaction))
        && recorder.begun.iter().all(|one| is_known(one.transaction))
}

/// Passes the intervals to the observer and aggregates them.
fn replay(saved: &Saved, opened: &Opened, observer: &mut dyn Observer) -> Measurement {
    let kinds = opened.instance.transactions().len();
    let transaction_kinds = opened.instance.streams().map_or(kinds, |streams| streams.first_kind);
    let mut seen = empty(saved, kinds);
    let mut phase = None;
    for Records { phase: now, span, sessions, backlog, recorder } in &saved.records {
        let [from, to] = *span;
        if phase == Some(Phase::Measure) && *now != Phase::Measure {
            observer.measured();
        }
        if phase != Some(*now) && (*now != Phase::RampDown || from < to) {
            observer.phase(*now, from);
        }
        phase = Some(*now);
        seen.total.merge(recorder);
        if *now == Phase::Measure {
            seen.measured += to.saturating_sub(from);
            if to.saturating_sub(from) == opened.plan.interval {
                let series = recorder.series(*now).iter().take(transaction_kinds);
                let good: u64 = series.map(|one| one.ended.good()).sum();
                seen.throughput.push(good as f64 / opened.plan.interval.as_secs_f64());
            }
        }
        if from < to {
            observer.interval(&Interval {
                origin: Instant(0),
                from,
                to,
                phase: *now,
                sessions: sessions[0].saturating_sub(sessions[1]),
                step: None,
                backlog: *backlog,
                recorder,
                total: &seen.total,
            });
        }
    }
    if phase == Some(Phase::Measure) {
        observer.measured();
    }
    settle_in_flight(&mut seen.total, kinds);
    seen
}

/// Counts transactions as unfinished if their start was saved but not their end.
fn settle_in_flight(total: &mut Recorder, kinds: usize) {
    for phase in [Phase::RampUp, Phase::Measure] {
        for kind in 0..kinds {
            let ledger = &mut total.at(phase, kind).ledger;
            let known = ledger.ended() + ledger.unfinished;
            ledger.unfinished += ledger.started.saturating_sub(known);
        }
    }
}

fn empty(saved: &Saved, kinds: usize) -> Measurement {
    let end = saved.end.as_ref().map(|end| end.gathered.clone()).unwrap_or_default();
    let gathered =
        Gathered { measured: Duration::ZERO, query_stats_error: None, imbalance: None, ..end };
    let (ended_by, virtual_time) = (RunEnd::Terminate, true);
    Measurement { ended_by, virtual_time, gathered, ..Measurement::new(kinds) }
}

/// Returns the host that saved its share of the run. Because its coordinator failed, the host is recorded as lost.
fn host(saved: &Saved, opened: &Opened, measurement: &Measurement) -> HostSeen {
    let kinds = own_kinds(opened.instance.as_ref()).len();
    let all = sum(&measurement.total.series(Phase::Measure)[..kinds]);
    let until = saved.records.last().map_or(Duration::ZERO, |one| one.span[1]);
    HostSeen {
        name: saved.host.clone(),
        share: saved.share,
        due: all.ledger.due + measurement.never_taken,
        offset: None,
        drift_s: None,
        exchanges: 0,
        cores: saved.end.as_ref().map_or(0, |end| end.tool.cores),
        end: saved.end.clone(),
        failure: None,
        entered: None,
        lost: Some(("the run's coordinator was lost".into(), until)),
    }
}

/// Returns the evaluation of a host's share of a load. It is always `INVALID`, because the other hosts' shares are
/// missing.
fn evaluation(
    saved: &Saved,
    opened: &Opened,
    measured: &Measured,
    result: &ResultRecord,
) -> Evaluation {
    let planned = match opened.plan.stop {
        Stop::After(length) => format!(" of {}", span(length)),
        Stop::Count(_) | Stop::Done => String::new(),
    };
    let text = format!(
        "{} saved this part of run {}: {} of {}, {}{planned} measured, without database \
            counters, checks, and other hosts",
        saved.host,
        saved.run,
        counted(saved.share.count(opened.plan.sessions).into(), "session"),
        opened.plan.sessions,
        span(measured.measurement.measured),
    );
    let mut notices = vec![Notice::HostLost.found(text)];
    if saved.cut {
        notices.push(Notice::RecordIncomplete.found("the end of the file is missing"));
    }
    Evaluation {
        notices,
        thresholds: Vec::new(),
        of_steps: result.steps.iter().map(|_| Vec::new()).collect(),
        valid: false,
        verdict: RunVerdict::Invalid,
        unsettled: result.stability_by(&opened.record.plan).1,
        exit: Exit::Success,
    }
}
