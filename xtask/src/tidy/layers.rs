//! Dependencies point downwards only, neighbours do not know each other, and only the registry
//! knows concrete databases and workloads.

use super::Violation;
use super::tree::{Package, Tree};

const RULE: &str = "layer";

/// The layers of the crates in `crates/`. A crate that is not listed has no place yet.
const LAYERS: &[(&str, u8)] = &[
    ("cli", 7),
    ("tui", 7),
    ("web", 7),
    ("hammerdb", 7),
    ("app", 6),
    ("registry", 5),
    ("pack", 3),
    ("config", 1),
    ("report", 5),
    ("analysis", 4),
    ("cluster", 4),
    ("engine", 3),
    ("collect", 3),
    ("servers", 1),
    ("store", 3),
    ("driver", 1),
    ("workload", 1),
    ("metrics", 1),
    ("net", 1),
    ("core", 0),
    ("embed", 0),
    ("calls", 1),
];
const PLUG_IN_LAYER: u8 = 2;

/// All that a driver may be built from.
const DRIVER_BASE: &[&str] =
    &["crates/driver", "crates/net", "crates/calls", "crates/servers", "crates/core"];
/// All that a workload may be built from.
const WORKLOAD_BASE: &[&str] = &["crates/workload", "crates/driver", "crates/core", "crates/embed"];

/// From, to, and why this one is allowed. One that no crate uses is a violation too.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "crates/workload",
        "crates/driver",
        "transactions speak to a database in the types of the driver contract",
    ),
    (
        "crates/calls",
        "crates/driver",
        "its session is that of the driver contract, for all drivers over a C library",
    ),
    (
        "crates/calls",
        "crates/net",
        "the options of its drivers' targets are read as those of all databases behind a network",
    ),
    (
        "crates/net",
        "crates/driver",
        "it reads the options of a target, a type of the driver contract",
    ),
    (
        "workloads/chbench",
        "workloads/tprocc",
        "it is that workload with queries beside it, and would be a copy of it otherwise",
    ),
    (
        "crates/cli",
        "crates/hammerdb",
        "one binary holds all front ends, and its arguments are parsed once",
    ),
    ("crates/hammerdb", "crates/web", "its web service is routes of the same server"),
    (
        "crates/cli",
        "crates/web",
        "one binary holds all front ends, and the view is opened by an argument",
    ),
    (
        "crates/cli",
        "crates/tui",
        "one binary holds all front ends, and the view is opened by an argument",
    ),
];

/// Checks every dependency of the product.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in &tree.packages {
        if let ("crates", name) = split(&package.folder)
            && layer(&package.folder).is_none()
        {
            let text = format!("{name} has no layer; give it one in xtask/src/tidy/layers.rs");
            found.push(violation(tree, package, "", text));
        }
        for to in &package.dependencies {
            if !is_excepted(&package.folder, to)
                && let Some(text) = objection(&package.folder, to)
            {
                found.push(violation(tree, package, to, text));
            }
        }
    }
    found.extend(unused_exceptions(tree));
    found
}

/// Why a crate in folder `from` must not be built from the one in folder `to`.
fn objection(from: &str, to: &str) -> Option<String> {
    let (from_kind, to_kind) = (split(from).0, split(to).0);
    if matches!(from_kind, "testkit" | "tests" | "benches" | "xtask") {
        return None;
    }
    if matches!(to_kind, "testkit" | "tests" | "benches" | "xtask") {
        return Some(format!("{to} is for tests only: make it a dev-dependency"));
    }
    let base = match from_kind {
        "drivers" => Some(("driver", DRIVER_BASE)),
        "workloads" => Some(("workload", WORKLOAD_BASE)),
        _ => None,
    };
    if let Some((kind, base)) = base {
        let text = || format!("a {kind} is built from {} only, not from {to}", base.join(", "));
        return (!base.contains(&to)).then(text);
    }
    if matches!(to_kind, "drivers" | "workloads") && from != "crates/registry" {
        return Some(format!("only crates/registry names {to}"));
    }
    let (from_layer, to_layer) = (layer(from)?, layer(to)?);
    (to_layer >= from_layer)
        .then(|| format!("{from} (layer {from_layer}) must not know {to} (layer {to_layer})"))
}

fn is_excepted(from: &str, to: &str) -> bool {
    EXCEPTIONS.iter().any(|(a, b, _)| (*a, *b) == (from, to))
}

fn unused_exceptions(tree: &Tree) -> Vec<Violation> {
    let used = |from: &str, to: &str| {
        tree.packages.iter().any(|p| p.folder == from && p.dependencies.iter().any(|d| d == to))
    };
    let known = |folder: &str| tree.packages.iter().any(|package| package.folder == folder);
    EXCEPTIONS
        .iter()
        .filter(|(from, to, _)| known(from) && !used(from, to))
        .map(|(from, to, reason)| {
            let text = format!("the exception for {to} ({reason}) is not used: remove it");
            Violation::new(&format!("{from}/Cargo.toml"), 1, RULE, text)
        })
        .collect()
}

fn layer(folder: &str) -> Option<u8> {
    match split(folder) {
        ("drivers" | "workloads", _) => Some(PLUG_IN_LAYER),
        ("crates", name) => {
            LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
        }
        _ => None,
    }
}

/// Splits a folder such as `crates/core` into kind and name.
fn split(folder: &str) -> (&str, &str) {
    folder.split_once('/').unwrap_or((folder, ""))
}

/// Points to the line of the manifest that names the dependency, if it is there to be seen.
fn violation(tree: &Tree, package: &Package, to: &str, text: String) -> Violation {
    let path = format!("{}/Cargo.toml", package.folder);
    let name = match split(to) {
        ("drivers", name) => format!("tacho-driver-{name}"),
        ("workloads", name) => format!("tacho-workload-{name}"),
        (_, name) => format!("tacho-{name}"),
    };
    let names_it =
        |line: &str| line.strip_prefix(&name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    let lines = tree.file(&path).map(|file| file.text.lines().position(names_it));
    Violation::new(&path, lines.flatten().map_or(1, |line| line + 1), RULE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(list: &[(&str, &[&str])]) -> Tree {
        let mut tree = Tree::of(&[(
            "crates/core/Cargo.toml",
            "[dependencies]\nserde.workspace = true\ntacho-metrics.workspace = true\n",
        )]);
        for (folder, dependencies) in list {
            let dependencies = dependencies.iter().map(ToString::to_string).collect();
            tree.packages.push(Package { folder: (*folder).to_owned(), dependencies });
        }
        tree
    }

    #[test]
    fn each_wrong_dependency_is_found() {
        let table: &[(&str, &str, bool)] = &[
            ("crates/app", "crates/engine", true),
            ("crates/core", "crates/metrics", false),
            ("crates/app", "crates/analysis", true),
            ("crates/analysis", "crates/report", false),
            ("crates/engine", "crates/app", false),
            ("crates/engine", "crates/store", false),
            ("crates/engine", "drivers/sqlite", false),
            ("crates/registry", "drivers/sqlite", true),
            ("crates/registry", "crates/report", false),
            ("crates/app", "workloads/tprocc", false),
            ("drivers/sqlite", "crates/driver", true),
            ("drivers/sqlite", "crates/workload", false),
            ("drivers/sqlite", "crates/metrics", false),
            ("drivers/sqlite", "drivers/noop", false),
            ("workloads/tprocc", "crates/driver", true),
            ("workloads/tprocc", "crates/engine", false),
            ("workloads/tprocc", "drivers/sqlite", false),
            ("crates/app", "testkit", false),
            ("testkit", "drivers/sqlite", true),
            ("benches", "workloads/tprocc", true),
        ];
        for (from, to, allowed) in table {
            let found = check(&packages(&[(from, &[to])]));
            assert_eq!(found.is_empty(), *allowed, "{from} -> {to}: {found:?}");
        }
    }

    #[test]
    fn exceptions_are_allowed_and_must_be_used() {
        assert!(check(&packages(&[("crates/workload", &["crates/driver"])])).is_empty());
        let found = check(&packages(&[("crates/workload", &[])]));
        assert!(found[0].text.contains("not used"), "{found:?}");
    }

    #[test]
    fn a_crate_without_a_layer_is_found() {
        assert_eq!(check(&packages(&[("crates/other", &[])])).len(), 1);
    }

    #[test]
    fn the_line_of_the_manifest_is_named() {
        let found = check(&packages(&[("crates/core", &["crates/metrics"])]));
        assert_eq!((found[0].path.as_str(), found[0].line), ("crates/core/Cargo.toml", 3));
    }
}
