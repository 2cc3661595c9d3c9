//! Detects marks during a run. A mark is an event that can explain a change in a chart.
//!
//! Start reading at [`Marks::after`].

use std::collections::BTreeSet;

use tacho_config::LoadSteps;
use tacho_core::units::counted;
use tacho_engine::Interval;
use tacho_metrics::Connection;
use tacho_store::ServerIntervalRecord;
use tacho_store::event::MarkKind;

/// The name of the server's checkpoint counter.
const CHECKPOINTS: &str = "checkpoints";

/// The time in seconds since the start of the load, the kind of mark, and its text.
pub(super) type Mark = (f64, MarkKind, String);

/// Compares each interval with the one before it, to detect changes in load steps and connections.
#[derive(Default)]
pub(super) struct Marks {
    step: Option<u32>,
    /// The sessions that have no connection.
    missing: BTreeSet<u32>,
}

impl Marks {
    /// Returns the marks of a completed interval in chronological order.
    pub(super) fn after(
        &mut self,
        interval: &Interval<'_>,
        load: Option<&LoadSteps>,
        server: Option<&ServerIntervalRecord>,
    ) -> Vec<Mark> {
        let mut marks = self.connections(interval);
        marks.extend(self.step(interval, load));
        marks.extend(server.and_then(checkpoints));
        marks.sort_by(|one, other| one.0.total_cmp(&other.0));
        marks
    }

    fn step(&mut self, interval: &Interval<'_>, load: Option<&LoadSteps>) -> Option<Mark> {
        let before = std::mem::replace(&mut self.step, interval.step);
        let step = interval.step.filter(|step| before != Some(*step))?;
        let words = load?.steps.get(step as usize)?.words();
        let text = format!("step {}: {words}", step + 1);
        Some((interval.from.as_secs_f64(), MarkKind::StepBegins, text))
    }

    fn connections(&mut self, interval: &Interval<'_>) -> Vec<Mark> {
        let mut events = interval.recorder.connections.clone();
        events.sort_by_key(|event| event.at);
        let mut marks = Vec::new();
        for event in events {
            let was_complete = self.missing.is_empty();
            match event.what {
                Connection::Lost { .. } => self.missing.insert(event.session),
                Connection::Back { .. } => self.missing.remove(&event.session),
                Connection::Missing { .. } | Connection::FirstGood => continue,
            };
            let (kind, text) = match (was_complete, self.missing.is_empty()) {
                (true, false) => (MarkKind::OutageBegins, "outage begins: connection lost"),
                (false, true) => (MarkKind::OutageEnds, "outage ends: all sessions are connected"),
                _ => continue,
            };
            marks.push((event.at.since(interval.origin).as_secs_f64(), kind, text.to_owned()));
        }
        marks
    }
}

fn checkpoints(server: &ServerIntervalRecord) -> Option<Mark> {
    let count = server.load.counters.get(CHECKPOINTS).copied().filter(|count| *count > 0)?;
    Some((server.at_s, MarkKind::Checkpoint, counted(count, "checkpoint")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_core::Instant;
    use tacho_metrics::{ConnectionEvent, Phase, Recorder};

    use super::*;

    fn marks(collected: &mut Marks, events: &[(u64, u32, Connection)]) -> Vec<(f64, MarkKind)> {
        let mut recorder = Recorder::new(1);
        let at = |second: u64| Instant::default().plus(Duration::from_secs(second));
        let event =
            |(second, session, what): &(u64, u32, Connection)| (at(*second), *session, *what);
        recorder.connections = events
            .iter()
            .map(event)
            .map(|(at, session, what)| ConnectionEvent { at, session, what })
            .collect();
        let interval = Interval {
            from: Duration::ZERO,
            to: Duration::from_secs(1),
            phase: Phase::Measure,
            sessions: 2,
            step: None,
            backlog: None,
            recorder: &recorder,
            total: &recorder,
            origin: at(0),
        };
        let found = collected.after(&interval, None, None);
        found.into_iter().map(|(at_s, kind, _)| (at_s, kind)).collect()
    }

    #[test]
    fn an_outage_ends_when_every_session_is_connected_again() {
        let (lost, back) =
            (Connection::Lost { last_good: Instant::default() }, Connection::Back { refused: 3 });
        let mut collected = Marks::default();
        let first = marks(&mut collected, &[(3, 1, lost), (2, 0, lost), (4, 0, back)]);
        assert_eq!(first, [(2.0, MarkKind::OutageBegins)]);
        assert_eq!(marks(&mut collected, &[(5, 1, Connection::FirstGood)]), []);
        let end = marks(&mut collected, &[(6, 1, back), (8, 1, lost)]);
        assert_eq!(end, [(6.0, MarkKind::OutageEnds), (8.0, MarkKind::OutageBegins)]);
    }
}
