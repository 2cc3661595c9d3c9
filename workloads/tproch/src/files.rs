//! The SQL files found by the build script.

use tacho_workload::SqlFiles;

/// All SQL files, including dialect-specific overrides.
pub const SQL: SqlFiles = tacho_workload::sql_files!();
