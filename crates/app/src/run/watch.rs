//! Monitors the server during a run, for each interval and for the whole measured phase.

use std::sync::Arc;
use std::time::Duration;

use tacho_collect::{Gauge, ServerSeen, ServerWatch};
use tacho_core::units::latency;
use tacho_core::{Clock, Instant};
use tacho_driver::Scheduling;
use tacho_metrics::Phase;
use tacho_store::record::{GaugeRecord, ServerLoadRecord, WaitRecord};
use tacho_store::{Listener, ServerIntervalRecord};

use crate::Request;
use crate::access::environment;
use crate::clock::clock;

/// Maximum number of wait events recorded for a run. All others are combined as `other`.
const WAITS_MAX: usize = 20;

/// The monitor of the server, if there is any, and its observations in the measured phase.
#[derive(Default)]
pub(super) struct Watch {
    server: Option<ServerWatch>,
    measured: ServerSeen,
    refused: Option<String>,
}

impl Watch {
    /// Starts monitoring if the driver can observe the server. If this fails, reports it and continues the run.
    pub(super) fn start(
        request: Request<'_>,
        limit: Duration,
        listener: &mut dyn Listener,
    ) -> Self {
        let Request { job, context } = request;
        if job.driver.scheduling() == Scheduling::Virtual {
            return Self::default();
        }
        let (driver, target) = (Arc::clone(&job.driver), job.target.clone());
        let clock = clock();
        let go_on = || clock.now().since(Instant(0)) < limit && !context.interrupted();
        let environment = environment(context, false, job.first_set());
        match ServerWatch::start(driver, target, environment, go_on) {
            Ok(server) => {
                for missing in server.iter().flat_map(ServerWatch::missing) {
                    listener.note(missing);
                }
                Self { server, ..Self::default() }
            }
            Err(error) => Self { refused: Some(error.to_string()), ..Self::default() },
        }
    }

    /// Returns the observations of the interval that ends at `at_s`, or `None` without monitoring.
    pub(super) fn interval(&mut self, phase: Phase, at_s: f64) -> Option<ServerIntervalRecord> {
        let seen = self.server.as_mut()?.take();
        if phase == Phase::Measure {
            self.measured.merge(&seen);
        }
        let load = record(&seen, Vec::new());
        Some(ServerIntervalRecord { at_s, phase: phase.name().into(), load })
    }

    /// Returns the number of the monitor's own transactions that the server counted during the measured phase.
    pub(super) fn own_transactions(&self) -> u64 {
        self.measured.own_transactions
    }

    /// Ends the monitoring. Stores the last observations, or the reason why it failed.
    pub(super) fn finish(&mut self) {
        match self.server.as_mut().map(ServerWatch::finish) {
            Some(Ok(left)) => self.measured.merge(&left),
            Some(Err(error)) => self.refused = Some(error.to_string()),
            None => {}
        }
    }

    /// Returns the observations from the measured phase.
    pub(super) fn measured(&self) -> Option<ServerLoadRecord> {
        let server = self.server.as_ref()?;
        Some(record(&self.measured, server.missing().to_vec()))
    }

    /// Describes gaps in the monitoring: the reason why there was none, the reason why it ended early, or the total
    /// time without observations. Returns `None` if there were no gaps.
    pub(super) fn failed(&self) -> Option<String> {
        let ended = self.server.as_ref().and_then(ServerWatch::failed).map(ToString::to_string);
        self.refused.clone().or(ended).or_else(|| self.gap())
    }

    fn gap(&self) -> Option<String> {
        let gaps = self.server.as_ref().map_or(&[][..], ServerWatch::gaps);
        let (error, _) = gaps.first()?;
        let length = gaps.iter().map(|(_, length)| *length).sum();
        Some(format!("the server was not monitored for {}: {error}", latency(length)))
    }
}

fn record(seen: &ServerSeen, missing: Vec<String>) -> ServerLoadRecord {
    let looks = seen.samples.max(1) as f64;
    let active: u64 = seen.waits.values().sum();
    let mut waits: Vec<WaitRecord> = seen
        .waits
        .iter()
        .map(|((class, event, kind), sessions)| WaitRecord {
            class: class.clone(),
            event: event.clone(),
            kind: Some(*kind),
            sessions: *sessions as f64 / looks,
            share: *sessions as f64 / active.max(1) as f64,
        })
        .collect();
    waits.sort_by(|a, b| b.sessions.total_cmp(&a.sessions));
    if waits.len() > WAITS_MAX {
        let rest = waits.split_off(WAITS_MAX - 1);
        waits.push(WaitRecord {
            class: "other".into(),
            event: String::new(),
            kind: None,
            sessions: rest.iter().map(|wait| wait.sessions).sum(),
            share: rest.iter().map(|wait| wait.share).sum(),
        });
    }
    ServerLoadRecord {
        samples: seen.samples,
        active_sessions: active as f64 / looks,
        waits,
        counters: seen.counters.clone(),
        gauges: seen
            .gauges
            .iter()
            .map(|(name, gauge)| (name.clone(), gauge_record(gauge)))
            .collect(),
        missing,
    }
}

fn gauge_record(gauge: &Gauge) -> GaugeRecord {
    GaugeRecord { mean: gauge.mean(), min: gauge.min, max: gauge.max, last: gauge.last }
}

#[cfg(test)]
mod tests {
    use tacho_core::WaitKind;

    use super::*;

    #[test]
    fn shares_add_up_and_the_tail_is_summed() {
        let mut seen = ServerSeen { samples: 10, ..ServerSeen::default() };
        for number in 0..30_u64 {
            seen.waits.insert(("c".into(), format!("{number:02}"), WaitKind::Latch), number + 1);
        }
        let record = record(&seen, Vec::new());
        assert_eq!((record.waits.len(), record.waits[0].event.as_str()), (WAITS_MAX, "29"));
        let share: f64 = record.waits.iter().map(|wait| wait.share).sum();
        assert!((share - 1.0).abs() < 1e-9);
        assert!((record.active_sessions - 46.5).abs() < 1e-9);
    }
}
