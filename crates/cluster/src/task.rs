//! Runs tasks on several hosts, such as loading data or checking it. Unlike the load of a run, a task has no common
//! start and no intervals.
//!
//! Each host starts as soon as it receives its share. It then reports its progress and its results, and ends.
//!
//! Start reading at [`Fleet::hear_task`].

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tacho_core::ErrorKind;
use tacho_engine::{Hosts, Interrupt};

use crate::clocks::now;
use crate::fleet::{Fleet, HostSeen};
use crate::member::Member;

/// An event that occurs while hosts are working on a task.
#[derive(Debug)]
pub enum TaskEvent<'a> {
    /// A message from a host, with the number of the host's share.
    Says(u32, Value),
    /// A host has stopped responding, has responded again, or has been lost.
    Note(&'a str),
    /// Nothing has happened. This event occurs several times a second.
    Nothing,
}

impl Fleet {
    /// Receives messages until each host has finished or is lost, and then releases the hosts. If a host fails, stops
    /// the others.
    pub fn hear_task(
        mut self,
        interrupt: &Interrupt,
        hear: &mut dyn FnMut(TaskEvent<'_>),
    ) -> Vec<HostSeen> {
        let desk = Arc::clone(&self.desk);
        let (mut presses, mut stopped) = (0, None::<Instant>);
        loop {
            let mut state = desk.lock();
            self.watch(&mut state, &mut |text| hear(TaskEvent::Note(text)));
            let said: Vec<(u32, Value)> = state.members.iter_mut().flat_map(take).collect();
            let over = state.members.iter().all(Member::is_over);
            let failed = state.members.iter().any(has_failed);
            drop(state);
            for (place, value) in said {
                hear(TaskEvent::Says(place, value));
            }
            let wanted = interrupt.interrupt_count().min(2).max(u8::from(failed));
            if wanted > presses {
                presses = wanted;
                stopped.get_or_insert_with(now);
                self.stop(presses);
            }
            let given_up = stopped.is_some_and(|since| now() > since + self.lease) || presses > 1;
            if over || given_up {
                break;
            }
            hear(TaskEvent::Nothing);
            drop(desk.wait(desk.lock()));
        }
        self.release(None);
        self.hosts()
    }
}

/// Removes and returns the messages that a host has sent since the previous call.
fn take(member: &mut Member) -> Vec<(u32, Value)> {
    let place = member.share.place;
    member.said.drain(..).map(|value| (place, value)).collect()
}

/// Returns true if an error prevented a host from completing its share. It does not count as an error if the host's
/// user stopped it.
fn has_failed(member: &Member) -> bool {
    member.failed.as_ref().is_some_and(|failure| failure.kind() != ErrorKind::Cancelled)
}
