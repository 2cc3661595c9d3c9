//! All hosts of a run, from the coordinator's point of view.
//!
//! The coordinator assigns shares of the load to agents, agrees with them on a start time, and combines their
//! measurements. If a host dies, its reports so far are kept.
//!
//! Start reading at [`Fleet::gather`], then at the implementation of [`Hosts`].

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_core::units::{counted, span};
use tacho_core::{Error, ErrorKind, Result};
use tacho_engine::{Border, Closing, Hosts, Interrupt, LostShare, Observer, Presence, Share};
use tacho_metrics::Recorder;

use crate::agent::random_id;
use crate::broker::{Broker, Connection};
use crate::clocks::{Offset, nanos, nanos_at, now};
use crate::desk::{Desk, LOOK, Offered, Relief, State};
use crate::member::{Member, SILENT};
use crate::message::{of_agent, of_host, of_run};
use crate::{Ending, Message, VERSION};

/// Time to wait for further agents after enough agents have responded. The wait is useful because agents are selected
/// by their names, not by the speed of their responses.
const LINGER: Duration = Duration::from_millis(300);
/// Number of clock exchanges with each host before the start.
pub(crate) const EXCHANGES: u64 = 24;
/// Minimum time between agreeing on the start of the load and the start itself. The time for `LEAD_TRIPS` round trips
/// is added, so that even busy hosts can confirm the start in time.
const LEAD: Duration = Duration::from_secs(1);
const LEAD_TRIPS: u32 = 10;
/// Minimum time between a host's confirmation of the start and the start itself.
const CONFIRM: Duration = Duration::from_millis(50);
/// Interval at which unanswered messages are repeated.
pub(crate) const AGAIN: Duration = Duration::from_millis(300);

/// Requirements for the hosts of a run.
#[derive(Clone, Debug)]
pub struct Call {
    /// Number of hosts.
    pub hosts: u32,
    /// Maximum time to wait for the hosts.
    pub within: Duration,
    /// Time after which the coordinator and a host give up if they do not hear from each other.
    pub lease: Duration,
    /// Length of the load; present if other agents may take over the shares of lost hosts.
    pub take_over: Option<Duration>,
}

impl Call {
    /// Returns the required number of agents. There is one agent per host, and a spare one if shares can be taken
    /// over.
    fn wanted(&self) -> u32 {
        self.hosts + u32::from(self.take_over.is_some())
    }
}

/// The hosts of a run.
pub struct Fleet {
    pub(crate) desk: Arc<Desk>,
    connection: Connection,
    pub(crate) lease: Duration,
    /// The start of the load.
    begin: Option<Instant>,
    released: bool,
}

/// The state of a host at the end of a run.
#[derive(Clone, Debug)]
pub struct HostSeen {
    /// Name of the host.
    pub name: String,
    /// The host's share.
    pub share: Share,
    /// Number of transactions in the measured phase that the host reported.
    pub due: u64,
    /// Offset of the host's clock at the start.
    pub offset: Option<Offset>,
    /// Number of seconds that the host's clock gained on the coordinator's clock during the run.
    pub drift_s: Option<f64>,
    /// Number of clock exchanges.
    pub exchanges: u64,
    /// Number of processors available to the agent.
    pub cores: u32,
    /// The host's final results; `None` if it was lost.
    pub end: Option<Ending>,
    /// The reason why the host was lost, and the time in the load at which its complete records end; `None` if the
    /// host was not lost.
    pub lost: Option<(String, Duration)>,
    /// The error reported by the host if it could not run its share.
    pub failure: Option<Error>,
    /// The time in the load at which the host joined; absent unless it took over a lost host's share.
    pub entered: Option<Duration>,
}

/// Callback that receives messages for the user while hosts are being found.
type Tell<'a> = &'a mut dyn FnMut(&str);
/// Callback that prepares everything that the hosts need. It is called before they start.
type Found<'a> = &'a mut dyn FnMut() -> Result<()>;

impl Fleet {
    /// Finds agents and assigns shares to as many of them as needed, in order of their names. Calls `found` before
    /// the first assignment.
    ///
    /// # Errors
    /// Returns an error if too few agents are available, versions differ, two agents have the same name, or another
    /// coordinator has claimed an agent. Returns any error of `found`.
    pub fn gather(
        broker: &Broker,
        call: &Call,
        briefing: &Value,
        interrupt: &Interrupt,
        tell: Tell<'_>,
        found: Found<'_>,
    ) -> Result<Self> {
        let run = random_id()?;
        let desk = Arc::new(Desk { run, state: Mutex::default(), changed: Condvar::new() });
        desk.lock().calling = true;
        let subjects = vec![of_run(&desk.run)];
        let connection = broker.join(subjects, desk.clone())?;
        desk.lock().relief = call.take_over.map(|length| Relief::new(briefing, call.lease, length));
        let fleet = Self { desk, connection, lease: call.lease, begin: None, released: false };
        fleet.call(call, interrupt, tell)?;
        found()?;
        fleet.claim(call, briefing, interrupt)?;
        Ok(fleet)
    }

    /// Returns the ID by which the hosts know the run.
    pub fn run(&self) -> &str {
        &self.desk.run
    }

    /// Returns the current state of the hosts.
    pub fn hosts(&self) -> Vec<HostSeen> {
        let state = self.desk.lock();
        let of = |member: &Member| HostSeen {
            name: member.name.clone(),
            share: member.share,
            due: member.due.iter().sum(),
            offset: member.clocks.at_start(),
            drift_s: member.clocks.drift_s(),
            exchanges: member.clocks.exchanges(),
            cores: member.cores,
            end: member.end.clone().filter(|_| member.lost.is_none()),
            lost: member.lost.clone(),
            failure: member.failed.clone(),
            entered: member.entered,
        };
        state.members.iter().map(of).collect()
    }

    /// Returns the notes that all hosts except lost ones have made about commits. Each entry consists of a session
    /// number and the numbers noted for this session.
    pub fn commits(&self) -> Vec<(u32, Vec<u64>)> {
        self.desk.lock().members.iter().flat_map(|member| member.commits.clone()).collect()
    }

    /// Returns the names of agents that have responded but have no share.
    pub fn spares(&self) -> Vec<String> {
        let state = self.desk.lock();
        let has_share = |id: &String| state.members.iter().any(|member| member.id == *id);
        let spare =
            state.offers.iter().filter(|(id, offer)| offer.busy.is_none() && !has_share(id));
        spare.map(|(_, offer)| offer.name.clone()).collect()
    }

    pub(crate) fn say(&self, member: &Member, message: Message) {
        if let Some(line) = &self.connection.line {
            line.say(of_agent(&member.id), &self.desk.letter(message));
        }
    }

    /// Waits until enough agents are available.
    fn call(&self, call: &Call, interrupt: &Interrupt, tell: &mut dyn FnMut(&str)) -> Result<()> {
        let (end, mut enough, mut noted) = (now() + call.within, None, 0);
        let mut state = self.desk.lock();
        loop {
            require_unique(&state.offers)?;
            require_version(&state.offers)?;
            let free = state.offers.values().filter(|offer| offer.busy.is_none()).count();
            if free >= call.wanted() as usize {
                let since = *enough.get_or_insert_with(now);
                if now() >= since + LINGER {
                    break;
                }
            }
            if interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            if now() >= end {
                return Err(too_few(&state.offers, call));
            }
            if noted == 0 || (state.ticks > noted + 20 && free < call.wanted() as usize) {
                noted = state.ticks.max(1);
                if noted > 1 {
                    let wanted = counted(call.wanted().into(), "agent");
                    tell(&format!("{free} of {wanted} have responded"));
                }
            }
            state = self.desk.wait(state);
        }
        let mut free: Vec<(&String, &Offered)> =
            state.offers.iter().filter(|(_, offer)| offer.busy.is_none()).collect();
        free.sort_by(|a, b| a.1.name.cmp(&b.1.name));
        let numbered = (0_u32..).zip(free).take(call.hosts as usize);
        let members = numbered.map(|(place, (id, offer))| {
            let share = Share { place, of: call.hosts };
            Member::new(id, &offer.name, offer.cores, share, now())
        });
        let members = members.collect();
        state.calling = false;
        state.members = members;
        Ok(())
    }

    /// Assigns the shares in the order of the agents' names. Because all coordinators use this order, only one of
    /// several competing coordinators gets all of its agents.
    fn claim(&self, call: &Call, briefing: &Value, interrupt: &Interrupt) -> Result<()> {
        for place in 0..call.hosts as usize {
            let (lease, briefing) = (call.lease, briefing.clone());
            let share = Share { place: place as u32, of: call.hosts };
            let claim = Message::Claim { share, lease, briefing, entry: None };
            self.ask_until(interrupt, call.lease, &claim, place..place + 1, |member| {
                if let Some(why) = &member.refused {
                    return Err(busy(&member.name, why));
                }
                Ok(member.accepted)
            })?;
        }
        Ok(())
    }

    /// Sends a message to these members repeatedly until each of them has responded.
    fn ask_until(
        &self,
        interrupt: &Interrupt,
        within: Duration,
        message: &Message,
        members: std::ops::Range<usize>,
        answered: impl Fn(&Member) -> Result<bool>,
    ) -> Result<()> {
        let (end, mut last) = (now() + within, None::<Instant>);
        let mut state = self.desk.lock();
        loop {
            let again = last.is_none_or(|last| now() >= last + AGAIN);
            let mut open = None;
            for member in &state.members[members.clone()] {
                if answered(member)? {
                    continue;
                }
                open = Some(member.name.clone());
                if again {
                    self.say(member, message.clone());
                }
            }
            let Some(open) = open else { return Ok(()) };
            if again {
                last = Some(now());
            }
            if interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            if now() >= end {
                let text = format!("agent {open} is not responding");
                return Err(Error::new(ErrorKind::Timeout, text)
                    .hint("check that the agent is running and can reach the NATS server"));
            }
            state = self.desk.wait(state);
        }
    }

    /// Compares the hosts' clocks with this host's clock, one exchange at a time.
    fn compare_clocks(&self, interrupt: &Interrupt) -> Result<()> {
        let count = self.desk.lock().members.len();
        for exchange in 1..=EXCHANGES {
            let (end, mut last) = (now() + self.lease, None::<Instant>);
            let mut state = self.desk.lock();
            loop {
                let again = last.is_none_or(|last| now() >= last + AGAIN);
                let mut open = 0;
                for member in &state.members[..count] {
                    if member.clocks.exchanges() < exchange {
                        open += 1;
                        if again {
                            self.say(member, Message::Clock { sent: nanos() });
                        }
                    }
                }
                if again {
                    last = Some(now());
                }
                if open == 0 {
                    break;
                }
                if interrupt.interrupt_count() > 0 {
                    return Err(Interrupt::error());
                }
                if now() >= end {
                    let text = format!("no clock reading from {}", counted(open, "agent"));
                    return Err(Error::new(ErrorKind::Timeout, text)
                        .hint("check that all agents are running and can reach the NATS server"));
                }
                state = self.desk.wait(state);
            }
        }
        Ok(())
    }

    /// Tells the hosts that the run has ended. If the run failed, `why` is the reason that they are given.
    pub(crate) fn release(&mut self, why: Option<&str>) {
        if !std::mem::replace(&mut self.released, true) {
            for member in &self.desk.lock().members {
                // A host that counts as lost may still be running, so stop it, too.
                let lost = member
                    .lost
                    .as_ref()
                    .map(|(why, _)| format!("the coordinator gave up on this host: {why}"));
                let why = lost.or(why.map(str::to_owned));
                self.say(member, Message::Release { why });
            }
        }
    }

    /// Reports silent hosts. A host that is silent for too long is marked as lost.
    pub(crate) fn watch(&self, state: &mut State, note: &mut dyn FnMut(&str)) {
        let now = now();
        if state.was_stopped(now) {
            // Do not judge the hosts yet. This process was suspended and has not read the messages that arrived in
            // the meantime.
            return;
        }
        let is_there = |member: &&mut Member| !member.is_over() && !member.is_awaited();
        for member in state.members.iter_mut().filter(is_there) {
            let silent = now.saturating_duration_since(member.heard);
            let failed = member.failed.as_ref().map(Error::to_string);
            let why = if silent > self.lease {
                Some(format!("no messages for {}", span(self.lease)))
            } else {
                failed
            };
            if silent > SILENT && !member.silence_noted {
                member.silence_noted = true;
                let since = match self.begin {
                    Some(begin) => {
                        let since = rounded(member.heard.saturating_duration_since(begin));
                        format!("since {} into the load", span(since))
                    }
                    None => format!("for {}", span(rounded(silent))),
                };
                note(&format!("host {} has not responded {since}", member.name));
            } else if silent < SILENT && member.silence_noted {
                member.silence_noted = false;
                note(&format!("host {} is back", member.name));
            }
            if let Some(why) = why {
                let has_ended = member.failed.as_ref().is_some_and(is_leave);
                member.idle_from = if has_ended { now } else { now + self.lease };
                let sessions = member.ready.unwrap_or_default();
                member.sessions = [sessions, sessions, 0];
                // Mention the host's records only if there is a load. A host that was executing a task has none.
                let until = self.begin.map(|_| {
                    format!("; its records end {} into the load", span(member.reported_until()))
                });
                let until = until.unwrap_or_default();
                note(&format!("host {} is lost: {why}{until}", member.name));
                member.lost = Some((why.clone(), member.reported_until()));
                let why = Some(format!("the coordinator gave up on this host: {why}"));
                self.say(member, Message::Release { why });
            }
        }
        for text in state.relief.iter_mut().flat_map(|relief| relief.notes.drain(..)) {
            note(&text);
        }
        state.tell_presence();
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.release(Some("the coordinator ended"));
    }
}

impl Hosts for Fleet {
    fn ready(&mut self, interrupt: &Interrupt, observer: &mut dyn Observer) -> Result<u32> {
        let desk = Arc::clone(&self.desk);
        let mut state = desk.lock();
        loop {
            let failed = state.members.iter().find_map(|member| {
                member.failed.as_ref().map(|error| of_host(error, &member.name))
            });
            if let Some(error) = failed {
                drop(state);
                self.release(Some("another host could not start"));
                return Err(error);
            }
            let silent =
                |member: &&Member| !state.was_stopped(now()) && now() > member.heard + self.lease;
            if let Some(member) = state.members.iter().find(silent) {
                let text = format!("agent {} no longer responds", member.name);
                return Err(
                    Error::new(ErrorKind::Connect, text).hint("find out why the agent ended")
                );
            }
            if state.members.iter().all(|member| member.ready.is_some()) {
                return Ok(state.members.iter().filter_map(|member| member.ready).sum());
            }
            if interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            drop(state);
            observer.connecting();
            state = desk.lock();
            state = desk.wait(state);
        }
    }

    fn start(&mut self, presence: Presence, interrupt: &Interrupt) -> Result<Instant> {
        self.compare_clocks(interrupt)?;
        let begin = {
            let mut state = self.desk.lock();
            let mut longest = 0;
            for member in &mut state.members {
                longest = longest.max(member.clocks.longest_trip());
                member.clocks.keep();
            }
            now() + LEAD + (Duration::from_nanos(longest) * LEAD_TRIPS).min(self.lease)
        };
        let last = begin.checked_sub(CONFIRM).unwrap_or(begin);
        let members = self.desk.lock().members.len();
        for place in 0..members {
            let offset = self.desk.lock().members[place].clocks.at_start();
            let ahead = offset.map_or(0, |offset| offset.ahead);
            let at = nanos_at(begin).saturating_add_signed(ahead);
            // Send the start time to every host first, and only then wait for confirmations.
            self.say(&self.desk.lock().members[place], Message::Start { at });
        }
        let mut state = self.desk.lock();
        while !state.members.iter().all(|member| member.started) {
            if interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            if now() >= last {
                let late = state.members.iter().find(|member| !member.started);
                let name = late.map_or("", |member| &member.name);
                let text = format!("agent {name} did not confirm the start in time");
                return Err(Error::new(ErrorKind::Timeout, text)
                    .hint("check whether the host or the network is overloaded, and try again"));
            }
            state = self.desk.wait(state);
        }
        state.presence = Some(presence);
        state.tell_presence();
        while now() < begin {
            if interrupt.interrupt_count() > 0 {
                return Err(Interrupt::error());
            }
            let left = begin.saturating_duration_since(now()).min(LOOK);
            let waited = self.desk.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.begin = Some(begin);
        self.desk.lock().relief.iter_mut().for_each(|relief| relief.begin(begin));
        Ok(begin)
    }

    fn collect(
        &mut self,
        border: Border,
        into: &mut Recorder,
        observer: &mut dyn Observer,
    ) -> Option<u64> {
        let since = now();
        let mut state = self.desk.lock();
        loop {
            self.watch(&mut state, &mut |text| observer.note(text));
            let mut complete = true;
            for member in &mut state.members {
                let done = member.collect(border, into);
                if !done {
                    member.require_records(since, now(), self.lease);
                }
                complete &= done;
            }
            if complete {
                let waiting = state.members.iter().filter_map(Member::backlog);
                return waiting.fold(None, |sum, backlog| Some(sum.unwrap_or_default() + backlog));
            }
            state = self.desk.wait(state);
        }
    }

    fn replaced(&self) -> u64 {
        let state = self.desk.lock();
        let lost = state.members.iter().filter(|member| state.is_taken_over(member));
        lost.filter_map(|member| member.ready).map(u64::from).sum()
    }

    fn stop(&mut self, presses: u8) {
        self.desk.lock().relief.iter_mut().for_each(Relief::end);
        for member in self.desk.lock().members.iter().filter(|member| !member.is_over()) {
            self.say(member, Message::Stop { presses });
        }
    }

    fn close(&mut self, into: &mut Recorder, observer: &mut dyn Observer) -> Closing {
        let end = now() + self.lease;
        let desk = Arc::clone(&self.desk);
        let mut state = desk.lock();
        self.end_take_over(&mut state, &mut |text| observer.note(text));
        while !state.members.iter().all(Member::is_over) && now() < end {
            self.watch(&mut state, &mut |text| observer.note(text));
            state = desk.wait(state);
        }
        for member in &mut state.members {
            member.collect_rest(into);
            if !member.is_over() {
                let why = "the agent did not finish".to_owned();
                observer.note(&format!("host {} is lost: {why}", member.name));
                member.lost = Some((why, member.reported_until()));
            }
        }
        let closing = closing(&state.members);
        drop(state);
        self.release(None);
        closing
    }
}

/// Merges the final results of all hosts.
fn closing(members: &[Member]) -> Closing {
    let mut all = Closing::default();
    for member in members {
        if member.lost.is_some() || member.turn > 0 {
            add_lost(member, &mut all.lost_shares);
        }
        if member.lost.is_some() {
            continue;
        }
        let Some(end) = &member.end else { continue };
        let mut gathered = end.gathered.clone();
        let named = |error: &Error| of_host(error, &member.name);
        gathered.lost = gathered.lost.iter().map(named).collect();
        gathered.query_stats_error = gathered.query_stats_error.as_ref().map(named);
        gathered.imbalance = gathered.imbalance.map(|text| format!("{}: {text}", member.name));
        if all.gathered.add(gathered).is_err() {
            let text = format!("{} counted by different rules", member.name);
            all.gathered.imbalance = Some(text);
        }
    }
    all
}

/// Returns true if the host reported that its load has ended.
fn is_leave(error: &Error) -> bool {
    error.kind() == ErrorKind::Cancelled
}

/// Adds a host's reports to those of its share, which was lost or taken over.
fn add_lost(member: &Member, shares: &mut Vec<LostShare>) {
    let place = shares.iter().position(|lost| lost.share == member.share).unwrap_or(shares.len());
    if place == shares.len() {
        let share = member.share;
        shares.push(LostShare { share, reported: Vec::new(), never_taken: 0 });
    }
    let lost = &mut shares[place];
    lost.reported.resize(lost.reported.len().max(member.due.len()), 0);
    for (sum, due) in lost.reported.iter_mut().zip(&member.due) {
        *sum += due;
    }
    let end = member.end.as_ref().filter(|_| member.lost.is_none());
    lost.never_taken += end.map_or(0, |end| end.gathered.never_taken);
}

fn require_unique(offers: &BTreeMap<String, Offered>) -> Result<()> {
    let mut names: Vec<&str> = offers.values().map(|offer| offer.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::usage(format!("two agents are named {}", pair[0]))
            .hint("give each agent a different name with tacho agent --name NAME")),
        None => Ok(()),
    }
}

fn require_version(offers: &BTreeMap<String, Offered>) -> Result<()> {
    match offers.values().find(|offer| offer.version != VERSION) {
        Some(Offered { name, version, .. }) => Err(Error::new(
            ErrorKind::Unsupported,
            format!("agent {name} runs Tacho {version}, but this is {VERSION}"),
        )
        .hint("install the same version on all hosts")),
        None => Ok(()),
    }
}

fn too_few(offers: &BTreeMap<String, Offered>, call: &Call) -> Error {
    let (busy, free): (Vec<_>, Vec<_>) = offers.values().partition(|offer| offer.busy.is_some());
    let names = |offers: &[&Offered]| {
        let mut names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    };
    let mut text = format!(
        "{} of {} responded within {}",
        free.len(),
        counted(call.wanted().into(), "agent"),
        span(call.within)
    );
    if !free.is_empty() {
        text = format!("{text} ({})", names(&free));
    }
    if !busy.is_empty() {
        text = format!("{text}; busy with another run: {}", names(&busy));
    }
    let error = Error::new(ErrorKind::Missing, text);
    let error = match call.take_over {
        Some(_) => error.hint("--on-host-loss take-over requires one more agent than --hosts"),
        None => error,
    };
    error
        .hint("start more agents with tacho agent --nats URL, or lower --hosts")
        .hint("allow more time with --hosts-within")
}

fn busy(name: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::Exists,
        format!("agent {name} is in use by another coordinator: the agent {why}"),
    )
    .hint("wait until that run is over, or start more agents")
}

/// Rounds down to tenths of a second for use in messages.
fn rounded(span: Duration) -> Duration {
    Duration::from_millis(span.as_millis() as u64 / 100 * 100)
}
