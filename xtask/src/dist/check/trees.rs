//! Packages in bare trees: nothing is there but what a system always has.

use std::path::{Path, PathBuf};

use super::packages::{done, figure, files, left, tried};
use super::{Report, Trial, make};
use crate::dist::release::Release;
use crate::dist::targets::Target;
use crate::needs;

/// Debian 12 and 13.
const SUITES: [&str; 2] = ["bookworm", "trixie"];
/// What a bare tree of Alpine has too: a shell and archives, by one program.
const BUSYBOX: &str = "/usr/bin/busybox";

/// Tries the packages in each tree.
pub fn run(
    release: &Release,
    programs: &[(&'static Target, PathBuf)],
    folder: &Path,
    place: &Path,
    report: &mut Report,
) {
    let own = |is_static: bool| {
        let mut all = programs.iter().map(|(target, _)| *target);
        all.find(|target| target.is_own() && target.is_static() == is_static)
    };
    if let Some(target) = own(false) {
        let name = format!("{}_{}_{}.deb", release.name, release.version, target.debian);
        for suite in SUITES {
            let what = format!("{name} in a bare tree of Debian {suite}");
            tried(report, &what, &["debootstrap", "chroot"], || {
                debian(release, &folder.join(&name), suite, &place.join(suite))
            });
        }
        let name = format!("{}-{}-1.{}.rpm", release.name, release.version, target.rpm);
        let what = format!("{name} in a tree of Debian with rpm");
        tried(report, &what, &["debootstrap", "chroot"], || {
            rpm(release, &folder.join(&name), &place.join("tree-with-rpm"))
        });
    }
    if let Some(target) = own(true) {
        if !needs::is_there(BUSYBOX) {
            needs::install(&["busybox-static"]);
        }
        let name = format!("{}.tar.gz", release.stem(target.triple));
        let what = format!("{name} in a tree with BusyBox alone");
        tried(report, &what, &[BUSYBOX, "chroot"], || {
            busybox(release, target, &folder.join(&name), &place.join("busybox"))
        });
    }
    report.untried(
        "trees of Alpine and Fedora themselves",
        "no registry of theirs is to be had here",
    );
}

fn debian(release: &Release, package: &Path, suite: &str, tree: &Path) -> Result<String, String> {
    let tree = Tree::bootstrapped(tree, suite, &[])?;
    let before = files(&tree.root);
    let copy = tree.root.join("tmp/package.deb");
    std::fs::copy(package, &copy).map_err(|error| format!("copy {}: {error}", copy.display()))?;
    tree.within(&["dpkg", "--install", "/tmp/package.deb"])?;
    let said = tree.figure(&release.name)?;
    tree.within(&["dpkg", "--purge", &release.name])?;
    remove(&copy)?;
    tree.unchanged(before, "var/lib/dpkg")?;
    Ok(said)
}

/// As Fedora installs it, with the rpm and the glibc of Debian.
fn rpm(release: &Release, package: &Path, tree: &Path) -> Result<String, String> {
    let tree = Tree::bootstrapped(tree, SUITES[1], &["--include=rpm"])?;
    tree.within(&["rpm", "--initdb"])?;
    let before = files(&tree.root);
    let copy = tree.root.join("tmp/package.rpm");
    std::fs::copy(package, &copy).map_err(|error| format!("copy {}: {error}", copy.display()))?;
    // The libraries of Debian are in no database of rpm.
    tree.within(&["rpm", "--install", "--nodeps", "--nosignature", "/tmp/package.rpm"])?;
    let said = tree.figure(&release.name)?;
    tree.within(&["rpm", "--erase", "--nodeps", &release.name])?;
    remove(&copy)?;
    tree.unchanged(before, "var/lib/rpm")?;
    Ok(said)
}

/// The static program where there is no glibc, no package manager and no shell but `BusyBox`.
fn busybox(
    release: &Release,
    target: &Target,
    archive: &Path,
    tree: &Path,
) -> Result<String, String> {
    make(&tree.join("tmp"))?;
    let tree = Tree { root: tree.to_owned() };
    let copy = |from: &Path, to: &str| {
        let to = tree.root.join(to);
        std::fs::copy(from, &to).map_err(|error| format!("copy {}: {error}", to.display()))
    };
    copy(Path::new(BUSYBOX), "busybox")?;
    let before = files(&tree.root);
    copy(archive, "tmp/archive.tar.gz")?;
    tree.within(&["/busybox", "tar", "-C", "/tmp", "-xzf", "/tmp/archive.tar.gz"])?;
    let stem = release.stem(target.triple);
    let said = tree.figure(&format!("/tmp/{stem}/{}", release.name))?;
    tree.within(&["/busybox", "rm", "-r", "/tmp/archive.tar.gz", &format!("/tmp/{stem}")])?;
    tree.unchanged(before, "")?;
    Ok(said)
}

/// A tree of files that is the root of what is run in it.
struct Tree {
    root: PathBuf,
}

impl Tree {
    /// What Debian always has, and what else is asked for.
    fn bootstrapped(root: &Path, suite: &str, more: &[&str]) -> Result<Self, String> {
        make(root)?;
        let path = root.display().to_string();
        let words = ["--variant=minbase"].iter().chain(more).copied();
        done("debootstrap", &words.chain([suite, path.as_str()]).collect::<Vec<_>>())?;
        Ok(Self { root: root.to_owned() })
    }

    fn within(&self, words: &[&str]) -> Result<String, String> {
        done("chroot", &[&[self.root.display().to_string().as_str()], words].concat())
    }

    /// A first measurement in the tree; its records are removed.
    fn figure(&self, program: &str) -> Result<String, String> {
        let root = self.root.display().to_string();
        let trial = Trial {
            what: root.clone(),
            words: ["chroot", &root, program, "--dir", "/tmp/data"].map(str::to_owned).into(),
            variables: Vec::new(),
            folder: self.root.clone(),
        };
        let said = figure(&trial)?;
        std::fs::remove_dir_all(self.root.join("tmp/data"))
            .map_err(|error| format!("remove the records of the run: {error}"))?;
        Ok(said)
    }

    /// Fails if a file is there that was not before; package managers keep lists and logs.
    fn unchanged(&self, before: Vec<PathBuf>, managers: &str) -> Result<(), String> {
        let before: Vec<PathBuf> =
            before.into_iter().chain(files(&self.root.join("var/log"))).collect();
        left(&self.root, &before, managers)
    }
}

fn remove(file: &Path) -> Result<(), String> {
    std::fs::remove_file(file).map_err(|error| format!("remove {}: {error}", file.display()))
}
