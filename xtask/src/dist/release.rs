//! What a release is called: all names, from the one place that has them, the workspace's `Cargo.toml`.

use serde_json::Value;

use crate::process;

/// The names and the version of a release.
#[derive(Clone, Debug)]
pub struct Release {
    /// Of the program, and of the packages of Linux.
    pub name: String,
    pub version: String,
    pub about: String,
    pub licence: String,
    pub homepage: String,
    pub publisher: String,
    pub email: String,
    /// Names in registries.
    pub pypi: String,
    pub npm: String,
    pub winget: String,
    /// Where the files of a release are downloaded from.
    pub download: String,
    /// Its date, in seconds since 1970: of the last commit, or `SOURCE_DATE_EPOCH`.
    pub date: u64,
}

impl Release {
    /// Reads it from the workspace.
    pub fn read() -> Result<Self, String> {
        let words = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
        let text = process::output("cargo", &words)?;
        let all: Value =
            serde_json::from_slice(&text).map_err(|error| format!("cargo metadata: {error}"))?;
        Self::of(&all, date()?)
    }

    fn of(all: &Value, date: u64) -> Result<Self, String> {
        let packages = all["packages"].as_array().into_iter().flatten();
        let cli = packages
            .clone()
            .find(|package| package["name"] == "tacho-cli")
            .ok_or("the workspace has no package tacho-cli")?;
        let names = &all["metadata"]["dist"];
        let text = |value: &Value, what: &str| {
            let text = value.as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or(format!("Cargo.toml does not say {what}"))
        };
        let listed = |key: &str| text(&names[key], &format!("{key} in workspace.metadata.dist"));
        let version = text(&cli["version"], "the version")?;
        let homepage = text(&cli["repository"], "the repository")?;
        Ok(Self {
            name: listed("name")?,
            about: listed("about")?,
            licence: text(&cli["license"], "the license")?,
            publisher: listed("publisher")?,
            email: listed("email")?,
            pypi: listed("pypi")?,
            npm: listed("npm")?,
            winget: listed("winget")?,
            download: format!("{homepage}/releases/download/v{version}"),
            homepage,
            version,
            date,
        })
    }

    /// The name of the archive for a system, without its end; also of the folder in it.
    pub fn stem(&self, triple: &str) -> String {
        format!("{}-{}-{triple}", self.name, self.version)
    }
}

fn date() -> Result<u64, String> {
    let text = if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        text
    } else {
        let text = process::output("git", &["log", "-1", "--format=%ct"])?;
        String::from_utf8_lossy(&text).into_owned()
    };
    text.trim().parse().map_err(|_| format!("SOURCE_DATE_EPOCH is no number of seconds: {text}"))
}

#[cfg(test)]
pub(super) fn example() -> Release {
    let text = |text: &str| text.to_owned();
    Release {
        name: text("tacho"),
        version: text("1.2.3"),
        about: text("Benchmark databases"),
        licence: text("MIT OR Apache-2.0"),
        homepage: text("https://example.com/tacho"),
        publisher: text("The people"),
        email: text("people@example.com"),
        pypi: text("tacho-bench"),
        npm: text("tacho"),
        winget: text("Tacho.Tacho"),
        download: text("https://example.com/tacho/releases/download/v1.2.3"),
        date: 1_700_000_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_names_everything() {
        let release = Release::read().expect("a release");
        assert_eq!(release.version, env!("CARGO_PKG_VERSION"));
        assert!(release.download.ends_with(&format!("/v{}", release.version)), "{release:?}");
        let missing = Release::of(&serde_json::json!({ "packages": [] }), 0);
        assert!(missing.is_err_and(|error| error.contains("tacho-cli")));
    }
}
