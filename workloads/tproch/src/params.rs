//! The parameters, the profiles, and the deviations of profile `hammerdb`, each with its clause.
//!
//! This file only declares parameters. `setup.rs` converts their values to plain fields.
//!
//! Start reading at [`PARAMETERS`].

use tacho_core::{Parameter, ParameterKind};
use tacho_workload::{PARALLEL_DEGREE, Profile, Quirk, STATEMENT_TIMEOUT, STORAGE, STORAGE_HELP};

/// Parameter: indexes to create.
pub const INDEXES: &str = "indexes";
/// Parameter: how the query parameters are chosen.
pub const PARAMETER_VALUES: &str = "query_parameters";

/// Parameter: number of query sets in each stream.
pub const QUERY_SETS: &str = "query_sets";

/// Parameter: queries in a set.
pub const QUERIES: &str = "queries";

/// Parameter: whether the refresh functions also run.
pub const REFRESH: &str = "refresh";

/// Parameter: whether the server enforces foreign keys.
pub const FOREIGN_KEYS: &str = "foreign_keys";
/// Parameter: number of partitions of the two large tables.
pub const PARTITIONS: &str = "partitions";
/// Parameter: whether tables are excluded from the server's write-ahead log.
pub const UNLOGGED: &str = "unlogged";
/// Parameter: whether table names are in upper case.
pub const UPPER_NAMES: &str = "upper_names";
/// Parameter: storage engine.
pub const ENGINE: &str = "engine";
/// Parameter: how rows are organized in tables.
pub const ORGANIZE: &str = "organize";
/// Parameter: tablespace for tables and indexes.
pub const TABLESPACE: &str = "tablespace";

/// Storage options of dialects that can also be set as parameters.
pub const STORAGE_SYNONYMS: &[&str] = &[ENGINE, ORGANIZE, TABLESPACE];

/// The parameters: first the ones that no standard specifies, and then the deviations.
#[rustfmt::skip]
pub static PARAMETERS: [Parameter; 25] = [
    Parameter::new(QUERIES, ParameterKind::Choice(&["standard", "cloud"]), "standard",
        "the 22 TPC-H queries, or the 13 fixed queries from a published set for analytic clouds"),
    Parameter::new(INDEXES, ParameterKind::Choice(&["references", "none"]), "references",
        "indexes in addition to the primary keys: one on each foreign key, or none"),
    Parameter::new(PARAMETER_VALUES, ParameterKind::Choice(&["drawn", "validation"]), "drawn",
        "query parameters: drawn from the seed, or the values for which results are published"),
    Parameter::new(QUERY_SETS, ParameterKind::Count { min: 1, max: 1_000_000 }, "1",
        "number of query sets that each stream runs"),
    Parameter::new(REFRESH, ParameterKind::Switch, "false", "with one stream, run RF1 before it and RF2 after it; with several sessions, the first session refreshes once for each stream"),
    Parameter::new(FOREIGN_KEYS, ParameterKind::Switch, "false",
        "declare foreign keys, so that the server enforces them"),
    Parameter::new(PARTITIONS, ParameterKind::Count { min: 1, max: 1_000 }, "",
        "number of partitions of orders and lineitem, partitioned by order; empty for none"),
    Parameter::new(UNLOGGED, ParameterKind::Switch, "false",
        "use unlogged tables, which are fast but empty after a server crash"),
    Parameter::new(ENGINE, ParameterKind::Text, "", "storage engine for all tables; empty for the default"),
    Parameter::new(ORGANIZE, ParameterKind::Text, "",
        "table organisation: row, column or date, depending on the database; empty for the default"),
    Parameter::new(TABLESPACE, ParameterKind::Text, "", "tablespace for tables and indexes; empty for the default"),
    Parameter::new(STORAGE, ParameterKind::Text, "", STORAGE_HELP),
    Parameter::new(UPPER_NAMES, ParameterKind::Switch, "false",
        "use upper-case names for the eight tables on databases where HammerDB does so"),
    Parameter::new(PARALLEL_DEGREE, ParameterKind::Count { min: 0, max: 1_024 }, "",
        "number of parallel workers for each query; empty for the server's setting"),
    Parameter::new(STATEMENT_TIMEOUT, ParameterKind::Duration, "",
        "time limit for each query: a query that exceeds it fails, and the stream continues; \
         empty for no limit"),
    deviation("hammerdb_tables",
        "tables as HammerDB creates them on the database: column order, types, NULL, keys, \
         indexes and references"),
    deviation("egypt_in_africa", "the nation EGYPT belongs to the region AFRICA"),
    deviation("phones_plain", "phone numbers have no country code: 100-100-1000 to 999-999-9999"),
    deviation("complaints_plain", "no supplier comment contains the word Customer"),
    deviation("colors_repeat", "a part name may contain the same colour twice"),
    deviation("refresh_open", "orders that RF1 inserts are open, regardless of their lines"),
    deviation("refresh_neighbours", "each update set consists of consecutive orders"),
    deviation("months_later", "Q4, Q14 and Q15 use a date one month later"),
    deviation("answers_whole", "results have no row limit where HammerDB does not set one"),
    deviation("q15_view", "Q15 computes the revenue once for each reference, as a view would"),
];

/// Returns a deviation that the `hammerdb` profile turns on.
const fn deviation(key: &'static str, help: &'static str) -> Parameter {
    Parameter::new(key, ParameterKind::Switch, "false", help)
}

/// The deviations, each with the TPC-H rule that it does not follow.
pub static QUIRKS: [Quirk; 10] = [
    quirk("hammerdb_tables", "1.4.2.2: a line's key is its order and number; 1.3.1: types"),
    quirk("egypt_in_africa", "4.2.3: EGYPT is in the MIDDLE EAST"),
    quirk("phones_plain", "4.2.2.9: a phone number begins with its nation's code"),
    quirk(
        "complaints_plain",
        "4.2.3: ten of 10 000 suppliers have the word Customer in their \
                               comment",
    ),
    quirk("colors_repeat", "4.2.3: the five colours in a part name are all different"),
    quirk("refresh_open", "4.2.3: an order's status depends on its lines"),
    quirk("refresh_neighbours", "2.5.2: the generator creates the update sets"),
    quirk("months_later", "2.4.4.3, 2.4.14.3, 2.4.15.3: the months begin with January 1993"),
    quirk("answers_whole", "2.4: 100 rows for Q2, Q18 and Q21, 10 for Q3, and 20 for Q10"),
    quirk("q15_view", "appendix B contains a variant with a common table expression"),
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

/// Parameters that affect the rows or how they are stored. The refresh parameters are among them,
/// because each refresh changes the rows.
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

/// The profiles. The first one is the default.
#[rustfmt::skip]
pub static PROFILES: [Profile; 3] = [
    Profile::new("spec", "the specification's data, queries, parameters and query order", &[]),
    Profile::new("hammerdb", "HammerDB's tables, including its deviations in data and queries", &HAMMERDB),
    Profile::new("cloud", "13 fixed queries from a published set for analytic clouds, on the \
                           specification's data",
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
