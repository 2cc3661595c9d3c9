//! The user's option file, `~/.my.cnf`, with its groups `[client]` and `[tacho]`. Options in `[tacho]` take precedence.
//!
//! <https://dev.mysql.com/doc/refman/en/option-files.html>

use std::path::{Path, PathBuf};

use tacho_core::{Error, Result, file};
use tacho_net::{Lookup, is_open_to_others};

/// The groups that Tacho reads. If an option occurs in several groups, the last group in this list takes precedence.
const GROUPS: [&str; 2] = ["client", "tacho"];

/// The contents of an option file.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OptionFile {
    options: Vec<(String, String)>,
    /// The reason why the password in the file was not used. It is shown if the server requires a password.
    pub note: Option<String>,
}

impl OptionFile {
    /// Reads the specified option file, or else the user's own. Ignores a password in a file that other users can read.
    pub fn find(named: Option<&str>, variables: Lookup<'_>) -> Result<Self> {
        let home = || variables("HOME").map(|home| Path::new(&home).join(".my.cnf"));
        let path = match named {
            Some(named) => PathBuf::from(named),
            None => match home().filter(|path| path.is_file()) {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let text = file::text(&path, file::SMALL_MAX);
        let text = text.map_err(|error| {
            Error::from(error)
                .during(format!("read {}", path.display()))
                .hint("specify another file with defaults-file")
        })?;
        let mut file = Self { options: parse(&text), note: None };
        if file.get("password").is_some() && is_open_to_others(&path) {
            file.options.retain(|(key, _)| key != "password");
            let path = path.display();
            file.note = Some(format!(
                "the password in {path} was not used because other users can read the file: run chmod 600 {path}"
            ));
        }
        Ok(file)
    }

    /// Returns the value of an option.
    pub fn get(&self, key: &str) -> Option<String> {
        self.options.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }
}

/// Returns the options in the groups that Tacho reads, in order of increasing precedence.
fn parse(text: &str) -> Vec<(String, String)> {
    let mut options: Vec<(usize, String, String)> = Vec::new();
    let mut group = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            group = GROUPS.iter().position(|known| *known == name.trim());
        } else if let Some(group) = group
            && !line.starts_with(['#', ';', '!'])
            && let Some((key, value)) = line.split_once('=')
        {
            let key = key.trim().replace('_', "-");
            options.push((group, key, unquoted(value.trim())));
        }
    }
    options.sort_by_key(|(group, ..)| *group);
    options.into_iter().map(|(_, key, value)| (key, value)).collect()
}

/// Removes surrounding quotes and any trailing comment, and resolves escapes.
fn unquoted(value: &str) -> String {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let inner = match quote.and_then(|quote| value[1..].strip_suffix(quote)) {
        Some(inner) => inner,
        None => value.split(" #").next().unwrap_or_default().trim_end(),
    };
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('s') => text.push(' '),
            Some(other @ ('\\' | '"' | '\'')) => text.push(other),
            other => text.extend(['\\'].into_iter().chain(other)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[tacho]\nuser = mine\n[mysqld]\nuser=server\n# a note\n[client]
user=theirs\npassword=\"p#w\\\"d\"\nssl_ca = /a b.pem # trusted\nport=7\n!include x=y\n";

    #[test]
    fn groups_are_read_in_their_order() {
        let file = OptionFile { options: parse(FILE), note: None };
        let table = [
            ("user", Some("mine")),
            ("password", Some("p#w\"d")),
            ("ssl-ca", Some("/a b.pem")),
            ("port", Some("7")),
            ("x", None),
        ];
        for (key, value) in table {
            assert_eq!(file.get(key).as_deref(), value, "{key}");
        }
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes an option file")]
    fn a_password_that_others_can_read_is_not_used() -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(".my.cnf");
        std::fs::write(&path, FILE)?;
        let home = folder.path().display().to_string();
        let variables = |name: &str| (name == "HOME").then(|| home.clone());
        for (mode, used) in [(0o600, true), (0o640, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
            let file = OptionFile::find(None, &variables)?;
            assert_eq!((file.get("password").is_some(), file.note.is_none()), (used, used));
            assert_eq!(file.get("user").as_deref(), Some("mine"));
        }
        assert!(OptionFile::find(None, &|_| None)?.options.is_empty());
        assert!(OptionFile::find(Some("/no/such/file"), &|_| None).is_err());
        Ok(())
    }
}
