//! What opens a connection with a client's own library: keywords, a login, and limits.
//!
//! Start reading at [`Login`].

use std::path::PathBuf;
use std::time::Duration;

use tacho_core::{Error, Result, is_secret};
use tacho_net::{Given, Secret, isolation, seconds};

/// The part of a target that is the same for all drivers with keywords.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// Keywords of the client, without user and password.
    keywords: String,
    /// The user.
    pub user: String,
    password: Secret,
    /// The library; the usual one if none is named.
    pub library: Option<PathBuf>,
    /// How long a login may take.
    pub login_timeout: Duration,
    /// How long a statement may take; zero is no limit.
    pub query_timeout: Duration,
}

impl Login {
    /// Reads the options `user`, `password`, `library`, `login-timeout` and `query-timeout`.
    ///
    /// # Errors
    /// Usage, if one is wrong.
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

    /// All keywords. It holds the password: never to be shown.
    pub fn connection_string(&self) -> String {
        let Self { keywords, user, password, .. } = self;
        format!("{keywords}UID={};PWD={};", quoted(user), quoted(&password.0))
    }
}

/// The option `keywords`, with a semicolon at its end.
///
/// # Errors
/// Usage, if it holds a login.
pub fn more_keywords(given: &Given<'_>) -> Result<String> {
    let keywords = given.value("keywords")?;
    if holds_password(&keywords) {
        let variable = given.options.find("password").map_or("", |known| known.variable);
        return Err(Error::usage("the keywords hold a password")
            .hint(format!("set {variable}, or write it as an option: ?user=name&password=…")));
    }
    match keywords.trim_end_matches(';') {
        "" => Ok(String::new()),
        some => Ok(format!("{some};")),
    }
}

/// Whether a list of keywords has a password, which belongs to the target's own options.
pub fn holds_password(keywords: &str) -> bool {
    let names = keywords.split(';').filter_map(|pair| pair.split_once('='));
    names.map(|(key, _)| key.trim()).any(|key| is_secret(key) || key.eq_ignore_ascii_case("pwd"))
}

/// The number that a client has for the level in the option `isolation`; `None` if it is empty.
///
/// # Errors
/// Usage, if the level is not one of these.
pub fn isolation_number(given: &Given<'_>, levels: &[(&'static str, u32)]) -> Result<Option<u32>> {
    let names: Vec<&str> = levels.iter().map(|(name, _)| *name).collect();
    let level = isolation(&given.value("isolation")?, &names)?;
    let number = |level| levels.iter().find(|(name, _)| *name == level).map(|(_, number)| *number);
    Ok(level.and_then(number))
}

/// A value between braces, if it holds what ends one.
pub fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.@+*/!:$#".contains(c);
    if value.chars().all(plain) {
        value.into()
    } else {
        format!("{{{}}}", value.replace('}', "}}"))
    }
}
