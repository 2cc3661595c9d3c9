//! HammerDB's global variables, which Tcl scripts can read.

use super::Console;
use crate::dictionary::{DATABASES, Pairs};
use crate::tcl::nested;

/// The HammerDB version whose commands are implemented.
const HDB_VERSION: &str = "v6.0";

/// Variables for the values of generic keys, which are the same for all databases. Each entry consists of the
/// variable's name, the key's section and the key's name.
const GENERIC: [(&str, &str, &str); 9] = [
    ("rdbms", "benchmark", "rdbms"),
    ("bm", "benchmark", "bm"),
    ("virtual_users", "virtual_user_options", "virtual_users"),
    ("suppo", "virtual_user_options", "show_output"),
    ("ntimes", "virtual_user_options", "iterations"),
    ("gen_count_ware", "datageneration", "gen_count_ware"),
    ("gen_num_vu", "datageneration", "gen_num_vu"),
    ("gen_scale_fact", "datageneration", "gen_scale_fact"),
    ("gen_directory", "datageneration", "gen_directory"),
];

impl Console {
    /// Returns the global variables with their values. Passwords are masked.
    pub fn globals(&self) -> Vec<(String, String)> {
        let fixed = [
            ("hdb_version", HDB_VERSION.to_owned()),
            ("genericdict", dictionary(&self.dictionary.generic_shown())),
            ("dbdict", dictionary(&names())),
        ];
        let generic = GENERIC
            .iter()
            .map(|(name, section, key)| (*name, self.dictionary.generic(section, key).to_owned()));
        let all = fixed.into_iter().chain(generic).map(|(name, value)| (name.to_owned(), value));
        let databases = DATABASES.iter().map(|database| {
            let name = format!("config{}", database.name.to_lowercase());
            (name, dictionary(&self.dictionary.shown_of(database.prefix)))
        });
        all.chain(databases).chain([self.job_global()]).collect()
    }

    /// Returns the variable that contains the ID of the running job or, if there is none, of the last job.
    pub fn job_global(&self) -> (String, String) {
        ("jobid".to_owned(), self.jobs.last_id().to_owned())
    }
}

/// Returns the databases with their names, key prefixes and client libraries.
fn names() -> Vec<(&'static str, Pairs)> {
    let pairs = |of: &crate::dictionary::Database| {
        vec![
            ("name", of.build_name.to_owned()),
            ("prefix", of.prefix.to_owned()),
            ("library", of.library.to_owned()),
        ]
    };
    DATABASES.iter().map(|database| (database.name, pairs(database))).collect()
}

/// Formats sections of keys and values as a Tcl dictionary.
fn dictionary(sections: &[(&'static str, Pairs)]) -> String {
    nested(sections.iter().map(|(section, pairs)| {
        (*section, pairs.iter().map(|(key, value)| (*key, value.as_str())).collect())
    }))
}
