//! The parameters and the profile.
//!
//! It must never decide anything: `setup.rs` turns the values into plain fields. Start reading at
//! [`PARAMETERS`].

use tacho_core::{Kind, Parameter};
use tacho_workload::Profile;

/// Which indexes there are.
pub const INDEXES: &str = "indexes";
/// What the queries are asked.
pub const PARAMETER_VALUES: &str = "query_parameters";

/// How much a stream asks.
pub const QUERY_SETS: &str = "query_sets";

/// Whether the refresh functions run too.
pub const REFRESH: &str = "refresh";

/// The parameters.
pub static PARAMETERS: [Parameter; 4] = [
    Parameter {
        key: INDEXES,
        kind: Kind::Choice(&["references", "none"]),
        default: "references",
        help: "indexes beside the primary keys: on each reference to another table, or none",
    },
    Parameter {
        key: PARAMETER_VALUES,
        kind: Kind::Choice(&["drawn", "validation"]),
        default: "drawn",
        help: "what queries are asked: drawn from the seed, or the values of the published answers",
    },
    Parameter {
        key: QUERY_SETS,
        kind: Kind::Count { min: 1, max: 1_000_000 },
        default: "1",
        help: "sets of the 22 queries that each stream asks before it ends",
    },
    Parameter {
        key: REFRESH,
        kind: Kind::Switch,
        default: "false",
        help: "RF1 before and RF2 after the only stream; with several sessions, the first refreshes \
               as many times as there are streams beside it",
    },
];

/// The tables of a load with other indexes are other tables.
pub static DATA_PARAMETERS: [&str; 1] = [INDEXES];

/// The profiles; the first is the default.
pub static PROFILES: [Profile; 1] = [Profile {
    id: "spec",
    about: "data, queries, parameters and stream orders of the specification",
    values: &[],
}];

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
