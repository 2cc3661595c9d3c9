//! The settings in a target of the form `//user:password@host:port/service?option=value`. Missing parts come from
//! environment variables.
//!
//! Start reading at [`Config::read`].

use std::time::Duration;

use tacho_core::{Error, ParameterKind, Result};
use tacho_driver::Target;
use tacho_net::{Given, Lookup, Options, Secret, TargetOption, isolation, option, seconds};

/// The supported options, which `docs.md` explains.
const ALL: [TargetOption; 14] = [
    option("user", ParameterKind::Text, ""),
    option("password", ParameterKind::Text, "").or(PASSWORD),
    option("host", ParameterKind::Text, "localhost"),
    option("port", ParameterKind::Count { min: 1, max: 65_535 }, "1521"),
    option("service", ParameterKind::Text, ""),
    option("sid", ParameterKind::Text, ""),
    option("tls", ParameterKind::Choice(&["off", "verify"]), "off"),
    option("wallet", ParameterKind::Text, ""),
    option("isolation", ParameterKind::Text, ""),
    option("rac", ParameterKind::Choice(&["true", "false"]), "false"),
    option("ash", ParameterKind::Choice(&["true", "false"]), "false"),
    option("awr", ParameterKind::Choice(&["true", "false"]), "false"),
    option("connect_timeout", ParameterKind::Text, "15s"),
    option("call_timeout", ParameterKind::Text, "0"),
];
const OPTIONS: Options<'static> =
    Options { all: &ALL, database: "service", example: "oracle://user@host:1521/service" };
/// Environment variables that hold the passwords of the user and of the wallet.
const PASSWORD: &str = "ORACLE_PASSWORD";
const WALLET_PASSWORD: &str = "ORACLE_WALLET_PASSWORD";
/// Isolation levels, written as in SQL.
const LEVELS: [&str; 2] = ["READ COMMITTED", "SERIALIZABLE"];

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Config {
    /// User name.
    pub user: String,
    /// The user's password.
    pub password: Secret,
    /// Host and port, as displayed.
    pub address: String,
    /// Service name or system identifier (SID). Used only in messages.
    pub service: String,
    /// The connect descriptor for the client library. It contains the address and the service, and disables the delay
    /// after a failed connection attempt.
    pub descriptor: String,
    /// True if the connection is encrypted and the server's certificate is verified.
    pub tls: bool,
    /// Folder of a wallet.
    pub wallet: Option<String>,
    /// The wallet's password.
    pub wallet_password: Option<Secret>,
    /// Isolation level of all transactions. If `None`, the server's default applies.
    pub isolation: Option<&'static str>,
    /// True if counters and waits cover all instances of the database. If false, they cover only the instance that
    /// Tacho is connected to.
    pub rac: bool,
    /// True if waits are read from the active session history, which requires a license.
    pub ash: bool,
    /// True if workload repository snapshots are taken, which requires the same license as the active session history.
    pub awr: bool,
    /// Time limit for logging in. Defaults to 15 s; zero means no limit.
    pub connect_timeout: Duration,
    /// Time limit for a response from the server. Zero, the default, means no limit.
    pub call_timeout: Duration,
}

impl Config {
    /// Reads and validates the target's location and options and the environment variables.
    pub fn read(target: &Target, variables: Lookup<'_>) -> Result<Self> {
        let given = Given::read(target, OPTIONS, variables)?;
        let text = |key: &str| given.value(key);
        let (host, port) = (text("host")?, text("port")?);
        let (key, name) = match (given.some("sid")?, given.some("service")?) {
            (Some(sid), _) => ("SID", sid),
            (None, Some(service)) => ("SERVICE_NAME", service),
            (None, None) => {
                return Err(Error::usage("the target does not specify a service")
                    .hint(format!("write it as {}", OPTIONS.example)));
            }
        };
        for part in [&host, &name] {
            require_plain(part)?;
        }
        let tls = text("tls")? == "verify";
        let protocol = if tls { "tcps" } else { "tcp" };
        let descriptor = format!(
            "(DESCRIPTION=(RETRY_DELAY=0)(ADDRESS=(PROTOCOL={protocol})(HOST={host})(PORT={port}))\
             (CONNECT_DATA=({key}={name})))"
        );
        Ok(Self {
            user: given.user()?.unwrap_or_default(),
            password: Secret(text("password")?),
            address: format!("{host}:{port}"),
            service: name,
            descriptor,
            tls,
            wallet: given.some("wallet")?,
            wallet_password: variables(WALLET_PASSWORD).map(Secret),
            isolation: isolation(&text("isolation")?, &LEVELS)?,
            rac: text("rac")? == "true",
            ash: text("ash")? == "true",
            awr: text("awr")? == "true",
            connect_timeout: seconds(&text("connect_timeout")?)?,
            call_timeout: seconds(&text("call_timeout")?)?,
        })
    }

    /// Returns the settings for a table set. Each set is the schema of a separate user. Set 0 belongs to the target's
    /// user.
    pub fn of_set(mut self, set: u32) -> Self {
        if set > 0 {
            self.user = format!("{}_{set}", self.user);
        }
        self
    }
}

/// Checks that a name has no special characters, because names in a connect descriptor cannot be quoted.
fn require_plain(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:$#%".contains(c);
    if name.chars().all(plain) {
        return Ok(());
    }
    Err(Error::usage(format!("the name \"{name}\" contains a character that is not allowed"))
        .hint("use only letters, digits, dots, hyphens and underscores"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config> {
        let variables = |name: &str| match name {
            PASSWORD => Some("of the variable".to_owned()),
            "USER" => Some("ann".to_owned()),
            _ => None,
        };
        Config::read(&Target::parse(text)?, &variables)
    }

    #[test]
    fn a_target_becomes_a_descriptor() -> Result<()> {
        let config = read("oracle://me:a%3Bb@db1:1522/sales.example?tls=verify&rac=true")?;
        assert_eq!(
            config.descriptor,
            "(DESCRIPTION=(RETRY_DELAY=0)(ADDRESS=(PROTOCOL=tcps)(HOST=db1)(PORT=1522))\
             (CONNECT_DATA=(SERVICE_NAME=sales.example)))"
        );
        assert_eq!((&*config.user, &*config.password.0, config.rac), ("me", "a;b", true));
        assert!(
            !config.ash && !config.awr,
            "separately licensed features are used only on request"
        );
        let users = [0, 2].map(|set| config.clone().of_set(set).user);
        assert_eq!(users, ["me", "me_2"]);
        assert_eq!((&*config.address, &*config.service), ("db1:1522", "sales.example"));
        assert!(!format!("{config:?}").contains("a;b"));
        let config = read("oracle:///XEPDB1?isolation=serializable&call_timeout=1m")?;
        assert!(config.descriptor.contains("(PROTOCOL=tcp)(HOST=localhost)(PORT=1521)"));
        assert_eq!((&*config.user, &*config.password.0), ("ann", "of the variable"));
        assert_eq!(config.isolation, Some("SERIALIZABLE"));
        assert_eq!(config.call_timeout, Duration::from_mins(1));
        let config = read("oracle://me@[fe80::1]:1521?sid=ORCL")?;
        assert!(
            config.descriptor.contains("(HOST=fe80::1)")
                && config.descriptor.contains("(SID=ORCL)")
        );
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() {
        for text in [
            "oracle:",
            "oracle://me@h",
            "oracle://h/s?unknown=1",
            "oracle://h/s?port=0",
            "oracle://h/s?tls=maybe",
            "oracle://h/s?rac=2",
            "oracle://h/s?ash=yes",
            "oracle://h/s?awr=1",
            "oracle://h/s?isolation=repeatable-read",
            "oracle://h/s?connect_timeout=soon",
            "oracle://h/s)(UR=A",
            "oracle://h%29/s",
        ] {
            let error = read(text).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
    }
}
