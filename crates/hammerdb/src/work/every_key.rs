//! Tests that no key is silently ignored. Each key must either change the request or be mentioned in the output.

use std::time::Duration;

use super::{products, request, target, tproch};
use crate::dictionary::{Benchmark, DATABASES, Dictionary, Key, Kind, keys};

/// Keys that have an effect only if other keys have certain values. Each entry contains the prefix of such keys, and
/// the other keys with their values.
const NEEDS: [(&str, &[(&str, &str)]); 13] = [
    ("async_", &[("async_scale", "true")]),
    ("num_vu", &[("count_ware", "10")]),
    ("total_iterations", &[("driver", "test")]),
    ("port", &[("tcp", "true"), ("socket", "null")]),
    ("host", &[("socket", "null")]),
    ("ssl", &[("socket", "null"), ("ssl", "true"), ("ssl_two_way", "true")]),
    ("partition", &[("count_ware", "200")]),
    ("update_sets", &[("refresh_on", "true")]),
    ("trickle_refresh", &[("refresh_on", "true")]),
    ("refresh_verbose", &[("refresh_on", "true")]),
    ("superuser", &[("vacuum", "true")]),
    ("ob_", &[("tpch_obcompat", "true")]),
    ("oceanbase_port", &[("tpch_obcompat", "true")]),
];

/// Test values for keys that accept only certain texts.
const VALUES: [(&str, &str); 7] = [
    ("instance", "other:1600/service"),
    ("scale_fact", "10"),
    ("tpch_organizeby", "ROW"),
    ("tab_list", "C \"A\" D \"\" H \"\" I \"\" W \"\" S \"\" NO \"\" OR \"\" OL \"\""),
    ("durability", "SCHEMA_ONLY"),
    ("socket", "/"),
    ("sslmode", "require"),
];

/// Returns the name of a key without the prefix of its database.
fn bare<'a>(prefix: &str, name: &'a str) -> &'a str {
    name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name)
}

fn other_value(prefix: &str, key: &Key) -> String {
    let name = bare(prefix, key.name);
    if let Some((_, value)) = VALUES.iter().find(|(known, _)| *known == name) {
        return (*value).to_owned();
    }
    match key.kind {
        Kind::Flag if key.default == "true" => "false".into(),
        Kind::Flag => "true".into(),
        Kind::Count => (key.default.parse::<u64>().expect("a number") + 1).to_string(),
        Kind::Switch => if key.default == "1" { "0" } else { "1" }.into(),
        Kind::Driver => "test".into(),
        Kind::Text => "other".into(),
    }
}

/// Sets a key in any section. Returns true if the database has this key.
fn set(dictionary: &mut Dictionary, name: &str, value: &str) -> bool {
    let sections = ["connection", dictionary.benchmark.section()];
    let key = dictionary.database().key(name);
    let spellings = [name.to_owned(), key];
    sections
        .iter()
        .any(|section| spellings.iter().any(|name| dictionary.set(section, name, value).is_ok()))
}

/// Returns the request along with everything that is reported to the user, so that two requests can be compared.
fn asked(dictionary: &Dictionary) -> String {
    let minute = Duration::from_mins(1);
    let plans = match dictionary.benchmark {
        Benchmark::TprocC => {
            format!("{:?} {:?}", request::build(dictionary), request::run(dictionary, 2, minute))
        }
        Benchmark::TprocH => format!(
            "{:?} {:?}",
            tproch::build(dictionary, 1.0),
            tproch::streams(dictionary, 2, 1.0, minute)
        ),
    };
    format!("{plans} {:?} {:?}", target::admin_target(dictionary), request::data(dictionary, "x"))
}

#[test]
fn every_key_changes_something_or_is_answered() {
    let mut silent = Vec::new();
    let mut count = 0;
    let with_routines =
        DATABASES.iter().filter(|database| products::are_own_routines(database.prefix));
    for database in with_routines {
        for benchmark in [Benchmark::TprocC, Benchmark::TprocH] {
            let mut usual = Dictionary::default();
            usual.benchmark = benchmark;
            usual.use_database(database.prefix);
            // Name the server by its address instead of an alias, because Tacho does not read the file that defines
            // aliases.
            set(&mut usual, "instance", "host/service");
            for key in keys(database.prefix) {
                if key.section != "connection" && key.section != benchmark.section() {
                    continue;
                }
                let name = bare(database.prefix, key.name);
                let mut before = usual.clone();
                for (start, needs) in NEEDS {
                    for (needed, value) in needs.iter().filter(|_| name.starts_with(start)) {
                        if *needed != name {
                            set(&mut before, needed, value);
                        }
                    }
                }
                let mut after = before.clone();
                let value = other_value(database.prefix, key);
                assert!(after.set(key.section, key.name, &value).is_ok(), "{}", key.name);
                count += 1;
                let said = asked(&after);
                // A key is accepted if the output mentions its name, even if this line is printed for every value of
                // the key.
                if asked(&before) == said && !said.contains(key.name) {
                    silent.push(format!("{} {} {value}", benchmark.section(), key.name));
                }
            }
        }
    }
    assert!(count > 150, "{count} keys");
    assert!(silent.is_empty(), "silently ignored:\n{}", silent.join("\n"));
}
