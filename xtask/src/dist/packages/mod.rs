//! Packages that carry the program: of Linux distributions, of Python and npm, and a container image.

mod container;
mod deb;
mod npm;
mod rpm;
mod wheel;

use std::path::{Path, PathBuf};

use super::archive::Entry;
use super::documents::Documents;
use super::release::Release;
use super::targets::{System, Target};
use super::{Artefact, crates, licences, read};

/// The packages of one system.
pub fn of_target(
    release: &Release,
    target: &'static Target,
    program: &Path,
    documents: &Documents,
    folder: &Path,
) -> Result<Vec<Artefact>, String> {
    let content = read(program)?;
    let mut made = Vec::new();
    if target.system == System::Linux && !target.is_static() {
        let files = installed(release, target, &content, documents)?;
        let name = deb::name(release, target);
        let package = deb::package(release, target, files.clone())?;
        made.push(Artefact::write(folder.join(name), &package, Some(target))?);
        let package = rpm::package(release, target, &files)?;
        made.push(Artefact::write(
            folder.join(rpm::name(release, target)),
            &package,
            Some(target),
        )?);
    }
    if let Some(tag) = target.wheel {
        let name = wheel::name(release, tag);
        let wheel = wheel::package(release, target, tag, &content)?;
        made.push(Artefact::write(folder.join(name), &wheel, Some(target))?);
    }
    if target.is_static() {
        let image = container::image(release, target, content.clone())?;
        let name = format!("{}-{}-{}.oci.tar", release.name, release.version, target.debian);
        made.push(Artefact::write(folder.join(name), &image, Some(target))?);
    }
    let package = npm::of_target(release, target, content)?;
    let name = format!("{}-{}.tgz", npm::package_name(release, target), release.version);
    made.push(Artefact::write(folder.join("npm").join(name), &package, Some(target))?);
    Ok(made)
}

/// The packages that are the same for all systems.
pub fn of_all(
    release: &Release,
    programs: &[(&'static Target, PathBuf)],
    folder: &Path,
) -> Result<Vec<Artefact>, String> {
    let targets: Vec<&Target> = programs.iter().map(|(target, _)| *target).collect();
    let package = npm::launcher(release, &targets)?;
    let path = folder.join("npm").join(format!("{}-{}.tgz", release.npm, release.version));
    Ok(vec![Artefact::write(path, &package, None)?])
}

/// Where files lie on a Linux system, without the slash in front.
fn installed(
    release: &Release,
    target: &Target,
    program: &[u8],
    documents: &Documents,
) -> Result<Vec<Entry>, String> {
    let Release { name, .. } = release;
    let mut files = vec![Entry::program(format!("usr/bin/{name}"), program)];
    for (page, content) in &documents.pages {
        let content = super::archive::gzip(content)?;
        files.push(Entry::file(format!("usr/share/man/man1/{page}.gz"), content));
    }
    for (shell, file, content) in &documents.completions {
        let place = match *shell {
            "bash" => format!("usr/share/bash-completion/completions/{name}"),
            "zsh" => format!("usr/share/zsh/site-functions/{file}"),
            "fish" => format!("usr/share/fish/vendor_completions.d/{file}"),
            _ => continue,
        };
        files.push(Entry::file(place, content.as_slice()));
    }
    let text = |wanted: &str| {
        let found = documents.texts.iter().find(|(name, _)| name == wanted);
        found.map(|(_, content)| content.clone()).unwrap_or_default()
    };
    let mut copyright = format!(
        "{} {}, {}\nLicence: {}, at your choice; both texts follow, then those of the software in it.\n\n",
        release.name, release.version, release.homepage, release.licence
    )
    .into_bytes();
    copyright.extend(text("LICENSE-MIT"));
    copyright.extend(text("LICENSE-APACHE"));
    copyright.extend(licences::text(&crates::all(target.triple)?)?.into_bytes());
    files.push(Entry::file(format!("usr/share/doc/{name}/copyright"), copyright));
    files.push(Entry::file(format!("usr/share/doc/{name}/README.md"), text("README.md")));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

#[cfg(test)]
pub(super) fn example_files() -> Vec<Entry> {
    vec![
        Entry::program("usr/bin/tacho", "#!/bin/sh\n"),
        Entry::file("usr/share/doc/tacho/copyright", "MIT"),
    ]
}
