//! Connect pools, which distribute transactions over several databases. The file `config/connectpool/<prefix>cpool.xml`
//! lists these databases.
//!
//! This module must never connect to a database. Start reading at [`routes`].

use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::Refusal;
use super::products;
use super::target::target;
use crate::dictionary::Dictionary;
use crate::xml;

/// Pairs of names for the same transaction: first the name in a pool file, then Tacho's name.
const KINDS: [(&str, &str); 5] = [
    ("neworder", "new_order"),
    ("payment", "payment"),
    ("delivery", "delivery"),
    ("stocklevel", "stock_level"),
    ("orderstatus", "order_status"),
];

/// The policies that a pool file can specify.
const POLICIES: [&str; 4] = ["first_named", "last_named", "random", "round_robin"];

/// Returns pairs of names for the same transaction: first the name in output lines, then Tacho's name.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.into_iter()
}

/// Returns the path of a database's pool file, relative to the folder where scripts are started.
fn path(prefix: &str) -> PathBuf {
    Path::new("config").join("connectpool").join(format!("{prefix}cpool.xml"))
}

/// Returns the routes in the selected database's pool file as Tacho settings.
pub fn routes(dictionary: &Dictionary) -> Result<Vec<String>, Refusal> {
    let path = path(dictionary.database().prefix);
    let refuse = |why: String| format!("Error: vurun was not run: {}: {why}", path.display());
    let text = read(&path).map_err(|error| refuse(error.to_string()))?;
    let pool = Document::parse(&text).map_err(|error| refuse(error.to_string()))?;
    let part = |name: &str| {
        let part = xml::child(pool.root_element(), name);
        part.ok_or_else(|| refuse(format!("<{name}> not found")))
    };
    let (connections, procedures) = (part("connections")?, part("sprocs")?);
    let mut routes = Vec::new();
    for (name, ours) in KINDS {
        let Some(procedure) = xml::child(procedures, name) else {
            return Err(refuse(format!("<sprocs> has no <{name}>")));
        };
        let route = route(dictionary, connections, procedure).map_err(refuse)?;
        routes.push(format!("{ours}={route}"));
    }
    Ok(routes)
}

fn read(path: &Path) -> std::io::Result<String> {
    tacho_core::file::text(path, tacho_core::file::SMALL_MAX)
}

/// Returns the databases to which the calls of a procedure are sent, and the policy for choosing one of them, in the
/// form `policy:target,target`.
fn route(
    dictionary: &Dictionary,
    connections: Node<'_, '_>,
    procedure: Node<'_, '_>,
) -> Result<String, String> {
    let name = procedure.tag_name().name();
    let policy = match xml::text_of(procedure, "policy") {
        "" => "round_robin",
        policy if POLICIES.contains(&policy) => policy,
        other => return Err(format!("unknown policy \"{other}\" for <{name}>")),
    };
    let named = xml::text_of(procedure, "connections").split_whitespace();
    let targets = named
        .map(|named| {
            let connection = xml::child(connections, named);
            let connection =
                connection.ok_or_else(|| format!("connection {named} does not exist"))?;
            pooled(dictionary, connection)
        })
        .collect::<Result<Vec<String>, String>>()?;
    if targets.is_empty() {
        return Err(format!("<{name}> does not name a connection"));
    }
    Ok(format!("{policy}:{}", targets.join(",")))
}

/// Returns the target for one connection. Values that are missing from the pool file are taken from the dictionary.
fn pooled(dictionary: &Dictionary, connection: Node<'_, '_>) -> Result<String, String> {
    let mut settings = dictionary.clone();
    let at = connection.tag_name().name();
    for key in xml::inside(connection) {
        let (name, text) = (key.tag_name().name(), xml::text(key));
        if name.ends_with("_ssl_options") {
            ssl_options(&mut settings, text).map_err(|why| format!("{name} of <{at}>: {why}"))?;
            continue;
        }
        let taken =
            ["connection", "tpcc"].iter().any(|part| settings.set(part, name, text).is_ok());
        if !taken {
            return Err(format!("<{at}> has an unknown key {name}"));
        }
    }
    if let Some(key) = super::target::cipher(&settings) {
        return Err(format!("<{at}> selects a cipher, which Tacho does not support: {key}"));
    }
    products::require_supported(&settings, &format!("<{}>", connection.tag_name().name()))?;
    target(&settings).ok_or_else(|| "driver not found".into())
}

/// TLS options of database clients, each with the corresponding dictionary key.
const SSL_OPTIONS: [(&str, &str); 6] = [
    ("-ssl", "ssl"),
    ("-sslca", "ssl_ca"),
    ("-sslcapath", "ssl_linux_capath"),
    ("-sslcert", "ssl_cert"),
    ("-sslkey", "ssl_key"),
    ("-sslcipher", "ssl_cipher"),
];

/// Sets the connection's keys from a list of TLS options such as `-ssl true -sslca /etc/ca.pem`.
fn ssl_options(dictionary: &mut Dictionary, text: &str) -> Result<(), String> {
    let text = text.trim().trim_start_matches('{').trim_end_matches('}');
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "null").collect();
    let key = |name: &str| dictionary.database().key(name);
    let mut values = Vec::new();
    for pair in words.chunks(2) {
        let known = SSL_OPTIONS.iter().find(|(option, _)| pair[0] == *option);
        match (known, pair) {
            (Some((_, name)), [_, value]) => values.push((key(name), *value)),
            _ => return Err(format!("\"{}\" is not an option with a value", pair.join(" "))),
        }
    }
    if words.contains(&"-sslcert") {
        values.push((key("ssl_two_way"), "true"));
    }
    for (key, value) in values {
        let value = match value {
            "1" | "yes" | "on" => "true",
            "0" | "no" | "off" => "false",
            value => value,
        };
        dictionary.set("connection", &key, value).map_err(|unknown| unknown.0)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<connpool><connections>\
        <c1><pg_host>one</pg_host><pg_pass>a,b</pg_pass></c1>\
        <c2><pg_host>two</pg_host><pg_sslmode>disable</pg_sslmode></c2></connections>\
        <sprocs><payment><connections>c1 c2</connections><policy>random</policy></payment>\
        <delivery><connections>c9</connections><policy>random</policy></delivery>\
        <neworder><connections>c1</connections><policy>fast</policy></neworder></sprocs></connpool>";

    #[test]
    fn a_procedure_has_its_targets_and_policy() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("pg");
        let pool = Document::parse(FILE).expect("a document");
        let [connections, sprocs] =
            ["connections", "sprocs"].map(|name| xml::child(pool.root_element(), name));
        let of = |name: &str| -> Result<String, String> {
            let procedure = sprocs.and_then(|part| xml::child(part, name)).expect("a procedure");
            route(&dictionary, connections.expect("connections"), procedure)
        };
        let payment = of("payment").expect("a route");
        let (policy, targets) = payment.split_once(':').expect("a policy");
        let targets: Vec<&str> = targets.split(',').collect();
        assert_eq!((policy, targets.len()), ("random", 2), "{payment}");
        assert!(targets[0].starts_with("postgres:?host=one&port=5432&"), "{payment}");
        assert!(targets[0].contains("&password=a%2Cb&") && targets[1].contains("sslmode=disable"));
        let wrong = |name: &str| of(name).expect_err("an error");
        assert_eq!(wrong("delivery"), "connection c9 does not exist");
        assert_eq!(wrong("neworder"), "unknown policy \"fast\" for <neworder>");
    }

    /// In a pool file, each database product has its own keys. For example, Oracle's key `instance` selects a node of a
    /// cluster.
    #[test]
    fn connections_of_other_products_have_keys_of_their_own() {
        let of = |prefix: &str, keys: &str| {
            let mut dictionary = Dictionary::default();
            dictionary.use_database(prefix);
            let text = format!("<c1>{keys}</c1>");
            let document = Document::parse(&text).expect("a connection");
            pooled(&dictionary, document.root_element())
        };
        let instance = |name: &str| {
            format!("<tpcc_user>u</tpcc_user><tpcc_pass>p</tpcc_pass><instance>{name}</instance>")
        };
        for node in ["node1", "node2"] {
            let target = of("ora", &instance(&format!("{node}:1521/tpcc"))).expect("a target");
            let expected = format!("oracle:?host={node}&port=1521&service=tpcc&user=u&password=p");
            assert_eq!(target, expected);
        }
        let refused = of("ora", &instance("alias")).expect_err("a name of tnsnames.ora");
        assert!(refused.contains("host:port/service"), "{refused}");
        let keys = "<mssqls_linux_server>s</mssqls_linux_server><mssqls_tcp>true</mssqls_tcp>\
                    <mssqls_port>1500</mssqls_port><mssqls_uid>u</mssqls_uid><mssqls_dbase>d</mssqls_dbase>";
        let target = of("mssqls", keys).expect("a target");
        if cfg!(not(windows)) {
            assert!(target.starts_with("sqlserver:?host=s&port=1500&user=u&"), "{target}");
        }
        assert!(target.contains("&database=d&"), "{target}");
        let keys = "<db2_user>u</db2_user><db2_pass>p</db2_pass><db2_dbase>d</db2_dbase>";
        assert_eq!(of("db2", keys).as_deref(), Ok("db2:?alias=d&user=u&password=p"));
    }

    #[test]
    fn client_options_for_tls_are_keys_of_a_connection() {
        let of = |options: &str| {
            let mut dictionary = Dictionary::default();
            dictionary.use_database("maria");
            let text = format!("<c1><maria_ssl_options>{options}</maria_ssl_options></c1>");
            let document = Document::parse(&text).expect("a connection");
            pooled(&dictionary, document.root_element())
        };
        for none in ["", "{}", "null", "{-ssl false}"] {
            let plain = of(none).expect("a target");
            assert!(plain.contains("&ssl-mode=disabled"), "{plain}");
        }
        let both =
            of("-ssl true -sslca /c/ca.pem -sslcert /c/my.pem -sslkey key.pem -sslcapath /k");
        let both = both.expect("a target");
        let files = "&ssl-mode=verify-ca&ssl-ca=/c/ca.pem&ssl-cert=/c/my.pem&ssl-key=/k/key.pem";
        assert!(both.contains(files), "{both}");
        let refused = of("-ssl true -sslcipher AES128-SHA").expect_err("a refusal");
        assert!(refused.contains("maria_ssl_cipher"), "{refused}");
        let odd = of("-compress 1").expect_err("a refusal");
        assert!(odd.contains("\"-compress 1\" is not an option with a value"), "{odd}");
    }
}
