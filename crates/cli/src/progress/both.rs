//! Two listeners as one.

use std::time::Duration;

use tacho_analysis::Calibration;
use tacho_app::{BuildState, CheckState, LoaderState, PointState, Progress, Standing, StreamState};
use tacho_metrics::Phase;
use tacho_store::record::{ExecutionRecord, Record};
use tacho_store::{IntervalRecord, ServerIntervalRecord};

/// Tells both, the first one first.
pub(super) struct Both(pub(super) Box<dyn Progress>, pub(super) Box<dyn Progress>);

impl Both {
    fn each(&mut self, tell: impl Fn(&mut dyn Progress)) {
        tell(self.0.as_mut());
        tell(self.1.as_mut());
    }
}

impl Progress for Both {
    fn note(&mut self, text: &str) {
        self.each(|one| one.note(text));
    }

    fn calibration(&mut self, calibration: &Calibration, repeats: u32) {
        self.each(|one| one.calibration(calibration, repeats));
    }

    fn build(&mut self, state: &BuildState) {
        self.each(|one| one.build(state));
    }

    fn loader(&mut self, loader: usize, does: &LoaderState) {
        self.each(|one| one.loader(loader, does));
    }

    fn build_over(&mut self) {
        self.each(|one| one.build_over());
    }

    fn begins(&mut self, record: &Record) {
        self.each(|one| one.begins(record));
    }

    fn phase(&mut self, phase: Phase, length: Option<Duration>) {
        self.each(|one| one.phase(phase, length));
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        self.each(|one| one.interval(interval));
    }

    fn wants_standing(&self) -> bool {
        self.0.wants_standing() || self.1.wants_standing()
    }

    fn standing(&mut self, standing: &Standing) {
        self.each(|one| one.standing(standing));
    }

    fn server(&mut self, server: &ServerIntervalRecord) {
        self.each(|one| one.server(server));
    }

    fn executions(&mut self, executions: &[ExecutionRecord]) {
        self.each(|one| one.executions(executions));
    }

    fn streams(&mut self, at: Duration, streams: &[StreamState]) {
        self.each(|one| one.streams(at, streams));
    }

    fn point(&mut self, point: &PointState) {
        self.each(|one| one.point(point));
    }

    fn ending(&mut self, step: &str) {
        self.each(|one| one.ending(step));
    }

    fn checking(&mut self, state: &CheckState) {
        self.each(|one| one.checking(state));
    }

    fn checked(&mut self) {
        self.each(|one| one.checked());
    }
}
