//! One agent, as seen by the coordinator.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_core::units::span;
use tacho_core::{Error, ErrorKind};
use tacho_engine::{Border, Share};
use tacho_metrics::{Phase, Recorder};

use crate::clocks::{Clocks, Exchange, nanos, now};
use crate::outbox::Inbox;
use crate::{Ending, Message, Part, Records};

/// Maximum number of digits of any number in the records of an interval. A year in nanoseconds has 17 digits.
const DIGITS_MAX: u32 = 17;

/// Time without a message after which a host is reported as silent.
pub(crate) const SILENT: Duration = Duration::from_secs(2);

/// An agent that takes part in a run.
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) share: Share,
    /// Number of takeovers of the share, including that by this agent.
    pub(crate) turn: u32,
    /// The time in the load at which the agent joined; absent unless it takes over a lost host's share.
    pub(crate) entered: Option<Duration>,
    pub(crate) cores: u32,
    pub(crate) accepted: bool,
    pub(crate) refused: Option<String>,
    pub(crate) ready: Option<u32>,
    pub(crate) failed: Option<Error>,
    pub(crate) started: bool,
    pub(crate) heard: Instant,
    /// Time at which the most recent piece of the agent's measurement arrived.
    piece: Instant,
    pub(crate) clocks: Clocks,
    pub(crate) end: Option<Ending>,
    /// The reason why the host was lost, and the time in the load at which its complete records end; `None` if the
    /// host was not lost.
    pub(crate) lost: Option<(String, Duration)>,
    /// Time after which a lost host has certainly stopped working.
    pub(crate) idle_from: Instant,
    /// Time of the last request.
    pub(crate) asked: Option<Instant>,
    /// True if the user already knows that the agent is silent.
    pub(crate) silence_noted: bool,
    /// The numbers of sessions that have not ended, that have not logged in yet, and that have finished all their
    /// work.
    pub(crate) sessions: [u32; 3],
    /// For each transaction type, the number of transactions that the agent started or skipped in the measured phase.
    pub(crate) due: Vec<u64>,
    /// The agent's notes about commits, by session number.
    pub(crate) commits: Vec<(u32, Vec<u64>)>,
    /// Messages from an agent that is executing a task.
    pub(crate) said: VecDeque<Value>,
    inbox: Inbox,
    records: VecDeque<Records>,
    /// The phase and the end of the last interval whose records have been merged.
    taken: Option<(Phase, Duration)>,
    backlog: Option<u64>,
}

impl Member {
    pub(crate) fn new(id: &str, name: &str, cores: u32, share: Share, now: Instant) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            share,
            turn: 0,
            entered: None,
            cores,
            accepted: false,
            refused: None,
            ready: None,
            failed: None,
            started: false,
            heard: now,
            piece: now,
            clocks: Clocks::default(),
            end: None,
            lost: None,
            idle_from: now,
            asked: None,
            silence_noted: false,
            sessions: [0; 3],
            due: Vec::new(),
            commits: Vec::new(),
            said: VecDeque::new(),
            inbox: Inbox::default(),
            records: VecDeque::new(),
            taken: None,
            backlog: None,
        }
    }

    /// Returns true if no more messages are expected from the agent.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some() || self.lost.is_some()
    }

    /// Handles a message from the agent and returns the response, if one is needed.
    pub(crate) fn hear(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Accepted => self.accepted = true,
            Message::Refused { why } => self.refused = Some(why),
            Message::Ready { sessions } => {
                self.ready = Some(sessions);
                // If the agent takes over a share, its sessions are not counted until it has joined the load.
                if self.turn == 0 {
                    self.sessions = [sessions, 0, 0];
                }
            }
            Message::Failed(failure) => self.failed = Some(failure),
            Message::Started => self.started = true,
            Message::Time { sent, at, calendar } => {
                let clock = tacho_collect::wall_clock();
                let calendar = calendar.as_secs_f64() - clock.as_secs_f64();
                self.clocks.add(&Exchange { ours: [sent, nanos()], theirs: at, calendar });
            }
            Message::Piece { part, piece, pieces, text } => {
                self.piece = now();
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
        if has_absurd_number(text) {
            self.failed = Some(unreadable("the agent reported an impossible number"));
            return;
        }
        match serde_json::from_str(text) {
            Ok(Part::Records(records)) => {
                self.sessions = records.sessions;
                self.records.push_back(*records);
            }
            Ok(Part::Commits(commits)) => self.commits = commits,
            Ok(Part::Task(said)) => self.said.push_back(said),
            Ok(Part::End(end)) => {
                self.sessions[0] = 0;
                match &end.left {
                    // The agent ended the load early. All records up to this point count.
                    Some(why) => {
                        let text = format!("the agent ended the load: {why}");
                        self.failed.get_or_insert(Error::new(ErrorKind::Cancelled, text));
                    }
                    None => self.end = Some(*end),
                }
            }
            Err(error) => {
                let why = format!("the agent sent a message that this build cannot read: {error}");
                self.failed = Some(unreadable(why));
            }
        }
    }

    /// Returns true if the agent is to replace a lost host but has not joined the load yet.
    pub(crate) fn is_awaited(&self) -> bool {
        self.turn > 0 && self.entered.is_none()
    }

    /// Records that the agent has taken over the share. `at` is the time since the start of the load.
    pub(crate) fn enter(&mut self, at: Duration, now: Instant) {
        self.entered = Some(at);
        self.piece = now;
        if self.taken.is_none() && self.records.is_empty() {
            self.sessions = [self.ready.unwrap_or_default(), 0, 0];
        }
    }

    /// Returns true if the agent replaces a lost host and does not join the load before the time `to`.
    fn comes_after(&self, to: Duration) -> bool {
        self.turn > 0 && self.entered.is_none_or(|at| to <= at)
    }

    /// Merges the agent's records up to a border, which is the end of an interval. Returns true if the agent will not
    /// deliver any more records from before this border.
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
        // If a phase ends early, each host ends it at a slightly different time, before or after the border. In this
        // case, wait for records of the next phase instead of comparing times.
        let reached = self.taken.is_some_and(|(phase, to)| {
            phase > border.phase || (phase == border.phase && to >= border.to && !border.ended)
        });
        let has_none = self.is_over() || self.comes_after(border.to);
        reached || has_none || (border.ended && border.phase == Phase::RampDown)
    }

    /// Marks an agent as failed if it still responds but has not sent the records of an interval in time. The records
    /// were due at `since`.
    pub(crate) fn require_records(&mut self, since: Instant, now: Instant, lease: Duration) {
        let waited = now.saturating_duration_since(since.max(self.piece));
        let answers = now.saturating_duration_since(self.heard) < SILENT;
        if waited > lease && answers && self.failed.is_none() {
            let text = format!("the agent responds, but has sent no records for {}", span(lease));
            let error = Error::new(ErrorKind::Timeout, text);
            self.failed = Some(error.hint("find out why the agent's load has stopped"));
        }
    }

    /// Restarts the agent's timeouts, because this process could not receive messages until now.
    pub(crate) fn excuse(&mut self, now: Instant) {
        (self.heard, self.piece) = (now, now);
    }

    /// Adds all remaining records.
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
        for (sum, series) in self.due.iter_mut().zip(measured) {
            *sum += series.ledger.due;
        }
        self.taken = Some((records.phase, records.span[1]));
        self.backlog = records.backlog;
    }

    /// Returns the number of arrivals that are waiting for the agent's sessions.
    pub(crate) fn backlog(&self) -> Option<u64> {
        self.backlog.filter(|_| !self.is_over())
    }

    /// Returns how far the agent's records extend, as a time since the start of the load.
    pub(crate) fn reported_until(&self) -> Duration {
        self.taken.map_or(Duration::ZERO, |(_, to)| to)
    }
}

/// Returns the error for a host with unreadable messages.
fn unreadable(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Protocol, why).hint("use the same build on all hosts")
}

/// Returns true if the JSON contains a number so large that a sum could overflow. Ignores numbers in strings.
pub(crate) fn has_absurd_number(json: &str) -> bool {
    let (mut quoted, mut escaped, mut fraction, mut digits) = (false, false, false, 0);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => (quoted, digits) = (!quoted, 0),
            _ if quoted => {}
            b'.' => fraction = true,
            b'0'..=b'9' if !fraction => {
                digits += 1;
                if digits > DIGITS_MAX {
                    return true;
                }
            }
            b'0'..=b'9' | b'e' | b'-' | b'+' => {}
            _ => (fraction, digits) = (false, 0),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use tacho_engine::Gathered;
    use tacho_metrics::Ending as How;

    use super::*;

    /// Returns two messages from an agent, one about an interval and one about the end of its load.
    fn parts() -> [Part; 3] {
        let mut recorder = Recorder::new(2);
        let took = Duration::from_micros(900);
        for transaction in 0..2 {
            recorder.start(Phase::Measure, transaction);
            recorder.finish([Phase::Measure; 2], transaction, How::Committed, took, took);
            recorder.skip(Phase::Measure, transaction);
        }
        let span = [Duration::ZERO, Duration::from_secs(1)];
        let (phase, sessions) = (Phase::Measure, [3, 0, 0]);
        let records = Records { phase, span, sessions, backlog: Some(2), recorder };
        let gathered = Gathered { measured: took, ..Gathered::default() };
        let end = Ending { gathered, ..Ending::default() };
        [
            Part::Records(Box::new(records)),
            Part::Commits(vec![(1, vec![5; 16])]),
            Part::End(Box::new(end)),
        ]
    }

    /// Returns the text with one of its numbers replaced. `which` is the index of this number, starting at 0. Returns
    /// `None` if the text has fewer numbers.
    fn with_number(text: &str, which: usize, number: &str) -> Option<String> {
        let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let begins = |at: &usize| is_digit(*at) && (*at == 0 || !is_digit(at - 1));
        let from = (0..text.len()).filter(begins).nth(which)?;
        let to = (from..text.len()).find(|at| !is_digit(*at)).unwrap_or(text.len());
        Some(format!("{}{number}{}", &text[..from], &text[to..]))
    }

    #[test]
    fn numbers_in_texts_and_behind_a_point_may_be_long() {
        let long = "123456789012345678";
        for (json, is_absurd) in [
            (format!("[{long}]"), true),
            (format!("{{\"a\":-{long}}}"), true),
            (format!("[\"{long}\", \"\\\"{long}\"]"), false),
            (format!("[0.{long}, 12345678901234567]"), false),
            (format!("[0.{long},{long}]"), true),
        ] {
            assert_eq!(has_absurd_number(&json), is_absurd, "{json}");
        }
    }

    /// Corrupts each number in the messages of an agent. The host may then be lost or its results may be wrong, but the
    /// coordinator must not fail.
    #[test]
    fn invalid_numbers_do_not_end_the_coordinator() {
        let whole: Vec<String> =
            parts().iter().map(|part| serde_json::to_string(part).expect("a part")).collect();
        for changed in 0..whole.len() {
            for number in ["18446744073709551615", "99999999999999999", "4294967295", "-1"] {
                let mut which = 0;
                while let Some(text) = with_number(&whole[changed], which, number) {
                    which += 1;
                    let share = Share { place: 0, of: 1 };
                    let mut member = Member::new("a", "a", 1, share, now());
                    let mut total = Recorder::new(2);
                    for (part, text) in (0..).zip([&whole[0], &text, &whole[0]]) {
                        let (piece, pieces, text) = (0, 1, text.clone());
                        member.hear(Message::Piece { part, piece, pieces, text });
                        let to = Duration::from_secs(1);
                        member.collect(
                            Border { phase: Phase::Measure, to, ended: false },
                            &mut total,
                        );
                    }
                    member.collect_rest(&mut total);
                    let _ = (member.backlog(), member.reported_until());
                }
                assert!(changed == 1 || which > 3, "numbers of {}", whole[changed]);
            }
        }
    }
}
