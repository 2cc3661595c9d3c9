//! The test programs, and the `tacho` program that they run. A single cargo command builds all of them.
#![expect(clippy::disallowed_methods, reason = "the duration of a build is only displayed")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use xtask::process;

/// Everything is built in a single command, so that all programs have the same features. The
/// package for releases is excluded, because tests do not need it.
const BUILD: &str =
    "build --workspace --exclude xtask-dist --tests --bin tacho --example panics --message-format";
/// Message format in which cargo shows errors and warnings as usual and reports everything else as JSON.
const FORMAT: &str = "json-render-diagnostics";

/// A built test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Folder of the package relative to the workspace root, such as `drivers/mysql`.
    pub package: String,
    /// Name of the program, such as `mysql`, or `unit` for tests inside the source files.
    pub name: String,
    path: PathBuf,
}

/// The programs from a build.
#[derive(Default)]
pub struct Built {
    /// Test programs, starting with the slowest.
    pub programs: Vec<Program>,
    /// Path of `tacho`.
    pub tacho: PathBuf,
}

impl Program {
    /// Returns a command that runs the program in its package's folder, as cargo does.
    pub fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.path);
        let folder = process::root().join(&self.package);
        command.env("CARGO_MANIFEST_DIR", &folder).current_dir(folder);
        command
    }

    /// Returns a short label that can be used as a file name.
    pub fn label(&self) -> String {
        format!("{}-{}", self.package.replace('/', "-"), self.name)
    }

    /// Returns the program's position when programs are sorted by expected duration. Tests of
    /// complete runs take longest.
    fn rank(&self) -> usize {
        let order = ["tests", "workloads", "drivers", "testkit"];
        let folder = self.package.split('/').next().unwrap_or_default();
        let rank = order.iter().position(|known| *known == folder).unwrap_or(order.len());
        2 * rank + usize::from(self.name == "unit")
    }
}

/// Builds everything that the tests need. Returns an error if the code does not compile.
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

/// Builds the product with the same features as a build of the whole workspace, and returns the path of the program.
pub fn tacho() -> Result<PathBuf, String> {
    let messages = messages("build --workspace --exclude xtask-dist --message-format")?;
    let is_tacho = |message: &&Value| message["target"]["name"] == "tacho";
    let path = messages.iter().filter(is_tacho).find_map(|message| message["executable"].as_str());
    path.map(PathBuf::from).ok_or_else(|| "cargo did not report a program".into())
}

/// Returns cargo's messages about the artefacts it built.
fn messages(words: &str) -> Result<Vec<Value>, String> {
    let words: Vec<&str> = words.split(' ').chain([FORMAT]).collect();
    let mut cargo = process::program("cargo", &words);
    let done = cargo.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let done = done.and_then(std::process::Child::wait_with_output);
    let done = done.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !done.status.success() {
        return Err("the code does not compile".into());
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
