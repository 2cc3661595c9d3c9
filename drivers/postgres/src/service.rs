//! Reads libpq's connection service file, in which users define named connections.
//!
//! <https://www.postgresql.org/docs/current/libpq-pgservice.html>

use std::path::{Path, PathBuf};

use tacho_core::file::{SMALL_MAX, text};
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::Lookup;

/// Debian's system-wide folder for the service file. An environment variable can specify another one.
const SYSTEM: &str = "/etc/postgresql-common";
const NAME: &str = "pg_service.conf";

/// Returns the settings of the service with this name.
pub fn find(service: &str, variables: Lookup<'_>) -> Result<Vec<(String, String)>> {
    let user_file = variables("PGSERVICEFILE").map(PathBuf::from);
    let home = || variables("HOME").map(|home| Path::new(&home).join(".pg_service.conf"));
    let system = variables("PGSYSCONFDIR").unwrap_or_else(|| SYSTEM.into());
    let files = [user_file.or_else(home), Some(Path::new(&system).join(NAME))];
    for file in files.into_iter().flatten().filter(|file| file.is_file()) {
        let content = text(&file, SMALL_MAX)
            .map_err(|error| Error::from(error).during(format!("read {}", file.display())))?;
        if let Some(settings) = search(&content, service) {
            return Ok(settings);
        }
    }
    Err(Error::new(ErrorKind::Usage, format!("unknown service \"{service}\""))
        .hint("define services in ~/.pg_service.conf, or in the file specified by PGSERVICEFILE"))
}

/// Returns the lines of one section, or `None` if the section does not exist.
fn search(text: &str, service: &str) -> Option<Vec<(String, String)>> {
    let mut found: Option<Vec<(String, String)>> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            found = (name == service).then(Vec::new);
        } else if let (Some(settings), false) = (&mut found, line.starts_with('#'))
            && let Some((key, value)) = line.split_once('=')
        {
            settings.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_name() {
        let text = "[a]\nhost=h\n# port=1\n\n port = 2 \n[b]\nhost=other\n";
        let pairs = [("host", "h"), ("port", "2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(search(text, "a").as_deref(), Some(&pairs[..]));
        assert_eq!(search(text, "b").map(|settings| settings.len()), Some(1));
        assert_eq!(search(text, "c"), None);
    }
}
