//! The settings for a data source, taken from the target.

use std::path::PathBuf;
use std::time::Duration;

use tacho_calls::{TextType, holds_password, quoted};
use tacho_core::units::parse_duration;
use tacho_core::{Error, Result};
use tacho_driver::Target;
use tacho_net::variable;

/// The supported options, which `docs.md` explains.
const OPTIONS: [&str; 10] = [
    "user",
    "password",
    "dialect",
    "schema",
    "library",
    "login-timeout",
    "query-timeout",
    "text",
    "numbers",
    "arrays",
];
/// Environment variable that holds the password.
const PASSWORD: &str = "ODBC_PWD";

/// A parsed target.
#[derive(Clone, PartialEq, Eq)]
pub struct Config {
    /// Connection string keywords for the driver manager and the ODBC driver, without the user and the password.
    pub source: String,
    /// User name. If empty, the data source's settings determine the user.
    pub user: String,
    password: String,
    /// Name of the dialect. If empty, the dialect is that of the product that the data source reports.
    pub dialect: String,
    /// Schema that contains the tables. If empty, it is the session's own schema.
    pub schema: String,
    /// The driver manager's library. If `None`, the system's library is used.
    pub library: Option<PathBuf>,
    /// The type used to transfer strings.
    pub text: TextType,
    /// True if integers are transferred as text.
    pub numbers_as_text: bool,
    /// True if several rows are transferred at a time.
    pub arrays: bool,
    /// Time limit for logging in. Default 15 s.
    pub login_timeout: Duration,
    /// Time limit for each statement; zero means no limit.
    pub query_timeout: Duration,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("source", &self.source)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// Reads and validates the target's location and options.
    pub fn from_target(target: &Target) -> Result<Self> {
        target.check_options(&OPTIONS)?;
        let option = |key| target.option(key).unwrap_or_default().to_owned();
        let login_timeout = match target.option("login-timeout") {
            Some(text) => parse_duration(text)?,
            None => Duration::from_secs(15),
        };
        let query_timeout = match target.option("query-timeout") {
            Some(text) => parse_duration(text)?,
            None => Duration::ZERO,
        };
        let password = match option("password") {
            given if given.is_empty() => variable(PASSWORD).unwrap_or_default(),
            given => given,
        };
        Ok(Self {
            source: source(&target.place)?,
            user: option("user"),
            password,
            dialect: option("dialect"),
            schema: option("schema"),
            library: target.option("library").map(PathBuf::from),
            text: match one_of(target, "text", ["utf-16", "bytes"])? {
                "bytes" => TextType::Bytes,
                _ => TextType::Utf16,
            },
            numbers_as_text: one_of(target, "numbers", ["binary", "text"])? == "text",
            arrays: one_of(target, "arrays", ["on", "off"])? == "on",
            login_timeout,
            query_timeout,
        })
    }

    /// Returns the path of the ODBC driver's library, if the keywords contain one.
    pub fn driver_library(&self) -> Option<PathBuf> {
        let mut pairs = self.source.split(';').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| key.trim().eq_ignore_ascii_case("driver"))?;
        let path = value.trim().trim_start_matches('{').trim_end_matches('}');
        path.starts_with('/').then(|| PathBuf::from(path))
    }

    /// Returns all keywords. The string contains the password and must not be displayed.
    pub fn connection_string(&self) -> String {
        let mut text = self.source.trim_end_matches(';').to_owned();
        for (key, value) in [("UID", &self.user), ("PWD", &self.password)] {
            if !value.is_empty() {
                text.extend([";", key, "=", &quoted(value)]);
            }
        }
        text
    }
}

/// Returns the value of an option that accepts only these two words. The first is the default.
fn one_of(target: &Target, key: &str, words: [&'static str; 2]) -> Result<&'static str> {
    let given = target.option(key).unwrap_or(words[0]);
    words.into_iter().find(|word| *word == given).ok_or_else(|| {
        Error::usage(format!("unknown value \"{given}\" of {key}"))
            .hint(format!("write {key}={} or {key}={}", words[0], words[1]))
    })
}

/// Returns the connection string for a target, which contains either keywords or the name of a data source.
fn source(place: &str) -> Result<String> {
    if place.is_empty() {
        return Err(Error::usage("the target does not specify a data source")
            .hint("specify a data source listed by odbcinst -q -s, for example odbc:bench")
            .hint("or a driver: odbc:Driver=/path/driver.so;Server=host;Database=name"));
    }
    if !place.contains('=') {
        return Ok(format!("DSN={place}"));
    }
    if holds_password(place) {
        return Err(Error::usage("the connection string contains a password").hint(format!(
            "set {PASSWORD}, or pass the password as an option: odbc:…?user=name&password=…"
        )));
    }
    Ok(place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config> {
        Config::from_target(&Target::parse(text)?)
    }

    #[test]
    fn a_place_is_a_name_or_a_list_of_keywords() -> Result<()> {
        assert_eq!(read("odbc:bench")?.connection_string(), "DSN=bench");
        let config = read("odbc:Driver=/a/b.so;Server=h;?user=me&password=a;b}c")?;
        assert_eq!(config.connection_string(), "Driver=/a/b.so;Server=h;UID=me;PWD={a;b}}c}");
        assert!(!format!("{config:?}").contains("a;b"));
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        for text in [
            "odbc:",
            "odbc:DSN=x;PWD=y",
            "odbc:DSN=x;Password=y",
            "odbc:x?unknown=1",
            "odbc:x?numbers=no",
            "odbc:x?arrays=no",
            "odbc:x?text=latin1",
            "odbc:x?login-timeout=5",
            "odbc:x?query-timeout=5",
        ] {
            let error = read(text).expect_err(text);
            assert!(
                !error.hints().is_empty() && error.to_string().find("=y").is_none(),
                "{text}: {error}"
            );
        }
    }
}
