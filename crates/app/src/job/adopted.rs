//! Tables created by another tool.

use tacho_workload::Marker;

/// Facts about tables created by another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The marker that the tables would have if Tacho had created them.
    pub(crate) marker: Marker,
    /// The tables.
    pub tables: Vec<String>,
    /// The workload setting that enables the stored routines, or `None` if there are no stored routines.
    pub routines: Option<String>,
    /// The scale, written the way users specify it.
    pub scale: String,
}
