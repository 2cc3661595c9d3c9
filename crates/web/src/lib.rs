//! The web view and its REST interface. They show saved runs and the running measurement, and can start one.
//!
//! Commands run as separate processes, so a page cannot slow down a session.
//!
//! Start reading at [`Server::start`]. `routes.rs` has the routes, and `guard.rs` rejects unsafe requests.

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
