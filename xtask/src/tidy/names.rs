//! Checks that drivers mention neither workloads nor other databases, and that workloads and xtask
//! mention no database.
//!
//! The layers in between must name neither.

use std::collections::BTreeSet;

use super::Violation;
use super::rust::is_test_file;
use super::tree::Tree;

/// Drivers that are not databases. Their names are ordinary words, so they may be used anywhere.
const NO_DATABASES: &[&str] = &["noop", "print", "sim"];
/// Words that refer to a database but are not folder names, each with the folder in which they may be used.
const WORDS: &[(&str, &str)] = &[("citus", "postgres"), ("innodb", "mysql"), ("mariadb", "mysql")];
/// The workloads, apart from `append`, whose name is an ordinary word.
const WORKLOADS: &[&str] = &["tprocc", "tproch", "tpcb", "chbench", "oltp"];

/// Names that are permitted in certain places: the kind of name, the place, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("database", "crates/registry/src/", "it lists all of them"),
    ("database", "crates/config/src/settings.rs", "an example in the help"),
    ("database", "crates/cli/src/args", "examples in the help"),
    ("database", "crates/cli/src/commands/import/", "the drivers of other tools"),
    ("database", "crates/hammerdb/src/dictionary/", "HammerDB's own list of databases"),
    (
        "database",
        "crates/hammerdb/src/console/ci.rs",
        "HammerDB's list of databases that it builds",
    ),
    ("database", "crates/hammerdb/src/work/products.rs", "HammerDB's keys for products"),
    ("database", "crates/hammerdb/src/work/target.rs", "HammerDB's keys for connections"),
    ("database", "crates/hammerdb/src/work/phrases.rs", "files and variables of clients"),
    ("database", "crates/hammerdb/src/work/request.rs", "HammerDB's keys and products"),
    ("database", "crates/hammerdb/src/work/tproch/request.rs", "the value of a HammerDB key"),
    ("database", "crates/calls/src/", "the interface through which several drivers call a library"),
    ("database", "drivers/odbc/src/manifest.rs", "the ODBC drivers used for testing"),
    ("database", "drivers/timesten/src/", "the database's client library is an ODBC driver"),
    ("database", "workloads/script/src/replay/", "log formats are named after products"),
    (
        "database",
        "workloads/script/src/toml/template.rs",
        "the example contains a file for one dialect",
    ),
    ("database", "workloads/tprocc/src/names.rs", "the name of another tool"),
    ("database", "workloads/tprocc/src/profiles.rs", "the name of another tool"),
    ("database", "xtask/dist/", "databases that test a release"),
    ("database", "xtask/src/tidy/names.rs", "the words themselves"),
    ("workload", "crates/registry/src/", "it lists all of them"),
    ("workload", "crates/config/src/settings.rs", "an example in the help"),
    ("workload", "crates/cli/src/args", "examples in the help"),
    ("workload", "crates/cli/src/commands/import/", "the workloads of other tools"),
    ("workload", "crates/hammerdb/src/", "HammerDB has two workloads"),
];

/// Returns the names of the drivers' folders, which are also their dialects' names.
pub fn drivers(tree: &Tree) -> BTreeSet<&str> {
    tree.files
        .iter()
        .filter_map(|file| file.path.strip_prefix("drivers/")?.split_once('/'))
        .map(|(name, _)| name)
        .collect()
}

/// Checks code and literals for forbidden names, but ignores comments and tests.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let drivers = drivers(tree);
    let mut found = Vec::new();
    for (path, source) in tree.rust().filter(|(path, _)| !is_test_file(path)) {
        let names = forbidden(path, &drivers);
        for (line, code) in (1..).zip(source.uncommented.lines()) {
            let lower = code.to_lowercase();
            for (what, name) in names.iter().filter(|(_, name)| mentions(&lower, name)) {
                if !source.is_test(line) && !is_excepted(what, path) {
                    let text = format!("must not mention the {what} {name}");
                    found.push(Violation::new(path, line, "name", text));
                }
            }
        }
    }
    found
}

fn is_excepted(what: &str, path: &str) -> bool {
    EXCEPTIONS.iter().any(|(kind, place, _)| *kind == what && path.starts_with(place))
}

/// Returns the names that must not occur in the given file.
fn forbidden<'a>(path: &str, drivers: &BTreeSet<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut parts = path.split('/');
    let (kind, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_this_driver = |place: &str| kind == "drivers" && place == folder;
    let folders =
        drivers.iter().filter(|name| !NO_DATABASES.contains(*name) && !is_this_driver(name));
    let words = WORDS.iter().filter(|(_, place)| !is_this_driver(place)).map(|(word, _)| *word);
    let databases = folders.copied().chain(words).map(|name| ("database", name));
    let workloads = WORKLOADS.iter().map(|name| ("workload", *name));
    match kind {
        "workloads" | "xtask" => databases.collect(),
        "drivers" | "crates" => databases.chain(workloads).collect(),
        _ => Vec::new(),
    }
}

/// Returns true if the name occurs at the start of a word, or at the start of a part of a `snake_case` name.
fn mentions(lower: &str, name: &str) -> bool {
    lower.match_indices(name).any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_do_not_belong() {
        let table: &[(&str, &str, usize)] = &[
            ("workloads/w/src/a.rs", "let a = \"sqlite\";\n", 1),
            ("workloads/w/src/a.rs", "use x::PostgresDialect;\n", 1),
            ("workloads/w/src/a.rs", "// sqlite stores integers\nlet tprocc = 1;\n", 0),
            ("workloads/w/tests/a.rs", "use tacho_driver_sqlite as s;\n", 0),
            ("drivers/d/src/a.rs", "let a = \"tprocc\";\n", 1),
            ("drivers/d/src/a.rs", "let a = \"sqlite\";\n", 1),
            ("drivers/mysql/src/a.rs", "let a = \"MySQL\"; let b = \"innodb\";\n", 0),
            ("drivers/sqlite/src/a.rs", "let a = \"innodb\";\n", 1),
            ("crates/engine/src/a.rs", "if id == \"mysql\" || w == \"tpcb\" {}\n", 2),
            ("crates/engine/src/a.rs", "let fdb2 = 1;\n", 0),
            ("xtask/src/a.rs", "let a = \"postgres-16\"; let b = \"tpcb\";\n", 1),
            ("crates/engine/src/a.rs", "#[cfg(test)]\nfn f() { \"mysql\"; }\n", 0),
            (
                "crates/registry/src/lib.rs",
                "tacho_driver_sqlite::a(tacho_workload_tpcb::b());\n",
                0,
            ),
        ];
        for (path, text, count) in table {
            let drivers = ["sqlite", "mysql", "postgres"].map(|d| format!("drivers/{d}/docs.md"));
            let [a, b, c] = drivers.each_ref().map(|path| (path.as_str(), ""));
            let found = check(&Tree::of(&[a, b, c, (path, text)]));
            assert_eq!(found.len(), *count, "{path} {text:?}: {found:?}");
        }
    }

    /// The example from CONTRIBUTING.md.
    #[test]
    fn a_new_database_is_named_in_its_folder_and_the_registry_only() {
        let change = [
            (
                "crates/registry/src/lib.rs",
                "tacho_driver_toy::driver(), tacho_workload_tpcb::a(),\n",
            ),
            ("drivers/toy/src/lib.rs", "const ID: &str = \"toy\";\n"),
            ("drivers/toy/tests/conformance.rs", "use tacho_driver_toy::driver;\n"),
            ("workloads/tpcb/sql/toy.sql", "-- name: history_insert()\nINSERT\n"),
        ];
        assert_eq!(check(&Tree::of(&change)), []);
        for path in ["crates/app/src/a.rs", "workloads/tpcb/src/a.rs", "drivers/other/src/a.rs"] {
            let more = [change[0], change[1], (path, "if id == \"toy\" {}\n")];
            assert_eq!(check(&Tree::of(&more)).len(), 1, "{path}");
        }
    }
}
