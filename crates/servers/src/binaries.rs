//! Locates the products' programs and determines their versions.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tacho_core::{Error, ErrorKind, Result};

use crate::Options;
use crate::product::is_version;

/// Subfolders of an installation folder that may contain its programs.
const BELOW: [&str; 7] = ["", "bin", "sbin", "usr/bin", "usr/sbin", "scripts", "libexec"];

/// A program to search for, with instructions that the user sees if it is missing.
pub struct Search<'a> {
    /// Product name for use in sentences.
    pub title: &'a str,
    /// Names that the server program may have, in order of preference.
    pub programs: &'a [&'a str],
    /// Further folders to search. A path component of `*` matches any name.
    pub folders: &'a [&'a str],
    /// Returns true if this line of version information was printed by a program of this product, and not by one of a
    /// related product.
    pub is_ours: fn(&str) -> bool,
    /// Instructions for installing the product.
    pub hint: String,
}

/// A server program and its version.
pub struct Found {
    /// The program.
    pub server: PathBuf,
    /// Arguments that precede the program's path on the command line. See [`crate::Installation`].
    pub loader: Vec<String>,
    /// The numeric version.
    pub version: String,
}

impl Search<'_> {
    /// Returns the newest server that matches the requested version.
    pub fn find(&self, options: &Options) -> Result<Found> {
        let folders = self.all_folders(options);
        let mut found: Vec<Found> = folders.iter().filter_map(|folder| self.look(folder)).collect();
        found.sort_by_key(|found| std::cmp::Reverse(numbers(&found.version)));
        let mut others: Vec<String> = found.iter().map(|found| found.version.clone()).collect();
        // Several folders may contain the same installation. The list is sorted by version, so
        // duplicates are adjacent.
        others.dedup();
        let fits = |found: &Found| {
            options.version.as_ref().is_none_or(|wanted| is_version(&found.version, wanted))
        };
        found.into_iter().find(fits).ok_or_else(|| self.missing(options, &folders, &others))
    }

    /// Returns all folders to search, without duplicates.
    fn all_folders(&self, options: &Options) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = if let Some(folder) = &options.binaries {
            BELOW.iter().map(|below| folder.join(below)).collect()
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let usual = self.folders.iter().flat_map(|pattern| matching(pattern));
            std::env::split_paths(&path).chain(usual).collect()
        };
        let mut seen = std::collections::BTreeSet::new();
        // The same folder may be found under two names, such as /sbin and /usr/sbin.
        all.retain(|folder| seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
        all
    }

    fn look(&self, folder: &Path) -> Option<Found> {
        let there = self.programs.iter().map(|name| folder.join(name)).find(|file| file.is_file());
        let server = there?;
        let loader = loader(&server);
        let line = version_line(&server, &loader)?;
        let version = version(&line)?;
        (self.is_ours)(&line).then_some(Found { server, loader, version })
    }

    fn missing(&self, options: &Options, folders: &[PathBuf], others: &[String]) -> Error {
        let Self { title, hint, .. } = self;
        let what = match &options.version {
            Some(version) => format!("{title} {version} was not found on this machine"),
            None => format!("no {title} server was found on this machine"),
        };
        let looked: Vec<String> =
            folders.iter().map(|folder| folder.display().to_string()).collect();
        let mut error = Error::new(ErrorKind::Missing, what).hint(hint.clone());
        if !others.is_empty() {
            error = error.hint(format!("found {}; use --version to choose one", others.join(", ")));
        }
        error
            .hint("use --binaries FOLDER if it is installed elsewhere")
            .hint(format!("searched {}", looked.join(", ")))
    }
}

/// Returns the folders that match a pattern, in any order.
fn matching(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![pattern.into()] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let entries = Path::new(parent).read_dir().into_iter().flatten().flatten();
    let named = |name: &str| name.starts_with(prefix);
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(named))
        .map(|entry| entry.path().join(after.trim_start_matches('/')))
        .collect()
}

/// Returns the dynamic loader of the installation that contains `program`, if it has its own. For a
/// program in `TREE/usr/sbin`, this is `TREE/usr/lib/*/ld-linux-*.so.*`.
fn loader(program: &Path) -> Vec<String> {
    let tree = program.ancestors().nth(3).filter(|tree| *tree != Path::new("/"));
    let Some(tree) = tree.filter(|_| !is_script(program)) else { return Vec::new() };
    let libraries = matching(&format!("{}/usr/lib/*", tree.display()));
    let loaders = libraries.iter().flat_map(|folder| {
        let folder = folder.display().to_string();
        let folder = folder.trim_end_matches('/').to_owned();
        matching(&format!("{folder}/ld-linux*")).into_iter().map(move |file| (folder.clone(), file))
    });
    let mut loaders = loaders;
    loaders.next().map_or_else(Vec::new, |(folder, file)| {
        let file = file.display().to_string().trim_end_matches('/').to_owned();
        vec![file, "--library-path".into(), folder]
    })
}

fn is_script(program: &Path) -> bool {
    let mut start = [0; 2];
    let read = tacho_core::file::open(program).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"#!"
}

fn version_line(server: &Path, loader: &[String]) -> Option<String> {
    let mut words = loader.iter().map(std::ffi::OsString::from).collect::<Vec<_>>();
    words.push(server.into());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("--version").stdin(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Returns the first version number in a line, such as `17.2`, or `18` for `18beta1`. Skips the first word, which may
/// be a path.
fn version(line: &str) -> Option<String> {
    line.split_whitespace().skip(1).find_map(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let number = word[..end].trim_end_matches('.');
        number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
    })
}

/// Returns a version as a list of numbers, which can be compared.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

/// Returns the path of a program in `PATH`.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns another program from the same installation as `program`. It may be in a different
/// folder.
pub fn next_to(program: &Path, names: &[&str]) -> Option<PathBuf> {
    let folder = program.parent()?;
    let root = folder.parent().unwrap_or(folder);
    let folders = std::iter::once(folder.to_owned()).chain(BELOW.iter().map(|b| root.join(b)));
    folders
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_server_output() {
        let table = [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18"),
            ("postgres (PostgreSQL) 18beta1", "18"),
            ("/a9/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu", "10.11.19"),
            ("/usr/sbin/mysqld  Ver 9.7.4 for Linux on x86_64 (Source distribution)", "9.7.4"),
        ];
        for (line, expected) in table {
            assert_eq!(version(line).as_deref(), Some(expected), "{line}");
        }
        assert!(numbers("10.11.2") < numbers("10.11.19"));
    }

    #[test]
    fn missing_programs_are_reported_with_the_searched_folders() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let search = Search {
            title: "Server",
            programs: &["server"],
            folders: &[],
            is_ours: |_| true,
            hint: "install it".into(),
        };
        let binaries = Some(folder.path().to_owned());
        let options = Options { version: Some("7".into()), binaries, ..Options::default() };
        let Err(error) = search.find(&options) else { panic!("the folder is empty") };
        assert!(error.message().contains("Server 7"), "{error}");
        let looked = folder.path().display().to_string();
        assert!(error.hints().iter().any(|hint| hint.contains(&looked)), "{:?}", error.hints());
        Ok(())
    }

    #[test]
    fn patterns_stand_for_folders() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["pg16", "pg17", "other"] {
            std::fs::create_dir_all(folder.path().join(name).join("bin"))?;
        }
        let mut found = matching(&format!("{}/pg*/bin", folder.path().display()));
        found.sort();
        assert_eq!(found, ["pg16/bin", "pg17/bin"].map(|name| folder.path().join(name)));
        Ok(())
    }
}
