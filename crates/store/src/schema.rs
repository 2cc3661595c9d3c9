//! JSON schemas of the files, generated from the types that write them.
//!
//! Start reading at [`schema`].

use schemars::schema_for;
use serde_json::Value;

use crate::IntervalRecord;
use crate::record::Record;
use crate::sweep::SweepRecord;

/// The names that [`schema`] knows.
pub const SCHEMAS: [&str; 3] = ["run", "interval", "sweep"];

/// The JSON schema of `run` (`run.json`), `interval` (a line of `intervals.jsonl.zst`) or `sweep`
/// (a file of the folder `sweeps`).
pub fn schema(name: &str) -> Option<Value> {
    let schema = match name {
        "run" => schema_for!(Record),
        "interval" => schema_for!(IntervalRecord),
        "sweep" => schema_for!(SweepRecord),
        _ => return None,
    };
    Some(schema.to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_schema() {
        for name in SCHEMAS {
            let schema = schema(name).expect("a schema");
            assert!(schema["properties"].as_object().is_some_and(|all| all.len() > 5), "{name}");
        }
        assert!(schema("plan").is_none());
    }
}
