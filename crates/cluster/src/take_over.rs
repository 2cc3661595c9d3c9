//! Allows another agent to take over a lost host's share of the load.
//!
//! A host that has lost only its connection keeps working until its lease expires, so its share is not reassigned
//! before then. If the host itself has reported that it is ending, its share is reassigned immediately.
//!
//! Start reading at [`Desk::take_over`].

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tacho_core::units::{counted, span};

use crate::broker::Line;
use crate::clocks::{nanos, nanos_at, now};
use crate::desk::{Desk, Relief, State};
use crate::fleet::{AGAIN, EXCHANGES, Fleet};
use crate::member::Member;
use crate::message::of_agent;
use crate::{Entry, Message, VERSION};

/// The next step by which an agent takes over a share.
enum Step {
    /// The agent must still accept the share.
    Claim,
    /// The agent is connecting its sessions.
    Connect,
    /// The agent is waiting until its clock has been compared with the coordinator's.
    Clock,
    /// The agent must still confirm the start.
    Start,
    /// The agent has started the load.
    Enter,
    /// The agent cannot take over the share. The text gives the reason.
    Fail(String),
}

impl Desk {
    /// Assigns the shares of lost hosts to available agents, and advances each takeover by one step. Never waits for an
    /// agent's response.
    pub(crate) fn take_over(&self, state: &mut State, line: &Line) {
        let now = now();
        let Some(mut relief) = state.relief.take() else { return };
        if let Some([begin, _]) = relief.span(now) {
            for place in (0..state.members.len()).rev() {
                if state.members[place].is_awaited() {
                    self.advance(state, place, &mut relief, begin, line);
                }
            }
            state.find_relief(&relief.unfit, now);
        } else if state.presence.is_some() {
            state.calling = false;
        }
        state.relief = Some(relief);
    }

    /// Performs the next step of a takeover by one agent. `place` is the agent's index.
    fn advance(
        &self,
        state: &mut State,
        place: usize,
        relief: &mut Relief,
        begin: Instant,
        line: &Line,
    ) {
        let now = now();
        let since_begin = now.saturating_duration_since(begin);
        let member = &mut state.members[place];
        let step = step(member, now, relief.lease);
        let is_due = member.asked.is_none_or(|asked| now >= asked + AGAIN);
        let message = match &step {
            Step::Claim if is_due => Some(Message::Claim {
                share: member.share,
                lease: relief.lease,
                briefing: relief.briefing.clone(),
                entry: Some(Entry { turn: member.turn, begun: since_begin }),
            }),
            Step::Clock => Some(Message::Clock { sent: nanos() }),
            Step::Start if is_due => {
                let ahead = member.clocks.keep().map_or(0, |offset| offset.ahead);
                Some(Message::Start { at: nanos_at(begin).saturating_add_signed(ahead) })
            }
            Step::Fail(_) => Some(released("another agent was asked to take over the share")),
            _ => None,
        };
        if let Some(message) = message {
            member.asked = Some(now);
            line.say(of_agent(&member.id), &self.letter(message));
        }
        match step {
            Step::Enter => relief.notes.push_back(state.enter(place, since_begin, now)),
            Step::Fail(why) => {
                let member = state.members.remove(place);
                relief.unfit.insert(member.id);
                let text = format!("host {} cannot take over the share: {why}", member.name);
                relief.notes.push_back(text);
            }
            Step::Claim | Step::Connect | Step::Clock | Step::Start => {}
        }
    }
}

fn released(why: &str) -> Message {
    Message::Release { why: Some(why.to_owned()) }
}

fn step(member: &Member, now: Instant, lease: Duration) -> Step {
    if let Some(why) = &member.refused {
        return Step::Fail(format!("it {why}"));
    }
    if let Some(failure) = &member.failed {
        return Step::Fail(failure.to_string());
    }
    if now.saturating_duration_since(member.heard) > lease {
        return Step::Fail(format!("no messages for {}", span(lease)));
    }
    match member {
        Member { started: true, .. } => Step::Enter,
        Member { accepted: false, .. } => Step::Claim,
        Member { ready: None, .. } => Step::Connect,
        _ if member.clocks.exchanges() < EXCHANGES => Step::Clock,
        _ => Step::Start,
    }
}

impl Fleet {
    /// Ends all takeovers, because the load has ended and no agent can join it any more.
    pub(crate) fn end_take_over(&self, state: &mut State, note: &mut dyn FnMut(&str)) {
        state.calling = false;
        state.relief.iter_mut().for_each(Relief::end);
        for member in state.members.iter().filter(|member| member.is_awaited()) {
            note(&format!("host {} was too late to take over the share", member.name));
            self.say(member, released("the load is over"));
        }
        state.members.retain(|member| !member.is_awaited());
    }
}

impl State {
    /// Finds another agent for the share of a lost host, but only once the lost host has certainly stopped working.
    fn find_relief(&mut self, unfit: &BTreeSet<String>, now: Instant) {
        let is_open = |lost: &&Member| {
            lost.lost.is_some() && now >= lost.idle_from && !self.has_later(lost, |_| true)
        };
        let open = self.members.iter().find(is_open).map(|lost| (lost.share, lost.turn + 1));
        let Some((share, turn)) = open else {
            self.calling = false;
            return;
        };
        if !std::mem::replace(&mut self.calling, true) {
            // Ask again, because agents that responded to an earlier call may have exited since then.
            self.offers.clear();
        } else if let Some((id, name, cores)) = self.free_agent(unfit) {
            let mut other = Member::new(&id, &name, cores, share, now);
            other.turn = turn;
            self.members.push(other);
        }
    }

    /// Returns the ID, name and cores of an available agent that has not worked on this run yet. If there are several,
    /// returns the one whose name sorts first.
    fn free_agent(&self, unfit: &BTreeSet<String>) -> Option<(String, String, u32)> {
        let is_new = |id: &str| self.members.iter().all(|member| member.id != id);
        let is_fit = |id: &String| !unfit.contains(id) && is_new(id);
        let free = self
            .offers
            .iter()
            .filter(|(id, offer)| offer.busy.is_none() && offer.version == VERSION && is_fit(id));
        let (id, offer) = free.min_by(|a, b| a.1.name.cmp(&b.1.name))?;
        Some((id.clone(), offer.name.clone(), offer.cores))
    }

    /// Records that an agent has started to run its share. `place` is the agent's index, and `begun` is the time since
    /// the start of the load. Returns a note for the user.
    fn enter(&mut self, place: usize, begun: Duration, now: Instant) -> String {
        let member = &mut self.members[place];
        member.enter(begun, now);
        let (name, share) = (member.name.clone(), member.share);
        let sessions = counted(member.ready.unwrap_or_default().into(), "session");
        let mut of = String::new();
        let lost = |member: &&mut Member| member.share == share && member.lost.is_some();
        for lost in self.members.iter_mut().filter(lost) {
            lost.sessions = [0; 3];
            of.clone_from(&lost.name);
        }
        let at = span(Duration::from_millis(begun.as_millis() as u64 / 100 * 100));
        format!("host {name} took over {sessions} from {of}, {at} into the load")
    }

    /// Returns true if another host has taken over the share of this lost host.
    pub(crate) fn is_taken_over(&self, lost: &Member) -> bool {
        lost.lost.is_some() && self.has_later(lost, |member| member.entered.is_some())
    }

    fn has_later(&self, lost: &Member, of: impl Fn(&Member) -> bool) -> bool {
        let later = |member: &&Member| member.share == lost.share && member.turn > lost.turn;
        self.members.iter().filter(later).any(of)
    }
}
