//! Tables that Tacho uses although another tool created them.

use tacho_workload::Marker;

/// Facts about the tables that another tool created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The marker that Tacho would have written if it had created the tables itself.
    pub(crate) marker: Marker,
    /// The tables.
    pub tables: Vec<String>,
    /// The setting that makes the workload call the stored routines, or `None` if there are no routines.
    pub routines: Option<String>,
    /// The scale as users write it.
    pub scale: String,
}
