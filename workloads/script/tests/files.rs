//! The workload files in the repository, and the JSON schema for `workload.toml`.

#![expect(clippy::disallowed_methods, reason = "files of the repository")]

use crate::common::shipped;
use serde_json::Value;

fn properties(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object().expect("properties");
    properties.keys().cloned().collect()
}

/// Returns the keys that the reader knows, as listed in its source code.
fn known(name: &str) -> Vec<String> {
    let source = std::fs::read_to_string(shipped("src/toml/definition.rs")).expect("the source");
    let (_, rest) = source.split_once(&format!("pub const {name}: &[&str] =")).expect("a list");
    let (list, _) = rest.split_once(';').expect("its end");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema: Value = serde_json::from_str(tacho_workload_script::SCHEMA).expect("JSON");
    assert_eq!(properties(&schema), known("TOP"));
    for (name, list) in [
        ("Parameter", "PARAMETER"),
        ("Profile", "PROFILE"),
        ("Table", "TABLE"),
        ("Column", "COLUMN"),
        ("Transaction", "TRANSACTION"),
        ("Check", "CHECK"),
        ("Headline", "HEADLINE"),
    ] {
        assert_eq!(properties(&schema["$defs"][name]), known(list), "{name}");
        assert_eq!(schema["$defs"][name]["additionalProperties"], false);
    }
}

#[test]
fn every_function_is_described_as_it_is_called() {
    let mut names = std::collections::BTreeSet::new();
    for (usage, about) in tacho_workload_script::functions() {
        let (name, rest) = usage.split_once('(').expect("a call");
        assert!(rest.ends_with(')') && !about.is_empty(), "{usage}");
        assert!(names.insert(name), "{name} is there twice");
    }
    assert!(names.len() > 30);
}
