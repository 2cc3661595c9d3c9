//! The coordinator's state, which consists of its hosts and their messages.
//!
//! The thread of the connection receives messages and updates this state. The thread of the run waits for changes.
//!
//! Start reading at [`Ear::hear`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_core::{Error, ErrorKind};
use tacho_engine::Presence;

use crate::Message;
use crate::broker::{Ear, Line, TICK};
use crate::clocks::{nanos, now};
use crate::member::Member;
use crate::message::{AGENTS, Letter, of_agent};

/// Maximum delay of the connection's periodic check. A longer delay means that the process was suspended.
const STOPPED: Duration = Duration::from_secs(1);
/// Interval at which a waiting thread checks for a user interrupt.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Receives the hosts' messages to the coordinator and stores the hosts' state.
pub(crate) struct Desk {
    pub(crate) run: String,
    pub(crate) state: Mutex<State>,
    pub(crate) changed: Condvar,
}

/// The state of all hosts.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) offers: BTreeMap<String, Offered>,
    pub(crate) members: Vec<Member>,
    pub(crate) presence: Option<Presence>,
    last_tick: Option<Instant>,
    pub(crate) ticks: u64,
    pub(crate) calling: bool,
    /// State of takeovers; absent if a lost host's share cannot be taken over by another agent.
    pub(crate) relief: Option<Relief>,
}

/// An agent that has responded to the call.
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) cores: u32,
    pub(crate) busy: Option<String>,
}

/// The state of takeovers.
pub(crate) struct Relief {
    /// The instructions sent to each host.
    pub(crate) briefing: Value,
    pub(crate) lease: Duration,
    /// Length of the load.
    length: Duration,
    /// Start of the load, and the time after which shares are no longer taken over.
    span: Option<[Instant; 2]>,
    /// Agents that failed to take over a share.
    pub(crate) unfit: BTreeSet<String>,
    /// Messages that have not been shown to the user yet.
    pub(crate) notes: VecDeque<String>,
}

impl Relief {
    pub(crate) fn new(briefing: &Value, lease: Duration, length: Duration) -> Self {
        let (unfit, notes) = (BTreeSet::new(), VecDeque::new());
        Self { briefing: briefing.clone(), lease, length, span: None, unfit, notes }
    }

    /// Records that the load starts at the given time.
    pub(crate) fn begin(&mut self, at: Instant) {
        self.span = Some([at, at + self.length]);
    }

    /// Records that the load has ended.
    pub(crate) fn end(&mut self) {
        self.span = None;
    }

    /// Returns the start and end of the load if it is running now. Otherwise, returns `None`, because shares are taken
    /// over only during the load.
    pub(crate) fn span(&self, now: Instant) -> Option<[Instant; 2]> {
        self.span.filter(|[begin, end]| now >= *begin && now < *end)
    }
}

impl Desk {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn letter(&self, message: Message) -> Letter {
        Letter { run: self.run.clone(), agent: String::new(), message }
    }
}

impl State {
    /// Returns true if this process has been suspended since the last tick.
    pub(crate) fn was_stopped(&self, now: Instant) -> bool {
        self.last_tick.is_some_and(|last| now.saturating_duration_since(last) > TICK + STOPPED)
    }

    /// Tells the run's controller how many sessions there are at present on all hosts.
    pub(crate) fn tell_presence(&self) {
        let Some(presence) = &self.presence else { return };
        let mut sum = [0; 3];
        // A lost host's sessions still count as long as another host may take over its share.
        let awaits = self.relief.as_ref().is_some_and(|relief| relief.span(now()).is_some());
        for member in self.members.iter().filter(|member| awaits || member.lost.is_none()) {
            for (sum, sessions) in sum.iter_mut().zip(member.sessions) {
                *sum += sessions;
            }
        }
        presence.set(sum[0], sum[1], sum[2]);
    }
}

impl Ear for Desk {
    fn hear(&self, letter: Letter, line: &Line) {
        let mut state = self.lock();
        if let Message::Offer { name, version, cores, busy } = letter.message {
            state.offers.insert(letter.agent, Offered { name, version, cores, busy });
            self.changed.notify_all();
            return;
        }
        let Some(member) = state.members.iter_mut().find(|member| member.id == letter.agent) else {
            return;
        };
        if let Some((why, _)) = &member.lost {
            let why = Some(format!("the coordinator gave up on this host: {why}"));
            return line.say(of_agent(&letter.agent), &self.letter(Message::Release { why }));
        }
        member.heard = now();
        if let Message::Leaves { why } = letter.message {
            let error = Error::new(ErrorKind::Cancelled, why);
            member.failed = Some(error.hint("do not stop agents during a run"));
        } else if let Some(answer) = member.hear(letter.message) {
            line.say(of_agent(&letter.agent), &self.letter(answer));
        }
        self.take_over(&mut state, line);
        state.tell_presence();
        self.changed.notify_all();
    }

    fn tick(&self, line: &Line) {
        let mut state = self.lock();
        let now = now();
        if state.was_stopped(now) {
            // This process was suspended and has not yet read the messages that arrived in the meantime. Do not count
            // this time as silence of the hosts.
            state.members.iter_mut().for_each(|member| member.excuse(now));
        }
        state.last_tick = Some(now);
        state.ticks += 1;
        self.take_over(&mut state, line);
        if state.calling {
            line.say(AGENTS.to_owned(), &self.letter(Message::Call));
        }
        if !line.is_connected() {
            return;
        }
        let second = state.ticks.is_multiple_of(4) && state.presence.is_some();
        for member in state.members.iter().filter(|member| member.lost.is_none()) {
            let to = || of_agent(&member.id);
            line.say(to(), &self.letter(Message::Beat));
            if second {
                line.say(to(), &self.letter(Message::Clock { sent: nanos() }));
            }
        }
    }
}
