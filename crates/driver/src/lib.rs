//! The contract between the engine, the workloads and every database.
//!
//! A driver is an adapter to one database product. This crate must never name a database or a
//! workload. Start reading at [`Driver`] and [`Session`]; what a workload uses is [`Exchange`].

mod batch;
mod canned;
mod catalog;
mod conditions;
mod contract;
mod dialect;
mod exchange;
mod objects;
pub mod plan;
mod reply;
mod settings;
mod sql_file;
mod target;
pub mod text;
mod values;

pub use batch::{Access, Batch, Step, Steps};
pub use canned::Canned;
pub use catalog::{Catalog, Field, Place, Statement, StatementId, ValueKind};
pub use conditions::{DataSizes, ServerMachine, TableSize};
pub use contract::{
    ADMINISTRATION, ADMINISTRATOR, Advice, Backlog, BacklogFuture, BoxFuture, Capabilities,
    Collector, CollectorFuture, Counters, Driver, Environment, Left, MARKER_TABLE, Manifest,
    Output, Pace, Reading, RemovalFuture, Removed, Rights, Room, RowSource, Scheduling,
    ServerFacts, Session, Setting, TextRows, Wait,
};
pub use dialect::{Dialect, require_storage};
pub use exchange::{Bind, Exchange, Form, Traffic};
pub use objects::{Object, ObjectKind};
pub use reply::{Reply, Row};
pub use settings::{
    Holds, ServerSettings, SettingState, SettingsFuture, bytes_of, same_number, same_word,
    switch_of,
};
pub use sql_file::{Section, parse_sections};
pub use target::Target;
pub use values::{Cell, Value, Values};
