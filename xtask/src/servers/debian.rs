//! Packages of another suite of Debian, unpacked aside with all that they need, the C library
//! included: their programs are run through the loader of the tree.
//!
//! It must never touch what apt knows of the machine: lists, caches and settings are its own. A suite
//! such as `sid` moves, so the minor version is whatever it has today.

#![expect(clippy::disallowed_methods, reason = "settings of apt and scripts are files of ours")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{Outcome, process};

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Unpacks packages and what they depend on.
pub fn tree(suite: &str, packages: &[String], to: &Path) -> Outcome {
    let apt = Apt::new(suite, &to.join("apt"))?;
    let mut words = vec!["--yes", "--download-only", "--no-install-recommends", "install"];
    words.extend(packages.iter().map(String::as_str));
    if !apt.get(&["update"])? || !apt.get(&words)? {
        return Ok(false);
    }
    let to = to.display().to_string();
    for package in apt.downloads()? {
        if !process::succeeds("dpkg-deb", &["-x", &package.display().to_string(), &to])? {
            return Ok(false);
        }
    }
    fs::remove_dir_all(&apt.folder).map_err(|error| apt.cannot(&error))?;
    Ok(true)
}

/// Puts scripts in the places of programs that other scripts call, which know nothing of a loader.
pub fn with_own_loader(tree: &Path, programs: &[String]) -> Outcome {
    for program in programs {
        let place = tree.join(program);
        let moved = place.with_added_extension("program");
        let script = "#!/bin/sh\n\
            tree=$(cd \"$(dirname \"$0\")/../..\" && pwd)\n\
            set -- \"$0.program\" \"$@\"\n\
            for loader in \"$tree\"/usr/lib/*/ld-linux*; do break; done\n\
            exec \"$loader\" --library-path \"${loader%/*}\" \"$@\"\n";
        let cannot = |error| format!("cannot replace {}: {error}", place.display());
        fs::rename(&place, &moved).map_err(cannot)?;
        fs::write(&place, script).map_err(cannot)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).map_err(cannot)?;
    }
    Ok(true)
}

/// An apt that knows one suite and nothing that is installed.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(suite: &str, folder: &Path) -> Result<Self, String> {
        let apt = Self { folder: folder.to_owned() };
        let cannot = |error| apt.cannot(&error);
        for below in ["lists/partial", "cache/archives/partial", "parts"] {
            fs::create_dir_all(folder.join(below)).map_err(cannot)?;
        }
        let source = format!("deb [signed-by={KEYRING}] {} {suite} main\n", mirror()?);
        fs::write(folder.join("sources.list"), source).map_err(cannot)?;
        fs::write(folder.join("status"), "").map_err(cannot)?;
        fs::write(folder.join("apt.conf"), settings(folder)).map_err(cannot)?;
        Ok(apt)
    }

    fn cannot(&self, error: &std::io::Error) -> String {
        format!("cannot use {}: {error}", self.folder.display())
    }

    fn get(&self, words: &[&str]) -> Outcome {
        let mut command = process::program("apt-get", &["-qq"]);
        // Even quiet it lists what it downloads.
        command.args(words).stdout(std::process::Stdio::null());
        let status = command.env("APT_CONFIG", self.folder.join("apt.conf")).status();
        Ok(status.map_err(|error| format!("cannot start apt-get: {error}"))?.success())
    }

    fn downloads(&self) -> Result<Vec<PathBuf>, String> {
        let archives = self.folder.join("cache/archives");
        let entries = fs::read_dir(archives).map_err(|error| self.cannot(&error))?;
        let files = entries.flatten().map(|entry| entry.path());
        Ok(files.filter(|file| file.extension().is_some_and(|end| end == "deb")).collect())
    }
}

fn settings(folder: &Path) -> String {
    let at = |name: &str| folder.join(name).display().to_string();
    format!(
        "Dir::Etc::sourcelist \"{}\"; Dir::Etc::sourceparts \"{parts}\";\n\
         Dir::Etc::preferencesparts \"{parts}\"; Dir::State::lists \"{}\";\n\
         Dir::State::status \"{}\"; Dir::Cache \"{}\"; Debug::NoLocking \"1\";\n\
         Acquire::Languages \"none\"; APT::Sandbox::User \"root\";\n\
         Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n",
        at("sources.list"),
        at("lists"),
        at("status"),
        at("cache"),
        parts = at("parts"),
    )
}

/// The mirror that this machine uses, which has all suites.
fn mirror() -> Result<String, String> {
    let words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
    let known = process::output("apt-get", &words)?;
    let known = String::from_utf8_lossy(&known);
    let mut main = known.lines().filter(|line| !line.contains("security"));
    main.next().map(str::to_owned).ok_or_else(|| "apt knows no mirror of Debian".into())
}
