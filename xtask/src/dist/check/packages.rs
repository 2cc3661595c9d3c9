//! Packages, tried as people use them: installed into an empty place, run, removed, and nothing may be left.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Report, Trial, make};
use crate::dist::release::Release;
use crate::dist::targets::Target;
use crate::needs;

/// Tries the packages of this machine's own systems; the folder with the unpacked archive, if there is one.
pub fn run(
    release: &Release,
    programs: &[(&'static Target, PathBuf)],
    folder: &Path,
    place: &Path,
    report: &mut Report,
) -> Option<PathBuf> {
    let own = |is_static: bool| {
        let mut all = programs.iter().map(|(target, _)| *target);
        all.find(|target| target.is_own() && target.is_static() == is_static)
    };
    tried(report, "checksums", &["sha256sum"], || sums(folder));
    let unpacked = own(false).map(|target| {
        let stem = release.stem(target.triple);
        let name = format!("{stem}.tar.gz");
        let root = place.join("archive").join(stem);
        tried(report, &name, &["tar"], || archive(release, &folder.join(&name), &root));
        root
    });
    if let Some(target) = own(false) {
        let name = format!("{}_{}_{}.deb", release.name, release.version, target.debian);
        tried(report, &name, &["dpkg"], || deb(release, &folder.join(&name), &place.join("deb")));
        let name = format!("{}-{}-1.{}.rpm", release.name, release.version, target.rpm);
        tried(report, &name, &["rpm"], || rpm(release, &folder.join(&name), &place.join("rpm")));
        let tag = target.wheel.unwrap_or_default();
        let name =
            format!("{}-{}-py3-none-{tag}.whl", release.pypi.replace('-', "_"), release.version);
        tried(report, &name, &["python3"], || {
            wheel(release, &folder.join(&name), &place.join("wheel"))
        });
        let files = [
            format!("{}-{}.tgz", release.npm, release.version),
            format!("{}-linux-{}-{}.tgz", release.npm, target.npm, release.version),
        ];
        let files = files.map(|name| folder.join("npm").join(name));
        tried(report, "npm", &["npm", "node"], || npm(release, &files, &place.join("npm")));
    }
    if let Some(target) = own(true) {
        let name = format!("{}-{}-{}.oci.tar", release.name, release.version, target.debian);
        tried(report, &name, &["tar", "chroot"], || {
            image(release, &folder.join(&name), &place.join("image"))
        });
    }
    unpacked
}

/// The checksums of all files, by the program that people use.
fn sums(folder: &Path) -> Result<String, String> {
    let list =
        format!("cd '{}' && sha256sum --check --quiet {}", folder.display(), crate::dist::SUMS);
    done("sh", &["-c", &list])?;
    Ok("each file has its checksum".into())
}

/// Unpacked, run where it lies, and all that it is to hold.
fn archive(release: &Release, archive: &Path, root: &Path) -> Result<String, String> {
    let place = root.parent().ok_or("no place")?;
    make(place)?;
    done("tar", &["-C", &place.display().to_string(), "-xzf", &archive.display().to_string()])?;
    has(
        root,
        &[
            "README.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "THIRD-PARTY-LICENCES.txt",
            "tacho.cdx.json",
            "man/tacho-run.1",
            "completions/_tacho.ps1",
            "completions/tacho.elv",
        ],
    )?;
    first_run(release, root, place)
}

pub fn tried(
    report: &mut Report,
    what: &str,
    programs: &[&str],
    trial: impl FnOnce() -> Result<String, String>,
) {
    match programs.iter().find(|program| !needs::is_there(program)) {
        Some(missing) => report.untried(what, &format!("{missing} is not here")),
        None => report.note(what, trial()),
    }
}

fn deb(release: &Release, package: &Path, place: &Path) -> Result<String, String> {
    let database = place.join("var/lib/dpkg");
    for folder in ["updates", "info", "triggers"] {
        make(&database.join(folder))?;
    }
    for file in ["status", "available"] {
        crate::dist::write(&database.join(file), b"")?;
    }
    let before = files(place);
    let root = format!("--root={}", place.display());
    // The new root has no libc6 that dpkg would know of.
    let words = [&root, "--force-depends", "--force-not-root", "--log=/dev/null"];
    let with = |more: &[&str]| done("dpkg", &[&words, more].concat());
    with(&["--install", &package.display().to_string()])?;
    let said = first_run(release, &place.join("usr/bin"), place)?;
    has(
        place,
        &["usr/share/man/man1/tacho-run.1.gz", "usr/share/bash-completion/completions/tacho"],
    )?;
    with(&["--purge", &release.name])?;
    left(place, &before, "var/lib/dpkg")?;
    Ok(said)
}

fn rpm(release: &Release, package: &Path, place: &Path) -> Result<String, String> {
    make(place)?;
    let before = files(place);
    let root = place.display().to_string();
    let words = ["--root", &root, "--dbpath", "/var/lib/rpm", "--nodeps", "--nosignature"];
    let with = |more: &[&str]| done("rpm", &[&words, more].concat());
    with(&["--install", "--ignoreos", &package.display().to_string()])?;
    let verified = with(&["--verify", &release.name])?;
    if !verified.trim().is_empty() {
        return Err(format!("rpm --verify finds differences: {verified}"));
    }
    let said = first_run(release, &place.join("usr/bin"), place)?;
    has(place, &["usr/share/man/man1/tacho-run.1.gz", "usr/share/zsh/site-functions/_tacho"])?;
    with(&["--erase", &release.name])?;
    left(place, &before, "var/lib/rpm")?;
    Ok(said)
}

fn wheel(release: &Release, wheel: &Path, place: &Path) -> Result<String, String> {
    make(place)?;
    let environment = place.join("venv").display().to_string();
    done("python3", &["-m", "venv", &environment])?;
    let programs = place.join("venv/bin");
    let pip = programs.join("pip").display().to_string();
    let before = files(&programs);
    let wheel = wheel.display().to_string();
    done(&pip, &["install", "--quiet", "--no-index", "--disable-pip-version-check", &wheel])?;
    let said = first_run(release, &programs, place)?;
    done(&pip, &["uninstall", "--quiet", "--yes", "--disable-pip-version-check", &release.pypi])?;
    left(&programs, &before, "")?;
    Ok(said)
}

fn npm(release: &Release, packages: &[PathBuf], place: &Path) -> Result<String, String> {
    make(place)?;
    let prefix = place.display().to_string();
    let mut words =
        vec!["install", "--offline", "--no-audit", "--no-fund", "--no-save", "--prefix", &prefix];
    // The other systems' packages are in no registry yet.
    words.push("--omit=optional");
    let packages: Vec<String> = packages.iter().map(|path| path.display().to_string()).collect();
    words.extend(packages.iter().map(String::as_str));
    done("npm", &words)?;
    let said = first_run(release, &place.join("node_modules/.bin"), place)?;
    let mut words = vec!["uninstall", "--no-audit", "--no-fund", "--no-save", "--prefix", &prefix];
    let own = format!("{}-linux-x64", release.npm);
    words.extend([release.npm.as_str(), own.as_str()]);
    done("npm", &words)?;
    if place.join("node_modules").join(&release.npm).exists() {
        return Err("npm uninstall leaves the package".into());
    }
    Ok(said)
}

/// Unpacked by its own index, as a container engine does it, and run in a root that holds nothing else.
fn image(release: &Release, image: &Path, place: &Path) -> Result<String, String> {
    let layout = place.join("layout");
    let root = place.join("root");
    make(&layout)?;
    make(&root)?;
    done("tar", &["-C", &layout.display().to_string(), "-xf", &image.display().to_string()])?;
    let json = |path: &Path| -> Result<serde_json::Value, String> {
        serde_json::from_slice(&crate::dist::read(path)?).map_err(|error| error.to_string())
    };
    let blob = |value: &serde_json::Value| {
        let digest = value["digest"].as_str().unwrap_or_default();
        layout.join("blobs").join(digest.replace(':', "/"))
    };
    let manifest = json(&blob(&json(&layout.join("index.json"))?["manifests"][0]))?;
    let layer = blob(&manifest["layers"][0]).display().to_string();
    done("tar", &["-C", &root.display().to_string(), "-xpzf", &layer])?;
    let config = json(&blob(&manifest["config"]))?;
    let entry = config["config"]["Entrypoint"][0].as_str().unwrap_or_default().to_owned();
    let root_path = root.display().to_string();
    let user = format!("--userspec={}", config["config"]["User"].as_str().unwrap_or_default());
    let trial = Trial {
        what: "image".into(),
        words: ["chroot", &user, &root_path, &entry, "--dir", "/data"].map(str::to_owned).into(),
        variables: vec![("TMPDIR".into(), "/tmp".into())],
        folder: place.to_owned(),
    };
    let said = figure(&trial)?;
    let doctor = trial.output(&["doctor"])?;
    if !doctor.contains("loads no libraries") {
        return Err(format!("doctor does not say what a static program lacks:\n{doctor}"));
    }
    let _ = release;
    Ok(format!("{said}, in a root without anything else"))
}

/// A first measurement by the program in this folder; its figure.
fn first_run(release: &Release, programs: &Path, place: &Path) -> Result<String, String> {
    let folder = place.with_extension("data");
    make(&folder)?;
    let trial = Trial {
        what: release.name.clone(),
        words: vec![programs.join(&release.name).display().to_string()],
        variables: Vec::new(),
        folder,
    };
    figure(&trial)
}

pub fn figure(trial: &Trial) -> Result<String, String> {
    let said = trial.output(&["run", "-d", "1s", "--progress", "none"])?;
    let line = said.lines().find(|line| line.contains("NOPM"));
    line.map(|line| format!("installed, run, removed: {}", line.trim())).ok_or(said)
}

fn has(root: &Path, paths: &[&str]) -> Result<(), String> {
    match paths.iter().find(|path| !root.join(path).is_file()) {
        None => Ok(()),
        Some(missing) => Err(format!("{missing} is not installed")),
    }
}

/// Fails if a file is there that was not before; what the manager keeps for itself does not count.
pub fn left(place: &Path, before: &[PathBuf], managers: &str) -> Result<(), String> {
    let is_managers = |path: &Path| !managers.is_empty() && path.starts_with(place.join(managers));
    match files(place).iter().find(|path| !before.contains(path) && !is_managers(path)) {
        None => Ok(()),
        Some(path) => Err(format!("{} is left behind", path.display())),
    }
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

pub fn done(program: &str, words: &[&str]) -> Result<String, String> {
    let done = Command::new(program).args(words).output();
    let done = done.map_err(|error| format!("start {program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() {
        return Ok(text(&done.stdout));
    }
    Err(format!("{program} {}: {}{}", words.join(" "), text(&done.stdout), text(&done.stderr)))
}
