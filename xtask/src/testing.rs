//! What the tests of each database need and run on, from `drivers/<name>/testing.toml`, and what all tests need, from
//! `xtask/testing.toml`. Start reading at [`Testing::read`].

use std::path::Path;

use serde::Deserialize;
use xtask::process;

/// All that the files say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Testing {
    pub needs: Vec<Need>,
    pub downloads: Vec<Download>,
    pub turns: Vec<Turn>,
    pub nights: Vec<Night>,
}

/// Something that tests need and cargo does not bring.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// What it is and what for.
    pub what: String,
    /// Any one of these shows that it is there: a program in `PATH`, or an absolute path, in which
    /// a component `*` stands for any name.
    pub probes: Vec<String>,
    /// The Debian packages that bring it.
    pub packages: Vec<String>,
}

/// What `cargo xtask servers` downloads, next to what the machine has itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Download {
    /// In sentences.
    pub title: String,
    /// The folder below `target/servers`.
    pub folder: String,
    /// A file that is there once it was downloaded as a whole.
    pub program: String,
    /// A package of npm with its version; `{machine}` stands for the machine's kind.
    pub npm: Option<String>,
    /// Artifacts of Maven, `group:name:version`.
    pub maven: Vec<String>,
    /// A wheel of `PyPI`, which is kept as it is.
    pub wheel: Option<String>,
    /// A package of `PyPI` with all that it depends on.
    pub pip: Option<String>,
    /// Packages of Debian with all that they depend on, the C library included.
    pub debian: Option<Debian>,
    /// Programs of that tree which other programs call.
    pub loaded: Vec<String>,
    /// A command of the shell that is run in the folder afterwards.
    pub finish: Option<String>,
    /// Whether each test of all needs it; such a one is small.
    pub always: bool,
    /// The variable of the environment by which tests are given another one.
    pub variable: Option<String>,
    /// Its name where a run of all tests says aloud that it is missing.
    pub announced: Option<String>,
    /// A command of the shell that succeeds where the machine has one itself.
    pub installed: Option<String>,
}

/// Packages of a suite of Debian.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debian {
    pub suite: String,
    pub packages: Vec<String>,
}

/// Tests that are run on each downloaded server of a product, in turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The variable of the downloads, which names the folder of the server.
    pub variable: String,
    /// Modules of the tests of workloads and of whole runs; those of other products may be in them.
    pub modules: Vec<String>,
    /// The package of which all is tested: that of the file.
    #[serde(skip)]
    pub driver: String,
}

/// A database that is loaded and asked each night.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Night {
    pub name: String,
    /// The download that it needs; the others are on the machine.
    pub download: Option<String>,
    /// The product that `tacho up` starts.
    pub up: Option<String>,
    /// Else the target; `{folder}` stands for that of the download.
    pub target: Option<String>,
}

impl Testing {
    /// Reads all files.
    pub fn read() -> Result<Self, String> {
        let root = process::root();
        let mut all = file(&root.join("xtask/testing.toml"))?;
        let folders = root.join("drivers").read_dir();
        let folders = folders.map_err(|error| format!("cannot read drivers: {error}"))?;
        let mut drivers: Vec<_> = folders.flatten().map(|entry| entry.path()).collect();
        drivers.sort();
        for driver in drivers {
            let path = driver.join("testing.toml");
            if !path.is_file() {
                continue;
            }
            let mut own = file(&path)?;
            let name = driver.file_name().unwrap_or_default().display();
            own.turns.iter_mut().for_each(|turn| turn.driver = format!("drivers/{name}"));
            all.needs.append(&mut own.needs);
            all.downloads.append(&mut own.downloads);
            all.turns.append(&mut own.turns);
            all.nights.append(&mut own.nights);
        }
        Ok(all)
    }
}

#[expect(clippy::disallowed_methods, reason = "files of the source")]
fn file(path: &Path) -> Result<Testing, String> {
    let of = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| of(&error))?;
    toml::from_str(&text).map_err(|error| of(&error))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_download_has_its_folder_and_those_that_are_named_are_there() -> Result<(), String> {
        let Testing { downloads, turns, nights, .. } = Testing::read()?;
        let folders: BTreeSet<_> = downloads.iter().map(|own| own.folder.as_str()).collect();
        assert_eq!(folders.len(), downloads.len());
        let variables: BTreeSet<_> =
            downloads.iter().filter_map(|own| own.variable.as_deref()).collect();
        assert!(turns.len() > 1 && turns.iter().all(|turn| variables.contains(&*turn.variable)));
        for night in &nights {
            assert!(night.up.is_some() != night.target.is_some(), "{night:?}");
            assert!(night.download.iter().all(|name| folders.contains(&**name)), "{night:?}");
        }
        assert!(nights.len() > 3);
        Ok(())
    }

    #[test]
    fn a_word_that_is_not_known_is_an_error() {
        assert!(toml::from_str::<Testing>("[[needs]]\nwhat = \"a\"\nprobe = []").is_err());
    }
}
