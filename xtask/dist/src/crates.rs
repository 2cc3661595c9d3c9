//! The crates contained in a program, as resolved by cargo for its system.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, NodeDep, Package, PackageId};
use xtask::process;

/// A third-party crate in the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crate {
    pub name: String,
    pub version: String,
    /// SPDX expression of the licence, or an empty string if the crate does not specify one.
    pub licence: String,
    pub authors: Vec<String>,
    pub repository: String,
    /// Folder with the crate's source code.
    pub folder: PathBuf,
    /// SHA-256 hash of the crate's archive in the registry.
    pub sha256: String,
    /// Names and versions of the crate's direct dependencies.
    pub needs: Vec<String>,
}

impl Crate {
    /// Returns the name and version as a single word.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// Returns the third-party crates that are part of the program for a system, sorted by name.
pub fn all(triple: &str) -> Result<Vec<Crate>, String> {
    let words = ["--locked", "--filter-platform", triple].map(str::to_owned);
    let mut command = MetadataCommand::new();
    let metadata = command.current_dir(process::root()).other_options(words).exec();
    let metadata = metadata.map_err(|error| format!("cargo metadata: {error}"))?;
    let sums = checksums()?;
    let packages: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let id = |package: &Package| format!("{}@{}", package.name, package.version);
    let mut found = Vec::new();
    for (package_id, needs) in in_program(&metadata)? {
        // Crates that belong to the workspace have no source.
        let Some(package) = packages.get(package_id).filter(|package| package.source.is_some())
        else {
            continue;
        };
        let folder = package.manifest_path.parent().map(PathBuf::from);
        found.push(Crate {
            name: package.name.to_string(),
            version: package.version.to_string(),
            licence: package.license.clone().unwrap_or_default(),
            authors: package.authors.clone(),
            repository: package.repository.clone().unwrap_or_default(),
            folder: folder.unwrap_or_default(),
            sha256: sums.get(&id(package)).cloned().unwrap_or_default(),
            needs: needs
                .iter()
                .filter_map(|need| packages.get(need))
                .map(|needed| id(needed))
                .collect(),
        });
    }
    found.sort();
    Ok(found)
}

/// Returns the packages compiled into the program, each with its dependencies.
fn in_program(metadata: &Metadata) -> Result<BTreeMap<&PackageId, Vec<&PackageId>>, String> {
    let nodes = &metadata.resolve.as_ref().ok_or("cargo returned no dependency graph")?.nodes;
    let program = metadata.packages.iter().find(|package| package.name.as_str() == "tacho-cli");
    let mut open = vec![&program.ok_or("package tacho-cli does not exist")?.id];
    let (mut found, mut seen) = (BTreeMap::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let dependencies = nodes.iter().filter(|node| node.id == *id).flat_map(|node| &node.deps);
        // Dependencies needed only by build scripts or tests are not part of the program.
        let is_in = |dependency: &&NodeDep| {
            dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        };
        let needs: Vec<&PackageId> =
            dependencies.filter(is_in).map(|dependency| &dependency.pkg).collect();
        open.extend(&needs);
        found.insert(id, needs);
    }
    Ok(found)
}

/// Returns the checksums from `Cargo.lock`, keyed by name and version.
fn checksums() -> Result<BTreeMap<String, String>, String> {
    let text = crate::read(&process::root().join("Cargo.lock"))?;
    let lock: toml::Table =
        String::from_utf8_lossy(&text).parse().map_err(|error| format!("Cargo.lock: {error}"))?;
    let sum = |package: &toml::Value| {
        let text = |key| package.get(key).and_then(toml::Value::as_str);
        Some((format!("{}@{}", text("name")?, text("version")?), text("checksum")?.to_owned()))
    };
    let packages = lock.get("package").and_then(toml::Value::as_array);
    Ok(packages.into_iter().flatten().filter_map(sum).collect())
}

#[cfg(test)]
pub fn example() -> Crate {
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
        let found = all("x86_64-unknown-linux-gnu").expect("crates");
        let find = |name: &str| found.iter().find(|library| library.name == name);
        let sqlite = find("rusqlite").expect("in the program");
        assert!(sqlite.sha256.len() == 64 && sqlite.folder.join("src/lib.rs").is_file());
        assert!(sqlite.needs.iter().any(|need| need.starts_with("libsqlite3-sys@")), "{sqlite:?}");
        for absent in ["tacho-core", "insta", "cc", "windows-sys"] {
            assert_eq!(find(absent), None);
        }
    }
}
