//! Checks that crates depend only on crates in lower layers. Only the registry may depend on
//! individual databases and workloads.

use super::Violation;
use super::tree::{Package, Tree};

/// The crates in `crates/` by layer, starting with the lowest. Every crate must be listed.
const LAYERS: [&[&str]; 8] = [
    &["core", "embed"],
    &["driver", "workload", "calls", "config", "isolation", "metrics", "net", "servers"],
    &[],
    &["engine", "collect", "store", "pack"],
    &["analysis", "cluster"],
    &["registry", "report"],
    &["app"],
    &["cli", "hammerdb", "web", "tui"],
];
/// The layer of drivers and workloads.
const PLUG_IN_LAYER: usize = 2;

/// Crates that a driver may depend on.
const DRIVER_BASE: &[&str] =
    &["crates/driver", "crates/net", "crates/calls", "crates/servers", "crates/core"];
/// Crates that a workload may depend on.
const WORKLOAD_BASE: &[&str] = &["crates/workload", "crates/driver", "crates/core", "crates/embed"];

/// Exceptions to the rule: the dependent crate, the crate that it depends on, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/workload", "crates/driver", "transactions use types from the driver contract"),
    ("crates/calls", "crates/driver", "implements the driver contract's sessions"),
    (
        "crates/calls",
        "crates/net",
        "reads target options in the same way as drivers that implement a protocol",
    ),
    ("crates/net", "crates/driver", "reads target options that the driver contract defines"),
    ("workloads/chbench", "workloads/tprocc", "extends this workload with query streams"),
    ("crates/cli", "crates/hammerdb", "a single binary contains all front ends"),
    ("crates/hammerdb", "crates/web", "adds a web service to the same server"),
    ("crates/cli", "crates/web", "a single binary contains all front ends"),
    ("crates/cli", "crates/tui", "a single binary contains all front ends"),
];

/// Checks all of the product's dependencies.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for Package { folder, dependencies } in &tree.packages {
        let mut add = |text| {
            found.push(Violation::new(&format!("{folder}/Cargo.toml"), 1, "layer", text));
        };
        if folder.starts_with("crates/") && layer(folder).is_none() {
            add(format!("{folder} has no layer; assign one in xtask/src/tidy/layers.rs"));
        }
        let is_excepted =
            |to: &&String| EXCEPTIONS.iter().any(|(a, b, _)| (*a, *b) == (folder, to.as_str()));
        let checked = dependencies.iter().filter(|to| !is_excepted(to));
        checked.filter_map(|to| objection(folder, to)).for_each(add);
    }
    found
}

/// Returns the reason why the crate in `from` must not depend on the crate in `to`, or `None` if it may.
fn objection(from: &str, to: &str) -> Option<String> {
    let (from_kind, to_kind) = (split(from).0, split(to).0);
    if matches!(from_kind, "testkit" | "tests" | "benches" | "xtask") {
        return None;
    }
    if matches!(to_kind, "testkit" | "tests" | "benches" | "xtask") {
        return Some(format!("{to} is for tests only; make it a dev-dependency"));
    }
    let base = match from_kind {
        "drivers" => Some(("driver", DRIVER_BASE)),
        "workloads" => Some(("workload", WORKLOAD_BASE)),
        _ => None,
    };
    if let Some((kind, base)) = base {
        let text = || format!("a {kind} may depend only on {}, not on {to}", base.join(", "));
        return (!base.contains(&to)).then(text);
    }
    if matches!(to_kind, "drivers" | "workloads") && from != "crates/registry" {
        return Some(format!("only crates/registry may depend on {to}"));
    }
    let (from_layer, to_layer) = (layer(from)?, layer(to)?);
    (to_layer >= from_layer)
        .then(|| format!("{from} (layer {from_layer}) must not depend on {to} (layer {to_layer})"))
}

fn layer(folder: &str) -> Option<usize> {
    match split(folder) {
        ("drivers" | "workloads", _) => Some(PLUG_IN_LAYER),
        ("crates", name) => LAYERS.iter().position(|layer| layer.contains(&name)),
        _ => None,
    }
}

/// Splits a folder such as `crates/core` into its kind and name.
fn split(folder: &str) -> (&str, &str) {
    folder.split_once('/').unwrap_or((folder, ""))
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
        #[rustfmt::skip]
        let (allowed, forbidden) = ([
            ("crates/app", "crates/engine"), ("crates/app", "crates/analysis"), ("crates/registry", "drivers/sqlite"),
            ("drivers/sqlite", "crates/driver"), ("workloads/tprocc", "crates/driver"), ("testkit", "drivers/sqlite"),
            ("benches", "workloads/tprocc"),
        ], [
            ("crates/core", "crates/metrics"), ("crates/analysis", "crates/report"), ("crates/engine", "crates/app"),
            ("crates/engine", "crates/store"), ("crates/engine", "drivers/sqlite"), ("crates/registry", "crates/report"),
            ("crates/app", "workloads/tprocc"), ("drivers/sqlite", "crates/workload"), ("crates/app", "testkit"),
            ("drivers/sqlite", "crates/metrics"), ("drivers/sqlite", "drivers/noop"),
            ("workloads/tprocc", "crates/engine"), ("workloads/tprocc", "drivers/sqlite"),
        ]);
        let table = allowed.iter().map(|pair| (pair, true));
        for ((from, to), allowed) in table.chain(forbidden.iter().map(|pair| (pair, false))) {
            let found = check(&packages(&[(from, &[to])]));
            assert_eq!(found.is_empty(), allowed, "{from} -> {to}: {found:?}");
        }
    }

    #[test]
    fn exceptions_are_allowed_and_a_crate_without_a_layer_is_found() {
        assert!(check(&packages(&[("crates/workload", &["crates/driver"])])).is_empty());
        assert_eq!(check(&packages(&[("crates/other", &[])])).len(), 1);
    }
}
