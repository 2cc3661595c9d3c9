//! Builds the program for a system. The resulting file does not depend on the user or the folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};
use xtask::process;

use crate::release::Release;
use crate::targets::{System, Target};
use crate::{inspect, read, sha256, signature};

const PROFILE: &str = "release";
const PROGRAM: &[&str] = &["--package", "tacho-cli"];
/// The conformance suite and fault tests for the embedded database.
const CONFORMANCE: &[&str] =
    &["--package", "tacho-driver-sqlite", "--test", "sqlite", "--message-format", "json"];
/// Compiler options that replace the compile date in the static program's allocator. Without them, builds would differ,
/// because cargo does not recompile C code when the date changes.
const NO_DATE: [&str; 3] =
    ["-Wno-builtin-macro-redefined", r#"-D__DATE__="unknown""#, r#"-D__TIME__="unknown""#];
/// A replacement for the macOS SDK. It lists each library's path and the symbols that the program
/// imports. If the linker reports a missing symbol, add it here.
const MACOS_SDK: &str = "xtask/dist/macos-sdk";

/// Returns cargo's target folder.
pub fn target_dir() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    process::root().join(named.unwrap_or_else(|| "target".into()))
}

/// Everything needed to build for a system.
pub struct Builder<'a> {
    /// `PATH`, with the build tools in front.
    pub path: &'a OsStr,
    pub release: &'a Release,
    pub target: &'a Target,
}

impl Builder<'_> {
    /// Builds the program and returns its path.
    pub fn program(&self) -> Result<PathBuf, String> {
        self.built(&process::root(), &target_dir())
    }

    /// Builds the program again, from a copy of the sources in another folder, and compares the two programs.
    pub fn again(&self, first: &Path) -> Result<(), String> {
        let folder = process::root().join("target/dist-twice");
        let _ = std::fs::remove_dir_all(&folder);
        let root = folder.join("another/copy");
        let copy = root.display().to_string();
        if !process::succeeds("git", &["clone", "--quiet", "--local", ".", &copy])? {
            return Err("cannot copy the sources".into());
        }
        let second = self.built(&root, &folder.join("elsewhere"))?;
        let [one, other] = [sha256(&read(first)?), sha256(&read(&second)?)];
        if one != other {
            let (triple, second) = (self.target.triple, second.display());
            return Err(format!(
                "two builds for {triple} differ: {one} and {other}; the second build is in {second}"
            ));
        }
        println!("builds in two different folders are identical: {one}");
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    }

    /// Builds the embedded database's conformance suite like the program, and returns its path.
    pub fn conformance(&self) -> Result<PathBuf, String> {
        let done = self.command(&process::root(), &target_dir(), CONFORMANCE).output();
        let done = done.map_err(|error| format!("cannot start cargo-zigbuild: {error}"))?;
        if !done.status.success() {
            let why = String::from_utf8_lossy(&done.stderr);
            return Err(format!("cannot build the tests for {}:\n{why}", self.target.triple));
        }
        let messages = String::from_utf8_lossy(&done.stdout);
        let executable = |line: &str| -> Option<PathBuf> {
            let message: Value = serde_json::from_str(line).ok()?;
            message["executable"].as_str().map(PathBuf::from)
        };
        messages
            .lines()
            .find_map(executable)
            .ok_or("cargo did not report a test program".to_owned())
    }

    fn built(&self, root: &Path, folder: &Path) -> Result<PathBuf, String> {
        let status = self.command(root, folder, PROGRAM).status();
        let status = status.map_err(|error| format!("cannot start cargo-zigbuild: {error}"))?;
        let Self { release, target, .. } = self;
        if !status.success() {
            return Err(format!("cannot build tacho for {}", target.triple));
        }
        let program = folder.join(target.triple).join(PROFILE).join(target.program(&release.name));
        match target.system {
            System::Windows => without_date(&program)?,
            System::MacOs => identified(&program)?,
            System::Linux => {}
        }
        Ok(program)
    }

    /// Returns the command that builds `what`.
    fn command(&self, root: &Path, folder: &Path, what: &[&str]) -> Command {
        let (target_dir, triple) = (folder.display().to_string(), self.target.with_glibc());
        let how = ["zigbuild", "--locked", "--quiet", "--profile", PROFILE];
        let place = ["--target", &triple, "--target-dir", &target_dir];
        let maps = maps(root, folder);
        let paths = maps.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
        let flags: Vec<String> = paths.collect();
        let c_maps = maps.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
        let c_flags: Vec<String> = c_maps.chain(NO_DATE.map(String::from)).collect();
        // The oldest macOS versions that Rust supports, which are also stated in the packages' tags.
        let oldest_macos = if self.target.rpm() == "aarch64" { "11.0" } else { "10.12" };
        let mut command = process::program("cargo-zigbuild", &[&how[..], &place, what].concat());
        command
            .current_dir(root)
            .env("PATH", self.path)
            .env("SOURCE_DATE_EPOCH", self.release.date.to_string())
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("CFLAGS", c_flags.join(" "))
            .env("CARGO_INCREMENTAL", "0")
            .env("MACOSX_DEPLOYMENT_TARGET", oldest_macos)
            .env_remove("RUSTFLAGS");
        if self.target.system == System::MacOs {
            command.env("SDKROOT", process::root().join(MACOS_SDK));
        }
        command
    }
}

/// Returns the local paths that the compiler would write into panic messages, and their replacements.
fn maps(root: &Path, folder: &Path) -> Vec<(String, &'static str)> {
    let of_user = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo");
    let home = std::env::var_os("CARGO_HOME").map_or_else(of_user, PathBuf::from);
    let text = |path: &Path| path.display().to_string();
    // If several entries match, the last one takes precedence.
    vec![
        (text(root), "tacho"),
        (text(&home.join("registry/src")), "crates"),
        (text(folder), "build"),
    ]
}

/// Sets the identifier of a macOS program to a hash of the program. The linker's own identifier may
/// depend on local paths.
fn identified(program: &Path) -> Result<(), String> {
    let mut content = read(program)?;
    let (id, signature) = inspect::identity(&content)?;
    content[id.clone()].fill(0);
    let hash = Sha256::digest(&content[..signature.unwrap_or(content.len())]);
    content[id].copy_from_slice(&hash[..16]);
    if let Some(signature) = signature {
        signature::renew(&mut content, signature)?;
    }
    crate::write(program, &content)
}

/// Removes the link date from a Windows program's header if the linker wrote one.
fn without_date(program: &Path) -> Result<(), String> {
    let mut content = read(program)?;
    let place = inspect::place_of_date(&content)?;
    if content[place.clone()] != [0; 4] {
        println!("removed the link date from the program");
        content[place].fill(0);
        crate::write(program, &content)?;
    }
    Ok(())
}
