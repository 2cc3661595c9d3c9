//! Connect pools: which transactions go to which databases, from `config/connectpool/<prefix>cpool.xml`.
//!
//! It must never connect. Start reading at [`routes`].

use std::path::{Path, PathBuf};

use super::request::Refusal;
use super::target::target;
use crate::dictionary::Dictionary;
use crate::xml::{self, Element};

/// Names of the transactions in a pool file and ours.
const KINDS: [(&str, &str); 5] = [
    ("neworder", "new_order"),
    ("payment", "payment"),
    ("delivery", "delivery"),
    ("stocklevel", "stock_level"),
    ("orderstatus", "order_status"),
];

/// The policies that a pool file can name.
const POLICIES: [&str; 4] = ["first_named", "last_named", "random", "round_robin"];

/// Names of the transactions in lines about pools, by our names.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.into_iter()
}

/// The pool file of a database, below the folder that scripts are started in.
fn path(prefix: &str) -> PathBuf {
    Path::new("config").join("connectpool").join(format!("{prefix}cpool.xml"))
}

/// The routes of the present database's pool, as settings of ours.
pub fn routes(dictionary: &Dictionary) -> Result<Vec<String>, Refusal> {
    let path = path(dictionary.database().prefix);
    let refuse =
        |why: String| vec![format!("Error: vurun was not done: {}: {why}", path.display())];
    let text = read(&path).map_err(|error| refuse(error.to_string()))?;
    let pool = xml::parse(&text).map_err(refuse)?;
    let part = |name: &str| pool.child(name).ok_or_else(|| refuse(format!("there is no <{name}>")));
    let (connections, procedures) = (part("connections")?, part("sprocs")?);
    let mut routes = Vec::new();
    for (name, ours) in KINDS {
        let Some(procedure) = procedures.child(name) else {
            return Err(refuse(format!("<sprocs> has no <{name}>")));
        };
        let route = route(dictionary, connections, procedure).map_err(refuse)?;
        routes.push(format!("{ours}={route}"));
    }
    Ok(routes)
}

#[expect(clippy::disallowed_methods, reason = "a file that HammerDB's users write")]
fn read(path: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

/// `policy:target,target` of one procedure.
fn route(
    dictionary: &Dictionary,
    connections: &Element,
    procedure: &Element,
) -> Result<String, String> {
    let name = &procedure.name;
    let policy = match procedure.text_of("policy") {
        "" => "round_robin",
        policy if POLICIES.contains(&policy) => policy,
        other => return Err(format!("the policy of <{name}> is \"{other}\"")),
    };
    let named = procedure.text_of("connections").split_whitespace();
    let targets = named
        .map(|named| {
            let connection = connections.child(named);
            let connection = connection.ok_or_else(|| format!("there is no connection {named}"))?;
            pooled(dictionary, connection)
        })
        .collect::<Result<Vec<String>, String>>()?;
    if targets.is_empty() {
        return Err(format!("<{name}> names no connection"));
    }
    Ok(format!("{policy}:{}", targets.join(",")))
}

/// The target of one connection; what it does not say is as the dictionary says.
fn pooled(dictionary: &Dictionary, connection: &Element) -> Result<String, String> {
    let mut own = dictionary.clone();
    for Element { name, text, .. } in &connection.inside {
        if name.ends_with("_ssl_options") {
            if !matches!(text.as_str(), "" | "{}" | "null") {
                let text = "is not read; set the connection keys of the dictionary";
                return Err(format!("{name} of <{}> {text}", connection.name));
            }
            continue;
        }
        let taken = ["connection", "tpcc"].iter().any(|part| own.set(part, name, text).is_ok());
        if !taken {
            return Err(format!("<{}> has an unknown key {name}", connection.name));
        }
    }
    target(&own).ok_or_else(|| "there is no driver".into())
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
        let pool = xml::parse(FILE).expect("a document");
        let (connections, sprocs) = (pool.child("connections"), pool.child("sprocs"));
        let of = |name: &str| -> Result<String, String> {
            let procedure = sprocs.and_then(|part| part.child(name)).expect("a procedure");
            route(&dictionary, connections.expect("connections"), procedure)
        };
        let payment = of("payment").expect("a route");
        let (policy, targets) = payment.split_once(':').expect("a policy");
        let targets: Vec<&str> = targets.split(',').collect();
        assert_eq!((policy, targets.len()), ("random", 2), "{payment}");
        assert!(targets[0].starts_with("postgres:?host=one&port=5432&"), "{payment}");
        assert!(targets[0].contains("&password=a%2Cb&") && targets[1].contains("sslmode=disable"));
        let wrong = |name: &str| of(name).expect_err("an error");
        assert_eq!(wrong("delivery"), "there is no connection c9");
        assert_eq!(wrong("neworder"), "the policy of <neworder> is \"fast\"");
    }
}
