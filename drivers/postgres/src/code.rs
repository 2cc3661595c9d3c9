//! Finds settings with which `PostgreSQL` loads code, starts programs or writes to files.
//!
//! Start reading at [`is_code`] and [`in_options`].

use tacho_driver::{Target, is_named};
use tacho_net::decoded;

/// Settings that name libraries, shell commands, files or folders, or other servers. The server writes some of these
/// files, such as its log, and a file in another program's folder can be code.
const CODE: [&str; 11] = [
    "*_command",
    "*_conninfo",
    "*_directories",
    "*_directory",
    "*_filename",
    "*_libraries",
    "*_library",
    "*_path",
    "*_provider",
    "*file",
    "lc_*",
];

/// Returns true if a setting can make the server run code. The settings of extensions contain a dot. What an extension
/// does with its settings is unknown, so all of them count as code. `search_path` contains schemas instead of folders.
pub fn is_code(setting: &str) -> bool {
    setting.contains('.') || (setting != "search_path" && is_named(setting, &CODE))
}

/// Returns the target's session settings if one of them is code, or if their form is unknown. The known forms are
/// `-c NAME=VALUE`, `-cNAME=VALUE` and `--NAME=VALUE`.
pub fn in_options(target: &Target) -> Option<String> {
    let given = target.option("options")?;
    let text = decoded(given).ok().flatten().unwrap_or_else(|| given.to_owned());
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let setting = match (word.strip_prefix("--"), word.strip_prefix("-c")) {
            (Some(setting), _) => Some(setting),
            (None, Some("")) => words.next(),
            (None, setting) => setting,
        };
        let name = setting.and_then(|setting| setting.split_once('=')).map(|(name, _)| name);
        let name = name.map(|name| name.to_ascii_lowercase().replace('-', "_"));
        let is_plain = |name: &String| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_code(name)
        };
        if !name.as_ref().is_some_and(is_plain) {
            return Some(format!("options={text}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_that_run_code_are_found() {
        for name in [
            "archive_cleanup_command",
            "archive_library",
            "dynamic_library_path",
            "jit_provider",
            "local_preload_libraries",
            "log_directory",
            "plpgsql.extra_errors",
            "session_preload_libraries",
            "ssl_passphrase_command",
        ] {
            assert!(is_code(name), "{name}");
        }
        for name in [
            "fsync",
            "jit",
            "log_temp_files",
            "max_wal_size",
            "random_page_cost",
            "search_path",
            "shared_buffers",
            "synchronous_commit",
            "wal_level",
            "work_mem",
        ] {
            assert!(!is_code(name), "{name}");
        }
    }

    #[test]
    fn options_of_a_target_are_examined() -> tacho_core::Result<()> {
        let of = |options: &str| {
            Ok::<_, tacho_core::Error>(in_options(&Target::parse(&format!(
                "postgres://a@b/c{options}"
            ))?))
        };
        for safe in [
            "",
            "?options=",
            "?options=-c%20work_mem=64MB",
            "?options=-cwork_mem=1MB%20--geqo=off%20-c%20jit=off",
            "?sslrootcert=/a/b.pem",
        ] {
            assert_eq!(of(safe)?, None, "{safe}");
        }
        for code in [
            "?options=-c%20session_preload_libraries=/tmp/evil",
            "?options=-c%20work_mem=1MB%20-cSESSION_PRELOAD_libraries=/tmp/evil",
            "?options=--session-preload-libraries=/tmp/evil",
            "?options=-c%0Asession_preload_libraries=/tmp/evil",
            "?options=-c%20my.setting=1",
            "?options=-c%20sess\\ion_preload_libraries=x",
            "?options=-c",
            "?options=-e",
            "?options=%zz",
        ] {
            assert!(of(code)?.is_some(), "{code}");
        }
        Ok(())
    }
}
