//! `cargo xtask nightly` runs tests that take too long for each change.
//!
//! It runs TPC-H's 22 queries on a gigabyte of data in every database. It also runs both the normal and the extended
//! tests with many simulated faults, and builds a release for every system.
//!
//! The tests check results rather than speed, so they use a program built as for other tests. Start
//! reading at [`run`].

use std::path::PathBuf;
use std::time::Instant;

use xtask::{Outcome, process};

use crate::testing::{Night, Testing};
use crate::{dist, servers};

/// Path of the program under test, relative to the workspace root.
const PROGRAM: &str = "target/nightly/tacho";
/// Number of seeds for tests with simulated faults, and number of corrupted files of each kind.
const SEEDS: &str = "20000";
const CASES: &str = "5000";
/// Number of crashes of each kind. After a crash, no acknowledged commit may be missing.
const CRASHES: &str = "200";
/// Duration of the campaign in seconds. The campaign consists of random trials with all kinds of faults.
const CAMPAIGN_SECONDS: &str = "3600";
/// Name of the server used in a nightly test.
const SERVER: &str = "night";

/// Tests all databases, or only those with these names, such as `postgres-18`. Returns true if any was available and
/// all passed.
#[expect(clippy::disallowed_methods, reason = "test durations are only displayed")]
pub fn run(names: &[&str]) -> Outcome {
    let nights = Testing::read()?.nights;
    if let Some(odd) = names.iter().find(|name| !nights.iter().any(|night| night.name == **name)) {
        let all: Vec<&str> = nights.iter().map(|night| &*night.name).collect();
        return Err(format!("unknown database {odd}: expected one of {}", all.join(", ")));
    }
    build()?;
    let mut lines = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    for night in nights.iter().filter(|night| names.is_empty() || names.contains(&&*night.name)) {
        println!("== {}", night.name);
        let start = Instant::now();
        let verdict = match night.place_of_data() {
            None => "NOT TESTED, not available".to_owned(),
            Some(target) => match night.failed_step(&target)? {
                None => {
                    right += 1;
                    format!("passed in {:.0} s", start.elapsed().as_secs_f64())
                }
                Some(step) => {
                    wrong += 1;
                    format!("FAILED: tacho {step}")
                }
            },
        };
        night.tidy_up()?;
        lines.push(format!("{:<14}{verdict}", night.name));
    }
    let withstood = !names.is_empty() || (all_tests()? & campaign()?);
    println!("== nightly\n{}", lines.join("\n"));
    let installed = !names.is_empty() || dist(&["--check", "--twice"])?;
    Ok(wrong == 0 && right > 0 && withstood && installed)
}

/// Runs both test tiers with more faults, corrupted files and crashes than usual. If a seed fails,
/// prints the command to repeat it.
fn all_tests() -> Outcome {
    println!("== all tests, with many faults, corrupted files and crashes");
    let itself = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = process::program(itself, &["test", "--all"]);
    command.env("TACHO_FAULT_SEEDS", SEEDS).env("TACHO_FUZZ_CASES", CASES);
    process::ended(command.env("TACHO_CRASHES", CRASHES))
}

/// Runs the campaign and prints a line for each trial. The campaign is separate from the other tests, because those are
/// repeated if they fail.
fn campaign() -> Outcome {
    println!("== the campaign");
    let words = ["test", "--workspace", "--exclude", "xtask-dist", "--test", "tests", "--"];
    let trials = ["extended::campaign", "--nocapture"];
    let mut command = process::program("cargo", &[&words[..], &trials].concat());
    process::ended(command.env("TACHO_CAMPAIGN_SECONDS", CAMPAIGN_SECONDS))
}

/// Builds the program and makes a copy of it, so that changes to the sources during a nightly test have no effect.
fn build() -> Result<(), String> {
    let words = ["build", "--quiet", "--locked", "--package", "tacho-cli"];
    if !process::succeeds("cargo", &words)? {
        return Err("cannot build tacho".into());
    }
    // Cargo puts the program in the same folder as the current executable.
    let built = std::env::current_exe().map(|program| program.with_file_name("tacho"));
    let kept = process::root().join(PROGRAM);
    let made = std::fs::create_dir_all(process::root().join("target/nightly"));
    let copied = made.and_then(|()| std::fs::copy(built?, kept));
    copied.map(|_| ()).map_err(|error| format!("cannot copy the program: {error}"))
}

/// Steps of a database's nightly test, which has its own folder.
impl Night {
    /// Returns the target in which the data is loaded, or `None` if this database is not available.
    fn place_of_data(&self) -> Option<String> {
        let folder = self.download.as_ref().map(|name| servers::place(name));
        if folder.as_ref().is_some_and(|folder| !folder.exists()) {
            return None;
        }
        let folder = folder.map(|folder| folder.display().to_string());
        if let Some(target) = &self.target {
            return Some(target.replace("{folder}", folder.as_deref().unwrap_or_default()));
        }
        let mut words = vec!["up", self.up.as_deref()?, "--name", SERVER];
        if let Some(folder) = &folder {
            words.extend(["--binaries", folder]);
        }
        self.tacho(&words).ok()?.then(|| SERVER.to_owned())
    }

    /// Runs the steps until one fails. Returns the step that failed, if any.
    fn failed_step(&self, target: &str) -> Result<Option<String>, String> {
        for step in [
            "prepare tproch TARGET --scale 1 --progress none",
            "check tproch TARGET",
            "run tproch TARGET --set query_parameters=validation --progress none",
        ] {
            let word = |word| if word == "TARGET" { target } else { word };
            if !self.tacho(&step.split(' ').map(word).collect::<Vec<_>>())? {
                return Ok(Some(step.replace("TARGET", target)));
            }
        }
        Ok(None)
    }

    fn place(&self) -> PathBuf {
        process::root().join("target/nightly").join(&self.name)
    }

    fn tacho(&self, words: &[&str]) -> Outcome {
        let place = self.place();
        let made = std::fs::create_dir_all(&place);
        made.map_err(|error| format!("cannot create {}: {error}", place.display()))?;
        println!("tacho {}", words.join(" "));
        let program = process::root().join(PROGRAM).display().to_string();
        process::ended(process::program(&program, words).current_dir(place))
    }

    /// Stops the server and removes all data.
    fn tidy_up(&self) -> Result<(), String> {
        let place = self.place();
        if place.join("tacho-data/servers").exists() {
            self.tacho(&["down", "--all"])?;
        }
        match std::fs::remove_dir_all(&place) {
            Err(error) if place.exists() => {
                Err(format!("cannot remove {}: {error}", place.display()))
            }
            _ => Ok(()),
        }
    }
}
