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

/// Whether the server holds references itself.
pub const FOREIGN_KEYS: &str = "foreign_keys";
/// How many partitions the two large tables have.
pub const PARTITIONS: &str = "partitions";
/// Whether tables are kept out of the log.
pub const UNLOGGED: &str = "unlogged";
/// The storage engine.
pub const ENGINE: &str = "engine";
/// Workers of the server for each query.
pub const PARALLEL_DEGREE: &str = "parallel_degree";
/// Longest time of a query.
pub const STATEMENT_TIMEOUT: &str = "statement_timeout";

/// The parameters.
pub static PARAMETERS: [Parameter; 10] = [
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
    Parameter {
        key: FOREIGN_KEYS,
        kind: Kind::Switch,
        default: "false",
        help: "references are declared, so that the server holds them",
    },
    Parameter {
        key: PARTITIONS,
        kind: Kind::Count { min: 1, max: 1_000 },
        default: "",
        help: "orders and lineitem are spread over so many partitions by order; empty for none",
    },
    Parameter {
        key: UNLOGGED,
        kind: Kind::Switch,
        default: "false",
        help: "tables are kept out of the log: quick, and empty after a crash of the server",
    },
    Parameter {
        key: ENGINE,
        kind: Kind::Text,
        default: "",
        help: "storage engine of all tables; empty for the usual one",
    },
    Parameter {
        key: PARALLEL_DEGREE,
        kind: Kind::Count { min: 0, max: 1_024 },
        default: "",
        help: "workers of the server for each query beside the session's own; empty leaves it alone",
    },
    Parameter {
        key: STATEMENT_TIMEOUT,
        kind: Kind::Duration,
        default: "",
        help: "a query that takes longer has failed, and the stream goes on; empty for no limit",
    },
];

/// Tables that are kept in another way are other tables.
pub static DATA_PARAMETERS: [&str; 5] = [INDEXES, FOREIGN_KEYS, PARTITIONS, UNLOGGED, ENGINE];

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
