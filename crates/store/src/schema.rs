//! The JSON schemas of the files, generated from the types that write them.
//!
//! Start reading at [`schema`].

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::record::Record;
use crate::sweep::SweepRecord;
use crate::{Checksums, Event, IntervalRecord};

/// The names that [`schema`] accepts.
pub const SCHEMAS: [&str; 4] = ["run", "interval", "event", "sweep"];

/// Returns the JSON schema with this name: `run`, `interval`, `event` or `sweep`.
pub fn schema(name: &str) -> Option<Value> {
    let schema = match name {
        "run" => with_checksums(schema_for!(Record)),
        "interval" => schema_for!(IntervalRecord),
        "event" => schema_for!(Event),
        "sweep" => with_checksums(schema_for!(SweepRecord)),
        _ => return None,
    };
    Some(schema.to_value())
}

/// Adds the checksums to the schema of a record. They are stored in the record's file, but are not
/// part of the record itself.
fn with_checksums(mut schema: Schema) -> Schema {
    let generated = schema_for!(Checksums).to_value();
    let wrapped = |keyword: &str| generated.get(keyword).cloned().unwrap_or_default();
    let checksums = json!({
        "title": "Checksums",
        "description": wrapped("description"),
        "type": "object",
        "properties": wrapped("properties"),
        "required": wrapped("required"),
    });
    let mut add = |place: &str, name: &str, value: Value| {
        let entries = schema.ensure_object().entry(place).or_insert_with(|| json!({}));
        if let Some(entries) = entries.as_object_mut() {
            entries.insert(name.into(), value);
        }
    };
    add("$defs", "Checksums", checksums);
    add("properties", "checksums", json!({ "$ref": "#/$defs/Checksums" }));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_schema() {
        for name in SCHEMAS {
            let schema = schema(name).expect("a schema");
            let fields = schema["properties"].as_object().map(serde_json::Map::len);
            let variants = schema["oneOf"].as_array().map(Vec::len);
            assert!(fields.or(variants).is_some_and(|count| count > 5), "{name}");
        }
        assert!(schema("plan").is_none());
    }
}
