//! Throw-away servers for tests: from the binaries found on the machine, in a folder of their own,
//! gone with the test.
//!
//! They must never touch a server that was there before. Start reading at [`Postgres`].

mod guard;
mod owner;
mod postgres;

pub use postgres::{Options, Postgres};
