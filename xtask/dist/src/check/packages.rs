//! Files of a release, tried by `packages.sh` as people use them.

use std::path::Path;
use std::process::Output;

use xtask::{machine, process, python};

use super::Report;
use crate::Programs;
use crate::release::Release;
use crate::targets::Target;

const SCRIPT: &str = include_str!("packages.sh");
/// Debian 12 and 13.
const SUITES: [&str; 2] = ["bookworm", "trixie"];
/// What a bare tree of Alpine has too: a shell and archives, by one program.
const BUSYBOX: &str = "/usr/bin/busybox";
/// The schema of `CycloneDX` and a program that knows it.
const CYCLONE_DX: &[&str] = &["cyclonedx-python-lib[json-validation]==11.12.0"];

/// What the trials share.
pub struct Trials<'a> {
    pub release: &'a Release,
    pub programs: &'a Programs,
    /// Where the files of the release are.
    pub folder: &'a Path,
    /// Where the trials may write.
    pub place: &'a Path,
    pub report: &'a mut Report,
}

impl Trials<'_> {
    /// Tries the packages of this machine's own systems.
    pub fn packages(&mut self) {
        let Release { name, version, pypi, npm, .. } = self.release;
        self.tried("checksums", &["sha256sum"], "sums", &["."]);
        if let Some(target) = self.own(false) {
            let files = Files::of(self.release, target);
            self.tried(&files.archive, &["tar"], "archive", &[&files.archive]);
            self.tried(&files.deb, &["dpkg"], "deb", &[&files.deb]);
            self.tried(&files.rpm, &["rpm"], "rpm", &[&files.rpm]);
            let wheel =
                format!("{}-{version}-py3-none-{}.whl", pypi.replace('-', "_"), target.wheel);
            self.tried(&wheel, &["python3"], "wheel", &[&wheel]);
            let launcher = format!("npm/{npm}-{version}.tgz");
            let program = format!("npm/{npm}-linux-{}-{version}.tgz", target.npm());
            self.tried("npm", &["npm", "node"], "npm", &[&launcher, &program]);
        }
        if let Some(target) = self.own(true) {
            let image = format!("{name}-{version}-{}.oci.tar", target.debian());
            self.tried(&image, &["tar", "chroot", "python3"], "image", &[&image]);
        }
    }

    /// Tries the packages in bare trees, where nothing is but what a system always has.
    pub fn trees(&mut self) {
        const PROGRAMS: &[&str] = &["debootstrap", "chroot"];
        if let Some(target) = self.own(false) {
            let Files { deb, rpm, .. } = Files::of(self.release, target);
            for suite in SUITES {
                let what = format!("{deb} in a bare tree of Debian {suite}");
                self.tried(&what, PROGRAMS, "debian-tree", &[&deb, suite]);
            }
            let what = format!("{rpm} in a tree of Debian with rpm");
            self.tried(&what, PROGRAMS, "rpm-tree", &[&rpm, SUITES[1]]);
        }
        if let Some(target) = self.own(true) {
            if !machine::has(BUSYBOX) {
                machine::install(&["busybox-static"]);
            }
            let archive = Files::of(self.release, target).archive;
            let what = format!("{archive} in a tree with BusyBox alone");
            self.tried(&what, &[BUSYBOX, "chroot"], "busybox", &[&archive]);
        }
        let why = "no registry of theirs is to be had here";
        self.report.untried("trees of Alpine and Fedora themselves", why);
    }

    /// Tries the files that other programs read, by programs or schemas of their makers.
    pub fn formats(&mut self) {
        if let Some(target) = self.own(false) {
            let archive = Files::of(self.release, target).archive;
            let what = "list of components";
            match python::ensure("target/format-tools", CYCLONE_DX) {
                Ok(tools) => {
                    let python = tools.join("python").display().to_string();
                    self.tried(what, &["python3"], "components", &[&archive, &python]);
                }
                Err(why) => self.report.note(what, Err(why)),
            }
        }
        let workflows = process::root().join(".github/workflows").display().to_string();
        self.tried("workflows of GitHub", &["go"], "workflows", &[&workflows]);
        let formula = format!("manifests/{}.rb", self.release.name);
        if self.folder.join(&formula).exists() {
            self.tried("syntax of the formula of Homebrew", &["ruby"], "formula", &[&formula]);
        }
        for what in ["Homebrew, winget and Scoop", "container image with a container engine"] {
            self.report.untried(what, "its program is not to be had here");
        }
    }

    /// Runs a trial of the script on files of the release, if the machine has the programs that it needs.
    fn tried(&mut self, what: &str, programs: &[&str], trial: &str, files: &[&str]) {
        if let Some(missing) = programs.iter().find(|program| !machine::has(program)) {
            return self.report.untried(what, &format!("{missing} is not here"));
        }
        let place = self.place.join(what.replace(['/', ' '], "-")).display().to_string();
        let words = [&["-c", SCRIPT, "packages.sh", trial, &place], files].concat();
        let done = process::program("sh", &words).current_dir(self.folder).output();
        self.report.note(what, done.map_err(|error| format!("start sh: {error}")).and_then(ended));
    }

    /// The system of this machine, with a static program or the other one, if its program was made.
    fn own(&self, is_static: bool) -> Option<&'static Target> {
        let mut all = self.programs.iter().map(|(target, _)| *target);
        all.find(|target| target.is_own() && target.is_static() == is_static)
    }
}

/// The last line of a trial's output, or all of it if the trial failed.
fn ended(done: Output) -> Result<String, String> {
    let [said, complaints] =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if done.status.success() {
        return Ok(said.lines().last().unwrap_or_default().to_owned());
    }
    Err(format!("{}\n{said}{complaints}", done.status))
}

/// The names of files for a system.
struct Files {
    archive: String,
    deb: String,
    rpm: String,
}

impl Files {
    fn of(release: &Release, target: &Target) -> Self {
        let Release { name, version, .. } = release;
        Self {
            archive: format!("{}.tar.gz", release.stem(target.triple)),
            deb: format!("{name}_{version}_{}.deb", target.debian()),
            rpm: format!("{name}-{version}-1.{}.rpm", target.rpm()),
        }
    }
}
