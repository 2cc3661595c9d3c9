//! Parameters for a client library's connection: keywords, a login and time limits.
//!
//! Start reading at [`Login`].

use std::path::PathBuf;
use std::time::Duration;

use tacho_core::{Error, Result, is_secret};
use tacho_net::{Given, Secret, isolation, seconds};

/// The options of a target that all drivers with connection strings have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// Keywords for the client, except for the user and the password.
    keywords: String,
    /// The user.
    pub user: String,
    password: Secret,
    /// The client library, or `None` to use the default library.
    pub library: Option<PathBuf>,
    /// Time limit for a login.
    pub login_timeout: Duration,
    /// Time limit for a statement. Zero means no limit.
    pub query_timeout: Duration,
}

impl Login {
    /// Reads the options `user`, `password`, `library`, `login-timeout` and `query-timeout`.
    ///
    /// # Errors
    /// Returns a usage error if an option is invalid.
    pub fn read(given: &Given<'_>, keywords: String) -> Result<Self> {
        Ok(Self {
            keywords,
            user: given.user()?.unwrap_or_default(),
            password: Secret(given.value("password")?),
            library: given.some("library")?.map(PathBuf::from),
            login_timeout: seconds(&given.value("login-timeout")?)?,
            query_timeout: seconds(&given.value("query-timeout")?)?,
        })
    }

    /// Returns all keywords. The result contains the password and must not be displayed.
    pub fn connection_string(&self) -> String {
        let Self { keywords, user, password, .. } = self;
        format!("{keywords}UID={};PWD={};", quoted(user), quoted(&password.0))
    }
}

/// Returns the `keywords` option, ending with a semicolon.
///
/// # Errors
/// Returns a usage error if the keywords contain a password.
pub fn more_keywords(given: &Given<'_>) -> Result<String> {
    let keywords = given.value("keywords")?;
    if holds_password(&keywords) {
        let variable = given.options.find("password").map_or("", |known| known.variable);
        return Err(Error::usage("the keywords contain a password").hint(format!(
            "set {variable}, or specify the password as an option: ?user=name&password=…"
        )));
    }
    match keywords.trim_end_matches(';') {
        "" => Ok(String::new()),
        some => Ok(format!("{some};")),
    }
}

/// Returns true if a list of keywords contains a password. Passwords belong in a separate option of the target.
pub fn holds_password(keywords: &str) -> bool {
    let names = keywords.split(';').filter_map(|pair| pair.split_once('='));
    names.map(|(key, _)| key.trim()).any(|key| is_secret(key) || key.eq_ignore_ascii_case("pwd"))
}

/// Returns the client library's number for the isolation level in the `isolation` option, or `None` without this
/// option.
///
/// # Errors
/// Returns a usage error if the level is not one of `levels`.
pub fn isolation_number(given: &Given<'_>, levels: &[(&'static str, u32)]) -> Result<Option<u32>> {
    let names: Vec<&str> = levels.iter().map(|(name, _)| *name).collect();
    let level = isolation(&given.value("isolation")?, &names)?;
    let number = |level| levels.iter().find(|(name, _)| *name == level).map(|(_, number)| *number);
    Ok(level.and_then(number))
}

/// Returns a value for use in a connection string. Adds braces unless all characters are plain.
pub fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.@+*/!:$#".contains(c);
    if value.chars().all(plain) {
        value.into()
    } else {
        format!("{{{}}}", value.replace('}', "}}"))
    }
}
