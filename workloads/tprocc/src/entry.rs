//! Rows of the parameter tables.

use tacho_core::ParameterKind;

/// A parameter and all its properties.
#[derive(Clone, Copy)]
pub struct Entry {
    pub key: &'static str,
    pub kind: ParameterKind,
    /// Value in the `spec` profile.
    pub spec: &'static str,
    /// Value in the `hammerdb` profile.
    pub hammerdb: &'static str,
    /// The TPC-C rule from which the parameter can deviate, with its clause. Empty if the parameter is not a deviation
    /// from the standard.
    pub clause: &'static str,
    pub help: &'static str,
    /// True if the value affects the loaded data, or if the checks depend on it.
    pub data: bool,
}

/// Returns the entry after marking it as a parameter that affects the data.
pub const fn shaping(entry: Entry) -> Entry {
    Entry { data: true, ..entry }
}
