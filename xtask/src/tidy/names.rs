//! A driver knows no workload, a workload no database, and the layers between know neither.

use super::Violation;
use super::rust::is_test_file;
use super::tree::Tree;

const RULE: &str = "name";

/// Databases; their dialects have the same names.
pub const DATABASES: &[&str] =
    &["sqlite", "postgres", "mysql", "mariadb", "oracle", "sqlserver", "db2", "duckdb"];
/// Workloads.
const WORKLOADS: &[&str] = &["tprocc", "tproch", "tpcb", "chbench"];

/// Where both kinds of names may stand, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/registry/", "it is the list of them"),
    ("crates/config/src/", "the default workload and target are named there"),
    ("crates/cli/src/args", "examples in the help"),
    ("crates/hammerdb/src/", "scripts name databases and workloads in HammerDB's words"),
];

/// Checks names in code and literals, not in comments and tests.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, source) in tree.rust() {
        let excepted = EXCEPTIONS.iter().any(|(folder, _)| path.starts_with(folder));
        if is_test_file(path) || excepted {
            continue;
        }
        let kind = path.split('/').next().unwrap_or_default();
        for (line, code) in (1..).zip(source.uncommented.lines()) {
            // The list of a workload's SQL files: the one place where the two meet.
            let is_override = kind == "workloads" && code.contains("include_str!");
            if source.is_test(line) || is_override {
                continue;
            }
            let lower = code.to_lowercase();
            for (what, name) in forbidden(kind) {
                if mentions(&lower, name) {
                    let text = format!("names the {what} {name}");
                    found.push(Violation::new(path, line, RULE, text));
                }
            }
        }
    }
    found
}

/// The names that must not stand in a crate of this kind.
fn forbidden(kind: &str) -> Vec<(&'static str, &'static str)> {
    let databases = DATABASES.iter().map(|name| ("database", *name));
    let workloads = WORKLOADS.iter().map(|name| ("workload", *name));
    match kind {
        "drivers" => workloads.collect(),
        "workloads" => databases.collect(),
        "crates" => databases.chain(workloads).collect(),
        _ => Vec::new(),
    }
}

/// Whether the name begins a word, or a part of one after `_`; what follows it does not matter.
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
            ("workloads/w/src/a.rs", "(\"sqlite\", include_str!(\"../sql/sqlite.sql\")),\n", 0),
            ("workloads/w/src/a.rs", "// sqlite stores integers\nlet tprocc = 1;\n", 0),
            ("workloads/w/tests/a.rs", "use tacho_driver_sqlite as s;\n", 0),
            ("drivers/d/src/a.rs", "let a = \"tprocc\";\n", 1),
            ("drivers/d/src/a.rs", "let a = \"sqlite\";\n", 0),
            ("drivers/d/src/a.rs", "include_str!(\"tprocc.sql\");\n", 1),
            ("crates/engine/src/a.rs", "if id == \"mysql\" || w == \"tpcb\" {}\n", 2),
            ("crates/engine/src/a.rs", "let fdb2 = 1;\n", 0),
            ("crates/engine/src/a.rs", "#[cfg(test)]\nfn f() { \"mysql\"; }\n", 0),
            ("crates/registry/src/lib.rs", "tacho_driver_sqlite::driver(),\n", 0),
        ];
        for (path, text, count) in table {
            let found = check(&Tree::of(&[(path, text)]));
            assert_eq!(found.len(), *count, "{path} {text:?}: {found:?}");
        }
    }
}
