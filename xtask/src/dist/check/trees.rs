//! The package of Debian in bare trees of its releases: nothing is there but what Debian always has.

use std::path::{Path, PathBuf};

use super::packages::{done, figure, files, left, tried};
use super::{Report, Trial, make};
use crate::dist::release::Release;
use crate::dist::targets::Target;
use crate::needs;

/// Debian 12 and 13.
const SUITES: [&str; 2] = ["bookworm", "trixie"];

/// Tries the package in each tree.
pub fn run(release: &Release, target: &Target, folder: &Path, place: &Path, report: &mut Report) {
    if !needs::is_there("debootstrap") {
        needs::install(&["debootstrap"]);
    }
    let name = format!("{}_{}_{}.deb", release.name, release.version, target.debian);
    for suite in SUITES {
        let what = format!("{name} in a bare tree of Debian {suite}");
        tried(report, &what, &["debootstrap", "chroot"], || {
            debian(release, &folder.join(&name), suite, &place.join(suite))
        });
    }
    report.untried("bare trees of Alpine and Fedora", "no registry of theirs is to be had here");
}

fn debian(release: &Release, package: &Path, suite: &str, tree: &Path) -> Result<String, String> {
    make(tree)?;
    let root = tree.display().to_string();
    done("debootstrap", &["--variant=minbase", suite, &root])?;
    let before = files(tree);
    let copy = tree.join("tmp/package.deb");
    std::fs::copy(package, &copy).map_err(|error| format!("copy {}: {error}", copy.display()))?;
    let within = |words: &[&str]| done("chroot", &[&[root.as_str()], words].concat());
    within(&["dpkg", "--install", "/tmp/package.deb"])?;
    let words = ["chroot", &root, &release.name, "--dir", "/tmp/data"];
    let trial = Trial {
        what: suite.to_owned(),
        words: words.map(str::to_owned).into(),
        variables: Vec::new(),
        folder: tree.to_owned(),
    };
    let said = figure(&trial)?;
    within(&["dpkg", "--purge", &release.name])?;
    remove(&copy)?;
    std::fs::remove_dir_all(tree.join("tmp/data"))
        .map_err(|error| format!("remove the records of the run: {error}"))?;
    // Both change with each package: the list of packages and the log.
    let before: Vec<PathBuf> = before.into_iter().chain(files(&tree.join("var/log"))).collect();
    left(tree, &before, "var/lib/dpkg")?;
    Ok(said)
}

fn remove(file: &Path) -> Result<(), String> {
    std::fs::remove_file(file).map_err(|error| format!("remove {}: {error}", file.display()))
}
