//! The interface for receiving events.
//!
//! Producers call a method of `dyn Listener` for each kind of event. A listener implements only [`Listener::on`].

use std::time::Duration;

use tacho_metrics::Phase;

use super::{
    BuildState, CheckState, Event, EventKind, HostState, LoaderState, MarkKind, PointState,
    Standing, StreamState,
};
use crate::record::{ExecutionRecord, Record};
use crate::{IntervalRecord, ServerIntervalRecord};

/// Receives events on the command's own thread, so that a slow listener does not delay any session.
pub trait Listener {
    /// Receives an event. The listener may also receive kinds of events that it did not request.
    fn on(&mut self, event: &Event);

    /// Returns true if events of this kind should be produced for this listener.
    fn wants(&self, kind: EventKind) -> bool {
        !kind.is_costly()
    }
}

/// Ignores every event.
impl Listener for () {
    fn on(&mut self, _event: &Event) {}

    fn wants(&self, _kind: EventKind) -> bool {
        false
    }
}

/// Forwards every event to all listeners, in order.
impl Listener for Vec<Box<dyn Listener>> {
    fn on(&mut self, event: &Event) {
        for listener in self {
            listener.on(event);
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        self.iter().any(|listener| listener.wants(kind))
    }
}

impl dyn Listener + '_ {
    /// Reports a one-sentence message for the user.
    pub fn note(&mut self, text: &str) {
        self.on(&Event::Note { text: text.to_owned() });
    }

    /// Reports that a measurement is starting.
    pub fn begins(&mut self, record: &Record) {
        self.on(&Event::Begins { run: record.id.clone(), record: Box::new(record.clone()) });
    }

    /// Reports that a phase is starting, with its planned length.
    pub fn phase(&mut self, phase: Phase, length: Option<Duration>) {
        self.on(&Event::Phase { phase: phase.name().to_owned(), length });
    }

    /// Reports that an interval has ended.
    pub fn interval(&mut self, interval: &IntervalRecord) {
        self.on(&Event::Interval { interval: Box::new(interval.clone()) });
    }

    /// Reports the results of the phase so far.
    pub fn standing(&mut self, standing: Standing) {
        self.on(&Event::Standing { standing: Box::new(standing) });
    }

    /// Reports the server's activity in the latest interval.
    pub fn server(&mut self, server: &ServerIntervalRecord) {
        self.on(&Event::Server { server: Box::new(server.clone()) });
    }

    /// Reports the load on the observed machines in the last interval.
    pub fn host(&mut self, at_s: f64, hosts: Vec<HostState>) {
        self.on(&Event::Host { at_s, hosts });
    }

    /// Reports an event that may explain a change in a chart.
    pub fn mark(&mut self, at_s: f64, kind: MarkKind, text: String) {
        self.on(&Event::Mark { at_s, kind, text });
    }

    /// Reports the progress of streams.
    pub fn streams(&mut self, at: Duration, streams: Vec<StreamState>) {
        self.on(&Event::Streams { at, streams });
    }

    /// Reports transactions that have completed.
    pub fn executions(&mut self, executions: Vec<ExecutionRecord>) {
        self.on(&Event::Executions { executions });
    }

    /// Reports that a point of a sweep is about to be measured.
    pub fn point(&mut self, point: PointState) {
        self.on(&Event::Point { point });
    }

    /// Reports the progress of a build.
    pub fn build(&mut self, build: BuildState) {
        self.on(&Event::Build { build });
    }

    /// Reports that one of the workers that load data has started or finished a part of its work.
    pub fn loader(&mut self, loader: usize, state: LoaderState) {
        self.on(&Event::Loader { loader, state });
    }

    /// Reports that a build has ended, successfully or not.
    pub fn build_over(&mut self) {
        self.on(&Event::BuildOver);
    }

    /// Reports the progress of the checks.
    pub fn checking(&mut self, check: CheckState) {
        self.on(&Event::Check { check });
    }

    /// Reports that all checks have ended.
    pub fn checked(&mut self) {
        self.on(&Event::CheckOver);
    }

    /// Reports a step between the end of the load and the summary.
    pub fn ending(&mut self, step: &str) {
        self.on(&Event::Ending { step: step.to_owned() });
    }
}
