//! The names and version of a release, which are defined only in the workspace's `Cargo.toml`.

use serde::Deserialize;
use xtask::process;

/// The contents of `[workspace.metadata.dist]` and `[workspace.package]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Name of the program and of the Linux packages.
    pub name: String,
    pub about: String,
    pub publisher: String,
    pub email: String,
    /// Names in package registries.
    pub pypi: String,
    pub npm: String,
    pub winget: String,
    #[serde(skip)]
    pub version: String,
    #[serde(skip)]
    pub licence: String,
    #[serde(skip)]
    pub homepage: String,
    /// Release date in seconds since 1970, taken from the last commit or from `SOURCE_DATE_EPOCH`.
    #[serde(skip)]
    pub date: u64,
}

impl Release {
    /// Reads the release information from the workspace.
    pub fn read() -> Result<Self, String> {
        let text = crate::read(&process::root().join("Cargo.toml"))?;
        let mut release = Self::of(&String::from_utf8_lossy(&text))?;
        release.date = date()?;
        Ok(release)
    }

    fn of(manifest: &str) -> Result<Self, String> {
        let failed = |error: toml::de::Error| format!("Cargo.toml: {error}");
        let all: toml::Table = manifest.parse().map_err(failed)?;
        let below = |path: [&str; 2]| {
            let found = all
                .get("workspace")
                .and_then(|workspace| path.iter().try_fold(workspace, |value, key| value.get(key)));
            found.ok_or(format!("Cargo.toml has no workspace.{}", path.join(".")))
        };
        let text = |key: &str| {
            let value = below(["package", key])?.as_str().map(str::to_owned);
            value.ok_or(format!("Cargo.toml: workspace.package.{key} is not a string"))
        };
        let names: Self = below(["metadata", "dist"])?.clone().try_into().map_err(failed)?;
        let (version, licence, homepage) =
            (text("version")?, text("license")?, text("repository")?);
        Ok(Self { version, licence, homepage, ..names })
    }

    /// Returns the name of a system's archive without the extension. The folder in the archive has the same name.
    pub fn stem(&self, triple: &str) -> String {
        format!("{}-{}-{triple}", self.name, self.version)
    }

    /// Returns the download URL of the release files.
    pub fn download(&self) -> String {
        format!("{}/releases/download/v{}", self.homepage, self.version)
    }

    /// Returns the release date in RFC 3339 format.
    pub fn timestamp(&self) -> String {
        jiff::Timestamp::from_second(self.date as i64).unwrap_or_default().to_string()
    }
}

fn date() -> Result<u64, String> {
    let text = if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        text
    } else {
        let text = process::output("git", &["log", "-1", "--format=%ct"])?;
        String::from_utf8_lossy(&text).into_owned()
    };
    text.trim()
        .parse()
        .map_err(|_| format!("invalid SOURCE_DATE_EPOCH {text}: expected a number of seconds"))
}

#[cfg(test)]
pub fn example() -> Release {
    let manifest = "[workspace.package]\nversion = \"1.2.3\"\nlicense = \"MIT OR Apache-2.0\"\n\
        repository = \"https://example.com/tacho\"\n[workspace.metadata.dist]\nname = \"tacho\"\n\
        about = \"Benchmark databases\"\npublisher = \"The people\"\nemail = \"people@example.com\"\n\
        pypi = \"tacho-bench\"\nnpm = \"tacho\"\nwinget = \"Tacho.Tacho\"\n";
    Release { date: 1_700_000_000, ..Release::of(manifest).expect("a release") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_names_everything() {
        let release = Release::read().expect("a release");
        assert_eq!(release.version, env!("CARGO_PKG_VERSION"));
        assert!(Release::of("[workspace]\n").is_err_and(|error| error.contains("metadata.dist")));
        assert_eq!(example().timestamp(), "2023-11-14T22:13:20Z");
    }
}
