//! The programs of tests, built by one call of cargo together with the binary that they run.
#![expect(clippy::disallowed_methods, reason = "the time of a build is for people to read")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use xtask::process;

/// One call, so that all is built with the same features. What makes the files of a release is built for that only.
const BUILD: &str =
    "build --workspace --exclude xtask-dist --tests --bin tacho --example panics --message-format";
/// Errors and warnings are shown as without the format.
const FORMAT: &str = "json-render-diagnostics";

/// A built program of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The folder of its package from the root, such as `drivers/mysql`.
    pub package: String,
    /// Its name, such as `mysql`, or `unit` for the tests within the sources.
    pub name: String,
    path: PathBuf,
}

/// What one build leaves.
#[derive(Default)]
pub struct Built {
    /// The programs, those that take longest first.
    pub programs: Vec<Program>,
    /// The path of `tacho`.
    pub tacho: PathBuf,
}

impl Program {
    /// A call of it in the folder of its package, as cargo would make it.
    pub fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.path);
        let folder = process::root().join(&self.package);
        command.env("CARGO_MANIFEST_DIR", &folder).current_dir(folder);
        command
    }

    /// Short, and a name for a file.
    pub fn label(&self) -> String {
        format!("{}-{}", self.package.replace('/', "-"), self.name)
    }

    /// Whole runs take longest, then tests of servers.
    fn rank(&self) -> usize {
        let order = ["tests", "workloads", "drivers", "testkit"];
        let folder = self.package.split('/').next().unwrap_or_default();
        let rank = order.iter().position(|own| *own == folder).unwrap_or(order.len());
        2 * rank + usize::from(self.name == "unit")
    }
}

/// Builds everything that tests need; an error if it does not compile.
pub fn build() -> Result<Built, String> {
    let start = Instant::now();
    let mut built = Built::default();
    for message in messages(BUILD)? {
        let Some(path) = message["executable"].as_str() else { continue };
        if message["profile"]["test"] == true {
            built.programs.extend(program(&message, &process::root()));
        } else if message["target"]["name"] == "tacho" {
            built.tacho = path.into();
        }
    }
    built.programs.sort_by_key(|program| (program.rank(), program.label()));
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    Ok(built)
}

/// Builds the product with the features that a build of the workspace gives it; the path of its program.
pub fn tacho() -> Result<PathBuf, String> {
    let messages = messages("build --workspace --exclude xtask-dist --message-format")?;
    let own = |message: &&Value| message["target"]["name"] == "tacho";
    let path = messages.iter().filter(own).find_map(|message| message["executable"].as_str());
    path.map(PathBuf::from).ok_or_else(|| "cargo names no program".into())
}

/// What a build says of each thing that it made.
fn messages(words: &str) -> Result<Vec<Value>, String> {
    let words: Vec<&str> = words.split(' ').chain([FORMAT]).collect();
    let mut cargo = process::program("cargo", &words);
    let done = cargo.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let done = done.and_then(std::process::Child::wait_with_output);
    let done = done.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !done.status.success() {
        return Err("it does not compile".into());
    }
    let text = String::from_utf8_lossy(&done.stdout);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn program(message: &Value, root: &Path) -> Option<Program> {
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let package = manifest.parent()?.strip_prefix(root).ok()?.to_str()?.to_owned();
    let target = &message["target"];
    let is_apart = target["kind"].as_array()?.iter().any(|kind| kind == "test");
    let name = if is_apart { target["name"].as_str()? } else { "unit" }.to_owned();
    Some(Program { package, name, path: message["executable"].as_str()?.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_folder_of_its_package() {
        let message = |kind: &str| {
            serde_json::json!({
                "manifest_path": "/w/drivers/mysql/Cargo.toml", "executable": "/w/target/debug/deps/x-1",
                "target": {"name": "mysql", "kind": [kind]}, "profile": {"test": true},
            })
        };
        let of = |kind: &str| program(&message(kind), Path::new("/w")).expect("a program");
        assert_eq!(of("test").label(), "drivers-mysql-mysql");
        assert_eq!(of("lib").label(), "drivers-mysql-unit");
        assert!(of("test").rank() < of("lib").rank());
    }
}
