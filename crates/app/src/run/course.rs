//! Tracks the progress of each query stream from the records of its sessions.
//!
//! The remaining time of a stream is estimated only if the number of remaining queries is known and the stream has
//! started its second round of queries.
//!
//! Start reading at [`Course::follow`].

use std::collections::BTreeSet;
use std::time::Duration;

use tacho_core::Instant;
use tacho_engine::Interval;
use tacho_metrics::{Ending, Execution};
use tacho_store::event::{EndedQuery, StreamState};

/// The progress of all streams.
pub(super) struct Course {
    names: Vec<&'static str>,
    streams: Vec<Stream>,
}

#[derive(Default)]
struct Stream {
    now: Option<(usize, Instant)>,
    left: Option<u64>,
    kinds: BTreeSet<usize>,
    took: Duration,
    state: StreamState,
}

impl Course {
    pub(super) fn new(names: Vec<&'static str>) -> Self {
        Self { names, streams: Vec::new() }
    }

    /// Returns the state of the streams at the end of this interval.
    pub(super) fn follow(&mut self, interval: &Interval<'_>) -> Vec<StreamState> {
        self.streams.iter_mut().for_each(|stream| stream.state.ended.clear());
        for begun in &interval.recorder.begun {
            let stream = self.stream(begun.session);
            stream.now = Some((begun.transaction, begun.sent));
            stream.left = begun.left;
        }
        for one in &interval.recorder.executions {
            let name = self.names[one.transaction];
            self.stream(one.session).end(name, one);
        }
        let now = interval.origin.plus(interval.to);
        for stream in &mut self.streams {
            let doing = stream.now.map(|(kind, sent)| (self.names[kind].to_owned(), sent));
            (stream.state.transaction, stream.state.since) =
                doing.map(|(name, sent)| (name, sent.since(interval.origin))).unzip();
            stream.state.left = stream.left;
            stream.state.remaining = stream.remaining(now);
        }
        self.streams.iter().map(|stream| stream.state.clone()).collect()
    }

    fn stream(&mut self, session: u32) -> &mut Stream {
        let at = session as usize;
        while self.streams.len() <= at {
            let session = self.streams.len() as u32 + 1;
            let state = StreamState { session, ..StreamState::default() };
            self.streams.push(Stream { state, ..Stream::default() });
        }
        &mut self.streams[at]
    }
}

impl Stream {
    fn end(&mut self, name: &'static str, one: &Execution) {
        let failed = match one.ending {
            Ending::Failed(kind) => Some(kind.name().to_owned()),
            Ending::Committed | Ending::RolledBack => None,
        };
        self.state.done += 1;
        self.state.failed += u64::from(failed.is_some());
        self.kinds.insert(one.transaction);
        self.took += one.took;
        if self.now == Some((one.transaction, one.sent)) {
            self.now = None;
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
        let (took, rows) = (one.took, one.rows);
        self.state.ended.push(EndedQuery { transaction: name.to_owned(), took, rows, failed });
    }

    /// Returns the estimated remaining time. Assumes that the current query does not take longer than an average query.
    fn remaining(&self, now: Instant) -> Option<Duration> {
        let left = self.left.filter(|_| self.state.done > self.kinds.len() as u64)?;
        let mean = self.took.checked_div(self.state.done.try_into().ok()?)?;
        let all = mean.saturating_mul(left.try_into().ok()?);
        let present = self.now.map_or(Duration::ZERO, |(_, sent)| now.since(sent));
        Some(all.saturating_sub(present.min(mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::ErrorKind;
    use tacho_metrics::{Begun, Phase, Recorder};

    fn at(seconds: u64) -> Instant {
        Instant::default().plus(Duration::from_secs(seconds))
    }

    fn execution(transaction: usize, sent: u64, took: u64, ending: Ending) -> Execution {
        let (sent, took) = (at(sent), Duration::from_secs(took));
        Execution {
            session: 1,
            transaction,
            sent,
            took,
            ending,
            rows: Some(3),
            first_row: None,
            work: None,
        }
    }

    fn begun(transaction: usize, sent: u64, left: u64) -> Begun {
        Begun { session: 1, transaction, sent: at(sent), left: Some(left) }
    }

    fn state(course: &mut Course, recorder: &Recorder, to: u64) -> StreamState {
        let interval = Interval {
            from: Duration::ZERO,
            to: Duration::from_secs(to),
            phase: Phase::Measure,
            sessions: 2,
            step: None,
            backlog: None,
            recorder,
            total: recorder,
            origin: at(0),
        };
        let states = course.follow(&interval);
        assert_eq!(states[0], StreamState { session: 1, ..StreamState::default() });
        states[1].clone()
    }

    #[test]
    fn a_stream_is_followed_from_query_to_query() {
        let (mut course, mut recorder) = (Course::new(vec!["q1", "q2"]), Recorder::new(2));
        recorder.begun = vec![begun(1, 0, 4), begun(0, 2, 3)];
        recorder.executions = vec![execution(1, 0, 2, Ending::Committed)];
        let first = state(&mut course, &recorder, 5);
        assert_eq!(first.now(), Some(("q1", Duration::from_secs(2))));
        assert_eq!((first.done, first.left, first.remaining), (1, Some(3), None));
        recorder.clear();
        recorder.executions = vec![execution(0, 2, 4, Ending::Failed(ErrorKind::Timeout))];
        recorder.begun = vec![begun(1, 6, 2)];
        let second = state(&mut course, &recorder, 7);
        assert_eq!((second.transaction.as_deref(), second.failed, second.done), (Some("q2"), 1, 2));
        assert_eq!(second.ended[0].failed.as_deref(), Some("timeout"));
        assert_eq!(second.remaining, None, "no kind was done twice");
        recorder.clear();
        recorder.begun = vec![begun(0, 9, 1)];
        recorder.executions = vec![execution(1, 6, 3, Ending::Committed)];
        // The stream's queries take three seconds each. The last query has been running for one second.
        let third = state(&mut course, &recorder, 10);
        assert_eq!(third.remaining, Some(Duration::from_secs(2)));
        recorder.clear();
        recorder.executions = vec![execution(0, 9, 1, Ending::Committed)];
        let last = state(&mut course, &recorder, 11);
        assert_eq!((last.now(), last.left, last.remaining), (None, Some(0), Some(Duration::ZERO)));
        recorder.clear();
        assert_eq!(state(&mut course, &recorder, 12).ended, []);
    }
}
