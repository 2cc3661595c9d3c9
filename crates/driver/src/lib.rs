//! The contract between the engine, the workloads and all databases.
//!
//! A driver connects Tacho to one database product. This crate must not mention a specific database or workload.
//!
//! Start reading at [`Driver`] and [`Session`]. An [`Inspector`] describes a database, and workloads use an
//! [`Exchange`].

mod answers;
mod batch;
mod cancel;
mod canned;
mod catalog;
mod collector;
mod conditions;
mod decorators;
mod deferred;
mod describes;
mod dialect;
mod dialect_layer;
mod driver;
mod exchange;
mod facts;
mod foreign;
mod form;
mod forwards;
pub mod fraction;
mod future;
mod history;
mod inspector;
mod isolation;
mod layer;
pub mod lexer;
mod load;
mod mark;
mod no_answers;
mod numbers;
mod objects;
pub mod plan;
mod reply;
mod row_files;
pub mod script;
mod session;
mod settings;
mod signatures;
mod sql_file;
pub mod sqlstate;
mod statement;
mod table_parts;
mod target;
pub mod text;
mod values;

pub use batch::{Access, Batch, Step, Steps};
pub use cancel::{Cancel, Cancels, Running};
pub use canned::Canned;
pub use catalog::{Catalog, StatementId};
pub use collector::{Collector, Reading, Wait};
pub use conditions::{DataSizes, ServerMachine, TableSize};
pub use deferred::{DeferredWork, Left, Pace};
pub use dialect::{Dialect, RoutineKind, require_storage};
pub use dialect_layer::DialectLayer;
pub use driver::{
    ADMINISTRATION, ADMINISTRATOR, Capabilities, CollectorFuture, DeferredWorkFuture, Driver,
    Environment, Manifest, Output, RemovalFuture, Removed, Scheduling,
};
pub use exchange::{Bind, Exchange, Traffic};
pub use facts::{Advice, Counters, Headroom, Privileges, ServerFacts, Setting};
pub use foreign::foreign_library;
pub use future::{BoxFuture, during, no_answer};
pub use history::{
    Attempt, HistoryLog, Operation, Operations, parse_list, put_number, take_number,
};
pub use inspector::{Inspector, Uninspected};
pub use isolation::Isolation;
pub use load::{insert_sql, next_rows};
pub use mark::{CommitLog, Mark, Marked};
pub use numbers::{Kinds, Remedies, kind_of, with_remedy};
pub use objects::{MARKER_TABLE, NameCase, Object, ObjectKind, fingerprint};
pub use reply::{Reply, Row};
pub use row_files::{FileFormat, FileLoad, RowFiles};
pub use session::{RowSource, Session, TextRows, without_simple_form, without_text_rows};
pub use settings::{
    Holds, ServerSettings, SettingState, SettingsFuture, bytes_of, is_named, same_number,
    same_word, switch_of,
};
pub use sql_file::{Section, parameters, parse_sections, parse_sections_by};
pub use sqlstate::Report;
pub use statement::{Field, Place, Statement, Verbatim, unquoted};
pub use table_parts::{TablePart, TableParts};
pub use tacho_core::Form;
pub use target::Target;
pub use values::{Cell, Value, ValueKind, Values};
