//! Files that contain the program: archives, packages for Linux, Python and npm, and a container image.

mod container;
mod deb;
pub mod npm;
mod rpm;
mod wheel;

use std::path::Path;

use crate::archive::{Entry, gzip, tar, zip};
use crate::documents::Documents;
use crate::release::Release;
use crate::targets::{System, Target};
use crate::{crates, licences, read, sbom};

/// The program for a system, together with everything that is shipped with it.
pub struct Product<'a> {
    pub release: &'a Release,
    pub target: &'static Target,
    pub program: Vec<u8>,
    pub documents: &'a Documents,
    /// Licences of the program's crates, with their texts.
    pub licences: String,
    /// Machine-readable list of the program's components.
    pub components: String,
}

/// Name and content of a release file.
pub type File = (String, Vec<u8>);

impl<'a> Product<'a> {
    /// Reads a program and determines which components it contains.
    pub fn read(
        release: &'a Release,
        target: &'static Target,
        program: &Path,
        documents: &'a Documents,
    ) -> Result<Self, String> {
        let crates = crates::all(target.triple)?;
        let licences = licences::text(&crates)?;
        let components = format!("{:#}\n", sbom::cyclone_dx(release, target.triple, &crates));
        Ok(Self { release, target, program: read(program)?, documents, licences, components })
    }

    /// Returns all files for the program's system.
    pub fn files(&self) -> Result<Vec<File>, String> {
        let mut made = vec![self.archive()?];
        if self.target.system == System::Linux && !self.target.is_static() {
            let files = self.installed()?;
            made.push(deb::package(self, &files)?);
            made.push(rpm::package(self, files)?);
        }
        made.push(wheel::package(self)?);
        if self.target.is_static() {
            made.push(container::image(self)?);
        }
        made.push(npm::of_target(self)?);
        Ok(made)
    }

    /// Returns an archive with the program and all files shipped with it.
    fn archive(&self) -> Result<File, String> {
        let Self { release, target, .. } = self;
        let stem = release.stem(target.triple);
        let below = |name: &str| format!("{stem}/{name}");
        let program = Entry::program(below(&target.program(&release.name)), &*self.program);
        let documents = &self.documents.0;
        let documents =
            documents.iter().map(|(name, content)| Entry::file(below(name), &**content));
        let mut entries = vec![
            program,
            Entry::file(below("THIRD-PARTY-LICENCES.txt"), &*self.licences),
            Entry::file(below("tacho.cdx.json"), &*self.components),
        ];
        entries.extend(documents);
        if target.system == System::Windows {
            entries.sort_by(|one, other| one.path.cmp(&other.path));
            return Ok((format!("{stem}.zip"), zip(&entries)?));
        }
        Ok((format!("{stem}.tar.gz"), gzip(&tar(entries, release.date)?)?))
    }

    /// Returns the files that a Linux package installs, with their paths without a leading slash.
    fn installed(&self) -> Result<Vec<Entry>, String> {
        let Release { name, version, homepage, licence, .. } = self.release;
        let mut files = vec![Entry::program(format!("usr/bin/{name}"), &*self.program)];
        for (path, content) in &self.documents.0 {
            if let Some(page) = path.strip_prefix("man/") {
                files.push(Entry::file(format!("usr/share/man/man1/{page}.gz"), gzip(content)?));
            }
        }
        for (file, place) in [
            (format!("{name}.bash"), format!("bash-completion/completions/{name}")),
            (format!("_{name}"), format!("zsh/site-functions/_{name}")),
            (format!("{name}.fish"), format!("fish/vendor_completions.d/{name}.fish")),
        ] {
            let content = self.documents.content(&format!("completions/{file}"));
            files.push(Entry::file(format!("usr/share/{place}"), content));
        }
        let about = format!(
            "{name} {version}, {homepage}\nLicence: {licence}, at your option; both texts follow, \
                then the licences of the included software.\n\n"
        );
        let [mit, apache] =
            ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| self.documents.content(name));
        let copyright =
            [about.into_bytes(), mit, apache, self.licences.clone().into_bytes()].concat();
        files.push(Entry::file(format!("usr/share/doc/{name}/copyright"), copyright));
        let readme = self.documents.content("README.md");
        files.push(Entry::file(format!("usr/share/doc/{name}/README.md"), readme));
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }
}

/// Returns a small example product for the given system, and the files that the product installs on Linux.
#[cfg(test)]
fn example(words: &str) -> (Product<'static>, Vec<Entry>) {
    let product = Product {
        release: Box::leak(Box::new(crate::release::example())),
        target: crate::targets::named(&[words]).expect("a target")[0],
        program: b"#!/bin/sh\n".to_vec(),
        documents: Box::leak(Box::default()),
        licences: "MIT".into(),
        components: String::new(),
    };
    let files = product.installed().expect("files");
    (product, files)
}
