//! Helpers for tests of whole command lines. They provide a temporary [`Folder`] in which the binary is run, and access
//! to databases.
//!
//! Tests see only what a user sees. The helpers must therefore not use the crates of the product.
//!
//! Start reading at [`Folder::tacho`].

#![expect(clippy::disallowed_methods, reason = "a test lives outside of the product")]
#![expect(clippy::missing_panics_doc, reason = "a helper of tests fails by panicking")]

mod binary;
mod browser;
mod call;
mod database;
mod folder;
mod schema;
mod terminal;

pub use binary::example;
pub use browser::Browser;
pub use call::{Call, Done, Running};
pub use database::{Data, Prepared};
pub use folder::{Folder, unsealed};
pub use rustix::process::Signal;
pub use schema::violations;
pub use terminal::{Ended, Terminal};
