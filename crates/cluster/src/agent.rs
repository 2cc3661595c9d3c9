//! A load host. It waits for a coordinator, runs its share of the load, and sends the measurement back.
//!
//! An agent works for one coordinator at a time. It stops if it receives no message before its lease expires.
//!
//! Start reading at [`Agent::work`].

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_core::units::span;
use tacho_core::{Error, ErrorKind, Result};
use tacho_engine::{Gate, Interrupt, Share};

use crate::broker::{Broker, Connection, Ear, Line, TICK};
use crate::clocks::{at, nanos, now};
use crate::message::{AGENTS, Letter, of_agent, of_run};
use crate::outbox::Outbox;
use crate::{Entry, Message, Part, VERSION};

/// Maximum delay of the connection's periodic check. After a longer delay, the process must have been suspended, and
/// there may be messages that it has not read.
const STOPPED: Duration = Duration::from_secs(1);
/// Interval between checks for a user interrupt.
const LOOK: Duration = Duration::from_millis(50);
/// The reason sent to the coordinator if the host's user stops the agent.
const LEFT_BY_USER: &str = "stopped by its user";

/// An agent that is connected to its NATS server.
pub struct Agent {
    shared: Arc<AgentShared>,
    connection: Connection,
    name: String,
}

/// Work for an agent.
pub struct Assignment {
    /// The run.
    pub run: String,
    /// The agent's share of the run.
    pub share: Share,
    /// The agent's instructions.
    pub briefing: Value,
    /// Instructions for joining a running load; present if the agent takes over a lost host's share.
    pub entry: Option<Entry>,
    /// Determines when the load starts.
    pub gate: Arc<dyn Gate>,
}

struct AgentShared {
    id: String,
    name: String,
    cores: u32,
    state: Mutex<AgentState>,
    changed: Condvar,
    /// Interrupts the work when the coordinator ends the load or is lost.
    interrupt: Interrupt,
}

#[derive(Default)]
struct AgentState {
    work: Option<AssignedRun>,
    last_tick: Option<Instant>,
}

/// The end of an agent's work.
#[derive(Default, PartialEq)]
enum Released {
    /// The work continues.
    #[default]
    No,
    /// The work is complete, and all results have reached the coordinator.
    Done,
    /// The work ended early, for this reason.
    Early(String),
}

/// The state of the run that the agent is working for.
struct AssignedRun {
    run: String,
    share: Share,
    briefing: Option<Value>,
    entry: Option<Entry>,
    lease: Duration,
    heard: Instant,
    /// A response that is repeated until the coordinator reacts.
    answer: Option<Message>,
    start: Option<Instant>,
    presses: u8,
    /// Set once the work has ended, either because the coordinator requested this or because the coordinator was lost.
    released: Released,
    outbox: Outbox,
}

impl Agent {
    /// Connects an agent to its NATS server. It can then be called by coordinators.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached.
    pub fn open(broker: &Broker, name: &str, cores: u32, interrupt: &Interrupt) -> Result<Self> {
        let id = random_id()?;
        let shared = Arc::new(AgentShared {
            id: id.clone(),
            name: name.to_owned(),
            cores,
            state: Mutex::default(),
            changed: Condvar::new(),
            interrupt: interrupt.clone(),
        });
        let subjects = vec![AGENTS.to_owned(), of_agent(&id)];
        let connection = broker.join(subjects, shared.clone())?;
        Ok(Self { shared, connection, name: name.to_owned() })
    }

    /// Returns the agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for work. Returns `None` if the user has stopped the agent.
    pub fn work(&self) -> Option<Assignment> {
        let mut state = self.shared.lock();
        loop {
            // Count only interrupts by the user. `presses` is the number of interrupts by a coordinator, which may
            // assign work and cancel it again before this thread notices.
            let presses = state.work.as_ref().map_or(0, |work| work.presses);
            if self.shared.interrupt.interrupt_count() > presses {
                return None;
            }
            if let Some(work) = &mut state.work
                && let Some(briefing) = work.briefing.take()
            {
                let entry = work.entry;
                let begun = entry.map(|entry| (now(), entry.begun));
                let gate = Arc::new(Start { shared: self.shared.clone(), begun });
                let (run, share) = (work.run.clone(), work.share);
                return Some(Assignment { run, share, briefing, entry, gate });
            }
            state = self.shared.wait(state, LOOK);
        }
    }

    /// Reports to the coordinator that the given number of sessions is connected.
    pub fn ready(&self, sessions: u32) {
        self.answer(Message::Ready { sessions });
    }

    /// Reports to the coordinator that the work could not be started. The agent can then accept other work.
    pub fn failed(&self, error: &Error) {
        self.answer(Message::Failed(error.clone()));
        self.leave();
    }

    fn answer(&self, message: Message) {
        let mut state = self.shared.lock();
        let Some(work) = &mut state.work else { return };
        work.answer = Some(message.clone());
        let run = work.run.clone();
        drop(state);
        self.say(&run, message);
    }

    fn say(&self, run: &str, message: Message) {
        if let Some(line) = &self.connection.line {
            line.say(of_run(run), &self.shared.letter(run, message));
        }
    }

    /// Sends part of the measurement to the coordinator.
    pub fn part(&self, part: &Part) {
        let Ok(text) = serde_json::to_string(part) else { return };
        let mut state = self.shared.lock();
        if let (Some(work), Some(line)) = (&mut state.work, &self.connection.line) {
            work.outbox.add(text);
            self.shared.send_due(work, line);
        }
    }

    /// Waits until the coordinator has received everything. If this fails, returns the reason.
    pub fn delivered(&self) -> Option<String> {
        let mut state = self.shared.lock();
        loop {
            let Some(work) = &state.work else {
                return Some("the coordinator withdrew the work".into());
            };
            match &work.released {
                Released::Early(why) => return Some(why.clone()),
                Released::Done => return None,
                Released::No => {}
            }
            if self.user_leaves(work) && self.shared.interrupt.interrupt_count() > work.presses + 1
            {
                return Some("stopped by the user".into());
            }
            state = self.shared.wait(state, LOOK);
        }
    }

    /// Returns true if this host's user, and not the coordinator, interrupted the work.
    fn user_leaves(&self, work: &AssignedRun) -> bool {
        self.shared.interrupt.interrupt_count() > work.presses
    }

    /// Returns the reason why the work ended early: the coordinator's reason, a lost connection, or an interrupt by
    /// this host's user.
    pub fn left_early(&self) -> Option<String> {
        let state = self.shared.lock();
        let work = state.work.as_ref()?;
        match &work.released {
            Released::Early(why) => Some(why.clone()),
            Released::No | Released::Done => {
                self.user_leaves(work).then(|| LEFT_BY_USER.to_owned())
            }
        }
    }

    /// Makes the agent available again. Returns true if this host's user stopped the agent.
    pub fn leave(&self) -> bool {
        let mut state = self.shared.lock();
        let Some(work) = state.work.take() else {
            return self.shared.interrupt.interrupt_count() > 0;
        };
        let leaves = self.user_leaves(&work);
        if !leaves {
            // Forget the coordinator's interrupt now. It must not be mistaken for one by the next coordinator.
            self.shared.interrupt.forget();
        }
        drop(state);
        if leaves && work.released == Released::No {
            self.say(&work.run, Message::Leaves { why: LEFT_BY_USER.into() });
        }
        leaves
    }

    /// Tells the coordinator that this host is leaving the run, if this host's user stopped the agent.
    pub fn tell_leaving(&self) {
        let state = self.shared.lock();
        if let Some(work) = state.work.as_ref().filter(|work| self.user_leaves(work)) {
            let run = work.run.clone();
            drop(state);
            self.say(&run, Message::Leaves { why: LEFT_BY_USER.into() });
        }
    }
}

impl AgentShared {
    fn lock(&self) -> MutexGuard<'_, AgentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, AgentState>,
        span: Duration,
    ) -> MutexGuard<'a, AgentState> {
        self.changed.wait_timeout(state, span).unwrap_or_else(PoisonError::into_inner).0
    }

    fn letter(&self, run: &str, message: Message) -> Letter {
        Letter { run: run.to_owned(), agent: self.id.clone(), message }
    }

    fn reply(&self, run: &str, message: Message, line: &Line) {
        line.say(of_run(run), &self.letter(run, message));
    }

    fn send_due(&self, work: &mut AssignedRun, line: &Line) {
        if !line.is_connected() {
            return;
        }
        for message in work.outbox.due(now()) {
            self.reply(&work.run, message, line);
        }
    }

    /// Ends the work. The sessions stop, and the measurement stays on this host.
    fn release(&self, work: &mut AssignedRun, why: Option<String>) {
        if work.released != Released::No {
            return;
        }
        work.released = match why {
            Some(why) => {
                self.press(work, 1);
                Released::Early(why)
            }
            None => Released::Done,
        };
        self.changed.notify_all();
    }

    fn press(&self, work: &mut AssignedRun, presses: u8) {
        while work.presses < presses {
            work.presses += 1;
            self.interrupt.press();
        }
    }

    fn claimed(&self, letter: &Letter, state: &mut AgentState, line: &Line) {
        let Message::Claim { share, lease, briefing, entry } = &letter.message else { return };
        let answer = match &state.work {
            Some(work) if work.run == letter.run => Message::Accepted,
            Some(work) => Message::Refused { why: format!("is working for run {}", work.run) },
            None => {
                state.work = Some(AssignedRun {
                    run: letter.run.clone(),
                    share: *share,
                    briefing: Some(briefing.clone()),
                    entry: *entry,
                    lease: *lease,
                    heard: now(),
                    answer: None,
                    start: None,
                    presses: 0,
                    released: Released::No,
                    outbox: Outbox::default(),
                });
                self.changed.notify_all();
                Message::Accepted
            }
        };
        self.reply(&letter.run, answer, line);
    }

    /// Handles a message from the coordinator of the current run.
    fn received(&self, message: &Message, work: &mut AssignedRun, line: &Line) {
        work.heard = now();
        match message {
            Message::Start { at: moment } => {
                work.start.get_or_insert(at(*moment));
                work.answer = None;
                self.changed.notify_all();
                self.reply(&work.run, Message::Started, line);
            }
            Message::Stop { presses } => self.press(work, *presses),
            Message::Have { parts } => {
                work.outbox.acknowledged(*parts, now());
                self.send_due(work, line);
            }
            Message::Release { why } => self.release(work, why.clone()),
            _ => {}
        }
    }
}

impl Ear for AgentShared {
    fn hear(&self, letter: Letter, line: &Line) {
        let heard = nanos();
        let mut state = self.lock();
        match &letter.message {
            Message::Call => {
                let busy = state.work.as_ref().map(|work| work.run.clone());
                let busy = busy.filter(|run| *run != letter.run);
                let (name, version, cores) = (self.name.clone(), VERSION.to_owned(), self.cores);
                self.reply(&letter.run, Message::Offer { name, version, cores, busy }, line);
            }
            Message::Claim { .. } => self.claimed(&letter, &mut state, line),
            Message::Clock { sent } => {
                let calendar = tacho_collect::wall_clock();
                let at = [heard, nanos()];
                self.reply(&letter.run, Message::Time { sent: *sent, at, calendar }, line);
            }
            message => {
                if let Some(work) = state.work.as_mut().filter(|work| work.run == letter.run) {
                    self.received(message, work, line);
                }
            }
        }
    }

    fn tick(&self, line: &Line) {
        let mut state = self.lock();
        let now = now();
        let last = state.last_tick.replace(now);
        let Some(work) = &mut state.work else { return };
        if last.is_some_and(|last| now.saturating_duration_since(last) > TICK + STOPPED) {
            work.heard = now;
        }
        if now.saturating_duration_since(work.heard) > work.lease {
            let why = format!("no messages from the coordinator for {}", span(work.lease));
            self.release(work, Some(why));
        }
        if !line.is_connected() {
            return;
        }
        self.reply(&work.run, Message::Beat, line);
        if let Some(answer) = &work.answer {
            self.reply(&work.run, answer.clone(), line);
        }
        self.send_due(work, line);
    }
}

/// The agreed start of the load.
struct Start {
    shared: Arc<AgentShared>,
    /// A point in time, and how long the load had been running at this point. Present only if the agent joins a
    /// running load.
    begun: Option<(Instant, Duration)>,
}

impl Gate for Start {
    fn pass(&self) -> Result<Instant> {
        let mut state = self.shared.lock();
        loop {
            let Some(work) = &state.work else { return Err(Interrupt::error()) };
            if let Released::Early(why) = &work.released {
                return Err(Error::new(ErrorKind::Cancelled, why.clone()));
            }
            if self.shared.interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            let left = work.start.map(|start| start.saturating_duration_since(now()));
            match (work.start, left) {
                (Some(start), Some(Duration::ZERO)) => return Ok(start),
                (_, left) => state = self.shared.wait(state, left.unwrap_or(LOOK).min(LOOK)),
            }
        }
    }

    fn begun(&self) -> Option<Duration> {
        self.begun.map(|(at, before)| now().saturating_duration_since(at) + before)
    }
}

/// Returns a random ID, because no two agents or runs may have the same ID.
pub(crate) fn random_id() -> Result<String> {
    use ring::rand::SecureRandom;
    use std::fmt::Write;
    let mut bytes = [0; 8];
    ring::rand::SystemRandom::new().fill(&mut bytes).map_err(|_| {
        Error::new(ErrorKind::Other, "the operating system does not provide random numbers")
    })?;
    let mut id = String::new();
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}
