//! Settings of a `PostgreSQL` connection, from the target, the environment variables and the defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::units::parse_duration;
use tacho_core::{Error, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{
    Found, Given, Lookup, Options, Secret, TargetOption, TlsMode, isolation, login_name, option,
    seconds,
};

use crate::passfile::{self, Login};
use crate::service;

/// The supported options, as explained in `docs.md`, and the environment variable for each.
const OPTIONS: [TargetOption; 20] = [
    option("host", ParameterKind::Text, "").or("PGHOST"),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "5432").or("PGPORT"),
    option("user", ParameterKind::Text, "").or("PGUSER"),
    option("password", ParameterKind::Text, "").or("PGPASSWORD"),
    option("dbname", ParameterKind::Text, "").or("PGDATABASE"),
    option("sslmode", ParameterKind::Choice(&TLS_MODES), "prefer").or("PGSSLMODE"),
    option("channel_binding", ParameterKind::Choice(&BINDINGS), "prefer").or("PGCHANNELBINDING"),
    option("sslrootcert", ParameterKind::Text, "").or("PGSSLROOTCERT"),
    option("connect_timeout", ParameterKind::Text, "60s").or("PGCONNECT_TIMEOUT"),
    option("tcp_user_timeout", ParameterKind::Text, "30s"),
    option("application_name", ParameterKind::Text, "tacho").or("PGAPPNAME"),
    option("options", ParameterKind::Text, "").or("PGOPTIONS"),
    option("isolation", ParameterKind::Text, ""),
    option("parse", ParameterKind::Choice(&PARSES), "once"),
    option("service", ParameterKind::Text, "").or("PGSERVICE"),
    option("sslcert", ParameterKind::Text, "").or("PGSSLCERT"),
    option("sslkey", ParameterKind::Text, "").or("PGSSLKEY"),
    option("admin_user", ParameterKind::Text, ""),
    option("admin_password", ParameterKind::Text, ""),
    option("admin_dbname", ParameterKind::Text, "postgres"),
];

/// Times at which the server can parse a statement in the form `sql`: once, when the statement is prepared, or each
/// time it is executed.
const PARSES: [&str; 2] = ["once", "each"];
const BINDINGS: [&str; 3] = ["disable", "prefer", "require"];
const TLS_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// Default socket directories of a local server: on Debian, and when built from source.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Isolation levels in SQL. `READ UNCOMMITTED` is missing, because the server treats it as `READ COMMITTED`.
const LEVELS: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

/// A complete target, for hints.
const EXAMPLE: &str = "postgres://user@host:5432/database";

/// The server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Directory that contains the Unix socket.
    Socket(PathBuf),
    /// A host name or address.
    Tcp(String),
}

/// Use of channel binding. Channel binding ties a login to the server's certificate, so that an attacker between the
/// client and the server cannot relay the login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Never uses channel binding.
    Disable,
    /// Uses channel binding if both sides support it.
    Prefer,
    /// Requires channel binding, and fails if it is not possible.
    Require,
}

/// The administrator, who creates the target's role and database if they do not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admin {
    /// User name.
    pub user: String,
    /// Password, if the target specifies one.
    pub password: Option<Secret>,
}

/// A parsed target, completed with values from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The server's address.
    pub address: Address,
    /// The server's port, which is also part of a Unix socket's file name.
    pub port: u16,
    /// User name.
    pub user: String,
    /// The password from the target or an environment variable, if there is one.
    pub password: Option<Secret>,
    /// Database name. Defaults to the user's name.
    pub database: String,
    /// Encryption mode for TCP connections. Defaults to `prefer`.
    pub tls: TlsMode,
    /// Channel binding. Default `prefer`.
    pub binding: Binding,
    /// File that contains the trusted certificate authorities.
    pub root_certificates: Option<PathBuf>,
    /// Files that contain the client certificate and its private key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The user who creates a missing role and database. If `None`, the target's user creates the database, and the
    /// role must exist.
    pub admin: Option<Admin>,
    /// An existing database, to which Tacho connects in order to create or drop the target's database.
    pub maintenance: String,
    /// Time limit for establishing a connection. Defaults to 60 s; zero means no limit.
    pub connect_timeout: Duration,
    /// Time after which a TCP connection counts as lost because its host does not respond. Defaults to 30 s; if it is
    /// 0, the operating system decides.
    pub silence: Duration,
    /// Name of the session in the server's views. Defaults to `tacho`.
    pub application_name: String,
    /// Session settings, such as `-c work_mem=64MB`.
    pub options: Option<String>,
    /// The isolation level. If `None`, the server's default applies.
    pub isolation: Option<&'static str>,
    /// True if a statement is parsed and planned each time it is executed. Its values are still sent separately from
    /// its text.
    pub parses_each: bool,
}

impl Config {
    /// Reads the target's location and options. Missing options come from environment variables.
    pub fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        let options = Options { all: &OPTIONS, database: "dbname", example: EXAMPLE };
        let given = Given::read(target, options, variables)?;
        let service = services(&given, variables)?;
        let of_service = |key: &str| {
            let found = service.iter().find(|(known, _)| known == key);
            found.map(|(_, value)| value.clone())
        };
        let value = |key: &str| {
            let found = given.of_target(key)?.or_else(|| of_service(key));
            given.checked(key, found.or_else(|| given.of_variable(key)))
        };
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let port = value("port")?.parse().unwrap_or_default();
        let user = some(value("user")?).or_else(|| login_name(variables));
        let user = user.ok_or_else(missing_user)?;
        let tls = value("sslmode")?;
        let root_certificates = some(value("sslrootcert")?).map(PathBuf::from);
        let [file, key] = ["sslcert", "sslkey"].map(|name| value(name).map(some));
        let admin = some(value("admin_user")?);
        let admin_password = some(value("admin_password")?).map(Secret);
        Ok(Self {
            address: address(value("host")?, port)?,
            port,
            password: some(value("password")?).map(Secret),
            database: some(value("dbname")?).unwrap_or_else(|| user.clone()),
            user,
            tls: tls_mode(&tls, root_certificates.is_some()),
            binding: match &*value("channel_binding")? {
                "disable" => Binding::Disable,
                "require" => Binding::Require,
                _ => Binding::Prefer,
            },
            root_certificates,
            certificate: certificate(file?, key?, variables)?,
            admin: admin.map(|user| Admin { user, password: admin_password }),
            maintenance: value("admin_dbname")?,
            connect_timeout: seconds(&value("connect_timeout")?)?,
            silence: milliseconds(&value("tcp_user_timeout")?)?,
            application_name: value("application_name")?,
            options: some(value("options")?),
            isolation: isolation(&value("isolation")?, &LEVELS)?,
            parses_each: value("parse")? == "each",
        })
    }

    /// Returns the password from the target, from an environment variable or, if neither has one, from the password
    /// file.
    pub fn find_password(&self, variables: Lookup<'_>) -> Found {
        if self.password.is_some() {
            return Found { password: self.password.clone(), note: None };
        }
        let socket;
        let hosts: &[&str] = match &self.address {
            Address::Tcp(host) => &[host],
            Address::Socket(folder) => {
                socket = folder.to_string_lossy();
                &[&socket, "localhost"]
            }
        };
        let (database, user) = (self.database.as_str(), self.user.as_str());
        passfile::find(Login { hosts, port: self.port, database, user }, variables)
    }

    /// Returns the file that contains the trusted certificate authorities. By default, it is in the user's home folder.
    pub fn authorities(&self, variables: Lookup<'_>) -> Option<PathBuf> {
        let home = || variables("HOME").map(|home| Path::new(&home).join(".postgresql/root.crt"));
        self.root_certificates.clone().or_else(home)
    }

    /// Returns the Unix socket path, or the host and port.
    pub fn shown_address(&self) -> String {
        match &self.address {
            Address::Socket(folder) => socket_file(folder, self.port).display().to_string(),
            Address::Tcp(host) => format!("{host}:{}", self.port),
        }
    }
}

/// Parses a duration. A number without a unit is in milliseconds, as in libpq.
fn milliseconds(text: &str) -> Result<Duration> {
    text.parse().map(Duration::from_millis).or_else(|_| parse_duration(text))
}

/// Returns the path of a Unix socket.
pub fn socket_file(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!(".s.PGSQL.{port}"))
}

/// Returns the settings of the service that the target or an environment variable names.
/// Rejects a service with an unsupported setting. If Tacho ignored the setting, it might connect to the wrong server.
fn services(given: &Given<'_>, variables: Lookup<'_>) -> Result<Vec<(String, String)>> {
    let named = given.of_target("service")?.or_else(|| given.of_variable("service"));
    let Some(name) = named else { return Ok(Vec::new()) };
    let settings = service::find(&name, variables)?;
    let unknown = |key: &str| given.options.find(key).is_none();
    match settings.iter().find(|(key, _)| unknown(key)) {
        None => Ok(settings),
        Some((key, _)) => {
            let text =
                format!("the service \"{name}\" uses the {key} setting, which is not supported");
            Err(Error::usage(text)
                .hint("specify host, port, user and dbname in the target instead"))
        }
    }
}

/// Returns the client certificate and key. They are in the specified files or else, if both exist, in libpq's default
/// files.
fn certificate(
    certificate: Option<String>,
    key: Option<String>,
    variables: Lookup<'_>,
) -> Result<Option<(PathBuf, PathBuf)>> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some((certificate.into(), key.into()))),
        (None, None) => {
            let home = variables("HOME").map(|home| PathBuf::from(home).join(".postgresql"));
            let both = home.map(|h| (h.join("postgresql.crt"), h.join("postgresql.key")));
            Ok(both.filter(|(certificate, key)| certificate.is_file() && key.is_file()))
        }
        _ => Err(Error::usage("sslcert and sslkey must be specified together")
            .hint("specify both the certificate file and its key file")),
    }
}

fn missing_user() -> Error {
    Error::usage("no user name was found in the target, the environment or the operating system")
        .hint("write the target as postgres://user@host/database, or set PGUSER")
}

/// Determines the server's address. A host that starts with a slash is a socket directory.
///
/// If no host is specified, a socket is used if it exists, and TCP otherwise.
fn address(host: String, port: u16) -> Result<Address> {
    if host.contains(',') {
        let error = Error::usage(format!("the target specifies more than one host: {host}"));
        return Err(error.hint("specify only the host that you want to measure"));
    }
    if host.starts_with('/') {
        return Ok(Address::Socket(host.into()));
    }
    if !host.is_empty() {
        return Ok(Address::Tcp(host));
    }
    let there = |folder: &PathBuf| socket_file(folder, port).exists();
    let folder = SOCKET_FOLDERS.iter().map(PathBuf::from).find(there);
    Ok(folder.map_or_else(|| Address::Tcp("localhost".into()), Address::Socket))
}

/// If authorities are specified, the certificate is always verified, as in libpq, even if the mode only requires
/// encryption.
fn tls_mode(word: &str, has_authorities: bool) -> TlsMode {
    match word {
        "disable" => TlsMode::Disable,
        "allow" => TlsMode::Allow,
        "require" if !has_authorities => TlsMode::Require,
        "require" | "verify-ca" => TlsMode::VerifyCa,
        "verify-full" => TlsMode::VerifyFull,
        _ => TlsMode::Prefer,
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
        let config = read("postgres://u:s%40@db.example:6000/tpc?sslmode=require", &[])?;
        assert_eq!(config.address, Address::Tcp("db.example".into()));
        assert_eq!(
            (config.port, config.user.as_str(), config.database.as_str()),
            (6000, "u", "tpc")
        );
        assert_eq!(config.password, Some(Secret("s@".into())));
        assert_eq!((config.tls, config.isolation), (TlsMode::Require, None));
        assert_eq!(config.connect_timeout, Duration::from_mins(1));
        assert_eq!(config.silence, Duration::from_secs(30));
        let silence = |text: &str| read(&format!("postgres://u@h/d?tcp_user_timeout={text}"), &[]);
        assert_eq!(silence("1500")?.silence, Duration::from_millis(1_500), "as in libpq");
        assert_eq!(
            (silence("2m")?.silence, silence("0")?.silence),
            (Duration::from_mins(2), Duration::ZERO)
        );
        assert!(!format!("{config:?}").contains("s@"), "a password is never shown");
        Ok(())
    }

    #[test]
    fn options_come_before_the_place_and_variables_after_it() -> Result<()> {
        let variables = [
            ("PGHOST", "/run/pg"),
            ("PGPORT", "7000"),
            ("PGUSER", "v"),
            ("PGPASSWORD", "vp"),
            ("PGSSLMODE", "verify-full"),
            ("PGCONNECT_TIMEOUT", "5"),
        ];
        let config = read("postgres", &variables)?;
        assert_eq!(config.address, Address::Socket("/run/pg".into()));
        assert_eq!((config.port, config.user.as_str(), config.database.as_str()), (7000, "v", "v"));
        assert_eq!(config.tls, TlsMode::VerifyFull);
        assert_eq!(config.connect_timeout, Duration::from_secs(5));
        let text = "postgresql://u@h:1/d?user=o&port=2&dbname=e&host=%2Fx&isolation=serializable";
        let config = read(text, &variables)?;
        assert_eq!(config.address, Address::Socket("/x".into()));
        assert_eq!((config.port, config.user.as_str(), config.database.as_str()), (2, "o", "e"));
        assert_eq!(config.isolation, Some("SERIALIZABLE"));
        Ok(())
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes a service file")]
    fn a_service_stands_between_the_target_and_the_variables() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("services");
        std::fs::write(
            &file,
            "[s]\nhost=there\nport=7\nuser=su\n[odd]\ntarget_session_attrs=any\n",
        )?;
        let file = file.display().to_string();
        let variables = [("PGSERVICEFILE", file.as_str()), ("PGPORT", "9"), ("PGDATABASE", "vd")];
        let config = read("postgres://u@/?service=s", &variables)?;
        assert_eq!((config.address, config.port), (Address::Tcp("there".into()), 7));
        assert_eq!((config.user.as_str(), config.database.as_str()), ("u", "vd"));
        let error = read("postgres://u@h?service=odd", &variables).expect_err("not ours");
        assert!(error.to_string().contains("target_session_attrs"), "{error}");
        Ok(())
    }

    #[test]
    fn named_authorities_are_used() -> Result<()> {
        let config = read("postgres://u@h?sslmode=require&sslrootcert=ca.pem", &[])?;
        assert_eq!(config.tls, TlsMode::VerifyCa);
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        let table = [
            "postgres:h/d?user=u",
            "postgres://u@h,i/d",
            "postgres://u@h:0/d",
            "postgres://u@h:70000/d",
            "postgres://u@h/d?sslmode=maybe",
            "postgres://u@h/d?ssl_mode=require",
            "postgres://u@h/d?channel_binding=yes",
            "postgres://u@h/d?isolation=chaos",
            "postgres://u@h/d?connect_timeout=soon",
            "postgres://u@h/d?sslcert=c.pem",
            "postgres://u@h/d?service=none",
        ];
        for text in table {
            let error = read(text, &[]).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
