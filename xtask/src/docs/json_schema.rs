//! Generates field tables from a JSON schema.

use serde_json::Value;

use super::{list, row, text};

/// Returns a section for the top-level type, and one for each type it refers to, in order of appearance.
pub fn tables(schema: &Value) -> String {
    let mut out = section(text(schema, "title"), schema);
    let mut names = Vec::new();
    mentioned(schema, &mut names);
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        let definition = &schema["$defs"][&name];
        out.push_str(&section(&name, definition));
        mentioned(definition, &mut names);
        at += 1;
    }
    out
}

/// Adds the types that occur in a type's fields to `names`.
fn mentioned(schema: &Value, names: &mut Vec<String>) {
    for field in schema["properties"].as_object().into_iter().flatten() {
        let parts = [&field.1["items"], &field.1["additionalProperties"], field.1];
        let parts = parts.into_iter().chain(list(&field.1["anyOf"]));
        for name in parts.filter_map(reference) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
}

fn reference(schema: &Value) -> Option<String> {
    Some(schema["$ref"].as_str()?.rsplit('/').next()?.to_owned())
}

fn section(name: &str, schema: &Value) -> String {
    let mut out = format!("\n### {name}\n\n{}\n\n", text(schema, "description"));
    if let Some(values) = schema["oneOf"].as_array() {
        out.push_str("| Value | Meaning |\n|---|---|\n");
        for value in values {
            let word = format!("`{}`", text(value, "const"));
            out.push_str(&row(&[&word, text(value, "description")]));
        }
        return out;
    }
    out.push_str("| Field | Type | Meaning |\n|---|---|---|\n");
    for (key, field) in schema["properties"].as_object().into_iter().flatten() {
        let about = text(field, "description").replace('\n', " ");
        out.push_str(&row(&[&format!("`{key}`"), &words(field), &about]));
    }
    out
}

/// Describes a type in words, such as `list of number` or `text or null`.
fn words(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(words).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => {
            types.iter().filter_map(Value::as_str).map(word).collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) if name == "array" => format!("list of {}", words(&schema["items"])),
        Value::String(name) if name == "object" => {
            format!("map to {}", words(&schema["additionalProperties"]))
        }
        Value::String(name) => word(name).to_owned(),
        _ => "any".into(),
    }
}

fn word(name: &str) -> &str {
    match name {
        "string" => "text",
        "boolean" => "true or false",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_types_in_words() {
        let schema = serde_json::json!({
            "title": "Top",
            "description": "All.",
            "properties": {
                "a": {"type": ["number", "null"], "description": "One."},
                "b": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
                "c": {"anyOf": [{"$ref": "#/$defs/Word"}, {"type": "null"}]},
                "d": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "$defs": {
                "Part": {"properties": {"e": {"type": "boolean"}}},
                "Word": {"oneOf": [{"const": "x", "description": "The x."}]},
                "Unused": {"properties": {}},
            },
        });
        let page = tables(&schema);
        for line in [
            "### Top",
            "| `a` | number or null | One. |",
            "| `b` | list of [Part](#part) |  |",
            "| `c` | [Word](#word) or null |  |",
            "| `d` | map to text |  |",
            "| `e` | true or false |  |",
            "| `x` | The x. |",
        ] {
            assert!(page.lines().any(|printed| printed == line), "{line} in {page}");
        }
        assert!(!page.contains("Unused"));
    }
}
