//! A row of the tables of parameters.

use tacho_core::ParameterKind;

/// One parameter with all that is known of it.
#[derive(Clone, Copy)]
pub struct Entry {
    pub key: &'static str,
    pub kind: ParameterKind,
    /// Value in the profile `spec`.
    pub spec: &'static str,
    /// Value in the profile `hammerdb`.
    pub hammerdb: &'static str,
    /// What TPC-C says, with the clause; empty if the parameter is no deviation.
    pub clause: &'static str,
    pub help: &'static str,
    /// Whether the loaded data, or what the checks know of it, depends on the value.
    pub data: bool,
}

/// Marks a deviation as one that shapes the data.
pub const fn shaping(entry: Entry) -> Entry {
    Entry { data: true, ..entry }
}
