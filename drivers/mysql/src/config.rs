//! Connection settings, from the target, the environment variables, the option file and the defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::{Error, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{
    Found, Given, Lookup, Options, Secret, TargetOption, TlsMode, Trust, isolation, login_name,
    option, seconds,
};

use crate::option_file::OptionFile;
use crate::product::Product;

/// The supported options, as explained in `docs.md`, and the environment variable for each.
const OPTIONS: [TargetOption; 18] = [
    option("host", ParameterKind::Text, "").or("MYSQL_HOST"),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "3306").or("MYSQL_TCP_PORT"),
    option("socket", ParameterKind::Text, "").or("MYSQL_UNIX_PORT"),
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, "").or("MYSQL_PWD"),
    option("database", ParameterKind::Text, ""),
    option("defaults-file", ParameterKind::Text, ""),
    option("ssl-mode", ParameterKind::Choice(&TLS_MODES), "preferred"),
    option("ssl-ca", ParameterKind::Text, ""),
    option("ssl-cert", ParameterKind::Text, ""),
    option("ssl-key", ParameterKind::Text, ""),
    option("connect-timeout", ParameterKind::Text, "60s"),
    option("tcp-user-timeout", ParameterKind::Text, "30s"),
    option("isolation", ParameterKind::Text, ""),
    option("snapshot-isolation", ParameterKind::Choice(&["", "on", "off"]), ""),
    option("charset", ParameterKind::Text, "latin1"),
    option("init-command", ParameterKind::Text, ""),
    option("product", ParameterKind::Choice(&["", "any"]), ""),
];

/// The TLS modes of MySQL's own client, in lower case and with hyphens.
const TLS_MODES: [&str; 5] = ["disabled", "preferred", "required", "verify-ca", "verify-identity"];

/// Isolation levels, written as in SQL.
const LEVELS: [&str; 4] = ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

/// Default socket paths of a local server: on Debian, on Red Hat, and when built from source.
const SOCKETS: [&str; 3] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

/// The server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Path of a Unix socket.
    Socket(PathBuf),
    /// A host name or address, and a port.
    Tcp(String, u16),
}

/// A parsed target, completed with values from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The product that the target specifies.
    pub product: Product,
    /// True if a MySQL target may also connect to a MariaDB server, and vice versa.
    pub any_product: bool,
    /// The server's address.
    pub address: Address,
    /// User name.
    pub user: String,
    /// The password, or the reason why the password in the option file was ignored.
    pub password: Found,
    /// Database name. Empty only for the connection that creates the database.
    pub database: String,
    /// Encryption mode for TCP connections. Defaults to `preferred`.
    pub tls: TlsMode,
    /// File that contains the trusted certificate authorities.
    pub authorities: Option<PathBuf>,
    /// Files that contain the client certificate and its private key.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Time limit for establishing a connection. Defaults to 60 s; zero means no limit.
    pub connect_timeout: Duration,
    /// Time after which a TCP connection counts as lost because its host does not respond. Defaults to 30 s; if it is
    /// 0, the operating system decides.
    pub silence: Duration,
    /// Isolation level of all transactions. If `None`, the server's default is used.
    pub isolation: Option<&'static str>,
    /// MariaDB's `innodb_snapshot_isolation`. If empty, the server's default applies.
    pub snapshot_isolation: String,
    /// Character set of any database that Tacho creates. Defaults to `latin1`.
    pub charset: String,
    /// SQL that every session runs before anything else.
    pub init_command: String,
}

/// The sources of option values.
struct Sources<'a> {
    given: Given<'a>,
    file: OptionFile,
}

impl Sources<'_> {
    /// Returns an option's validated value from the target, the environment, the option file or the default.
    fn value(&self, key: &str) -> Result<String> {
        let given = self.given.of_target(key)?.or_else(|| self.given.of_variable(key));
        let given = given.or_else(|| self.file.get(key)).filter(|value| !value.is_empty());
        let is_word = key == "ssl-mode";
        let word =
            |value: String| if is_word { value.to_lowercase().replace('_', "-") } else { value };
        self.given.checked(key, given.map(word))
    }

    fn path(&self, key: &str) -> Result<Option<PathBuf>> {
        let value = self.value(key)?;
        Ok(Some(value).filter(|value| !value.is_empty()).map(PathBuf::from))
    }
}

impl Config {
    /// Returns the settings for a table set. Set 0 uses the target's database. Any other set has its own database,
    /// whose name ends with the set's number.
    #[must_use]
    pub fn of_set(mut self, set: u32) -> Self {
        if set > 0 {
            self.database = format!("{}_{set}", self.database);
        }
        self
    }

    /// Returns the same settings without a database.
    pub fn nowhere(self) -> Self {
        Self { database: String::new(), ..self }
    }

    /// Reads the target's location and options. Missing options come from environment variables and the option file.
    pub fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        let mariadb = target.scheme == Product::MariaDb.scheme();
        let product = if mariadb { Product::MariaDb } else { Product::MySql };
        let example = format!("{}://user@host:3306/database", product.scheme());
        let options = Options { all: &OPTIONS, database: "database", example: &example };
        let given = Given::read(target, options, variables)?;
        let file = OptionFile::find(given.of_target("defaults-file")?.as_deref(), variables)?;
        let from = Sources { given, file };
        let user = Some(from.value("user")?).filter(|user| !user.is_empty());
        let user = user.or_else(|| login_name(variables));
        let database = from.value("database")?;
        if database.is_empty() {
            let text = "the target does not specify a database";
            return Err(Error::usage(text).hint(format!("write it as {example}")));
        }
        Ok(Self {
            product,
            any_product: !from.value("product")?.is_empty(),
            address: address(&from)?,
            user: user.ok_or_else(|| missing_user(&example))?,
            password: password(&from)?,
            database,
            tls: tls_mode(&from.value("ssl-mode")?),
            authorities: from.path("ssl-ca")?,
            identity: identity(from.path("ssl-cert")?, from.path("ssl-key")?)?,
            connect_timeout: seconds(&from.value("connect-timeout")?)?,
            silence: seconds(&from.value("tcp-user-timeout")?)?,
            isolation: isolation(&from.value("isolation")?, &LEVELS)?,
            snapshot_isolation: from.value("snapshot-isolation")?,
            charset: charset(from.value("charset")?)?,
            init_command: from.value("init-command")?,
        })
    }

    /// Returns the trusted certificate authorities and the client's certificate.
    pub fn trust(&self) -> Trust<'_> {
        let identity = self.identity.as_ref();
        Trust {
            mode: self.tls,
            authorities: self.authorities.as_deref(),
            identity: identity.map(|(certificate, key)| (certificate.as_path(), key.as_path())),
            words: ["ssl-mode", "ssl-ca", "ssl-cert and ssl-key"],
        }
    }

    /// Returns the SQL that a session runs first. It sets the time zone to UTC and the encoding to UTF-8.
    pub fn session_sql(&self) -> String {
        let mut sql = String::from("SET NAMES utf8mb4, time_zone = '+00:00', autocommit = 1");
        if let Some(level) = self.isolation {
            sql.push_str("; SET SESSION TRANSACTION ISOLATION LEVEL ");
            sql.push_str(level);
        }
        if !self.snapshot_isolation.is_empty() {
            sql.push_str("; SET SESSION innodb_snapshot_isolation = ");
            sql.push_str(&self.snapshot_isolation);
        }
        if !self.init_command.is_empty() {
            sql.push_str("; ");
            sql.push_str(&self.init_command);
        }
        sql
    }

    /// Returns the Unix socket path, or the host and port.
    pub fn shown_address(&self) -> String {
        match &self.address {
            Address::Socket(file) => file.display().to_string(),
            Address::Tcp(host, port) => format!("{host}:{port}"),
        }
    }
}

fn missing_user(example: &str) -> Error {
    Error::usage("no user name was found in the target, the environment or the operating system")
        .hint(format!("write it as {example}"))
}

/// Determines the server's address. A socket named in the target takes precedence.
///
/// If the target has no host or `localhost`, and no port, connect through a Unix socket if one exists, as other clients
/// do.
fn address(from: &Sources<'_>) -> Result<Address> {
    let host = from.value("host")?;
    if host.contains(',') {
        let error = Error::usage(format!("the target specifies more than one host: {host}"));
        return Err(error.hint("specify only the host that you want to measure"));
    }
    let port = from.value("port")?.parse().unwrap_or_default();
    let is_local = matches!(host.as_str(), "" | "localhost");
    let [asked, has_port] = ["socket", "port"].map(|key| from.given.has(key));
    if host.starts_with('/') {
        return Ok(Address::Socket(host.into()));
    }
    if asked || (is_local && !has_port) {
        let there = || SOCKETS.iter().map(Path::new).find(|file| file.exists());
        let file = from.path("socket")?.or_else(|| there().map(Path::to_owned));
        if let Some(file) = file {
            return Ok(Address::Socket(file));
        }
    }
    Ok(Address::Tcp(if is_local { "localhost".into() } else { host }, port))
}

fn password(from: &Sources<'_>) -> Result<Found> {
    let password = Some(from.value("password")?).filter(|word| !word.is_empty()).map(Secret);
    let note = if password.is_none() { from.file.note.clone() } else { None };
    Ok(Found { password, note })
}

fn tls_mode(word: &str) -> TlsMode {
    match word {
        "disabled" => TlsMode::Disable,
        "required" => TlsMode::Require,
        "verify-ca" => TlsMode::VerifyCa,
        "verify-identity" => TlsMode::VerifyFull,
        _ => TlsMode::Prefer,
    }
}

fn identity(
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<(PathBuf, PathBuf)>> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        _ => Err(Error::usage("a client certificate and its key must be specified together")
            .hint("specify both ssl-cert and ssl-key")),
    }
}

/// Validates a character set's name, because Tacho writes it without quotes.
fn charset(text: String) -> Result<String> {
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Ok(text);
    }
    Err(Error::usage(format!("invalid value for charset: \"{text}\""))
        .hint("use a name such as latin1 or utf8mb4"))
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
        let config = read("mariadb://u:s%40@db.example:6000/tpc?ssl-mode=REQUIRED", &[])?;
        assert_eq!(config.product, Product::MariaDb);
        assert_eq!(config.address, Address::Tcp("db.example".into(), 6000));
        assert_eq!((config.user.as_str(), config.database.as_str()), ("u", "tpc"));
        assert_eq!(config.password.password, Some(Secret("s@".into())));
        assert_eq!((config.tls, config.isolation), (TlsMode::Require, None));
        assert_eq!(config.connect_timeout, Duration::from_mins(1));
        assert_eq!(config.silence, Duration::from_secs(30));
        assert!(!format!("{config:?}").contains("s@"), "a password is never shown");
        Ok(())
    }

    #[test]
    fn a_local_server_is_reached_by_its_socket() -> Result<()> {
        let socket = |file: &str| Address::Socket(file.into());
        let tcp = |host: &str, port| Address::Tcp(host.into(), port);
        let variables = [("MYSQL_UNIX_PORT", "/v"), ("USER", "v"), ("MYSQL_TCP_PORT", "7")];
        let table = [
            ("mysql://localhost/d", socket("/v")),
            ("mysql:///d", socket("/v")),
            ("mysql:///d?socket=/o", socket("/o")),
            ("mysql://h/d?socket=%2Fo", socket("/o")),
            ("mysql://%2Fp/d", socket("/p")),
            ("mysql://localhost:8/d", tcp("localhost", 8)),
            ("mysql://127.0.0.1/d", tcp("127.0.0.1", 7)),
            ("mysql://h/d", tcp("h", 7)),
            ("mysql://[::1]:9/d", tcp("::1", 9)),
        ];
        for (text, address) in table {
            let config = read(text, &variables)?;
            assert_eq!((config.address, config.user.as_str()), (address, "v"), "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_session_begins_as_asked() -> Result<()> {
        let first = "SET NAMES utf8mb4, time_zone = '+00:00', autocommit = 1";
        let sql = |options: &str| Ok::<_, Error>(read(options, &[])?.session_sql());
        assert_eq!(sql("mysql://u@h/d")?, first);
        let options = "?isolation=read-committed&snapshot-isolation=off&init-command=SET%20@a=1";
        let expected = format!(
            "{first}; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; \
             SET SESSION innodb_snapshot_isolation = off; SET @a"
        );
        assert!(sql(&format!("mariadb://u@h/d{options}"))?.starts_with(&expected));
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        let table = [
            "mysql:h/d?user=u",
            "mysql://u@h",
            "mysql://u@h,i/d",
            "mysql://u@h:0/d",
            "mysql://u@h:70000/d",
            "mysql://u@h/d?ssl-mode=maybe",
            "mysql://u@h/d?sslmode=required",
            "mysql://u@h/d?ssl-cert=c.pem",
            "mysql://u@h/d?isolation=chaos",
            "mysql://u@h/d?connect-timeout=soon",
            "mysql://u@h/d?charset=x'y",
            "mysql://u@h/d?snapshot-isolation=1",
        ];
        for text in table {
            let error = read(text, &[]).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
