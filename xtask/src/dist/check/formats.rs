//! Files that other programs read, judged by programs or schemas of their makers.

use std::path::Path;

use super::Report;
use super::packages::{done, tried};
use crate::dist::release::Release;
use crate::{process, python};

/// The schema of `CycloneDX` and a program that knows it.
const CYCLONE_DX: &[&str] = &["cyclonedx-python-lib[json-validation]==11.12.0"];
const VALIDATE: &str = "
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)
";
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// Judges what can be judged here; the archives are unpacked by [`super::packages`].
pub fn run(release: &Release, folder: &Path, unpacked: Option<&Path>, report: &mut Report) {
    if let Some(unpacked) = unpacked {
        tried(report, "list of components", &["python3"], || components(unpacked));
    }
    tried(report, "workflows of GitHub", &["go"], workflows);
    let formula = folder.join("manifests").join(format!("{}.rb", release.name));
    if formula.exists() {
        tried(report, "syntax of the formula of Homebrew", &["ruby"], || {
            done("ruby", &["-c", &formula.display().to_string()]).map(|said| said.trim().to_owned())
        });
    }
    for what in ["Homebrew, winget and Scoop", "container image with a container engine"] {
        report.untried(what, "its program is not to be had here");
    }
}

fn components(unpacked: &Path) -> Result<String, String> {
    let python = python::ensure("target/format-tools", CYCLONE_DX)?.join("python");
    let list = unpacked.join("tacho.cdx.json").display().to_string();
    done(&python.display().to_string(), &["-c", VALIDATE, &list])?;
    Ok("valid by the schema of CycloneDX 1.6".into())
}

fn workflows() -> Result<String, String> {
    let folder = process::root().join(".github/workflows");
    let entries = folder.read_dir().map_err(|error| format!("list the workflows: {error}"))?;
    let files: Vec<String> =
        entries.flatten().map(|entry| entry.path().display().to_string()).collect();
    let words: Vec<&str> =
        ["run", ACTIONLINT].into_iter().chain(files.iter().map(String::as_str)).collect();
    done("go", &words)?;
    Ok(format!("{} files without a finding of actionlint", files.len()))
}
