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
pub use message::{Ending, Entry, Failure, Letter, Message, Part, Records, Tool};
pub use server::NATS;
pub use task::TaskEvent;

/// What is the same on all hosts of a run: the version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
