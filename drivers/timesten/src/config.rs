//! What a user may say about a database in its target and in variables.

use std::path::PathBuf;
use std::time::Duration;

use tacho_core::{Error, Parameter, ParameterKind, Result, is_secret};
use tacho_driver::Target;
use tacho_net::{Lookup, Parts, Secret, isolation, login_name, option, seconds, value};

const EXAMPLE: &str = "timesten://user@host:6625/DSN";

/// The options; `docs.md` explains each.
const OPTIONS: [Parameter; 11] = [
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, ""),
    option("host", ParameterKind::Text, ""),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "6625"),
    option("dsn", ParameterKind::Text, ""),
    option("isolation", ParameterKind::Text, ""),
    option("durable", ParameterKind::Choice(&["", "yes", "no"]), ""),
    option("library", ParameterKind::Text, ""),
    option("keywords", ParameterKind::Text, ""),
    option("login-timeout", ParameterKind::Text, "15s"),
    option("query-timeout", ParameterKind::Text, "0s"),
];
/// The variable that holds the password.
const PASSWORD: &str = "TIMESTEN_PASSWORD";
/// The levels, each at the place of its number in the attribute `Isolation`.
const LEVELS: [&str; 2] = ["SERIALIZABLE", "READ COMMITTED"];

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Attributes of the connection, without user and password.
    keywords: String,
    user: String,
    password: Secret,
    /// The ODBC driver; the usual one if none is named.
    pub library: Option<PathBuf>,
    /// How long a login may take. Default 15 s.
    pub login_timeout: Duration,
    /// How long a statement may take; zero is no limit.
    pub query_timeout: Duration,
}

impl Config {
    /// Reads place, options and variables; says what is wrong with them.
    pub fn from_target(target: &Target) -> Result<Self> {
        Self::read(target, &tacho_net::variable)
    }

    fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        target.check_options(&OPTIONS.map(|known| known.key))?;
        let parts = Parts::read(&target.place, EXAMPLE)?;
        let value = |key: &str, part: &Option<String>| {
            value(&OPTIONS, key, target.option(key), part.as_ref())
        };
        let text = |key: &str| value(key, &None);
        let (host, dsn) = (value("host", &parts.host)?, value("dsn", &parts.database)?);
        let port = value("port", &parts.port)?;
        let more = more(&text("keywords")?)?;
        let mut keywords = place(&host, &port, &dsn, &more)?;
        keywords.push_str(TEXTS);
        if let Some(level) = isolation(&text("isolation")?, &LEVELS)? {
            let number = LEVELS.iter().position(|known| *known == level).unwrap_or_default();
            keywords.extend(["Isolation=", &number.to_string(), ";"]);
        }
        match &*text("durable")? {
            "yes" => keywords.push_str("DurableCommits=1;"),
            "no" => keywords.push_str("DurableCommits=0;"),
            _ => {}
        }
        keywords.push_str(&more);
        let or_variable = |given: String| match &*given {
            "" => variables(PASSWORD).unwrap_or_default(),
            _ => given,
        };
        let user = match value("user", &parts.user)? {
            given if given.is_empty() => login_name(variables).unwrap_or_default(),
            given => given,
        };
        Ok(Self {
            keywords,
            user,
            password: Secret(or_variable(value("password", &parts.password)?)),
            library: Some(text("library")?).filter(|path| !path.is_empty()).map(PathBuf::from),
            login_timeout: seconds(&text("login-timeout")?)?,
            query_timeout: seconds(&text("query-timeout")?)?,
        })
    }

    /// All attributes. It holds the password: never to be shown.
    pub fn connection_string(&self) -> String {
        let Self { keywords, user, password, .. } = self;
        format!("{keywords}UID={};PWD={};", quoted(user), quoted(&password.0))
    }
}

/// Texts are bytes of UTF-8, and lengths of columns characters, whatever the data source has.
const TEXTS: &str = "ConnectionCharacterSet=AL32UTF8;NLS_LENGTH_SEMANTICS=CHAR;";

/// The attributes of a server's data source, or, without a host, of one that this machine knows.
fn place(host: &str, port: &str, dsn: &str, more: &str) -> Result<String> {
    let dsn = quoted(dsn);
    match (host, &*dsn) {
        ("", "") if !more.is_empty() => Ok(String::new()),
        (_, "") => Err(Error::usage("the target names no data source")
            .hint(format!("write it as {EXAMPLE}"))
            .hint("or name one of this machine, such as timesten:///sampledb")),
        ("", dsn) => Ok(format!("DSN={dsn};")),
        (host, dsn) => {
            Ok(format!("TTC_Server={};TCP_Port={port};TTC_Server_DSN={dsn};", quoted(host)))
        }
    }
}

/// More attributes, none of which is a login.
fn more(keywords: &str) -> Result<String> {
    let names = keywords.split(';').filter_map(|pair| pair.split_once('='));
    let is_login = |key: &str| is_secret(key) || key.eq_ignore_ascii_case("pwd");
    if names.into_iter().any(|(key, _)| is_login(key.trim())) {
        return Err(Error::usage("the keywords hold a password")
            .hint(format!("set {PASSWORD}, or write it as an option: ?user=name&password=…")));
    }
    match keywords.trim_end_matches(';') {
        "" => Ok(String::new()),
        some => Ok(format!("{some};")),
    }
}

/// A value between braces, if it holds what ends one.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.@+*/!:$#".contains(c);
    if value.chars().all(plain) {
        value.into()
    } else {
        format!("{{{}}}", value.replace('}', "}}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config> {
        let variables = |name: &str| (name == PASSWORD).then(|| "of the variable".to_owned());
        Config::read(&Target::parse(text)?, &variables)
    }

    #[test]
    fn a_target_becomes_attributes() -> Result<()> {
        let config =
            read("timesten://me:a%3Bb@tt1:6700/sampledb?isolation=serializable&durable=yes")?;
        assert_eq!(
            config.connection_string(),
            "TTC_Server=tt1;TCP_Port=6700;TTC_Server_DSN=sampledb;ConnectionCharacterSet=AL32UTF8;\
             NLS_LENGTH_SEMANTICS=CHAR;Isolation=0;DurableCommits=1;UID=me;PWD={a;b};"
        );
        assert!(!format!("{config:?}").contains("a;b"));
        let direct = read("timesten:?dsn=sampledb&user=me&isolation=read-committed")?;
        assert_eq!(
            direct.connection_string(),
            "DSN=sampledb;ConnectionCharacterSet=AL32UTF8;NLS_LENGTH_SEMANTICS=CHAR;Isolation=1;\
             UID=me;PWD={of the variable};"
        );
        let server = read("timesten://me:x@tt1/sampledb?keywords=LockWait=2")?;
        let text = server.connection_string();
        assert!(text.contains("TCP_Port=6625;"), "{text}");
        assert!(text.ends_with("LockWait=2;UID=me;PWD=x;"), "{text}");
        Ok(())
    }

    #[test]
    fn wrong_targets_are_refused_with_a_hint() {
        for text in [
            "timesten:",
            "timesten://h",
            "timesten://h/d?unknown=1",
            "timesten://h/d?port=0",
            "timesten://h/d?durable=often",
            "timesten://h/d?isolation=chaos",
            "timesten://h/d?keywords=PWD=secret",
        ] {
            let error = read(text).expect_err(text);
            let shown = error.to_string();
            assert!(!error.hints().is_empty() && !shown.contains("secret"), "{text}: {error}");
        }
    }
}
