//! The files that are delivered with the program: how to use it, for people, shells and `man`.

use std::path::{Path, PathBuf};

use super::release::Release;
use super::targets::Target;
use crate::process;

/// Shells with the files that they look for.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "tacho.bash"),
    ("zsh", "_tacho"),
    ("fish", "tacho.fish"),
    ("powershell", "_tacho.ps1"),
    ("elvish", "tacho.elv"),
];
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Files that are the same for every system: names in the archive, and contents.
#[derive(Debug, Default)]
pub struct Documents {
    pub texts: Vec<(String, Vec<u8>)>,
    /// Manual pages, such as `tacho-run.1`.
    pub pages: Vec<(String, Vec<u8>)>,
    /// Completions, by shell.
    pub completions: Vec<(&'static str, String, Vec<u8>)>,
}

impl Documents {
    /// All of them, with the folders that they have in an archive.
    pub fn files(&self) -> Vec<(String, &[u8])> {
        let texts = self.texts.iter().map(|(name, content)| (name.clone(), content.as_slice()));
        let pages =
            self.pages.iter().map(|(name, content)| (format!("man/{name}"), content.as_slice()));
        let completions = self.completions.iter();
        let completions = completions
            .map(|(_, name, content)| (format!("completions/{name}"), content.as_slice()));
        texts.chain(pages).chain(completions).collect()
    }
}

/// Makes them by a program that this machine runs.
pub fn make(
    programs: &[(&'static Target, PathBuf)],
    release: &Release,
) -> Result<Documents, String> {
    let own = programs.iter().find(|(target, _)| target.is_own());
    let own = own.map_or_else(debug_build, |(_, program)| Ok(program.clone()))?;
    let own = own.display().to_string();
    let folder = std::env::temp_dir().join(format!("tacho-dist-{}", std::process::id()));
    let pages = folder.join("man").display().to_string();
    process::output(&own, &["man", "--all", &pages])?;
    let mut documents = Documents { pages: contents(Path::new(&pages))?, ..Documents::default() };
    let removed = std::fs::remove_dir_all(&folder);
    removed.map_err(|error| format!("remove {}: {error}", folder.display()))?;
    for (shell, name) in SHELLS {
        let text = process::output(&own, &["completions", shell])?;
        let name = name.replace("tacho", &release.name);
        documents.completions.push((shell, name, text));
    }
    for name in TEXTS {
        let content = super::read(&process::root().join(name))?;
        documents.texts.push((name.to_owned(), content));
    }
    Ok(documents)
}

/// The program as tests use it: what it says of itself is the same on every system.
fn debug_build() -> Result<PathBuf, String> {
    if !process::succeeds("cargo", &["build", "--quiet", "--locked", "--package", "tacho-cli"])? {
        return Err("tacho does not build".into());
    }
    Ok(super::build::target_dir().join("debug/tacho"))
}

fn contents(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let entries =
        folder.read_dir().map_err(|error| format!("list {}: {error}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        all.push((entry.file_name().to_string_lossy().into_owned(), super::read(&entry.path())?));
    }
    all.sort();
    Ok(all)
}
