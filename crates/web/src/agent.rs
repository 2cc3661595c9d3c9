//! The agent that reports the activity of its machine, and the client that queries it.
//!
//! The agent only reads counters. It does not start, run or store anything.
//!
//! Start reading at [`routes`] and [`RemoteHost`].

use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tacho_app::HostSource;
use tacho_collect::{HostReading, host_reading};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::record::HostRecord;

use crate::answer::{Answer, Refused};
use crate::client::{Address, get_json};

/// The environment variable that contains an agent's token.
pub const AGENT_TOKEN_VARIABLE: &str = "TACHO_AGENT_TOKEN";
/// The value of `format` in the agent's responses.
const FORMAT: &str = "tacho-host";
const VERSION: u32 = 1;
const HOST: &str = "/api/v1/host";
const READING: &str = "/api/v1/host/reading";

/// Returns the routes of an agent.
pub(crate) fn routes() -> Router {
    Router::new().route(HOST, get(facts)).route(READING, get(reading))
}

async fn facts() -> Json<Value> {
    let tool_version = env!("CARGO_PKG_VERSION");
    let host = tacho_app::own_host();
    Json(
        json!({ "format": FORMAT, "version": VERSION, "tool_version": tool_version, "host": host }),
    )
}

async fn reading() -> Answer<Json<HostReading>> {
    host_reading().map(Json).ok_or_else(|| {
        Refused::new(
            axum::http::StatusCode::NOT_IMPLEMENTED,
            "this system does not report its load",
        )
    })
}

/// A machine that runs an agent.
pub struct RemoteHost {
    address: Address,
    name: String,
}

impl RemoteHost {
    /// Creates a client for the agent at this address, which includes the token. Sends no request yet.
    pub fn new(address: Address) -> Self {
        Self { name: address.name(), address }
    }
}

impl HostSource for RemoteHost {
    fn address(&self) -> &str {
        &self.name
    }

    fn host(&self) -> Result<HostRecord> {
        let answer = get_json(&self.address, HOST)?;
        if answer["format"] != FORMAT {
            return Err(Error::new(ErrorKind::Protocol, "the response is not from an agent")
                .hint("start tacho agent --observe on that machine"));
        }
        if answer["version"].as_u64() > Some(VERSION.into()) {
            let text = format!("the agent uses format version {}", answer["version"]);
            return Err(Error::new(ErrorKind::Protocol, text)
                .hint("use the same version of Tacho on both machines"));
        }
        read(answer["host"].clone())
    }

    fn read(&self) -> Result<HostReading> {
        read(get_json(&self.address, READING)?)
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        Error::new(ErrorKind::Protocol, "the agent returned an invalid response").source(error)
    })
}
