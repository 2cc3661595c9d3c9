//! What coordinator and agents say to each other.
//!
//! An agent hears calls on `tacho.agents` and what is for it alone on a subject of its own; the coordinator of a
//! run hears all agents on one subject. Whatever needs an answer is said again until there is one, so that a
//! lost message costs a moment and nothing else.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_core::{Error, ErrorKind};
use tacho_driver::Traffic;
use tacho_engine::{Measurement, SessionTimes, Share};
use tacho_metrics::{Latencies, Phase, Recorder};
use tacho_workload::Tally;

/// Where all agents hear.
pub(crate) const AGENTS: &str = "tacho.agents";

/// Where one agent hears.
pub(crate) fn of_agent(id: &str) -> String {
    format!("tacho.agent.{id}")
}

/// Where the coordinator of a run hears.
pub(crate) fn of_run(run: &str) -> String {
    format!("tacho.run.{run}")
}

/// One message: of which run, from whom, and what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Letter {
    /// The run.
    pub run: String,
    /// The agent that it is from; empty from the coordinator.
    #[serde(default)]
    pub agent: String,
    /// What is said.
    pub message: Message,
}

/// What is said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// To all agents: who is free?
    Call,
    /// An agent is there.
    Offer {
        /// Its name, which no other agent may have.
        name: String,
        /// Its version.
        version: String,
        /// Processors that it may use.
        cores: u32,
        /// The run that it works for; `None` if it is free.
        busy: Option<String>,
    },
    /// To an agent: take this share.
    Claim {
        /// The share.
        share: Share,
        /// How long it works on without a sign of the coordinator.
        lease: Duration,
        /// What is to be done.
        briefing: Value,
        /// How it enters a load that has begun; absent from those that are there from the begin on.
        #[serde(default)]
        entry: Option<Entry>,
    },
    /// It has taken it.
    Accepted,
    /// It works for another run.
    Refused {
        /// Why.
        why: String,
    },
    /// Its sessions are connected.
    Ready {
        /// How many.
        sessions: u32,
    },
    /// It could not begin.
    Failed(Failure),
    /// To an agent: what is the time there?
    Clock {
        /// Nanoseconds of the coordinator's clock.
        sent: u64,
    },
    /// The time there.
    Time {
        /// As it was asked with.
        sent: u64,
        /// Nanoseconds of the agent's clock when the question came and when the answer left.
        at: [u64; 2],
        /// Its calendar, in between.
        calendar: Duration,
    },
    /// To an agent: begin at this moment of your clock.
    Start {
        /// Nanoseconds of the agent's clock.
        at: u64,
    },
    /// It will.
    Started,
    /// To an agent: end the load; the user has asked for it so often.
    Stop {
        /// 1 waits for transactions in flight, 2 does not.
        presses: u8,
    },
    /// From both sides, several times a second: still there.
    Beat,
    /// A piece of a part of what was measured.
    Piece {
        /// Number of the part, from 0.
        part: u64,
        /// Number of the piece, from 0.
        piece: u32,
        /// How many pieces the part has.
        pieces: u32,
        /// The piece.
        text: String,
    },
    /// To an agent: this many parts are here.
    Have {
        /// How many.
        parts: u64,
    },
    /// To an agent: the work is over, or not wanted any more.
    Release {
        /// Why, if it ends early.
        why: Option<String>,
    },
    /// The agent leaves before its work is done.
    Leaves {
        /// Why.
        why: String,
    },
}

/// How an agent enters a load that has begun, in place of one that was lost.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// How often the share was taken over, from 1.
    pub turn: u32,
    /// How long ago the load began, about.
    pub begun: Duration,
}

/// A part of what an agent has measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Part {
    /// The records of an interval.
    Records(Box<Records>),
    /// What was noted of the commits of its sessions: the number of each with its figures.
    Commits(Vec<(u32, Vec<u64>)>),
    /// What an agent says of a task that is no load.
    Task(Value),
    /// The end.
    End(Box<Ending>),
}

/// The records of an interval.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    /// Its phase.
    pub phase: Phase,
    /// Begin and end, since the start of the load.
    pub span: [Duration; 2],
    /// Sessions that have not ended, those of them that have yet to log in, and those that have done all their
    /// work.
    pub sessions: [u32; 3],
    /// Arrivals that wait.
    pub backlog: Option<u64>,
    /// The records; times in them are since the start of the load.
    pub recorder: Recorder,
}

/// What a host leaves behind in addition to its records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ending {
    /// Sessions that had not ended when the wait for them was over.
    pub abandoned: u32,
    /// Arrivals of the measured phase that no session came to take.
    pub never_taken: u64,
    /// Those of each step.
    pub never_taken_in_steps: Vec<u64>,
    /// Why sessions gave up.
    pub lost: Vec<Failure>,
    /// Sessions that panicked.
    pub panics: u32,
    /// What the clients submitted: sum and number of each rule.
    pub tally: Vec<(u64, u64)>,
    /// Statements and round trips.
    pub traffic: [u64; 2],
    /// The times of each virtual user, if they were asked for.
    pub session_times: Vec<(u32, Vec<Latencies>)>,
    /// Why a session could not ask what the database had done for its queries.
    pub query_stats_error: Option<Failure>,
    /// An identity of the accounts that did not hold.
    pub imbalance: Option<String>,
    /// Length of the measured phase.
    pub measured: Duration,
    /// Why the host ended the load by itself; absent if it did not.
    #[serde(default)]
    pub left: Option<String>,
    /// What the host itself did meanwhile.
    pub tool: Tool,
}

/// What a host did in the measured phase.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Tool {
    /// CPU time of the agent.
    pub cpu: Option<Duration>,
    /// Processors that it may use.
    pub cores: u32,
    /// Threads of its event-driven sessions.
    pub workers: u32,
    /// Times in which it was stopped: number, sum, longest.
    pub stops: Option<(u64, Duration, Duration)>,
}

/// An error that goes to another host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// Its class.
    pub kind: ErrorKind,
    /// What happened.
    pub text: String,
    /// Remedies.
    pub hints: Vec<String>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self { kind: error.kind(), text: error.to_string(), hints: error.hints().to_vec() }
    }
}

impl Failure {
    /// Whether the host said that its load has ended.
    pub(crate) fn is_leave(&self) -> bool {
        self.kind == ErrorKind::Cancelled
    }

    /// The error again, of a host of this name.
    pub fn error(&self, host: &str) -> Error {
        let text =
            if host.is_empty() { self.text.clone() } else { format!("{host}: {}", self.text) };
        let error = Error::new(self.kind, text);
        self.hints.iter().fold(error, |error, hint| error.hint(hint.clone()))
    }
}

impl Ending {
    /// Of a measurement whose records were reported already.
    pub fn of(measurement: &Measurement, tool: Tool) -> Self {
        let steps = measurement.steps.iter().map(|step| step.never_taken);
        let times = measurement.session_times.iter();
        Self {
            abandoned: measurement.abandoned,
            never_taken: measurement.never_taken,
            never_taken_in_steps: steps.collect(),
            lost: measurement.lost.iter().map(Failure::from).collect(),
            panics: measurement.panics,
            tally: measurement.tally.counts().to_vec(),
            traffic: [measurement.traffic.statements, measurement.traffic.round_trips],
            session_times: times.map(|own| (own.session, own.service.clone())).collect(),
            query_stats_error: measurement.query_stats_error.as_ref().map(Failure::from),
            imbalance: measurement.imbalance.clone(),
            measured: measurement.measured,
            left: None,
            tool,
        }
    }

    /// What was submitted.
    pub fn tally(&self) -> Tally {
        Tally::of(self.tally.clone())
    }

    /// What was sent.
    pub fn traffic(&self) -> Traffic {
        let [statements, round_trips] = self.traffic;
        Traffic { statements, round_trips }
    }

    /// The times of each virtual user.
    pub fn session_times(&self) -> impl Iterator<Item = SessionTimes> + '_ {
        let times = self.session_times.iter().cloned();
        times.map(|(session, service)| SessionTimes { session, service })
    }
}
