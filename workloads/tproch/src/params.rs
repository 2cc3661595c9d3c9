//! The parameters, the profiles, and the deviations of the `hammerdb` profile, each with its clause.
//!
//! This file must not make any decisions: `setup.rs` turns the values into plain fields. Start reading at
//! [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{PARALLEL_DEGREE, Profile, Quirk, STATEMENT_TIMEOUT, STORAGE, STORAGE_HELP};

/// Parameter: the indexes to create.
pub const INDEXES: &str = "indexes";
/// Parameter: the parameter values of the queries.
pub const PARAMETER_VALUES: &str = "query_parameters";

/// Parameter: the number of query sets in each stream.
pub const QUERY_SETS: &str = "query_sets";

/// Parameter: the queries in a set.
pub const QUERIES: &str = "queries";

/// Parameter: whether the refresh functions also run.
pub const REFRESH: &str = "refresh";

/// Parameter: whether the server enforces references.
pub const FOREIGN_KEYS: &str = "foreign_keys";
/// Parameter: the number of partitions of the two large tables.
pub const PARTITIONS: &str = "partitions";
/// Parameter: whether tables are excluded from the server's log.
pub const UNLOGGED: &str = "unlogged";
/// Parameter: whether table names are in upper case.
pub const UPPER_NAMES: &str = "upper_names";
/// Parameter: the storage engine.
pub const ENGINE: &str = "engine";
/// Parameter: the organization of the rows in tables.
pub const ORGANIZE: &str = "organize";
/// Parameter: the tablespace of tables and indexes.
pub const TABLESPACE: &str = "tablespace";

/// Dialects' storage options that also have a parameter.
pub const STORAGE_SYNONYMS: &[&str] = &[ENGINE, ORGANIZE, TABLESPACE];

/// The parameters: those that no standard prescribes, followed by the deviations.
#[rustfmt::skip]
pub static PARAMETERS: [Parameter; 25] = [
    Parameter::new(QUERIES, ParameterKind::Choice(&["standard", "cloud"]), "standard",
        "the 22 queries of TPC-H, or the 13 fixed queries of a published set for analytic clouds"),
    Parameter::new(INDEXES, ParameterKind::Choice(&["references", "none"]), "references",
        "indexes in addition to the primary keys: on each foreign key, or none"),
    Parameter::new(PARAMETER_VALUES, ParameterKind::Choice(&["drawn", "validation"]), "drawn",
        "query parameters: drawn from the seed, or the values of the published answers"),
    Parameter::new(QUERY_SETS, ParameterKind::Count { min: 1, max: 1_000_000 }, "1",
        "query sets that each stream runs"),
    Parameter::new(REFRESH, ParameterKind::Switch, "false", "run RF1 before and RF2 after the only stream; with several sessions, the first session \
               refreshes once for each stream"),
    Parameter::new(FOREIGN_KEYS, ParameterKind::Switch, "false",
        "foreign keys are declared, so that the server enforces them"),
    Parameter::new(PARTITIONS, ParameterKind::Count { min: 1, max: 1_000 }, "",
        "number of partitions of orders and lineitem, by order; empty for none"),
    Parameter::new(UNLOGGED, ParameterKind::Switch, "false",
        "unlogged tables: fast, and empty after a crash of the server"),
    Parameter::new(ENGINE, ParameterKind::Text, "", "storage engine of all tables; empty for the default"),
    Parameter::new(ORGANIZE, ParameterKind::Text, "",
        "organisation of the tables: row, column or date, as the database has them; empty for the default"),
    Parameter::new(TABLESPACE, ParameterKind::Text, "", "tablespace of tables and indexes; empty for the default"),
    Parameter::new(STORAGE, ParameterKind::Text, "", STORAGE_HELP),
    Parameter::new(UPPER_NAMES, ParameterKind::Switch, "false",
        "names of the eight tables are upper case, on databases where HammerDB has them so"),
    Parameter::new(PARALLEL_DEGREE, ParameterKind::Count { min: 0, max: 1_024 }, "",
        "parallel workers of the server for each query; empty: the server's setting"),
    Parameter::new(STATEMENT_TIMEOUT, ParameterKind::Duration, "",
        "time limit of a query: a longer one fails, and the stream continues; empty: no limit"),
    deviation("hammerdb_tables",
        "tables are HammerDB's on that database: order of columns, types, NULL, keys, indexes and references"),
    deviation("egypt_in_africa", "the nation EGYPT belongs to the region AFRICA"),
    deviation("phones_plain", "phones have no country code: 100-100-1000 to 999-999-9999"),
    deviation("complaints_plain", "no comment of a supplier names a Customer"),
    deviation("colors_repeat", "a part may have the same colour twice in its name"),
    deviation("refresh_open", "orders that RF1 inserts are open, whatever their lines are"),
    deviation("refresh_neighbours", "an update set has neighbouring orders"),
    deviation("months_later", "the months of Q4, Q14 and Q15 are drawn one month later"),
    deviation("answers_whole", "answers have no row limits where HammerDB sets none"),
    deviation("q15_view", "Q15 computes its revenues as a view does, once for each mention"),
];

/// Returns a deviation that the `hammerdb` profile switches on.
const fn deviation(key: &'static str, help: &'static str) -> Parameter {
    Parameter::new(key, ParameterKind::Switch, "false", help)
}

/// The deviations, each with the rule in TPC-H.
pub static QUIRKS: [Quirk; 10] = [
    quirk("hammerdb_tables", "1.4.2.2: the key of a line is order and number; 1.3.1: types"),
    quirk("egypt_in_africa", "4.2.3: EGYPT is in the MIDDLE EAST"),
    quirk("phones_plain", "4.2.2.9: a phone begins with its nation's code"),
    quirk("complaints_plain", "4.2.3: ten suppliers of 10 000 have a Customer in their comment"),
    quirk("colors_repeat", "4.2.3: the five colours of a part are different ones"),
    quirk("refresh_open", "4.2.3: the state of an order follows from its lines"),
    quirk("refresh_neighbours", "2.5.2: update sets are those of the generator"),
    quirk("months_later", "2.4.4.3, 2.4.14.3, 2.4.15.3: from January 1993 on"),
    quirk("answers_whole", "2.4: 100 rows of Q2, 10 of Q3, 20 of Q10, 100 of Q18 and Q21"),
    quirk("q15_view", "appendix B has a variant with a common table expression"),
];

const fn quirk(key: &'static str, clause: &'static str) -> Quirk {
    Quirk { key, clause }
}

/// All deviations, switched on.
static HAMMERDB: [(&str, &str); QUIRKS.len()] = {
    let mut all = [("", "true"); QUIRKS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at].0 = QUIRKS[at].key;
        at += 1;
    }
    all
};

/// The parameters that shape the data: tables with different rows or different storage are different tables. The way in
/// which the last refresh ran determines what the next one finds.
pub static DATA_PARAMETERS: [&str; 16] = [
    INDEXES,
    FOREIGN_KEYS,
    PARTITIONS,
    UNLOGGED,
    ENGINE,
    ORGANIZE,
    TABLESPACE,
    STORAGE,
    UPPER_NAMES,
    "hammerdb_tables",
    "egypt_in_africa",
    "phones_plain",
    "complaints_plain",
    "colors_repeat",
    "refresh_open",
    "refresh_neighbours",
];

/// The profiles; the first is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 3] = [
    Profile::new("spec", "data, queries, parameters and stream orders of the specification", &[]),
    Profile::new("hammerdb", "HammerDB's tables, and the differences of its rows and queries", &HAMMERDB),
    Profile::new("cloud", "13 fixed queries of a published set for analytic clouds, on the specification's data",
        &[(QUERIES, "cloud")]),
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

    #[test]
    fn deviations_are_parameters() {
        let keys = |from: usize| PARAMETERS[from..].iter().map(|parameter| parameter.key);
        assert!(keys(PARAMETERS.len() - QUIRKS.len()).eq(QUIRKS.iter().map(|quirk| quirk.key)));
        for key in DATA_PARAMETERS {
            assert!(keys(0).any(|known| known == key), "{key}");
        }
    }
}
