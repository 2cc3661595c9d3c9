//! What a user may say about a database in its target and in variables.

use std::path::PathBuf;
use std::time::Duration;

use tacho_core::units::parse_duration;
use tacho_core::{Error, Parameter, ParameterKind, Result, is_secret};
use tacho_driver::Target;
use tacho_net::{Lookup, Parts, Secret, isolation, login_name, option, seconds, value};

const EXAMPLE: &str = "db2://user@host:50000/DATABASE";

/// The options; `docs.md` explains each.
const OPTIONS: [Parameter; 13] = [
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, ""),
    option("host", ParameterKind::Text, "localhost"),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "50000"),
    option("database", ParameterKind::Text, ""),
    option("alias", ParameterKind::Text, ""),
    option("schema", ParameterKind::Text, ""),
    option("isolation", ParameterKind::Text, ""),
    option("tls", ParameterKind::Choice(&["off", "verify"]), "off"),
    option("library", ParameterKind::Text, ""),
    option("keywords", ParameterKind::Text, ""),
    option("login-timeout", ParameterKind::Text, "15s"),
    option("query-timeout", ParameterKind::Text, "0s"),
];
/// The variable that holds the password.
const PASSWORD: &str = "DB2_PASSWORD";

/// The levels in the order of their numbers in `TXNISOLATION`, by the names that ISO gives them.
const LEVELS: [(&str, u32); 4] =
    [("READ UNCOMMITTED", 1), ("READ COMMITTED", 2), ("REPEATABLE READ", 4), ("SERIALIZABLE", 8)];

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Keywords of the client, without user and password.
    keywords: String,
    user: String,
    password: Secret,
    /// The schema of the tables; the user's own if empty.
    pub schema: String,
    /// The client's library; the usual one if none is named.
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
        let value = |key: &str, part: &Option<String>| part_or_option(target, key, part.as_ref());
        let text = |key: &str| value(key, &None);
        let password = match value("password", &parts.password)? {
            given if given.is_empty() => variables(PASSWORD).unwrap_or_default(),
            given => given,
        };
        let user = match value("user", &parts.user)? {
            given if given.is_empty() => login_name(variables).unwrap_or_default(),
            given => given,
        };
        let mut keywords = place(target, &parts)?;
        if text("tls")? == "verify" {
            keywords.push_str("SECURITY=SSL;");
        }
        if let Some(level) = isolation(&text("isolation")?, &LEVELS.map(|(name, _)| name))? {
            let number = LEVELS.iter().find(|(name, _)| *name == level).map_or(2, |(_, n)| *n);
            keywords.extend(["TXNISOLATION=", &number.to_string(), ";"]);
        }
        keywords.push_str(&more(&text("keywords")?)?);
        Ok(Self {
            keywords,
            user,
            password: Secret(password),
            schema: text("schema")?,
            library: Some(text("library")?).filter(|path| !path.is_empty()).map(PathBuf::from),
            login_timeout: seconds(&text("login-timeout")?)?,
            query_timeout: parse_duration(&text("query-timeout")?)?,
        })
    }

    /// The schema of a set of tables, from 1; that of the target for 0.
    pub fn schema_of(&self, set: u32) -> String {
        match (set, &*self.schema) {
            (0, schema) => schema.into(),
            (set, "") => format!("{}_{set}", self.user),
            (set, schema) => format!("{schema}_{set}"),
        }
    }

    /// All keywords. It holds the password: never to be shown.
    pub fn connection_string(&self) -> String {
        let Self { keywords, user, password, .. } = self;
        format!("{keywords}UID={};PWD={};", quoted(user), quoted(&password.0))
    }
}

fn part_or_option(target: &Target, key: &str, part: Option<&String>) -> Result<String> {
    value(&OPTIONS, key, target.option(key), part)
}

/// The keywords of the server and its database, or of the name that the client has for both.
fn place(target: &Target, parts: &Parts) -> Result<String> {
    let value = |key: &str, part: &Option<String>| part_or_option(target, key, part.as_ref());
    let (alias, database) = (value("alias", &None)?, value("database", &parts.database)?);
    if !alias.is_empty() {
        let more = ["host", "port", "database"].map(|key| target.option(key).is_some());
        if more.contains(&true) || parts.host.is_some() || !database.is_empty() {
            return Err(Error::usage("the target names an alias and a server")
                .hint("leave out host, port and database, which belong to the alias"));
        }
        return Ok(format!("DSN={};", quoted(&alias)));
    }
    if database.is_empty() {
        return Err(Error::usage("the target names no database")
            .hint(format!("write it as {EXAMPLE}, or name an alias: db2:?alias=NAME")));
    }
    let (host, port) = (value("host", &parts.host)?, value("port", &parts.port)?);
    let (database, host) = (quoted(&database), quoted(&host));
    Ok(format!("PROTOCOL=TCPIP;DATABASE={database};HOSTNAME={host};PORT={port};"))
}

/// More keywords of the client, none of which is a login.
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
    fn a_target_becomes_keywords() -> Result<()> {
        let config = read("db2://me:a%3Bb@db1:50001/SALES?isolation=serializable&tls=verify")?;
        assert_eq!(
            config.connection_string(),
            "PROTOCOL=TCPIP;DATABASE=SALES;HOSTNAME=db1;PORT=50001;SECURITY=SSL;TXNISOLATION=8;\
             UID=me;PWD={a;b};"
        );
        assert!(!format!("{config:?}").contains("a;b"));
        assert_eq!([config.schema_of(0), config.schema_of(2)], ["", "me_2"]);
        let named = read("db2://me@h/D?schema=sales")?;
        assert_eq!([named.schema_of(0), named.schema_of(2)], ["sales", "sales_2"]);
        let config = read("db2://me@/SALES?keywords=Authentication=SERVER;")?;
        let text = config.connection_string();
        assert!(text.contains("HOSTNAME=localhost;PORT=50000;Authentication=SERVER;"), "{text}");
        assert!(text.ends_with("PWD={of the variable};"), "{text}");
        let config = read("db2:?alias=sales&user=me&password=x")?;
        assert_eq!(config.connection_string(), "DSN=sales;UID=me;PWD=x;");
        Ok(())
    }

    #[test]
    fn wrong_targets_are_refused_with_a_hint() {
        for text in [
            "db2:",
            "db2://h",
            "db2://h/D?alias=sales",
            "db2:?alias=sales&port=1",
            "db2://h/D?unknown=1",
            "db2://h/D?port=0",
            "db2://h/D?tls=maybe",
            "db2://h/D?isolation=chaos",
            "db2://h/D?keywords=PWD=secret",
        ] {
            let error = read(text).expect_err(text);
            let shown = error.to_string();
            assert!(!error.hints().is_empty() && !shown.contains("secret"), "{text}: {error}");
        }
    }
}
