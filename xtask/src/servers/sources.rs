//! Package managers that bring servers and libraries built, each into a folder of ours.

use std::path::Path;

use xtask::{Outcome, process};

const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

/// Unpacks a package of npm.
pub fn npm(package: &str, to: &Path) -> Outcome {
    let package = package.replace("{machine}", machine());
    let script =
        "npm pack --silent \"$1\" >/dev/null && tar -xzf *.tgz --strip-components=1 && rm *.tgz";
    shell(script, &package, to)
}

/// Copies an artifact of Maven.
pub fn maven(artifact: &str, to: &Path) -> Outcome {
    let artifact = format!("-Dartifact={artifact}");
    let output = format!("-DoutputDirectory={}", to.display());
    process::succeeds("mvn", &["-q", "-B", COPY, &artifact, &output])
}

/// Downloads a wheel of `PyPI`.
pub fn wheel(package: &str, to: &Path) -> Outcome {
    shell("python3 -m pip download -q --no-deps --only-binary=:all: \"$1\" -d .", package, to)
}

/// Installs a package of `PyPI` with all that it depends on.
pub fn pip(package: &str, to: &Path) -> Outcome {
    let folder = to.display().to_string();
    process::succeeds("python3", &["-m", "pip", "install", "-q", "--target", &folder, package])
}

/// Runs a script in a folder, with one argument.
pub fn shell(script: &str, argument: &str, folder: &Path) -> Outcome {
    let words = ["-c", script, "sh", argument];
    process::ended(process::program("sh", &words).current_dir(folder))
}

/// The machine's kind, as packages name it.
fn machine() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    }
}
