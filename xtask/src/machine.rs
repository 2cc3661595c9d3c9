//! The programs and packages on this machine.

use std::path::Path;

use crate::process;

/// Returns true if a program is in `PATH` or, for an absolute path, if the path exists. The path
/// component `*` matches any name.
pub fn has(probe: &str) -> bool {
    if let Some(path) = probe.strip_prefix('/') {
        let parts: Vec<&str> = path.split('/').collect();
        return exists(Path::new("/"), &parts);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(probe).is_file())
}

fn exists(folder: &Path, parts: &[&str]) -> bool {
    match parts {
        [] => folder.exists(),
        ["*", rest @ ..] => folder.read_dir().is_ok_and(|entries| {
            entries.filter_map(Result::ok).any(|entry| exists(&entry.path(), rest))
        }),
        [name, rest @ ..] => exists(&folder.join(name), rest),
    }
}

/// Installs Debian packages, which requires root privileges. Returns true if the installation succeeded.
pub fn install(packages: &[&str]) -> bool {
    let is_root = process::output("id", &["-u"]).is_ok_and(|id| id.trim_ascii() == b"0");
    let words = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    let apt = |words: &[&str]| {
        let mut command = process::program("apt-get", words);
        process::ended(command.env("DEBIAN_FRONTEND", "noninteractive")).is_ok_and(|done| done)
    };
    has("apt-get") && is_root && apt(&["update"]) && apt(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_find_programs_and_paths() {
        let here = env!("CARGO_MANIFEST_DIR");
        let table = [
            ("cargo".to_owned(), true),
            ("no-such-program".to_owned(), false),
            (format!("{here}/src/main.rs"), true),
            (format!("{here}/*/main.rs"), true),
            (format!("{here}/*/absent.rs"), false),
        ];
        for (probe, expected) in table {
            assert_eq!(has(&probe), expected, "{probe}");
        }
    }
}
