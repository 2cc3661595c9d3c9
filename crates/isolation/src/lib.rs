//! Finds isolation anomalies in a history of transactions.
//!
//! Each transaction appends unique values to lists and reads whole lists. A list therefore contains the order of the
//! writes to its key, from which the dependencies between transactions follow. A cycle of dependencies is an anomaly.
//! The classes are those of Adya, under the names that Elle (VLDB 2020) uses.
//!
//! This crate must not depend on a database, read files or the clock, or print anything. Start reading at [`check`].

mod anomaly;
mod check;
mod components;
mod cycles;
mod direct;
mod elle;
mod explain;
mod graph;
mod history;
mod index;
mod level;
mod versions;

pub use anomaly::{Anomaly, Class, Example, Findings, Participant};
pub use check::check;
pub use elle::{read_elle, write_elle};
pub use history::{FINAL_READ, History, Operation, Transaction};
pub use level::strongest_level;
