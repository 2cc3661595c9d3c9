//! `cargo xtask test --servers` runs the live server tests on each downloaded server, and prints a table.
//!
//! The tests find out from an environment variable which server to use. Start reading at [`run`].
#![expect(clippy::disallowed_methods, reason = "the time per server is only displayed")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::test::{Program, Summary, run_these};
use crate::testing::{Download, Testing, Turn};
use crate::{needs, servers};
use xtask::Outcome;

/// Modules that test the servers of all products.
const SHARED: [&str; 2] = ["server_settings", "settling"];
/// Test programs that contain modules for live servers, named after the folders of their packages.
const PROGRAMS: [&str; 6] = ["tests", "chbench", "oltp", "tpcb", "tprocc", "tproch"];

/// Tests all downloaded servers, or only those with these names, such as `postgres-17`. Returns true if all tests
/// passed.
pub fn run(names: &[&str]) -> Outcome {
    let testing = Testing::read()?;
    needs::ensure(&testing)?;
    let folders = fetched(&testing, &servers::place(""));
    if let Some(absent) =
        names.iter().find(|name| !folders.iter().any(|(known, ..)| known == *name))
    {
        return Err(format!(
            "{absent} has not been downloaded\n\n  hint: to download servers, use cargo xtask \
             servers"
        ));
    }
    let chosen = folders.iter().filter(|(name, ..)| names.is_empty() || names.contains(name));
    let mut rows = Vec::new();
    for (name, folder, turn) in chosen {
        println!("== {name}");
        let start = Instant::now();
        rows.push((name, on(turn, folder)?, start.elapsed()));
    }
    for (name, summary, took) in &rows {
        let verdict = if summary.good() { "ok" } else { "FAILED" };
        println!("{name:<14}{verdict:<8}{:>7.1} s  {summary}", took.as_secs_f64());
    }
    needs::announce_untested(&testing);
    Ok(!rows.is_empty() && rows.iter().all(|(_, summary, _)| summary.good()))
}

/// Runs a product's tests on the server in the given folder.
fn on(turn: &Turn, folder: &Path) -> Result<Summary, String> {
    let variable = Some((&*turn.variable, folder));
    let driver = run_these(&|program| program.package == turn.driver, &[], variable)?;
    let of_turn = turn.modules.iter().map(String::as_str);
    let modules = of_turn.chain(SHARED).map(|name| format!("{name}::")).collect::<Vec<_>>();
    let chosen = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    Ok(driver.and(run_these(&chosen, &modules, variable)?))
}

/// A downloaded server, with its name, its folder and the tests to run on it.
type Fetched<'a> = (&'a str, PathBuf, &'a Turn);

/// Returns the downloaded servers for which there are tests. Incomplete downloads are not found,
/// because their folders have other names.
fn fetched<'a>(testing: &'a Testing, servers: &Path) -> Vec<Fetched<'a>> {
    let turn = |one: &Download| {
        testing.turns.iter().find(|turn| one.variable.as_ref() == Some(&turn.variable))
    };
    let place = |one: &'a Download| {
        let folder = servers.join(&one.folder);
        Some((one.folder.as_str(), folder, turn(one)?)).filter(|(_, folder, _)| folder.is_dir())
    };
    testing.downloads.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::process;

    #[test]
    fn only_whole_servers_that_have_a_turn_are_tested() {
        let servers = process::root().join(format!("target/matrix-{}", std::process::id()));
        let folders =
            ["postgres-17", "postgres-16", "postgres-18.part", "mariadb-11.4", "mysql", "tcl-9.0"];
        for folder in folders {
            std::fs::create_dir_all(servers.join(folder)).expect("a folder");
        }
        let testing = Testing::read().expect("the files");
        let names: Vec<_> =
            fetched(&testing, &servers).into_iter().map(|(name, ..)| name).collect();
        std::fs::remove_dir_all(&servers).expect("removed");
        assert_eq!(names, ["mariadb-11.4", "postgres-16", "postgres-17"]);
    }

    #[test]
    fn each_module_of_the_matrix_is_there() {
        let root = process::root();
        let folder = |program: &str| match program {
            "tests" => root.join("tests/tests"),
            workload => root.join("workloads").join(workload).join("tests"),
        };
        assert!(PROGRAMS.iter().all(|name| folder(name).join("main.rs").is_file()));
        let there = |name: &&str| {
            let file = format!("{name}.rs");
            let places =
                |folder: PathBuf| [folder.join(&file), folder.join("extended").join(&file)];
            PROGRAMS.iter().flat_map(|program| places(folder(program))).any(|path| path.is_file())
        };
        for turn in Testing::read().expect("the files").turns {
            assert!(root.join(&turn.driver).is_dir());
            let modules = turn.modules.iter().map(String::as_str).chain(SHARED);
            assert_eq!(modules.filter(|name| !there(name)).collect::<Vec<_>>(), Vec::<&str>::new());
        }
    }
}
