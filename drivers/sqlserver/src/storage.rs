//! The dialect's storage options and their values.

use tacho_core::{Error, Result, StorageOption};

pub const ORGANIZE: &str = "organize";
pub const COLUMN: &str = "column";
pub const MEMORY: &str = "memory";
pub const ON: &str = "on";
/// Memory-optimized tables whose procedures are natively compiled.
pub const NATIVE: &str = "native";

/// The storage options that this dialect supports.
pub const STORAGE: [StorageOption; 4] = [
    StorageOption::FOREIGN_KEYS,
    StorageOption::UNLOGGED,
    StorageOption {
        key: MEMORY,
        help: "on: memory-optimized tables, whose rows are in the log unless unlogged=true; native: the same, with \
               natively compiled stored procedures if the workload has any",
        check: check_memory,
    },
    StorageOption {
        key: ORGANIZE,
        help: "row, or column (clustered columnstore indexes)",
        check: check_organization,
    },
];

fn check_organization(value: &str) -> Result<()> {
    if ["row", COLUMN].contains(&value) {
        return Ok(());
    }
    Err(Error::usage(format!("invalid value for {ORGANIZE}: \"{value}\""))
        .hint("allowed: row, column"))
}

fn check_memory(value: &str) -> Result<()> {
    if [ON, NATIVE, "off"].contains(&value) {
        return Ok(());
    }
    Err(Error::usage(format!("invalid value for {MEMORY}: \"{value}\""))
        .hint("allowed: on, native, off; with unlogged=true, rows are not logged"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        assert!(check_memory("schema").is_err() && check_memory("off").is_ok());
        assert!(check_memory(NATIVE).is_ok());
        assert!(check_organization("date").is_err() && check_organization(COLUMN).is_ok());
    }
}
