//! The crates that a program is made of, as cargo resolves them for its system.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process;

/// A crate of other authors in the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crate {
    pub name: String,
    pub version: String,
    /// SPDX expression; empty if the crate names none.
    pub licence: String,
    pub authors: Vec<String>,
    pub repository: String,
    /// The folder with its sources.
    pub folder: PathBuf,
    /// SHA-256 of its archive in the registry.
    pub sha256: String,
    /// Names and versions of the crates that it needs itself.
    pub needs: Vec<String>,
}

impl Crate {
    /// Name and version in one word.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// The crates of the program for a system, by name; those of this workspace are not among them.
pub fn all(triple: &str) -> Result<Vec<Crate>, String> {
    let words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", triple];
    let text = process::output("cargo", &words)?;
    let metadata =
        serde_json::from_slice(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let lock = std::fs::read_to_string(process::root().join("Cargo.lock"));
    let lock = lock.map_err(|error| format!("read Cargo.lock: {error}"))?;
    of(&metadata, &checksums(&lock), "tacho-cli")
}

fn of(metadata: &Value, sums: &BTreeMap<String, String>, root: &str) -> Result<Vec<Crate>, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|own| (text(&own["id"]), own)).collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|own| (text(&own["id"]), own))
        .collect();
    let start = packages.iter().find(|(_, own)| own["name"] == root);
    let start = start.map(|(id, _)| id.clone()).ok_or(format!("there is no package {root}"))?;
    // What only a build script or a test needs is no part of the program.
    let needs = |id: &str| -> Vec<String> {
        let deps = nodes.get(id).map(|node| list(&node["deps"])).unwrap_or_default();
        let in_program =
            |dep: &&Value| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        deps.iter().filter(in_program).map(|dep| text(&dep["pkg"])).collect()
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            open.extend(needs(&id));
        }
    }
    let id_of =
        |package: &Value| format!("{}@{}", text(&package["name"]), text(&package["version"]));
    let foreign = |package: &Value| !package["source"].is_null();
    let mut found: Vec<Crate> = seen
        .iter()
        .filter_map(|id| packages.get(id).map(|package| (id, package)))
        .filter(|(_, package)| foreign(package))
        .map(|(id, package)| Crate {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            authors: list(&package["authors"]).iter().map(text).collect(),
            repository: text(&package["repository"]),
            folder: Path::new(&text(&package["manifest_path"]))
                .parent()
                .map_or_else(PathBuf::new, Path::to_owned),
            sha256: sums.get(&id_of(package)).cloned().unwrap_or_default(),
            needs: needs(id).iter().filter_map(|id| packages.get(id)).map(id_of).collect(),
        })
        .collect();
    found.sort();
    Ok(found)
}

/// The checksums in a `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let field = |part: &str, key: &str| {
        let line = part.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    lock.split("[[package]]")
        .filter_map(|part| {
            let id = format!("{}@{}", field(part, "name")?, field(part, "version")?);
            Some((id, field(part, "checksum")?))
        })
        .collect()
}

#[cfg(test)]
pub(super) fn example() -> Crate {
    Crate {
        name: "one".into(),
        version: "1.0.0".into(),
        licence: "MIT/Apache-2.0".into(),
        authors: vec!["Ann".into()],
        repository: "https://example.com/one".into(),
        folder: PathBuf::new(),
        sha256: "ab".into(),
        needs: vec!["two@2.0.0".into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_the_program_is_counted() {
        let package = |name: &str, source: Value| {
            serde_json::json!({ "id": name, "name": name, "version": "1.0.0", "source": source,
                "license": "MIT", "manifest_path": format!("/src/{name}/Cargo.toml"), "authors": [] })
        };
        let dep = |name: &str, kind: Value| serde_json::json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let registry = Value::from("registry");
        let metadata = serde_json::json!({
            "packages": [package("ours", Value::Null), package("one", registry.clone()),
                package("two", registry.clone()), package("builder", registry.clone()), package("far", registry)],
            "resolve": { "nodes": [
                { "id": "ours", "deps": [dep("one", Value::Null), dep("builder", "build".into())] },
                { "id": "one", "deps": [dep("two", Value::Null), dep("far", "dev".into())] },
            ] },
        });
        let lock = "[[package]]\nname = \"one\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
        let found = of(&metadata, &checksums(lock), "ours").expect("crates");
        let names: Vec<&str> = found.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(
            (found[0].sha256.as_str(), found[0].needs.as_slice()),
            ("abc", &["two@1.0.0".to_owned()][..])
        );
        assert_eq!(found[0].folder, Path::new("/src/one"));
        assert!(of(&metadata, &BTreeMap::new(), "nobody").is_err());
    }
}
