//! Dependencies point downwards only, neighbours do not know each other, and only the registry
//! knows concrete databases and workloads.

use super::Violation;
use super::tree::{Package, Tree};

const RULE: &str = "layer";

/// The crates in `crates/` by layer, from the lowest. A crate that is not listed has no place yet.
const LAYERS: [&[&str]; 8] = [
    &["core", "embed"],
    &["driver", "workload", "calls", "config", "metrics", "net", "servers"],
    &[],
    &["engine", "collect", "store", "pack"],
    &["analysis", "cluster"],
    &["registry", "report"],
    &["app"],
    &["cli", "hammerdb", "web", "tui"],
];
/// The layer of drivers and workloads.
const PLUG_IN_LAYER: usize = 2;

/// All that a driver may be built from.
const DRIVER_BASE: &[&str] =
    &["crates/driver", "crates/net", "crates/calls", "crates/servers", "crates/core"];
/// All that a workload may be built from.
const WORKLOAD_BASE: &[&str] = &["crates/workload", "crates/driver", "crates/core", "crates/embed"];

/// From, to, and why this one is allowed. One that no crate uses is a violation too.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/workload", "crates/driver", "transactions use the types of the driver contract"),
    ("crates/calls", "crates/driver", "it implements the session of the driver contract"),
    ("crates/calls", "crates/net", "it reads a target's options as drivers with a protocol do"),
    ("crates/net", "crates/driver", "it reads the options of a target of the driver contract"),
    ("workloads/chbench", "workloads/tprocc", "it is that workload with more query streams"),
    ("crates/cli", "crates/hammerdb", "one binary holds all front ends"),
    ("crates/hammerdb", "crates/web", "its web service is routes of the same server"),
    ("crates/cli", "crates/web", "one binary holds all front ends"),
    ("crates/cli", "crates/tui", "one binary holds all front ends"),
];

/// Checks every dependency of the product.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in &tree.packages {
        if let ("crates", name) = split(&package.folder)
            && layer(&package.folder).is_none()
        {
            let text = format!("{name} has no layer; give it one in xtask/src/tidy/layers.rs");
            found.push(violation(package, text));
        }
        for to in &package.dependencies {
            if !is_excepted(&package.folder, to)
                && let Some(text) = objection(&package.folder, to)
            {
                found.push(violation(package, text));
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

fn layer(folder: &str) -> Option<usize> {
    match split(folder) {
        ("drivers" | "workloads", _) => Some(PLUG_IN_LAYER),
        ("crates", name) => LAYERS.iter().position(|layer| layer.contains(&name)),
        _ => None,
    }
}

/// Splits a folder such as `crates/core` into kind and name.
fn split(folder: &str) -> (&str, &str) {
    folder.split_once('/').unwrap_or((folder, ""))
}

fn violation(package: &Package, text: String) -> Violation {
    Violation::new(&format!("{}/Cargo.toml", package.folder), 1, RULE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(list: &[(&str, &[&str])]) -> Tree {
        let mut tree = Tree::of(&[]);
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
}
