//! The web view and its REST interface: pages of saved runs, the measurement that runs, and the forms that
//! start one.
//!
//! It measures nothing: what it starts is the command line as a process of its own, whose events and
//! answers it passes on, so that a page and a terminal cannot differ and a page can slow no session.
//! Start reading at [`Server::start`], then `routes.rs` for what is answered and `guard.rs` for who is.

mod access;
mod activity;
mod agent;
mod answer;
mod api;
mod assets;
mod charts;
mod client;
mod discovery;
mod figures;
mod guard;
mod hub;
mod limits;
mod metrics;
mod openapi;
mod otlp;
mod page;
mod pages;
mod request;
mod routes;
mod runs;
mod saved;
mod server;
mod site;
mod tls;

pub use access::{Access, Token};
pub use activity::{Program, REQUEST_VARIABLE, TOKEN_VARIABLE};
pub use agent::{AGENT_TOKEN_VARIABLE, RemoteHost};
pub use client::{Address, follow};
pub use discovery::Notice;
pub use hub::{Hub, Stop};
pub use otlp::{Collector, Export, Exported};
pub use saved::{Saved, save_site};
pub use server::{Listening, Options, Server};
pub use tls::Certificate;
