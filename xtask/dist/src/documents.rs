//! Files shipped with the program: documentation, shell completions and manual pages.

use std::path::{Path, PathBuf};

use xtask::process;

use crate::release::Release;
use crate::targets::Target;

/// Shells and the file names of their completion scripts.
#[rustfmt::skip]
const SHELLS: [(&str, &str); 5] = [
    ("bash", "@NAME@.bash"), ("zsh", "_@NAME@"), ("fish", "@NAME@.fish"), ("powershell", "_@NAME@.ps1"),
    ("elvish", "@NAME@.elv"),
];
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Files that are the same on every system, each with its path in the archive and its content.
#[derive(Debug, Default)]
pub struct Documents(pub Vec<(String, Vec<u8>)>);

impl Documents {
    pub fn content(&self, path: &str) -> Vec<u8> {
        let found = self.0.iter().find(|(known, _)| known == path);
        found.map(|(_, content)| content.clone()).unwrap_or_default()
    }

    /// Generates the files by running a program that works on this machine.
    pub fn make(
        programs: &[(&'static Target, PathBuf)],
        release: &Release,
    ) -> Result<Self, String> {
        let native = programs.iter().find(|(target, _)| target.is_own());
        let program = native.map_or_else(debug_build, |(_, program)| Ok(program.clone()))?;
        let program = program.display().to_string();
        let mut all = Vec::new();
        for name in TEXTS {
            all.push((name.to_owned(), crate::read(&process::root().join(name))?));
        }
        let folder = std::env::temp_dir().join(format!("tacho-dist-{}", std::process::id()));
        process::output(&program, &["man", "--all", &folder.display().to_string()])?;
        all.extend(pages(&folder)?);
        std::fs::remove_dir_all(&folder).map_err(crate::failed("remove", &folder))?;
        for (shell, name) in SHELLS {
            let path = format!("completions/{}", name.replace("@NAME@", &release.name));
            all.push((path, process::output(&program, &["completions", shell])?));
        }
        Ok(Self(all))
    }
}

/// Builds the program with the debug profile, as for tests. Its documentation is the same on every system.
fn debug_build() -> Result<PathBuf, String> {
    if !process::succeeds("cargo", &["build", "--quiet", "--locked", "--package", "tacho-cli"])? {
        return Err("cannot build tacho".into());
    }
    Ok(crate::build::target_dir().join("debug/tacho"))
}

/// Returns the manual pages, such as `man/tacho-run.1`.
fn pages(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let entries = folder.read_dir().map_err(crate::failed("list", folder))?;
    let mut all = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let name = format!("man/{}", entry.file_name().display());
        all.push((name, crate::read(&entry.path())?));
    }
    all.sort();
    Ok(all)
}
