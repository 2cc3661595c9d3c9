//! Settings for a TimesTen database, from the target and environment variables.

use tacho_calls::{Login, isolation_number, more_keywords, quoted};
use tacho_core::{Error, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{Given, Lookup, Options, TargetOption, option};

/// Environment variable that holds the password.
const PASSWORD: &str = "TIMESTEN_PASSWORD";

/// The supported options, which `docs.md` explains.
const ALL: [TargetOption; 11] = [
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, "").or(PASSWORD),
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
const OPTIONS: Options<'static> =
    Options { all: &ALL, database: "dsn", example: "timesten://user@host:6625/DSN" };

/// Isolation levels, each with the number that represents it in the `Isolation` attribute.
const LEVELS: [(&str, u32); 2] = [("SERIALIZABLE", 0), ("READ COMMITTED", 1)];
/// Attributes that make strings UTF-8 and count lengths in characters. They override the data source's settings.
const TEXTS: &str = "ConnectionCharacterSet=AL32UTF8;NLS_LENGTH_SEMANTICS=CHAR;";

/// Reads and validates the target and the environment variables.
pub fn login(target: &Target) -> Result<Login> {
    read(target, &tacho_net::variable)
}

fn read(target: &Target, variables: Lookup<'_>) -> Result<Login> {
    let given = Given::read(target, OPTIONS, variables)?;
    let more = more_keywords(&given)?;
    let mut attributes = place(&given, &more)?;
    attributes.push_str(TEXTS);
    if let Some(number) = isolation_number(&given, &LEVELS)? {
        attributes.extend(["Isolation=", &number.to_string(), ";"]);
    }
    match &*given.value("durable")? {
        "yes" => attributes.push_str("DurableCommits=1;"),
        "no" => attributes.push_str("DurableCommits=0;"),
        _ => {}
    }
    attributes.push_str(&more);
    Login::read(&given, attributes)
}

/// Returns the connection attributes. They specify either a database on a host or a local data source.
fn place(given: &Given<'_>, more: &str) -> Result<String> {
    let [host, port, dsn] = ["host", "port", "dsn"].map(|key| given.value(key));
    let (host, port, dsn) = (host?, port?, quoted(&dsn?));
    match (&*host, &*dsn) {
        ("", "") if !more.is_empty() => Ok(String::new()),
        (_, "") => Err(Error::usage("the target does not specify a data source")
            .hint(format!("write it as {}", OPTIONS.example))
            .hint("or specify one on this machine, such as timesten:///sampledb")),
        ("", dsn) => Ok(format!("DSN={dsn};")),
        (host, dsn) => {
            Ok(format!("TTC_Server={};TCP_Port={port};TTC_Server_DSN={dsn};", quoted(host)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Login, PASSWORD, Result, Target};

    fn login(text: &str) -> Result<Login> {
        let variables = |name: &str| (name == PASSWORD).then(|| "of the variable".to_owned());
        super::read(&Target::parse(text)?, &variables)
    }

    #[test]
    fn a_target_becomes_attributes() -> Result<()> {
        let config =
            login("timesten://me:a%3Bb@tt1:6700/sampledb?isolation=serializable&durable=yes")?;
        assert_eq!(
            config.connection_string(),
            "TTC_Server=tt1;TCP_Port=6700;TTC_Server_DSN=sampledb;ConnectionCharacterSet=AL32UTF8;\
             NLS_LENGTH_SEMANTICS=CHAR;Isolation=0;DurableCommits=1;UID=me;PWD={a;b};"
        );
        assert!(!format!("{config:?}").contains("a;b"));
        let direct = login("timesten:?dsn=sampledb&user=me&isolation=read-committed")?;
        assert_eq!(
            direct.connection_string(),
            "DSN=sampledb;ConnectionCharacterSet=AL32UTF8;NLS_LENGTH_SEMANTICS=CHAR;Isolation=1;\
             UID=me;PWD={of the variable};"
        );
        let server = login("timesten://me:x@tt1/sampledb?keywords=LockWait=2")?;
        let text = server.connection_string();
        assert!(text.contains("TCP_Port=6625;"), "{text}");
        assert!(text.ends_with("LockWait=2;UID=me;PWD=x;"), "{text}");
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        for text in [
            "timesten:",
            "timesten://h",
            "timesten://h/d?unknown=1",
            "timesten://h/d?port=0",
            "timesten://h/d?durable=often",
            "timesten://h/d?isolation=chaos",
            "timesten://h/d?keywords=PWD=secret",
        ] {
            let error = login(text).expect_err(text);
            let shown = error.to_string();
            assert!(!error.hints().is_empty() && !shown.contains("secret"), "{text}: {error}");
        }
    }
}
