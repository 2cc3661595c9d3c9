//! The input of all rules: the files in the repository, and the dependencies of its crates.

use std::path::Path;

use serde_json::Value;
use xtask::process;

use super::rust::Source;

/// A text file.
pub struct File {
    /// Path relative to the root, with forward slashes.
    pub path: String,
    /// Content of the file.
    pub text: String,
    /// The content as Rust source, if this is an `.rs` file.
    pub rust: Option<Source>,
}

impl File {
    pub fn is(&self, ending: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == ending)
    }
}

/// A crate of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// The crate's folder relative to the root, such as `crates/core`.
    pub folder: String,
    /// Folders of the workspace crates that this crate depends on.
    pub dependencies: Vec<String>,
}

/// The complete input for the rules.
#[derive(Default)]
pub struct Tree {
    /// Text files, sorted by path.
    pub files: Vec<File>,
    /// The crates. Dependencies for tests and examples are not included.
    pub packages: Vec<Package>,
}

impl Tree {
    /// Loads the workspace from disk: all files that git tracks or would add.
    pub fn load() -> Result<Self, String> {
        let words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = process::output("git", &words)?;
        let listed = String::from_utf8_lossy(&listed);
        let mut files: Vec<File> = listed.split_terminator('\0').filter_map(read).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let words = ["metadata", "--no-deps", "--format-version", "1"];
        let metadata = process::output("cargo", &words)?;
        let metadata: Value = serde_json::from_slice(&metadata)
            .map_err(|error| format!("cannot parse the output of cargo metadata: {error}"))?;
        Ok(Self { files, packages: packages(&metadata) })
    }

    /// Returns a small source tree for a test.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| file(path, (*text).to_owned())).collect();
        Self { files, packages: Vec::new() }
    }

    /// Returns all Rust files.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &Source)> {
        self.files.iter().filter_map(|file| Some((file.path.as_str(), file.rust.as_ref()?)))
    }

    /// Returns the file at the given path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Reads a file as text. Returns an empty string for a binary file, or `None` if the file no longer exists.
fn read(path: &str) -> Option<File> {
    let bytes = std::fs::read(process::root().join(path)).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    Some(file(path, text.unwrap_or_default()))
}

fn file(path: &str, text: String) -> File {
    let mut file = File { path: path.to_owned(), text, rust: None };
    file.rust = file.is("rs").then(|| Source::read(&file.text));
    file
}

fn packages(metadata: &Value) -> Vec<Package> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let package = |package: Value| {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let folder = relative(manifest, root).trim_end_matches("/Cargo.toml").to_owned();
        let built_from = list(&package["dependencies"])
            .into_iter()
            .filter(|dependency| dependency["kind"] != "dev");
        let dependencies =
            built_from.filter_map(|dependency| Some(relative(dependency["path"].as_str()?, root)));
        Package { folder, dependencies: dependencies.collect() }
    };
    list(&metadata["packages"]).into_iter().map(package).collect()
}

fn relative(path: &str, root: &str) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.replace('\\', "/").trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_without_the_dependencies_of_tests() {
        let metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [{
                "manifest_path": "/w/crates/a/Cargo.toml",
                "dependencies": [
                    {"name": "b", "kind": null, "path": "/w/crates/b"},
                    {"name": "c", "kind": "dev", "path": "/w/crates/c"},
                    {"name": "d", "kind": "build", "path": "/w/crates/d"},
                    {"name": "serde", "kind": null},
                ],
            }],
        });
        let packages = packages(&metadata);
        assert_eq!(packages[0].folder, "crates/a");
        assert_eq!(packages[0].dependencies, ["crates/b", "crates/d"]);
    }
}
