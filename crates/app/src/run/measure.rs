//! The third stage of a run, which runs the load and everything that observes it.
//!
//! Start reading at [`measure`].

use std::time::Duration;

use tacho_cluster::{Fleet, HostSeen};
use tacho_collect::Hiccups;
use tacho_core::Result;
use tacho_engine::{Measurement, SessionTimes};
use tacho_metrics::RunEnd;
use tacho_metrics::{Connection, ConnectionEvent};
use tacho_store::record::{AddressRecord, FaultRecord, ObservedHostRecord, ServerLoadRecord};
use tacho_store::{Listener, RunWriter, SessionHistogram};

use super::addresses::Addresses;
use super::faults::Faults;
use super::idle::Idle;
use super::moments::Moments;
use super::observer::{Observed, RunObserver, Watching};
use super::opened::{Live, Opened};
use super::tails::Tails;
use super::transaction_log::TransactionLog;
use super::watch::Watch;
use crate::Request;

/// The engine's measurement and the observations made during the load.
pub(super) struct Measured {
    pub(super) measurement: Measurement,
    /// The CPU time of this process during the measured phase.
    pub(super) cpu: Option<Duration>,
    /// The length of the measured phase according to the wall clock, and according to a steady clock read at the same
    /// times.
    pub(super) clocks: Option<[Duration; 2]>,
    /// Pauses of this process during the measured phase, or `None` if they were not measured.
    pub(super) hiccups: Option<Hiccups>,
    /// The periods in which no transactions ended.
    pub(super) idle: Idle,
    /// Latencies over time.
    pub(super) tails: Tails,
    /// Throughput and activity over time.
    pub(super) moments: Moments,
    pub(super) faults: Vec<FaultRecord>,
    pub(super) addresses: Vec<AddressRecord>,
    pub(super) hosts: Vec<ObservedHostRecord>,
    /// The hosts that generated the load. Empty if this process generated all of it.
    pub(super) load_hosts: Vec<HostSeen>,
    pub(super) server_load: Option<ServerLoadRecord>,
    /// The number of Tacho's own monitoring transactions that the server counted during the measured phase.
    pub(super) monitored: u64,
    /// The reason why monitoring of the server stopped early, if it did.
    pub(super) unwatched: Option<String>,
    /// A description of what the log of transactions lacks.
    pub(super) unlogged: Option<String>,
}

impl Measured {
    /// Creates the result for a measurement during which nothing else was observed.
    pub(super) fn alone(measurement: Measurement) -> Self {
        Self {
            measurement,
            cpu: None,
            clocks: None,
            hiccups: None,
            idle: Idle::default(),
            tails: Tails::default(),
            moments: Moments::default(),
            faults: Vec::new(),
            addresses: Vec::new(),
            hosts: Vec::new(),
            load_hosts: Vec::new(),
            server_load: None,
            monitored: 0,
            unwatched: None,
            unlogged: None,
        }
    }

    /// Returns true if the user stopped the run early.
    pub(super) fn was_stopped(&self) -> bool {
        matches!(self.measurement.ended_by, RunEnd::Interrupt | RunEnd::Terminate)
    }

    /// Returns true if the run lost the server.
    pub(super) fn has_lost_server(&self) -> bool {
        !self.measurement.lost.is_empty() || self.missing_sessions() > 0 || self.never_answered()
    }

    /// Returns the number of sessions that were still disconnected at the end of the load.
    pub(super) fn missing_sessions(&self) -> u64 {
        let mut missing: u64 = 0;
        let mut events = self.measurement.total.connections.clone();
        events.sort_by_key(|event| event.at);
        for event in events {
            match event.what {
                Connection::Lost { .. } => missing += 1,
                Connection::Back { .. } => missing = missing.saturating_sub(1),
                Connection::Missing { .. } | Connection::FirstGood => {}
            }
        }
        missing
    }

    /// Returns true if sessions are waiting for a server that has stopped responding.
    pub(super) fn never_answered(&self) -> bool {
        let measurement = &self.measurement;
        measurement.abandoned > 0 && measurement.unanswered && !self.was_stopped()
    }

    /// Returns true if the server may have lost commits in an outage and Tacho could not check this.
    pub(super) fn is_unknown_after_outage(&self) -> bool {
        let measurement = &self.measurement;
        let lost = |event: &ConnectionEvent| matches!(event.what, Connection::Lost { .. });
        measurement.total.connections.iter().any(lost)
            && measurement.probe_error.is_some()
            && measurement.counter.is_none()
    }
}

/// Runs the load. Returns an error only if the run did not start. In this case, nothing is left behind.
pub(super) fn measure(
    request: Request<'_>,
    opened: &Opened,
    live: &mut Live,
    listener: &mut dyn Listener,
) -> Result<Measured> {
    let measured = load(request, opened, live, listener);
    match &measured {
        Ok(measured) => {
            live.writer.keep();
            keep_session_times(&mut live.writer, opened, &measured.measurement);
        }
        Err(_) => live.give_up(request, listener),
    }
    measured
}

fn load(
    request: Request<'_>,
    opened: &Opened,
    live: &mut Live,
    listener: &mut dyn Listener,
) -> Result<Measured> {
    let Live { writer, fleet, setup, hosts, faults, .. } = live;
    let watching = Watching {
        server: Watch::start(request, opened.plan.answer_within, listener),
        hosts: std::mem::take(hosts),
        faults: faults.take(),
        addresses: Addresses::start(request, setup.routes.as_ref(), true)?,
        log: TransactionLog::start(request, opened)?,
        of_past: false,
    };
    let mut observer = RunObserver::new(request, opened, writer, watching, listener);
    let interrupt = &request.context.interrupt;
    let measured = match fleet {
        Some(fleet) => tacho_engine::conduct(setup, fleet, interrupt, &mut observer),
        None => tacho_engine::run(setup, interrupt, &mut observer),
    };
    let Observed { cpu, clocks, hiccups, idle, tails, moments, watching } = observer.finish();
    let Watching { mut server, hosts, faults, addresses, log, .. } = watching;
    let unlogged = log.and_then(TransactionLog::end);
    let faults = faults.map(Faults::end).unwrap_or_default();
    let addresses = addresses.end();
    let measurement = measured?;
    // Read the number of Tacho's own transactions now. Stopping the monitoring may execute more of them, after the
    // end of the measured phase.
    let monitored = server.own_transactions();
    server.finish();
    Ok(Measured {
        cpu,
        clocks,
        hiccups,
        idle,
        tails,
        moments,
        faults,
        addresses,
        hosts: hosts.records(),
        load_hosts: fleet.as_ref().map_or_else(Vec::new, Fleet::hosts),
        server_load: server.measured(),
        monitored,
        unwatched: server.failed(),
        unlogged,
        measurement,
    })
}

/// Saves each virtual user's times, if requested. The writer keeps any error, and the run continues.
fn keep_session_times(writer: &mut RunWriter, opened: &Opened, measurement: &Measurement) {
    if !opened.plan.session_times {
        return;
    }
    let kinds = opened.instance.transactions();
    let histograms = |times: &SessionTimes| {
        let session = times.session;
        let pairs = kinds.iter().zip(times.service.clone());
        let some = pairs.filter(|(_, service)| service.count() > 0);
        let histogram = some.map(move |(kind, service)| SessionHistogram {
            session,
            transaction: kind.name.into(),
            service,
        });
        histogram.collect::<Vec<_>>()
    };
    let times: Vec<SessionHistogram> =
        measurement.session_times.iter().flat_map(histograms).collect();
    let _ = writer.session_times(opened.plan.ramp_up, measurement.measured, &times);
}
