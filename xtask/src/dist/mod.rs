//! `cargo xtask dist [TARGET…]`: the files that a release consists of, for every system, made on Linux.
//!
//! It must never publish anything. What it makes lies in `target/artefacts`; a program of the user's signs it.
//! Start reading at [`run`]; [`targets`] is the list of systems.
#![expect(clippy::disallowed_methods, reason = "it writes the files of a release")]

mod archive;
mod build;
mod check;
mod crates;
mod documents;
mod inspect;
mod licences;
mod manifests;
mod packages;
mod release;
mod sbom;
mod signature;
mod stubs;
mod targets;
mod tools;

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{Outcome, process};
use release::Release;
use targets::Target;

/// The variable that names a command which signs each file.
const SIGN: &str = "TACHO_DIST_SIGN";
const SUMS: &str = "SHA256SUMS";

/// A file that is handed out.
#[derive(Clone, Debug)]
struct Artefact {
    path: PathBuf,
    sha256: String,
    bytes: u64,
    /// Of which system, if it is of one.
    target: Option<&'static Target>,
}

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
struct Wanted<'a> {
    targets: Vec<&'a str>,
    /// Try what was made.
    check: bool,
    /// Build twice and compare.
    twice: bool,
}

/// Makes the files for these systems, or for all; true if all was well.
pub fn run(words: &[&str]) -> Outcome {
    let wanted = Wanted::read(words)?;
    let targets = targets::named(&wanted.targets)?;
    let release = Release::read()?;
    let folder = folder();
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("make {}: {error}", folder.display()))?;
    let tools = tools::ensure(&targets)?;
    let mut programs = Vec::new();
    for target in &targets {
        println!("== {}", target.triple);
        let program = build::program(&tools, &release, target, &build::target_dir())?;
        inspect::program(target, &program)?;
        if wanted.twice {
            build::again(&tools, &release, target, &program)?;
        }
        programs.push((*target, program));
    }
    let made = make(&release, &programs, &folder)?;
    sign(&made, std::env::var(SIGN).ok().as_deref())?;
    for Artefact { path, sha256, bytes, .. } in &made {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        println!("{:>8.1} MB  {}  {name}", *bytes as f64 / 1e6, &sha256[..16]);
    }
    if wanted.check { check::run(&release, &programs, &folder) } else { Ok(true) }
}

/// Makes and tries the packages of this system with a program that is built already: CI has the one of the tests.
pub fn of_built(program: &Path) -> Outcome {
    let release = Release::read()?;
    let target = targets::own().ok_or("no packages are made for this system")?;
    let folder = process::root().join("target/artefacts-of-tests");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("make {}: {error}", folder.display()))?;
    // As a release has it: symbols would be most of the packages.
    let stripped = folder.join(target.program(&release.name));
    let [from, to] = [program, &stripped].map(|path| path.display().to_string());
    if !process::succeeds("strip", &["-o", &to, &from])? {
        return Err(format!("the symbols of {from} cannot be removed"));
    }
    let programs = [(target, stripped)];
    make(&release, &programs, &folder)?;
    check::packages(&release, &programs, &folder)
}

/// Writes all files that are made of these programs.
fn make(
    release: &Release,
    programs: &[(&'static Target, PathBuf)],
    folder: &Path,
) -> Result<Vec<Artefact>, String> {
    let documents = documents::make(programs, release)?;
    let mut made = Vec::new();
    for (target, program) in programs {
        made.push(archive::program(release, target, program, &documents, folder)?);
        made.extend(packages::of_target(release, target, program, &documents, folder)?);
    }
    made.extend(packages::of_all(release, programs, folder)?);
    made.extend(manifests::write(release, &made, folder)?);
    made.push(write_sums(&made, folder)?);
    Ok(made)
}

impl<'a> Wanted<'a> {
    fn read(words: &[&'a str]) -> Result<Self, String> {
        let mut wanted = Self::default();
        for word in words {
            match *word {
                "--check" => wanted.check = true,
                "--twice" => wanted.twice = true,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}: there are --check and --twice"));
                }
                target => wanted.targets.push(target),
            }
        }
        Ok(wanted)
    }
}

/// Where the files are put.
fn folder() -> PathBuf {
    process::root().join("target/artefacts")
}

impl Artefact {
    /// A file that has been written.
    fn of(path: PathBuf, target: Option<&'static Target>) -> Result<Self, String> {
        let content = read(&path)?;
        let sha256 = sha256(&content);
        Ok(Self { path, sha256, bytes: content.len() as u64, target })
    }

    /// Writes a file.
    fn write(
        path: PathBuf,
        content: &[u8],
        target: Option<&'static Target>,
    ) -> Result<Self, String> {
        write(&path, content)?;
        Self::of(path, target)
    }

    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn write_sums(made: &[Artefact], folder: &Path) -> Result<Artefact, String> {
    let mut lines: Vec<String> = made
        .iter()
        .map(|own| {
            let name = own.path.strip_prefix(folder).unwrap_or(&own.path);
            format!("{}  {}\n", own.sha256, name.display())
        })
        .collect();
    lines.sort_by(|one, other| one[64..].cmp(&other[64..]));
    Artefact::write(folder.join(SUMS), lines.concat().as_bytes(), None)
}

/// Calls the user's command with the path of each file as its last word.
fn sign(made: &[Artefact], command: Option<&str>) -> Result<(), String> {
    let Some(command) = command.filter(|command| !command.is_empty()) else {
        println!("not signed: {SIGN} names no command");
        return Ok(());
    };
    for Artefact { path, .. } in made {
        let path = path.display().to_string();
        if !process::succeeds("sh", &["-c", &format!("{command} \"$1\""), "sign", &path])? {
            return Err(format!("{command} has not signed {path}"));
        }
    }
    Ok(())
}

fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("read {}: {error}", path.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = parent.and_then(|()| std::fs::write(path, content));
    written.map_err(|error| format!("write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let wanted = Wanted::read(&["--check", "musl"]).expect("read");
        assert_eq!(wanted, Wanted { targets: vec!["musl"], check: true, twice: false });
        assert!(Wanted::read(&["--cheque"]).is_err());
    }

    #[test]
    fn each_file_is_signed() {
        let folder = std::env::temp_dir().join(format!("tacho-sign-{}", std::process::id()));
        let write =
            |name: &str| Artefact::write(folder.join(name), b"content", None).expect("written");
        let made = ["one file", "two"].map(write);
        // As a program that signs: a file next to each.
        sign(&made, Some("sha256sum \"$1\" > \"$1.sig\" && test -s")).expect("signed");
        for own in &made {
            let signature = read(&folder.join(format!("{}.sig", own.name()))).expect("a signature");
            assert!(signature.starts_with(own.sha256.as_bytes()));
        }
        assert!(sign(&made, Some("false")).is_err_and(|error| error.contains("one file")));
        sign(&made, None).expect("nothing to do");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_sum_is_that_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }
}
