//! The parameters and profiles.
//!
//! This file only declares parameters. `setup.rs` converts their values to plain fields.
//!
//! Start reading at [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Profile, STORAGE, STORAGE_PARAMETER};

/// Parameter: how lists are changed.
pub const MIX: &str = "mix";
/// Parameter: number of hot keys.
pub const HOT_KEYS: &str = "hot_keys";
/// Parameter: number of other keys.
pub const COLD_KEYS: &str = "cold_keys";
/// Parameter: percentage of operations on hot keys.
pub const HOT_SHARE: &str = "hot_share";
/// Parameter: percentage of operations that read.
pub const READ_SHARE: &str = "read_share";
/// Parameter: maximum number of operations in a transaction.
pub const OPERATIONS: &str = "operations";

/// Maximum number of operations in a transaction.
pub const OPERATIONS_MAX: usize = 8;

/// The parameters.
#[rustfmt::skip]
pub static PARAMETERS: [Parameter; 7] = [
    Parameter::new(MIX, ParameterKind::Choice(&["append", "read-write"]), "append",
        "append in a single statement, or read a list and write it back with another value"),
    Parameter::new(HOT_KEYS, ParameterKind::Count { min: 1, max: 1_000 }, "4", "number of hot keys in use at a time"),
    Parameter::new(COLD_KEYS, ParameterKind::Count { min: 1, max: 10_000 }, "1000", "number of other keys in use at a time"),
    Parameter::new(HOT_SHARE, ParameterKind::Count { min: 0, max: 100 }, "50", "percentage of operations on hot keys"),
    Parameter::new(READ_SHARE, ParameterKind::Count { min: 0, max: 100 }, "50", "percentage of operations that read a list"),
    Parameter::new(OPERATIONS, ParameterKind::Count { min: 1, max: OPERATIONS_MAX as u64 }, "4",
        "maximum number of operations in a transaction"),
    STORAGE_PARAMETER,
];

/// Parameters that affect the data: table storage.
pub static DATA_PARAMETERS: [&str; 1] = [STORAGE];

/// The profiles. The first one is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 2] = [
    Profile::new("append", "appends in single statements, and reads", &[]),
    Profile::new("read-write", "reads a list, adds a value in the client and writes the list back",
        &[(MIX, "read-write")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_docs_explain_every_parameter_and_profile() {
        let keys = PARAMETERS.iter().map(|parameter| parameter.key);
        for word in keys.chain(PROFILES.iter().map(|profile| profile.id)) {
            assert!(crate::MANIFEST.docs.contains(&format!("`{word}`")), "docs.md lacks {word}");
        }
    }
}
