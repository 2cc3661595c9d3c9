//! The messages between the coordinator and the agents.
//!
//! The coordinator calls all agents on the subject `tacho.agents`. In addition, each run has its own subject, and its
//! agents send their messages there. A message that requires a response is repeated until the response arrives.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_core::Error;
use tacho_engine::{Gathered, Share};
use tacho_metrics::{Phase, Recorder};

/// The subject on which all agents receive messages.
pub(crate) const AGENTS: &str = "tacho.agents";

/// Returns the subject on which a single agent receives messages.
pub(crate) fn of_agent(id: &str) -> String {
    format!("tacho.agent.{id}")
}

/// Returns the subject on which the coordinator of a run receives messages.
pub(crate) fn of_run(run: &str) -> String {
    format!("tacho.run.{run}")
}

/// A message, with its sender and the run it belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Letter {
    /// The run.
    pub run: String,
    /// ID of the agent that sent the message; empty if it was sent by the coordinator.
    #[serde(default)]
    pub agent: String,
    /// The message.
    pub message: Message,
}

/// The content of a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// To all agents: asks which agents are available.
    Call,
    /// Announces an agent.
    Offer {
        /// Name of the agent, which must be unique.
        name: String,
        /// Version of the agent.
        version: String,
        /// Number of processors available to the agent.
        cores: u32,
        /// The run that the agent is working for; `None` if it is available.
        busy: Option<String>,
    },
    /// To an agent: asks it to run the given share.
    Claim {
        /// The share.
        share: Share,
        /// Time after which the agent gives up if it does not hear from the coordinator.
        lease: Duration,
        /// The agent's instructions.
        briefing: Value,
        /// Instructions for joining a running load; absent if the agent takes part from the start.
        #[serde(default)]
        entry: Option<Entry>,
    },
    /// The agent has accepted the share.
    Accepted,
    /// The agent rejects the share because it is working for another run.
    Refused {
        /// The reason.
        why: String,
    },
    /// The agent's sessions are connected.
    Ready {
        /// Number of sessions.
        sessions: u32,
    },
    /// The agent could not start its work.
    Failed(Error),
    /// To an agent: asks for the current time on its clock.
    Clock {
        /// Time of the request on the coordinator's clock, in nanoseconds.
        sent: u64,
    },
    /// The time on the agent's clock.
    Time {
        /// The `sent` value of the request.
        sent: u64,
        /// Times on the agent's clock, in nanoseconds, at which it received the request and sent the response.
        at: [u64; 2],
        /// The agent's wall clock, read between receiving the request and sending the response.
        calendar: Duration,
    },
    /// To an agent: asks it to start at the given time on its clock.
    Start {
        /// Time on the agent's clock, in nanoseconds.
        at: u64,
    },
    /// The agent confirms that it will start at that time.
    Started,
    /// To an agent: asks it to end the load.
    Stop {
        /// Number of times that the user asked Tacho to stop. After the second time, transactions in flight are
        /// abandoned.
        presses: u8,
    },
    /// A heartbeat that both sides send several times a second.
    Beat,
    /// A piece of a part of the measurement.
    Piece {
        /// Number of the part, from 0.
        part: u64,
        /// Number of the piece, from 0.
        piece: u32,
        /// Number of pieces in the part.
        pieces: u32,
        /// Text of the piece.
        text: String,
    },
    /// To an agent: confirms the number of parts received so far.
    Have {
        /// Number of parts.
        parts: u64,
    },
    /// To an agent: tells it that the work is finished or no longer needed.
    Release {
        /// The reason, if the work ended early.
        why: Option<String>,
    },
    /// The agent is leaving before it has finished its work.
    Leaves {
        /// The reason.
        why: String,
    },
}

/// Information for an agent that joins a running load to replace a lost host.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Number of times that the share has been taken over, including this time.
    pub turn: u32,
    /// Approximate time since the start of the load.
    pub begun: Duration,
}

/// A part of an agent's measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Part {
    /// The records of an interval.
    Records(Box<Records>),
    /// Notes about the commits of the agent's sessions. Each entry consists of a session number and the numbers noted
    /// for this session.
    Commits(Vec<(u32, Vec<u64>)>),
    /// A message from an agent that is executing a task rather than a load.
    Task(Value),
    /// The final results.
    End(Box<Ending>),
}

/// The records of an interval.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    /// The phase of the interval.
    pub phase: Phase,
    /// Start and end of the interval, as times since the start of the load.
    pub span: [Duration; 2],
    /// The numbers of sessions that have not ended, that have not logged in yet, and that have finished all their
    /// work.
    pub sessions: [u32; 3],
    /// Number of waiting arrivals.
    pub backlog: Option<u64>,
    /// The records, with times relative to the start of the load.
    pub recorder: Recorder,
}

/// A host's final results, without its records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ending {
    /// The sum over all of the host's sessions.
    #[serde(flatten)]
    pub gathered: Gathered,
    /// The reason why the host itself ended its load early; absent if it did not.
    #[serde(default)]
    pub left: Option<String>,
    /// The resources used by the host.
    pub tool: Tool,
}

/// The resources that a host used in the measured phase.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Tool {
    /// CPU time of the agent.
    pub cpu: Option<Duration>,
    /// Number of processors available to the agent.
    pub cores: u32,
    /// Number of threads that run event-driven sessions.
    pub workers: u32,
    /// Periods during which the agent's process was suspended: their number, their total length, and the longest one.
    pub stops: Option<(u64, Duration, Duration)>,
}

/// Returns the error with the host's name added.
pub fn of_host(error: &Error, host: &str) -> Error {
    let named = Error::new(error.kind(), format!("{host}: {error}"));
    error.hints().iter().fold(named, |named, hint| named.hint(hint.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Earlier builds may have saved shares in format version 1, so this format must remain readable.
    #[test]
    fn the_end_of_an_earlier_build_is_read() {
        let text = r#"{"abandoned":1,"never_taken":5,"never_taken_in_steps":[2,3],
            "lost":[{"kind":"connect","text":"hung up","hints":["see its log"]}],"panics":2,
            "tally":[[7,9]],"traffic":[30,20],"session_times":[],
            "query_stats_error":{"kind":"auth","text":"no right","hints":[]},"imbalance":"x",
            "measured":{"secs":4,"nanos":5},"left":"why",
            "tool":{"cpu":{"secs":1,"nanos":0},"cores":2,"workers":3,"stops":null}}"#;
        let end: Ending = serde_json::from_str(text).expect("the end");
        assert_eq!(end.gathered.tally.get(0), (7, 9));
        assert_eq!(end.gathered.traffic.round_trips, 20);
        let error = of_host(&end.gathered.lost[0], "a");
        assert_eq!((error.to_string(), error.hints().len()), ("a: hung up".into(), 1));
        let again: Value = serde_json::to_value(&end).expect("the end");
        assert_eq!(again, serde_json::from_str::<Value>(text).expect("JSON"));
    }
}
