//! What coordinator and agents say to each other.
//!
//! An agent hears calls on `tacho.agents` and what is for it alone on a subject of its own; the coordinator of a
//! run hears all agents on one subject. Whatever needs an answer is said again until there is one, so that a
//! lost message costs a moment and nothing else.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_core::Error;
use tacho_engine::{Gathered, Share};
use tacho_metrics::{Phase, Recorder};

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
    Failed(Error),
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

/// What a host did in addition to its records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ending {
    /// What its sessions did.
    #[serde(flatten)]
    pub gathered: Gathered,
    /// Why the host ended the load by itself; absent if it did not.
    #[serde(default)]
    pub left: Option<String>,
    /// The resources that the host used.
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

/// Returns the error with the name of the host that reported it.
pub fn of_host(error: &Error, host: &str) -> Error {
    let named = Error::new(error.kind(), format!("{host}: {error}"));
    error.hints().iter().fold(named, |named, hint| named.hint(hint.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 1 of a saved share has it.
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
