//! `cargo xtask nightly`: what is too long for each change. Loads a gigabyte into every database that is
//! there, and asks all questions about it: the 22 answers are compared with the published ones. Then simulated faults,
//! spoiled files and crashes in numbers, and the files of a release for all systems, built twice and tried.
//!
//! It is about right answers and not about speed, so the program is the one that tests use. What a
//! database leaves behind is removed before the next one. Start reading at [`run`].

use std::path::PathBuf;
use std::time::Instant;

use xtask::{Outcome, process};

use crate::testing::{Night, Testing};
use crate::{DIST, dist, servers};

/// The program that is tried, from the root.
const PROGRAM: &str = "target/nightly/tacho";
/// Seeds of simulated faults, and cases of each kind of spoiled files.
const SEEDS: &str = "20000";
const CASES: &str = "5000";
/// Crashes of each kind, after which no acknowledged commit may be missing.
const CRASHES: &str = "200";
/// The name of a server for a night.
const SERVER: &str = "night";

/// Checks the databases of these names, such as `postgres-18`, or all; true if none is wrong and one was there.
#[expect(clippy::disallowed_methods, reason = "the time of a night is for people to read")]
pub fn run(names: &[&str]) -> Outcome {
    let nights = Testing::read()?.nights;
    if let Some(odd) = names.iter().find(|name| !nights.iter().any(|night| night.name == **name)) {
        let all: Vec<&str> = nights.iter().map(|night| &*night.name).collect();
        return Err(format!("{odd} is none of {}", all.join(", ")));
    }
    build()?;
    let mut lines = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    for night in nights.iter().filter(|night| names.is_empty() || names.contains(&&*night.name)) {
        println!("== {}", night.name);
        let start = Instant::now();
        let verdict = match night.place_of_data() {
            None => "NOT TESTED, it is not there".to_owned(),
            Some(target) => match night.failed_step(&target)? {
                None => {
                    right += 1;
                    format!("right in {:.0} s", start.elapsed().as_secs_f64())
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
    let withstood = !names.is_empty() || many_faults()?;
    println!("== nightly\n{}", lines.join("\n"));
    let installed = !names.is_empty() || dist(&["--check", "--twice"])?;
    Ok(wrong == 0 && right > 0 && withstood && installed)
}

/// Many seeds of simulated faults, many spoiled files and many crashes: a run of all tests has some of each. A seed that
/// fails prints how it is repeated.
fn many_faults() -> Outcome {
    println!("== simulated faults, spoiled input and crashes");
    let words = ["test", "--quiet", "--workspace", "--exclude", DIST, "--test", "tests", "--"];
    let mut command = process::program("cargo", &words);
    command.args(["simulated_faults", "fuzzed", "crashes", "hostile"]);
    command.env("TACHO_FAULT_SEEDS", SEEDS).env("TACHO_FUZZ_CASES", CASES);
    process::ended(command.env("TACHO_CRASHES", CRASHES))
}

/// Builds the program, and keeps it: a night is long, and the source may change in it.
fn build() -> Result<(), String> {
    let words = ["build", "--quiet", "--locked", "--package", "tacho-cli"];
    if !process::succeeds("cargo", &words)? {
        return Err("tacho does not build".into());
    }
    // Cargo puts it where this very program is.
    let built = std::env::current_exe().map(|own| own.with_file_name("tacho"));
    let kept = process::root().join(PROGRAM);
    let made = std::fs::create_dir_all(process::root().join("target/nightly"));
    let copied = made.and_then(|()| std::fs::copy(built?, kept));
    copied.map(|_| ()).map_err(|error| format!("cannot keep the program: {error}"))
}

/// One database in a folder of its own.
impl Night {
    /// Where the data goes; `None` if there is no such database here.
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

    /// The first step that does not end well, if any.
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
        made.map_err(|error| format!("cannot make {}: {error}", place.display()))?;
        println!("tacho {}", words.join(" "));
        let program = process::root().join(PROGRAM).display().to_string();
        process::ended(process::program(&program, words).current_dir(place))
    }

    /// Stops the server, and removes all data.
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
