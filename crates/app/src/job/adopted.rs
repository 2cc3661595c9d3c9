//! Tables that another tool has created.

use tacho_workload::Marker;

/// What is known of tables that another tool has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// What a marker would say of them.
    pub(crate) marker: Marker,
    /// The tables.
    pub tables: Vec<String>,
    /// The setting of the workload under which the stored routines can be called; `None` without them.
    pub routines: Option<String>,
    /// The scale as the user writes it.
    pub scale: String,
}
