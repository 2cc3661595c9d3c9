//! Work of many hosts that is no load, such as a build: no clocks, no common start, no intervals.
//!
//! Each host begins when it has its share, says how far it is and what it found, and ends. Start reading at
//! [`Fleet::hear_task`].

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tacho_core::ErrorKind;
use tacho_engine::{Hosts, Interrupt};

use crate::clocks::now;
use crate::fleet::{Fleet, HostSeen};
use crate::member::Member;

/// What is heard while hosts work.
#[derive(Debug)]
pub enum TaskEvent<'a> {
    /// The host of this place says something.
    Says(u32, Value),
    /// A host is silent, back, or lost.
    Note(&'a str),
    /// Nothing new; several times a second.
    Nothing,
}

impl Fleet {
    /// Hears what the hosts say until each has come to its end or is lost, and lets them go. A host without a
    /// sign for a lease is lost, and the others continue; after an error of one the others stop.
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

/// What a host has said since the last time.
fn take(member: &mut Member) -> Vec<(u32, Value)> {
    let place = member.share.place;
    member.said.drain(..).map(|value| (place, value)).collect()
}

/// Whether a host could not do its share, for a reason that it gives; one whose user stops it could.
fn has_failed(member: &Member) -> bool {
    member.failed.as_ref().is_some_and(|failure| failure.kind() != ErrorKind::Cancelled)
}
