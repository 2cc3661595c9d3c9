//! Converts the database in a configuration to a Tacho target.

use tacho_core::{Error, Result};

use super::super::draft::Url;
use super::Config;

/// Options in JDBC URLs, and the corresponding target options.
const OPTIONS: [(&str, &str, &str); 7] = [
    ("postgres", "sslmode", "sslmode"),
    ("postgres", "options", "options"),
    ("mysql", "sslMode", "ssl-mode"),
    ("mysql", "useSSL", "ssl-mode"),
    ("mariadb", "sslMode", "ssl-mode"),
    ("sqlserver", "encrypt", "encrypt"),
    ("sqlserver", "trustServerCertificate", "trust_server_certificate"),
];
/// Values of these options in JDBC URLs, and the corresponding values in targets.
const VALUES: [(&str, &str, &str); 6] = [
    ("ssl-mode", "false", "disabled"),
    ("ssl-mode", "true", "required"),
    ("encrypt", "false", "no"),
    ("encrypt", "true", "yes"),
    ("trust_server_certificate", "false", "no"),
    ("trust_server_certificate", "true", "yes"),
];
/// Databases whose targets have an option for the isolation level.
const WITH_LEVELS: [&str; 4] = ["postgres", "mysql", "mariadb", "oracle"];
/// The isolation level that `BenchBase` uses if the configuration does not specify one.
const LEVEL: &str = "TRANSACTION_SERIALIZABLE";

impl Config {
    /// Converts the JDBC URL to a target without a password.
    pub(super) fn target(&mut self, has_level: bool) -> Result<String> {
        let url = self.values.take("url").or_else(|| self.values.take("DBUrl")).unwrap_or_default();
        let user = self.values.take("username");
        let password = self.values.take("password");
        let level = self.values.take("isolation").unwrap_or_else(|| LEVEL.to_owned());
        let unknown = || {
            Error::usage(format!("no driver for the URL \"{url}\""))
                .hint("to list the drivers, use tacho list")
        };
        let (scheme, rest) =
            url.strip_prefix("jdbc:").and_then(|url| url.split_once(':')).ok_or_else(unknown)?;
        if scheme == "sqlite" {
            return Ok(format!("sqlite:{}", rest.split('?').next().unwrap_or(rest)));
        }
        let mut found = match scheme {
            "postgresql" => self.server("postgres", rest),
            "mysql" => self.server("mysql", rest),
            "mariadb" => self.server("mariadb", rest),
            "sqlserver" => self.server("sqlserver", rest),
            "oracle" => oracle(rest),
            _ => return Err(unknown()),
        };
        found.user = user;
        if self.values.take("type").is_some_and(|product| product == "COCKROACHDB") {
            self.notes.push(
                "for CockroachDB, use --pack packs/cockroachdb and the scheme cockroachdb in place \
                 of postgres"
                    .into(),
            );
        }
        if password.is_some() {
            let place = match found.scheme {
                "postgres" => "PGPASSWORD",
                "sqlserver" => "SQLCMDPASSWORD",
                "oracle" => "ORACLE_PASSWORD",
                _ => "MYSQL_PWD",
            };
            self.notes.push(format!("set the password in {place}; it is not printed"));
        }
        let level = level.trim_start_matches("TRANSACTION_").to_ascii_lowercase().replace('_', "-");
        if has_level && WITH_LEVELS.contains(&found.scheme) {
            found.option("isolation", level);
        } else if has_level {
            self.notes.push(format!("set the isolation level {level} in the database"));
        }
        Ok(found.to_string())
    }

    /// Reads a URL such as `//host:port/database?name=value`, or `//host:port;name=value`.
    fn server(&mut self, scheme: &'static str, rest: &str) -> Url {
        let rest = rest.trim_start_matches('/');
        let (place, options) = rest.split_at(rest.find(['?', ';']).unwrap_or(rest.len()));
        let (address, database) = place.split_once('/').unwrap_or((place, ""));
        let mut url = Url { scheme, ..at(address, database) };
        if scheme == "mysql" {
            url.option("product", "any");
        }
        for pair in options.split(['?', '&', ';']).filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if matches!(name, "databaseName" | "database") {
                url.database = Some(value.to_owned());
                continue;
            }
            match OPTIONS.iter().find(|(known, theirs, _)| *known == scheme && *theirs == name) {
                Some((_, _, ours)) => {
                    let value = value.to_ascii_lowercase().replace('_', "-");
                    let known =
                        VALUES.iter().find(|(key, theirs, _)| key == ours && *theirs == value);
                    url.option(ours, known.map_or(value.as_str(), |(_, _, value)| value));
                }
                None => self.notes.push(format!("omitted from the URL: {name}")),
            }
        }
        url
    }
}

/// Reads a URL such as `thin:@//host:port/service` or `thin:@host:port:sid`.
fn oracle(rest: &str) -> Url {
    let place = rest.split_once('@').map_or(rest, |(_, place)| place).trim_start_matches('/');
    let (address, service) = place.split_once('/').unwrap_or((place, ""));
    match address.splitn(3, ':').collect::<Vec<&str>>()[..] {
        [host, port, sid] => {
            let mut url = Url { scheme: "oracle", ..at(&format!("{host}:{port}"), "") };
            url.option("sid", sid);
            url
        }
        _ => Url { scheme: "oracle", ..at(address, service) },
    }
}

/// Returns a URL with a host, a port and a database.
fn at(address: &str, database: &str) -> Url {
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.to_owned())),
        None => (address, None),
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Url { host: some(host), port, database: some(database), ..Url::default() }
}
