//! The settings in a target of the form `//user:password@host:port/database?option=value`. Missing parts come from
//! environment variables.
//!
//! Start reading at [`Config::read`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{
    Given, Lookup, Options, Secret, TargetOption, TlsMode, Trust, isolation, option, seconds,
};

const EXAMPLE: &str = "sqlserver://user@host:1433/database";

/// The supported options. Some of them can also be set by environment variables, as for `sqlcmd`.
const OPTIONS: [TargetOption; 17] = [
    option("host", ParameterKind::Text, "").or("SQLCMDSERVER"),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "1433"),
    option("user", ParameterKind::Text, "").or("SQLCMDUSER"),
    option("password", ParameterKind::Text, "").or("SQLCMDPASSWORD"),
    option("database", ParameterKind::Text, "").or("SQLCMDDBNAME"),
    option("authentication", ParameterKind::Text, "sql"),
    option("encrypt", ParameterKind::Choice(&ENCRYPTIONS), "mandatory"),
    option("trust_server_certificate", ParameterKind::Choice(&SWITCHES), "no"),
    option("host_name_in_certificate", ParameterKind::Text, ""),
    option("ca_certificates", ParameterKind::Text, ""),
    option("packet_size", ParameterKind::Count { min: 512, max: 32_767 }, "8000"),
    option("connect_timeout", ParameterKind::Text, "15s"),
    option("tcp_user_timeout", ParameterKind::Text, "30s"),
    option("isolation", ParameterKind::Text, ""),
    option("lock_timeout", ParameterKind::Text, ""),
    option("set", ParameterKind::Text, ""),
    option("load", ParameterKind::Choice(&["bulk", "insert"]), "bulk"),
];

/// Names of the encryption modes. As in SQL Server's own clients, each mode has an old and a new name.
const ENCRYPTIONS: [&str; 7] = ["mandatory", "strict", "optional", "yes", "no", "true", "false"];
const SWITCHES: [&str; 4] = ["yes", "no", "true", "false"];
/// Session settings that a target may change with `SET`. Settings that would change results are not in this list.
const SETTINGS: [&str; 16] = [
    "ANSI_DEFAULTS",
    "ANSI_NULLS",
    "ANSI_NULL_DFLT_OFF",
    "ANSI_NULL_DFLT_ON",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "ARITHIGNORE",
    "CONCAT_NULL_YIELDS_NULL",
    "CURSOR_CLOSE_ON_COMMIT",
    "DATEFIRST",
    "DEADLOCK_PRIORITY",
    "FORCEPLAN",
    "NUMERIC_ROUNDABORT",
    "QUERY_GOVERNOR_COST_LIMIT",
    "QUOTED_IDENTIFIER",
];
/// Isolation levels, written as in SQL.
const LEVELS: [&str; 5] =
    ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SNAPSHOT", "SERIALIZABLE"];
/// Paths of the system's certificate authorities on Debian, Red Hat, SUSE and macOS.
const AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The extent of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Encrypts the entire connection. The TLS handshake is part of the TDS protocol (TDS 7.4).
    Mandatory,
    /// Encrypts the entire connection. TLS is established before the TDS protocol begins (TDS 8.0).
    Strict,
    /// Encrypts only the login, unless the server requires an encrypted connection.
    Optional,
}

/// A parsed target, completed with values from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Host name or address.
    pub host: String,
    /// Port. Default 1433.
    pub port: u16,
    /// User name.
    pub user: String,
    /// Password.
    pub password: Option<Secret>,
    /// Database name. Empty only for the connection that creates the database.
    pub database: String,
    /// The part of the connection that is encrypted. Defaults to the entire connection.
    pub encryption: Encryption,
    /// True if any certificate is accepted.
    pub trusts_anybody: bool,
    /// The name that the server's certificate must contain, if it is not the host name.
    pub certificate_name: Option<String>,
    /// File that contains the trusted certificate authorities.
    pub authorities: Option<PathBuf>,
    /// Requested packet size in bytes. Default 8,000.
    pub packet_bytes: usize,
    /// Time limit for establishing a connection. Default 15 s; zero means no limit.
    pub connect_timeout: Duration,
    /// Time after which a connection counts as lost because its host does not respond. Defaults to 30 s; if it is 0,
    /// the operating system decides.
    pub silence: Duration,
    /// Isolation level of all transactions. If `None`, the server's default applies.
    pub isolation: Option<&'static str>,
    /// Time limit for waiting for a lock. If `None`, the server's default applies.
    pub lock_timeout: Option<Duration>,
    /// Further settings that each session makes, such as `ARITHABORT ON`.
    pub set: Vec<String>,
    /// True if rows are loaded with `INSERT`.
    pub inserts: bool,
}

/// Returns the validated value of an option. Keywords may be in uppercase or lowercase.
fn value(given: &Given<'_>, key: &str) -> Result<String> {
    let is_word = given.options.find(key).is_some_and(|known| !known.parameter.default.is_empty());
    let text = given.of_target(key)?.or_else(|| given.of_variable(key));
    given.checked(key, if is_word { text.map(|text| text.to_lowercase()) } else { text })
}

impl Config {
    /// Returns the settings for a table set. Each set has its own database.
    #[must_use]
    pub fn of_set(mut self, set: u32) -> Self {
        if set > 0 {
            self.database = format!("{}_{set}", self.database);
        }
        self
    }

    /// Returns the settings without a database, so that the session uses the login's default database.
    #[must_use]
    pub fn nowhere(self) -> Self {
        Self { database: String::new(), ..self }
    }

    /// Reads the target. Missing options come from environment variables.
    pub fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        let options = Options { all: &OPTIONS, database: "database", example: EXAMPLE };
        let given = Given::read(target, options, variables)?;
        require_sql_login(&value(&given, "authentication")?)?;
        let (host, port) = address(&given)?;
        let user = given.some("user")?.ok_or_else(|| {
            Error::usage("the target does not specify a user, and Windows logins are not supported")
                .hint(format!("specify a SQL Server login, as in {EXAMPLE}"))
        })?;
        let database = given.some("database")?.ok_or_else(|| {
            Error::usage("the target does not specify a database")
                .hint(format!("write it as {EXAMPLE}"))
        })?;
        let yes = |key: &str| Ok::<_, Error>(matches!(&*value(&given, key)?, "yes" | "true"));
        let limit = given.some("lock_timeout")?;
        Ok(Self {
            host,
            port,
            user,
            password: given.some("password")?.map(Secret),
            database,
            encryption: encryption(&value(&given, "encrypt")?),
            trusts_anybody: yes("trust_server_certificate")?,
            certificate_name: given.some("host_name_in_certificate")?,
            authorities: given.some("ca_certificates")?.map(PathBuf::from),
            packet_bytes: value(&given, "packet_size")?.parse().unwrap_or(8_000),
            connect_timeout: seconds(&value(&given, "connect_timeout")?)?,
            silence: seconds(&value(&given, "tcp_user_timeout")?)?,
            isolation: isolation(&given.value("isolation")?, &LEVELS)?,
            lock_timeout: limit.map(|limit| seconds(&limit)).transpose()?,
            set: settings(&given.value("set")?)?,
            inserts: value(&given, "load")? == "insert",
        })
    }

    /// Returns the file that contains the trusted certificate authorities. By default, this is the system's file.
    pub fn trusted(&self) -> Option<PathBuf> {
        let system = || AUTHORITIES.iter().map(Path::new).find(|file| file.exists());
        self.authorities.clone().or_else(|| system().map(Path::to_owned))
    }

    /// Returns how to verify the server's certificate. With strict encryption, it is always verified.
    pub fn trust<'a>(&self, authorities: Option<&'a Path>) -> Trust<'a> {
        let anybody = self.trusts_anybody && self.encryption != Encryption::Strict;
        Trust {
            mode: if anybody { TlsMode::Require } else { TlsMode::VerifyFull },
            authorities,
            identity: None,
            words: ["trust_server_certificate", "ca_certificates", "a client certificate"],
        }
    }

    /// Returns the SQL that a session runs first. It may be empty.
    pub fn session_sql(&self) -> String {
        let level = self.isolation.map(|level| format!("SET TRANSACTION ISOLATION LEVEL {level};"));
        let limit =
            self.lock_timeout.map(|limit| format!("SET LOCK_TIMEOUT {};", limit.as_millis()));
        let set = self.set.iter().map(|setting| format!("SET {setting};"));
        level.into_iter().chain(limit).chain(set).collect()
    }

    /// Returns the host and port.
    pub fn shown_address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Returns the server's address from `host`, or from `tcp:host,port` as in Microsoft's own clients.
fn address(given: &Given<'_>) -> Result<(String, u16)> {
    let host = value(given, "host")?;
    let host = host.strip_prefix("tcp:").unwrap_or(&host);
    let (host, port_suffix) =
        host.split_once(',').map_or((host, None), |(host, port)| (host, Some(port)));
    if host.contains('\\') {
        let text = format!("{host} is a named instance: the target must specify its port");
        return Err(Error::usage(text).hint(format!("specify the host and port, as in {EXAMPLE}")));
    }
    let host = if matches!(host, "" | "." | "(local)") { "localhost" } else { host };
    let port = match port_suffix {
        Some(port) => port.trim().to_owned(),
        None => value(given, "port")?,
    };
    let port = port.parse().map_err(|_| {
        Error::usage(format!("invalid port \"{port}\"")).hint("a port is 1 to 65535")
    })?;
    Ok((host.to_owned(), port))
}

/// Parses a comma-separated list of settings, each with a name and a value.
fn settings(text: &str) -> Result<Vec<String>> {
    let given = text.split(',').map(str::trim).filter(|setting| !setting.is_empty());
    let read = |setting: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let mut words = setting.split_whitespace();
        let name = words.next().unwrap_or_default().to_ascii_uppercase();
        match (words.next(), words.next()) {
            (Some(value), None) if SETTINGS.contains(&&*name) && value.chars().all(plain) => {
                Ok(format!("{name} {}", value.to_ascii_uppercase()))
            }
            _ => Err(Error::usage(format!("invalid value for set: \"{setting}\""))
                .hint(
                    "write a name and a value, for example set=ARITHABORT ON,DEADLOCK_PRIORITY LOW",
                )
                .hint(format!("names: {}", SETTINGS.join(", ")))),
        }
    };
    given.map(read).collect()
}

fn require_sql_login(authentication: &str) -> Result<()> {
    if authentication == "sql" {
        return Ok(());
    }
    let text = format!("authentication {authentication} is not supported");
    Err(Error::new(ErrorKind::Unsupported, text).hint(
        "use a SQL Server login with a password; Windows and Entra authentication are not \
         supported",
    ))
}

fn encryption(word: &str) -> Encryption {
    match word {
        "strict" => Encryption::Strict,
        "optional" | "no" | "false" => Encryption::Optional,
        _ => Encryption::Mandatory,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<Config> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::read(&Target::parse(text)?, &lookup)
    }

    #[test]
    fn reads_all_settings_from_a_url() -> Result<()> {
        let config =
            read("mssql://u:s%40@db.example:6000/tpc?encrypt=strict&isolation=snapshot", &[])?;
        assert_eq!((config.host.as_str(), config.port), ("db.example", 6000));
        assert_eq!((config.user.as_str(), config.database.as_str()), ("u", "tpc"));
        assert_eq!(config.password, Some(Secret("s@".into())));
        assert_eq!(config.encryption, Encryption::Strict);
        assert_eq!(config.session_sql(), "SET TRANSACTION ISOLATION LEVEL SNAPSHOT;");
        assert!(!format!("{config:?}").contains("s@"), "a password is never shown");
        Ok(())
    }

    #[test]
    fn variables_are_those_of_sqlcmd() -> Result<()> {
        let variables = [
            ("SQLCMDSERVER", "tcp:db1,1444"),
            ("SQLCMDUSER", "u"),
            ("SQLCMDPASSWORD", "p"),
            ("SQLCMDDBNAME", "d"),
        ];
        let config = read("sqlserver:", &variables)?;
        assert_eq!((config.host.as_str(), config.port), ("db1", 1444));
        assert_eq!((config.user.as_str(), config.database.as_str()), ("u", "d"));
        let config = read("sqlserver://other:7/e?lock_timeout=2s", &variables)?;
        assert_eq!((config.host.as_str(), config.port), ("other", 7));
        assert_eq!(config.session_sql(), "SET LOCK_TIMEOUT 2000;");
        let set = "set=arithabort%20on,DEADLOCK_PRIORITY%20-5";
        let config = read(&format!("sqlserver://u@h/d?{set}"), &[])?;
        assert_eq!(config.session_sql(), "SET ARITHABORT ON;SET DEADLOCK_PRIORITY -5;");
        Ok(())
    }

    #[test]
    fn certificates_are_verified_unless_told_otherwise() -> Result<()> {
        let mode = |options: &str| Ok::<_, Error>(read(options, &[])?.trust(None).mode);
        assert_eq!(mode("sqlserver://u@h/d")?, TlsMode::VerifyFull);
        assert_eq!(mode("sqlserver://u@h/d?trust_server_certificate=yes")?, TlsMode::Require);
        let strict = "sqlserver://u@h/d?trust_server_certificate=yes&encrypt=strict";
        assert_eq!(mode(strict)?, TlsMode::VerifyFull);
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        let table = [
            "sqlserver:h/d?user=u",
            "sqlserver://u@h",
            "sqlserver://h/d",
            "sqlserver://u@h:0/d",
            "sqlserver://u@h/d?host=h%5Cinstance",
            "sqlserver://u@h/d?host=h,x",
            "sqlserver://u@h/d?encrypt=maybe",
            "sqlserver://u@h/d?authentication=entra",
            "sqlserver://u@h/d?authentication=windows",
            "sqlserver://u@h/d?isolation=chaos",
            "sqlserver://u@h/d?connect_timeout=soon",
            "sqlserver://u@h/d?packet_size=100",
            "sqlserver://u@h/d?load=fast",
            "sqlserver://u@h/d?set=XACT_ABORT%20ON",
            "sqlserver://u@h/d?set=ARITHABORT",
            "sqlserver://u@h/d?set=ARITHABORT%20ON;DROP",
        ];
        for text in table {
            let error = read(text, &[]).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
