//! Downloads optional servers and libraries into `target/servers/NAME`, as listed in each database's `testing.toml`.

use std::path::{Path, PathBuf};

use xtask::{Outcome, process};

use crate::testing::{Download, Testing};

/// Shell script that downloads a single item from a single source.
const SOURCES: &str = include_str!("sources.sh");

/// Downloads everything that is missing, and prints how to run tests with it. If a download fails,
/// the others continue.
pub fn run() -> Outcome {
    let all = fetch(&Testing::read()?, |_| true);
    println!("to test each server in turn, run: cargo xtask test --servers");
    println!("to start one of these servers, run: tacho up PRODUCT --binaries FOLDER");
    Ok(all)
}

/// Downloads the small software that every full test run needs, unless an environment variable
/// specifies another copy.
pub fn small(testing: &Testing) -> bool {
    fetch(testing, |one| one.always && !is_named(one))
}

/// Returns true if an environment variable specifies a copy to use instead of the download.
pub fn is_named(one: &Download) -> bool {
    let value = one.variable.as_ref().and_then(std::env::var_os);
    value.is_some_and(|value| !value.is_empty())
}

pub fn place(folder: &str) -> PathBuf {
    process::root().join("target/servers").join(folder)
}

fn fetch(testing: &Testing, is_chosen: impl Fn(&Download) -> bool) -> bool {
    testing.downloads.iter().filter(|one| is_chosen(one)).filter(|one| !fetched(one)).count() == 0
}

fn fetched(one: &Download) -> bool {
    let (title, to) = (&one.title, place(&one.folder));
    let there = to.join(&one.program).is_file() || {
        println!("downloading {title}");
        fetch_whole(&to, |part| from_sources(one, part)).unwrap_or_else(|message| {
            println!("error: {message}");
            false
        })
    };
    println!("{}{title}: {}", if there { "" } else { "NOT DOWNLOADED: " }, to.display());
    there
}

/// Downloads into a temporary folder, so that an interrupted download cannot be mistaken for a complete one.
fn fetch_whole(to: &Path, fetch: impl Fn(&Path) -> Outcome) -> Outcome {
    let part = to.with_added_extension("part");
    let cannot = |error| format!("cannot create {}: {error}", to.display());
    if part.exists() {
        std::fs::remove_dir_all(&part).map_err(cannot)?;
    }
    std::fs::create_dir_all(&part).map_err(cannot)?;
    if !fetch(&part)? {
        return Ok(false);
    }
    std::fs::rename(&part, to).map_err(cannot)?;
    Ok(true)
}

/// Downloads software from each of its configured sources, and then runs its final command. The loop below determines
/// the order of the sources.
fn from_sources(one: &Download, to: &Path) -> Outcome {
    let shell = |words: &[&str]| process::ended(process::program("sh", words).current_dir(to));
    let one_of = |source: &Option<String>| source.iter().cloned().collect::<Vec<_>>();
    let debian = one
        .debian
        .iter()
        .flat_map(|source| [std::slice::from_ref(&source.suite), &source.packages].concat());
    for (source, words) in [
        ("npm", one_of(&one.npm)),
        ("wheel", one_of(&one.wheel)),
        ("pip", one_of(&one.pip)),
        ("maven", one.maven.clone()),
        ("debian", debian.collect()),
        ("loaded", one.loaded.clone()),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let script = ["-c", SOURCES, "sources.sh", source];
        if !words.is_empty() && !shell(&[&script[..], &words].concat())? {
            return Ok(false);
        }
    }
    let is_finished = one.finish.as_ref().map_or(Ok(true), |script| shell(&["-c", script]))?;
    Ok(is_finished && to.join(&one.program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_fetched_as_a_whole_is_not_there() {
        let to = place(&format!("test-{}", std::process::id()));
        let half = |part: &Path| Ok(std::fs::create_dir(part.join("half")).is_err());
        assert_eq!(fetch_whole(&to, half), Ok(false));
        assert!(!to.exists());
        assert_eq!(fetch_whole(&to, |_| Ok(true)), Ok(true));
        // After a failed attempt, a download starts again with an empty folder.
        assert!(to.is_dir() && !to.join("half").exists());
        std::fs::remove_dir(&to).expect("removed");
    }

    #[test]
    fn a_download_is_finished_in_its_folder_and_has_its_program() {
        let to = place(&format!("test-finish-{}", std::process::id()));
        let fetch = |finish: &str| {
            let (program, finish) = ("bin/server".into(), Some(finish.into()));
            let one = Download { program, finish, ..Download::default() };
            fetch_whole(&to, |part| from_sources(&one, part))
        };
        assert_eq!(fetch("true"), Ok(false), "no program");
        assert_eq!(fetch("mkdir bin && touch bin/server && false"), Ok(false));
        assert_eq!(fetch("mkdir bin && touch bin/server"), Ok(true));
        let _ = std::fs::remove_dir_all(to.with_added_extension("part"));
        std::fs::remove_dir_all(&to).expect("removed");
    }
}
