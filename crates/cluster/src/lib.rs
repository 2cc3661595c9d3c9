//! Runs on several load hosts. A coordinator and its agents communicate through a NATS server.
//!
//! This crate transmits the coordinator's instructions for a run to the agents without interpreting them. It must not
//! depend on workloads, databases or run records.
//!
//! Start reading at [`Message`], then at `agent.rs` for one host and `fleet.rs` for all hosts.

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

/// Version that must be the same on all hosts of a run. It consists of the program's version and the message
/// version, which is increased by every incompatible change.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+hosts.4");
