//! Tables that were created by another tool but are used by Tacho.

use tacho_workload::Marker;

/// Facts about tables created by another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The marker that the tables would have if Tacho had created them.
    pub(crate) marker: Marker,
    /// The tables.
    pub tables: Vec<String>,
    /// The workload setting that makes the workload call the stored routines, or `None` if there are none.
    pub routines: Option<String>,
    /// The scale in the notation that users write.
    pub scale: String,
}
