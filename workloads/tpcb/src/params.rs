//! The parameters and the profiles, one for each of pgbench's built-in scripts.
//!
//! It must never decide anything: `setup.rs` turns the values into plain fields. Start reading at
//! [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Profile, STORAGE, STORAGE_PARAMETER};

/// Which transaction runs.
pub const TRANSACTION: &str = "transaction";
/// What the history explains.
pub const BALANCED: &str = "balanced";

/// The parameters.
pub static PARAMETERS: [Parameter; 3] = [
    Parameter {
        key: TRANSACTION,
        kind: ParameterKind::Choice(&["tpcb-like", "simple-update", "select-only"]),
        default: "tpcb-like",
        help: "pgbench script to run",
    },
    Parameter {
        key: BALANCED,
        kind: ParameterKind::Choice(&["all", "accounts"]),
        default: "all",
        help: "balances that the history adds up to: of accounts, tellers and branches, or of \
               accounts only, as after simple-update",
    },
    STORAGE_PARAMETER,
];

/// How the tables are kept, and what simple-update has done to them, which the checks of another run must know.
pub static DATA_PARAMETERS: [&str; 2] = [BALANCED, STORAGE];

/// The profiles; the first is the default.
pub static PROFILES: [Profile; 3] = [
    Profile {
        id: "tpcb-like",
        about: "three updates, a select and an insert in one transaction",
        values: &[],
    },
    Profile {
        id: "simple-update",
        about: "the same without tellers and branches, which are few and contended",
        values: &[(TRANSACTION, "simple-update"), (BALANCED, "accounts")],
    },
    Profile {
        id: "select-only",
        about: "one select by primary key, outside a transaction",
        values: &[(TRANSACTION, "select-only")],
    },
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
