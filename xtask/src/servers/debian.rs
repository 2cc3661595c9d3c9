//! Packages of another suite of Debian, unpacked aside with all that they need, the C library included: their
//! programs are run through the loader of the tree.
//!
//! A suite such as `sid` moves, so the minor version is whatever it has today.

#![expect(clippy::disallowed_methods, reason = "scripts of our own take the places of programs")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use xtask::{Outcome, machine, process};

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const UNPACK: &str = "mmdebstrap";

/// Unpacks packages and what they depend on.
pub fn tree(suite: &str, packages: &[String], to: &Path) -> Outcome {
    if !machine::has(UNPACK) && !machine::install(&[UNPACK]) {
        return Err(format!("{UNPACK} is not here\n\n  hint: apt-get install {UNPACK}"));
    }
    let include = format!("--include={}", packages.join(","));
    let source = format!("deb [signed-by={KEYRING}] {} {suite} main", mirror()?);
    let to = to.display().to_string();
    let how = ["--quiet", "--variant=extract", "--skip=output/dev"];
    process::succeeds(UNPACK, &[&how[..], &[&include, suite, &to, &source]].concat())
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

/// The mirror that this machine uses, which has all suites.
fn mirror() -> Result<String, String> {
    let words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
    let known = process::output("apt-get", &words)?;
    let known = String::from_utf8_lossy(&known);
    let mut main = known.lines().filter(|line| !line.contains("security"));
    main.next().map(str::to_owned).ok_or_else(|| "apt knows no mirror of Debian".into())
}
