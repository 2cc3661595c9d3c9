//! Many load hosts: a coordinator and its agents, who speak over a NATS server.
//!
//! It must know no workload, no database and no record: what a run is to do goes through it as it is. Start
//! reading at [`Message`] (what is said), then `agent.rs` (one host) and `fleet.rs` (all of them).

mod agent;
mod broker;
mod clocks;
mod desk;
mod fleet;
mod journal;
mod member;
mod message;
mod outbox;
mod server;
mod take_over;
mod task;

pub use agent::{Agent, Assignment};
pub use broker::Broker;
pub use clocks::{Clocks, now};
pub use fleet::{Call, Fleet, HostSeen};
pub use journal::{Journal, Saved, notes_of};
pub use message::{Ending, Entry, Letter, Message, Part, Records, Tool, of_host};
pub use server::NATS;
pub use task::TaskEvent;

/// The version that all hosts of a run must have: that of this program and, after the plus sign, that of their messages.
/// Raise the second with each change that a host of another build would misread.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+hosts.2");
