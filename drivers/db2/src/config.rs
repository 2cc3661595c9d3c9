//! Settings of a Db2 database, from the target and environment variables.

use tacho_calls::{Login, isolation_number, more_keywords, quoted};
use tacho_core::{Error, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{Given, Lookup, Options, TargetOption, option};

/// Environment variable that holds the password.
const PASSWORD: &str = "DB2_PASSWORD";

/// The supported options, which `docs.md` explains.
const ALL: [TargetOption; 13] = [
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, "").or(PASSWORD),
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
const OPTIONS: Options<'static> =
    Options { all: &ALL, database: "database", example: "db2://user@host:50000/DATABASE" };

/// Isolation levels by ISO name, each with its `TXNISOLATION` number.
const LEVELS: [(&str, u32); 4] =
    [("READ UNCOMMITTED", 1), ("READ COMMITTED", 2), ("REPEATABLE READ", 4), ("SERIALIZABLE", 8)];

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Credentials and connection details.
    pub login: Login,
    /// Schema that contains the tables; if empty, the user's own schema.
    pub schema: String,
}

impl Config {
    /// Reads and validates the target's location, its options, and the environment variables.
    pub fn from_target(target: &Target) -> Result<Self> {
        Self::read(target, &tacho_net::variable)
    }

    fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        let given = Given::read(target, OPTIONS, variables)?;
        let mut keywords = place(&given)?;
        if given.value("tls")? == "verify" {
            keywords.push_str("SECURITY=SSL;");
        }
        if let Some(number) = isolation_number(&given, &LEVELS)? {
            keywords.extend(["TXNISOLATION=", &number.to_string(), ";"]);
        }
        keywords.push_str(&more_keywords(&given)?);
        Ok(Self { login: Login::read(&given, keywords)?, schema: given.value("schema")? })
    }

    /// Returns the schema of a table set. Set 0 uses the schema named in the target.
    pub fn schema_of(&self, set: u32) -> String {
        match (set, &*self.schema) {
            (0, schema) => schema.into(),
            (set, "") => format!("{}_{set}", self.login.user),
            (set, schema) => format!("{schema}_{set}"),
        }
    }
}

/// Returns the connection keywords. They contain a server and a database, or an alias that the client's configuration
/// defines.
fn place(given: &Given<'_>) -> Result<String> {
    if let Some(alias) = given.some("alias")? {
        if ["host", "port", "database"].iter().any(|key| given.has(key)) {
            return Err(Error::usage("the target specifies both an alias and a server")
                .hint("omit the host, port and database, because the alias defines them"));
        }
        return Ok(format!("DSN={};", quoted(&alias)));
    }
    let database = given.some("database")?.ok_or_else(|| {
        Error::usage("the target does not specify a database").hint(format!(
            "write the target as {}, or specify an alias: db2:?alias=NAME",
            OPTIONS.example
        ))
    })?;
    let [host, port] = ["host", "port"].map(|key| given.value(key));
    let (database, host, port) = (quoted(&database), quoted(&host?), port?);
    Ok(format!("PROTOCOL=TCPIP;DATABASE={database};HOSTNAME={host};PORT={port};"))
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
            config.login.connection_string(),
            "PROTOCOL=TCPIP;DATABASE=SALES;HOSTNAME=db1;PORT=50001;SECURITY=SSL;TXNISOLATION=8;\
             UID=me;PWD={a;b};"
        );
        assert!(!format!("{config:?}").contains("a;b"));
        assert_eq!([config.schema_of(0), config.schema_of(2)], ["", "me_2"]);
        let named = read("db2://me@h/D?schema=sales")?;
        assert_eq!([named.schema_of(0), named.schema_of(2)], ["sales", "sales_2"]);
        let config = read("db2://me@/SALES?keywords=Authentication=SERVER;")?;
        let text = config.login.connection_string();
        assert!(text.contains("HOSTNAME=localhost;PORT=50000;Authentication=SERVER;"), "{text}");
        assert!(text.ends_with("PWD={of the variable};"), "{text}");
        let config = read("db2:?alias=sales&user=me&password=x")?;
        assert_eq!(config.login.connection_string(), "DSN=sales;UID=me;PWD=x;");
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
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
