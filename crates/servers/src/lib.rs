//! Private database servers, started from installed programs. Each has its own folder and is reachable only from this
//! machine.
//!
//! This crate touches only servers that it started, and verifies this before it ends a process.
//! Each database product implements [`Product`] in the folder of its driver.
//!
//! Start reading at [`Server`] and, for a new product, at [`Product`].

pub mod binaries;
mod fault;
mod fill;
mod gate;
mod guard;
mod misspelt;
mod owner;
mod place;
mod ports;
mod process;
mod product;
#[cfg_attr(not(unix), path = "no_proxy.rs")]
mod proxy;
mod replica;
mod server;
mod server_pool;
mod slow;
mod state;
mod system;
pub mod text;

pub use fill::Ballast;
pub use guard::Guard;
pub use place::{Installation, ServerPlace};
pub use process::{Identity, Process, wait_until_unused};
pub use product::{Options, Product, Products, product};
pub use proxy::{Passage, Proxy};
pub use replica::Replication;
pub use server::{Server, Stop};
pub use server_pool::{Down, How, ServerPool, Up};
pub use slow::{SlowDisk, end_abandoned_limits};
pub use state::ServerState;
pub use system::{LocalSocket, Signal, are_supported};
