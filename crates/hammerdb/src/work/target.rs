//! Converts the connection keys to a Tacho target.
//!
//! Values are percent-encoded, because passwords may contain quotes, spaces and braces.

use std::fmt::Write;
use std::path::Path;

use super::products::{self, Options};
use crate::dictionary::{Benchmark, Database, Dictionary};

/// Returns the target for the selected database and benchmark, or `None` if the database has no driver.
pub fn target(dictionary: &Dictionary) -> Option<String> {
    let options = match dictionary.database() {
        Database { scheme: "", .. } => return None,
        Database { prefix: "pg", .. } => pg_options(dictionary),
        Database { prefix: "mssqls", .. } => products::sqlserver_options(dictionary),
        Database { prefix: "ora", .. } if dictionary.is_timesten() => {
            products::timesten_options(dictionary)
        }
        Database { prefix: "ora", .. } => products::oracle_options(dictionary),
        Database { prefix: "db2", .. } => products::db2_options(dictionary),
        _ => mysql_options(dictionary),
    };
    let options: Vec<String> = options
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={}", encoded(&value)))
        .collect();
    Some(format!("{}:?{}", dictionary.database().scheme, options.join("&")))
}

/// Returns the target with the superuser's login, if the dictionary contains one.
pub fn admin_target(dictionary: &Dictionary) -> Option<String> {
    let target = target(dictionary)?;
    let (user, password) = (dictionary.common("superuser"), dictionary.common("superuserpass"));
    if user.is_empty() {
        return Some(target);
    }
    // If a target contains an option twice, the last one applies, so append the login.
    Some(format!("{target}&user={}&password={}", encoded(user), encoded(password)))
}

/// Returns the target with the administrator's login appended, if there is one. If a target contains an option twice,
/// the last one applies.
pub(super) fn as_administrator(target: &str) -> String {
    let value = |key: &str| {
        let options = target.split_once('?').map_or("", |(_, options)| options);
        options.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    };
    let Some(user) = value("admin_user") else { return target.to_owned() };
    format!("{target}&user={user}&password={}", value("admin_password").unwrap_or_default())
}

/// Returns the name of the database that contains the schema.
pub fn database_name(dictionary: &Dictionary) -> &str {
    match dictionary.database().prefix {
        "ora" => match dictionary.benchmark {
            Benchmark::TprocC => dictionary.get("tpcc", "tpcc_user"),
            Benchmark::TprocH => dictionary.get("tpch", "tpch_user"),
        },
        _ => dictionary.common("dbase"),
    }
}

fn pg_options(dictionary: &Dictionary) -> Options {
    let connection = |key: &str| dictionary.get("connection", key).to_owned();
    let schema = |key: &str| dictionary.common(key).to_owned();
    vec![
        ("host", connection("pg_host")),
        ("port", connection("pg_port")),
        ("user", schema("user")),
        ("password", schema("pass")),
        ("dbname", schema("dbase")),
        ("sslmode", connection("pg_sslmode")),
        ("admin_user", schema("superuser")),
        ("admin_password", schema("superuserpass")),
        ("admin_dbname", schema("defaultdbase")),
    ]
}

fn mysql_options(dictionary: &Dictionary) -> Options {
    let prefix = dictionary.database().prefix;
    let connection =
        |key: &str| dictionary.get("connection", &format!("{prefix}_{key}")).to_owned();
    let schema = |key: &str| dictionary.common(key).to_owned();
    let mut options = match socket(dictionary) {
        Some(socket) => vec![("socket", socket)],
        None => vec![("host", tcp_host(&connection("host"))), ("port", connection("port"))],
    };
    options.extend([
        ("user", schema("user")),
        ("password", schema("pass")),
        ("database", schema("dbase")),
    ]);
    if connection("ssl") == "true" {
        let file = |key: &str| certificate(&connection("ssl_linux_capath"), &connection(key));
        let authorities = file("ssl_ca");
        let mode = if authorities.is_empty() { "required" } else { "verify-ca" };
        options.extend([("ssl-mode", mode.into()), ("ssl-ca", authorities)]);
        if connection("ssl_two_way") == "true" {
            options.push(("ssl-cert", file("ssl_cert")));
            options.push(("ssl-key", file("ssl_key")));
        }
    }
    if prefix == "mysql" {
        // Accept MariaDB servers too, because HammerDB uses MySQL's client library, which connects to both products.
        options.push(("product", "any".into()));
    }
    if prefix == "maria" {
        if connection("ssl") != "true" {
            // Like MariaDB's client library, encrypt the connection only if TLS is requested. MySQL's library would
            // encrypt it whenever possible.
            options.push(("ssl-mode", "disabled".into()));
        }
        // Turn off snapshot isolation, because HammerDB does this in its sessions, too.
        options.push(("snapshot-isolation", "off".into()));
    }
    options
}

/// Returns the path of the Unix socket, if it exists and HammerDB would also use it.
pub fn socket(dictionary: &Dictionary) -> Option<String> {
    let prefix = dictionary.database().prefix;
    let connection = |key: &str| dictionary.get("connection", &format!("{prefix}_{key}"));
    let (host, socket) = (connection("host"), connection("socket"));
    let local = matches!(host, "localhost" | "127.0.0.1");
    (local && !matches!(socket, "" | "null") && Path::new(socket).exists())
        .then(|| socket.to_owned())
}

/// Returns the path of the Unix socket if the settings request both TLS and a Unix socket. The caller must reject this,
/// because TLS works only over TCP.
pub(super) fn plain_socket(dictionary: &Dictionary) -> Option<String> {
    let on = dictionary.database().key("ssl");
    socket(dictionary).filter(|_| dictionary.get("connection", &on) == "true")
}

/// Returns the key that requests a specific cipher, if any.
pub(super) fn cipher(dictionary: &Dictionary) -> Option<String> {
    let key = |name: &str| dictionary.database().key(name);
    let (on, cipher) = (key("ssl"), key("ssl_cipher"));
    let asked = dictionary.get("connection", &on) == "true";
    let chosen = !matches!(dictionary.get("connection", &cipher), "" | "null" | "server");
    (asked && chosen).then_some(cipher)
}

/// Replaces the host name `localhost`. With this name, clients would connect through a Unix socket instead of TCP.
fn tcp_host(host: &str) -> String {
    if host == "localhost" { "127.0.0.1".into() } else { host.to_owned() }
}

/// Returns the path of a certificate file. The file need not exist. If the path of a missing file were left out, the
/// driver would trust every server.
fn certificate(folder: &str, name: &str) -> String {
    match name {
        "" | "null" => String::new(),
        name => Path::new(folder).join(name).display().to_string(),
    }
}

/// Encodes a value as a target option.
pub(super) fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_./".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_password_is_a_value() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("pg");
        let odd = "it's {a} & \"b\" [c] $1 ?=%@/\\ é";
        assert!(dictionary.set("tpcc", "pg_pass", odd).is_ok());
        let text = target(&dictionary).expect("a target");
        let encoded =
            "it%27s%20%7Ba%7D%20%26%20%22b%22%20%5Bc%5D%20%241%20%3F%3D%25%40/%5C%20%C3%A9";
        assert!(text.contains(&format!("&password={encoded}&")), "{text}");
        let start = "postgres:?host=localhost&port=5432&user=tpcc&";
        assert!(text.starts_with(start), "{text}");
    }

    #[test]
    fn the_administrator_logs_in_where_the_target_names_one() {
        let named = "postgres:?user=tpcc&password=a&dbname=d&admin_user=boss&admin_password=b%20c";
        assert_eq!(as_administrator(named), format!("{named}&user=boss&password=b%20c"));
        assert_eq!(as_administrator("mariadb:?user=root"), "mariadb:?user=root");
    }

    #[test]
    fn a_socket_that_is_not_there_means_tcp() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("maria");
        for (key, value) in [("maria_socket", "/nowhere/s.sock"), ("maria_host", "localhost")] {
            assert!(dictionary.set("connection", key, value).is_ok());
        }
        let text = target(&dictionary).expect("a target");
        assert!(text.starts_with("mariadb:?host=127.0.0.1&port=3306&user=root&"), "{text}");
        assert!(text.ends_with("&snapshot-isolation=off"), "{text}");
        assert!(dictionary.set("connection", "maria_socket", "/").is_ok());
        let text = target(&dictionary).expect("a target");
        assert!(text.starts_with("mariadb:?socket=/&user"), "{text}");
        dictionary.use_database("db2");
        let text = target(&dictionary).expect("a target");
        assert_eq!(text, "db2:?alias=tpcc&user=db2inst1&password=ibmdb2");
    }

    #[test]
    fn certificates_are_as_the_keys_say() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("mysql");
        let set = |dictionary: &mut Dictionary, key: &str, value: &str| {
            assert!(dictionary.set("connection", key, value).is_ok(), "{key}");
        };
        set(&mut dictionary, "mysql_ssl", "true");
        let one_way = target(&dictionary).expect("a target");
        let end = "&ssl-mode=verify-ca&ssl-ca=/etc/mysql/certs/ca-cert.pem&product=any";
        assert!(one_way.ends_with(end), "{one_way}");
        set(&mut dictionary, "mysql_ssl_ca", "null");
        let unchecked = target(&dictionary).expect("a target");
        assert!(unchecked.ends_with("&ssl-mode=required&product=any"), "{unchecked}");
        set(&mut dictionary, "mysql_ssl_two_way", "true");
        set(&mut dictionary, "mysql_ssl_linux_capath", "/k");
        let two_way = target(&dictionary).expect("a target");
        assert!(
            two_way.ends_with("&ssl-cert=/k/client-cert.pem&ssl-key=/k/client-key.pem&product=any")
        );
        assert_eq!(cipher(&dictionary), None);
        set(&mut dictionary, "mysql_ssl_cipher", "AES128-SHA");
        assert_eq!(cipher(&dictionary).as_deref(), Some("mysql_ssl_cipher"));
    }
}
