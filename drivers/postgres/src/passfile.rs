//! The password file, which is `~/.pgpass` or the file specified by `PGPASSFILE`.
//!
//! <https://www.postgresql.org/docs/current/libpq-pgpass.html>

use std::path::{Path, PathBuf};

use tacho_core::file;
use tacho_net::{Found, Lookup, Secret, is_open_to_others};

/// The login that needs a password.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    /// Host names to look for in the file. For a Unix socket, these are `localhost` and the socket's directory.
    pub hosts: &'a [&'a str],
    /// Port.
    pub port: u16,
    /// Database.
    pub database: &'a str,
    /// User.
    pub user: &'a str,
}

/// Looks up a password. Ignores the file if other users can read it, as libpq does.
pub fn find(login: Login<'_>, variables: Lookup<'_>) -> Found {
    let named = variables("PGPASSFILE").map(PathBuf::from);
    let home = || variables("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let Some(path) = named.or_else(home).filter(|path| path.is_file()) else {
        return Found::default();
    };
    if is_open_to_others(&path) {
        let path = path.display();
        let note =
            format!("{path} was not used because other users can read it: run chmod 600 {path}");
        return Found { password: None, note: Some(note) };
    }
    match file::text(&path, file::SMALL_MAX) {
        Ok(text) => Found { password: search(&text, login).map(Secret), note: None },
        Err(error) => Found { password: None, note: Some(format!("{}: {error}", path.display())) },
    }
}

/// Returns the password in the first matching line.
fn search(text: &str, login: Login<'_>) -> Option<String> {
    let port = login.port.to_string();
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [host, at, database, user, password] = fields.as_slice() else { return None };
        let fits = |field: &str, value: &str| field == "*" || field == value;
        let here = login.hosts.iter().any(|known| fits(host, known));
        (here && fits(at, &port) && fits(database, login.database) && fits(user, login.user))
            .then(|| password.clone())
    })
}

/// Splits a line into four fields, each of which ends with a colon, and the rest. A backslash escapes the character
/// after it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            ':' if last < 4 => fields.push(String::new()),
            '\\' => fields[last].extend(characters.next()),
            other => fields[last].push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes a password file")]
    fn a_file_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(".pgpass");
        std::fs::write(&file, "*:*:*:*:word\n").expect("a file");
        let home = folder.path().display().to_string();
        let variables = |name: &str| (name == "HOME").then(|| home.clone());
        let login = Login { hosts: &["h"], port: 1, database: "d", user: "u" };
        for (mode, password) in [(0o600, Some("word")), (0o640, None)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file, mode).expect("other permissions");
            let found = find(login, &variables);
            let expected = password.map(|word: &str| Secret(word.into()));
            assert_eq!(found.password, expected);
            let warned = found.note.is_some_and(|note| note.contains("chmod 600"));
            assert_eq!(warned, password.is_none());
        }
        assert_eq!(find(login, &|_| None), Found::default());
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# notes\nlocalhost:5432:other:u:no\nlocalhost:*:d:u:a\\:b:c\n*:*:*:*:last\n";
        let login = |hosts, port, database| Login { hosts, port, database, user: "u" };
        let local = ["/run/pg", "localhost"];
        assert_eq!(search(text, login(&local, 5432, "d")).as_deref(), Some("a:b:c"));
        assert_eq!(search(text, login(&local, 5432, "other")).as_deref(), Some("no"));
        assert_eq!(search(text, login(&["far"], 1, "d")).as_deref(), Some("last"));
        assert_eq!(search("short:line\n", login(&local, 1, "d")), None);
    }
}
