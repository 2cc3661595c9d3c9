//! Sessions that use the call-level interface (ISO 9075-3) of an ODBC driver manager or a database's client library.
//!
//! Calls of the library block, so each session needs its own thread. A driver provides the location of its library, the
//! dialect, and the queries that inspect its database. All unsafe code is in `library.rs`, `handles.rs`, `running.rs`,
//! `variables.rs`, `load.rs` and the folder `buffers`.
//!
//! Start reading at `session.rs`.

mod buffers;
pub mod catalogue;
mod errors;
mod handles;
mod inspector;
mod keywords;
mod library;
mod load;
mod login;
mod questions;
mod rows;
mod running;
mod session;
#[cfg(test)]
mod untrue;
mod variables;

pub use crate::buffers::TextType;
pub use crate::handles::{Connection, Statement};
pub use crate::keywords::{code_in, code_of};
pub use crate::library::{Length, Library};
pub use crate::login::{Login, holds_password, isolation_number, more_keywords, quoted};
pub use crate::questions::{Questions, columns};
pub use crate::rows::{commits_and_rollbacks, offered, query, read, text};
pub use crate::session::{Calls, Speech};
