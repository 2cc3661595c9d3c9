//! One agent as the coordinator knows it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tacho_engine::{Border, Share};
use tacho_metrics::{Phase, Recorder};

use crate::clocks::{Clocks, Exchange, nanos};
use crate::outbox::Inbox;
use crate::{Ending, Failure, Message, Part, Records};

/// An agent that takes part in a run.
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) share: Share,
    pub(crate) cores: u32,
    pub(crate) accepted: bool,
    pub(crate) refused: Option<String>,
    pub(crate) ready: Option<u32>,
    pub(crate) failed: Option<Failure>,
    pub(crate) started: bool,
    pub(crate) heard: Instant,
    pub(crate) clocks: Clocks,
    pub(crate) end: Option<Ending>,
    /// Why it is lost, and since when of the load.
    pub(crate) lost: Option<(String, Duration)>,
    /// Whether the user knows that it is silent.
    pub(crate) told: bool,
    /// Sessions that have not ended, have yet to log in, and are done.
    pub(crate) sessions: [u32; 3],
    /// Begun transactions of the measured phase that it told of, by kind, with those that were skipped.
    pub(crate) due: Vec<u64>,
    /// What it noted of commits, by session.
    pub(crate) commits: Vec<(u32, Vec<u64>)>,
    inbox: Inbox,
    records: VecDeque<Records>,
    /// End of what was taken.
    taken: Option<(Phase, Duration)>,
    backlog: Option<u64>,
}

impl Member {
    pub(crate) fn new(id: &str, name: &str, cores: u32, share: Share, now: Instant) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            share,
            cores,
            accepted: false,
            refused: None,
            ready: None,
            failed: None,
            started: false,
            heard: now,
            clocks: Clocks::default(),
            end: None,
            lost: None,
            told: false,
            sessions: [0; 3],
            due: Vec::new(),
            commits: Vec::new(),
            inbox: Inbox::default(),
            records: VecDeque::new(),
            taken: None,
            backlog: None,
        }
    }

    /// Whether nothing more is to be expected of it.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some() || self.lost.is_some()
    }

    /// What it says. Returns what is to be answered.
    pub(crate) fn hear(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Accepted => self.accepted = true,
            Message::Refused { why } => self.refused = Some(why),
            Message::Ready { sessions } => {
                self.ready = Some(sessions);
                self.sessions = [sessions, 0, 0];
            }
            Message::Failed(failure) => self.failed = Some(failure),
            Message::Started => self.started = true,
            Message::Time { sent, at, calendar } => {
                let own = tacho_collect::wall_clock();
                let calendar = calendar.as_secs_f64() - own.as_secs_f64();
                self.clocks.add(&Exchange { ours: [sent, nanos()], theirs: at, calendar });
            }
            Message::Piece { part, piece, pieces, text } => {
                if let Some(text) = self.inbox.take(part, [piece, pieces], &text) {
                    self.part(&text);
                }
                return Some(Message::Have { parts: self.inbox.parts });
            }
            _ => {}
        }
        None
    }

    fn part(&mut self, text: &str) {
        match serde_json::from_str(text) {
            Ok(Part::Records(records)) => {
                self.sessions = records.sessions;
                self.records.push_back(*records);
            }
            Ok(Part::Commits(commits)) => self.commits = commits,
            Ok(Part::End(end)) => {
                self.sessions[0] = 0;
                match &end.left {
                    // What it did until then counts, and it was not to end then.
                    Some(why) => {
                        self.failed = Some(Failure {
                            kind: tacho_core::ErrorKind::Cancelled,
                            text: format!("it ended the load: {why}"),
                            hints: Vec::new(),
                        });
                    }
                    None => self.end = Some(*end),
                }
            }
            Err(error) => {
                let why = format!("it says what this build cannot read: {error}");
                self.failed = Some(Failure {
                    kind: tacho_core::ErrorKind::Protocol,
                    text: why,
                    hints: vec!["use the same build on all hosts".into()],
                });
            }
        }
    }

    /// Adds what it recorded up to the border. Returns whether that is all there will be.
    pub(crate) fn collect(&mut self, border: Border, into: &mut Recorder) -> bool {
        while let Some(front) = self.records.front() {
            let [_, to] = front.span;
            let is_earlier = front.phase < border.phase;
            let is_within = front.phase == border.phase && (to <= border.to || border.ended);
            if !is_earlier && !is_within {
                return true;
            }
            self.take(into);
        }
        // Who ends a phase early on one host does so on the others, a moment before or after.
        let reached = self.taken.is_some_and(|(phase, to)| {
            phase > border.phase || (phase == border.phase && to >= border.to && !border.ended)
        });
        reached || self.is_over() || (border.ended && border.phase == Phase::RampDown)
    }

    /// Adds all that is left.
    pub(crate) fn collect_rest(&mut self, into: &mut Recorder) {
        while !self.records.is_empty() {
            self.take(into);
        }
    }

    fn take(&mut self, into: &mut Recorder) {
        let Some(records) = self.records.pop_front() else { return };
        into.merge(&records.recorder);
        let measured = records.recorder.series(Phase::Measure);
        self.due.resize(measured.len().max(self.due.len()), 0);
        for (own, series) in self.due.iter_mut().zip(measured) {
            *own += series.ledger.due;
        }
        self.taken = Some((records.phase, records.span[1]));
        self.backlog = records.backlog;
    }

    /// Arrivals that wait for its sessions.
    pub(crate) fn backlog(&self) -> Option<u64> {
        self.backlog.filter(|_| !self.is_over())
    }

    /// How far its records go, since the start of the load.
    pub(crate) fn told_until(&self) -> Duration {
        self.taken.map_or(Duration::ZERO, |(_, to)| to)
    }
}
