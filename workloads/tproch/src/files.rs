//! The SQL files, as the build script has found them.

use tacho_workload::SqlFiles;

/// All files, with what a dialect writes in its own way.
pub const SQL: SqlFiles = tacho_workload::sql_files!();
