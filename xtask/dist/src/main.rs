//! `cargo xtask dist [SYSTEM…]`: builds the release files for every system, on a Linux machine.
//!
//! This program must never publish anything. To sign the files, it runs a command that the user provides.
//!
//! Start reading at [`run`]. The list of systems is in [`targets`].
#![expect(clippy::disallowed_methods, reason = "writes the files of a release")]
#![expect(clippy::print_stdout, reason = "a front end that only prints to the terminal")]

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
mod targets;
mod tools;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest, Sha256};
use xtask::{Outcome, process};

use build::Builder;
use check::Made;
use documents::Documents;
use packages::{File, Product};
use release::Release;
use targets::Target;

/// Environment variable with a command that signs a file.
const SIGN: &str = "TACHO_DIST_SIGN";
const SUMS: &str = "SHA256SUMS";

/// A file of a release.
#[derive(Clone, Debug)]
struct Artefact {
    path: PathBuf,
    sha256: String,
    bytes: u64,
}

/// Systems with their programs.
type Programs = [(&'static Target, PathBuf)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["--built", program] => of_built(Path::new(program)),
        words => run(words),
    };
    xtask::exit_code(outcome)
}

/// Builds the files for the given systems, or for all systems. Returns true if everything succeeded.
fn run(words: &[&str]) -> Outcome {
    let (options, systems): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| !["--check", "--twice"].contains(option)) {
        return Err(format!("unknown option {unknown}: expected --check or --twice"));
    }
    let targets = targets::named(&systems)?;
    let release = Release::read()?;
    let folder = process::root().join("target/artefacts");
    let path = tools::ensure(&targets)?;
    let mut programs = Vec::new();
    for target in targets {
        println!("== {}", target.triple);
        let builder = Builder { path: &path, release: &release, target };
        let program = builder.program()?;
        inspect::program(target, &program)?;
        if options.contains(&"--twice") {
            builder.again(&program)?;
        }
        programs.push((target, program));
    }
    let made = make(&release, &programs, &folder)?;
    sign(&made, std::env::var(SIGN).ok().as_deref())?;
    for Artefact { path, sha256, bytes } in &made {
        let name = path.strip_prefix(&folder).unwrap_or(path).display();
        println!("{:>8.1} MB  {}  {name}", *bytes as f64 / 1e6, &sha256[..16]);
    }
    if options.contains(&"--check") {
        return check::run(
            &Made { release: &release, programs: &programs, folder: &folder },
            &path,
        );
    }
    Ok(true)
}

/// Builds this system's packages from an existing program and tests them. CI uses this, because it
/// has already built the program for its tests.
fn of_built(program: &Path) -> Outcome {
    let release = Release::read()?;
    let target = targets::of_this_machine().ok_or("packages for this system are not supported")?;
    let folder = process::root().join("target/artefacts-of-tests");
    std::fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
    // Strip the symbols, as in a release. Otherwise they would make up most of the package.
    let stripped = folder.join(target.program(&release.name));
    let [from, to] = [program, &stripped].map(|path| path.display().to_string());
    if !process::succeeds("strip", &["-o", &to, &from])? {
        return Err(format!("cannot strip the symbols from {from}"));
    }
    let programs = [(target, stripped)];
    make(&release, &programs, &folder)?;
    check::packages_of_this_system(&Made {
        release: &release,
        programs: &programs,
        folder: &folder,
    })
}

/// Writes all files for the given programs.
fn make(release: &Release, programs: &Programs, folder: &Path) -> Result<Vec<Artefact>, String> {
    let documents = Documents::make(programs, release)?;
    let write = |(name, content): File| Artefact::write(folder.join(name), &content);
    let mut made = Vec::new();
    for (target, program) in programs {
        let product = Product::read(release, target, program, &documents)?;
        for file in product.files()? {
            made.push(write(file)?);
        }
    }
    let targets: Vec<&Target> = programs.iter().map(|(target, _)| *target).collect();
    made.push(write(packages::npm::launcher(release, &targets)?)?);
    made.extend(manifests::write(release, &made, folder)?);
    made.push(write_sums(&made, folder)?);
    Ok(made)
}

impl Artefact {
    /// Writes a file.
    fn write(path: PathBuf, content: &[u8]) -> Result<Self, String> {
        write(&path, content)?;
        Ok(Self { path, sha256: sha256(content), bytes: content.len() as u64 })
    }

    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn write_sums(made: &[Artefact], folder: &Path) -> Result<Artefact, String> {
    let name = |file: &Artefact| {
        file.path.strip_prefix(folder).unwrap_or(&file.path).display().to_string()
    };
    let mut sums: Vec<(String, &str)> =
        made.iter().map(|file| (name(file), &*file.sha256)).collect();
    sums.sort();
    let lines: Vec<String> = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    Artefact::write(folder.join(SUMS), lines.concat().as_bytes())
}

/// Runs the user's command for each file, with the file's path as the last argument.
fn sign(made: &[Artefact], command: Option<&str>) -> Result<(), String> {
    let Some(command) = command.filter(|command| !command.is_empty()) else {
        println!("not signed: {SIGN} is not set");
        return Ok(());
    };
    for Artefact { path, .. } in made {
        let path = path.display().to_string();
        if !process::succeeds("sh", &["-c", &format!("{command} \"$1\""), "sign", &path])? {
            return Err(format!("{command} did not sign {path}"));
        }
    }
    Ok(())
}

fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Returns a function that adds the failed operation and the path to an error.
fn failed<E: Display>(what: &str, path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{what} {}: {error}", path.display())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(failed("read", path))
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent.and_then(|()| std::fs::write(path, content)).map_err(failed("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_an_error() {
        assert!(run(&["musl", "--cheque"]).is_err_and(|error| error.contains("--cheque")));
    }

    #[test]
    fn each_file_is_signed() {
        let folder = std::env::temp_dir().join(format!("tacho-sign-{}", std::process::id()));
        let write = |name: &str| Artefact::write(folder.join(name), b"content").expect("written");
        let made = ["one file", "two"].map(write);
        // Imitates a signing program that writes a file next to each input file.
        sign(&made, Some("sha256sum \"$1\" > \"$1.sig\" && test -s")).expect("signed");
        for file in &made {
            let signature =
                read(&folder.join(format!("{}.sig", file.name()))).expect("a signature");
            assert!(signature.starts_with(file.sha256.as_bytes()));
        }
        assert!(sign(&made, Some("false")).is_err_and(|error| error.contains("one file")));
        sign(&made, None).expect("nothing to do");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
