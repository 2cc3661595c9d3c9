//! The parameters and profiles. Each of pgbench's built-in scripts has a profile.
//!
//! This file only declares parameters. `setup.rs` converts their values to plain fields.
//!
//! Start reading at [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{Profile, STORAGE, STORAGE_PARAMETER};

/// Parameter: transaction to run.
pub const TRANSACTION: &str = "transaction";
/// Parameter: the balances that must match the sums in the history table.
pub const BALANCED: &str = "balanced";

/// The parameters.
#[rustfmt::skip]
pub static PARAMETERS: [Parameter; 3] = [
    Parameter::new(TRANSACTION, ParameterKind::Choice(&["tpcb-like", "simple-update", "select-only"]), "tpcb-like",
        "pgbench script to run"),
    Parameter::new(BALANCED, ParameterKind::Choice(&["all", "accounts"]), "all",
        "balances that must match the history: those of accounts, tellers and branches, or only \
            those of accounts, as after simple-update"),
    STORAGE_PARAMETER,
];

/// Parameters that affect the data: the table storage, and the balances that must match the history. The balances
/// determine if simple-update is allowed.
pub static DATA_PARAMETERS: [&str; 2] = [BALANCED, STORAGE];

/// The profiles. The first one is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 3] = [
    Profile::new("tpcb-like", "three updates, a select and an insert in one transaction", &[]),
    Profile::new("simple-update", "like tpcb-like, but without updates to tellers and branches, \
        whose few rows are highly contended",
        &[(TRANSACTION, "simple-update"), (BALANCED, "accounts")]),
    Profile::new("select-only", "one select by primary key, outside a transaction", &[(TRANSACTION, "select-only")]),
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
