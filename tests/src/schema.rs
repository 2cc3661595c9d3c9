//! Validates values with JSON Schema. Supports only the keywords that occur in the generated schemas.
//!
//! The standard allows keys that the schema does not define. Here, they are errors, so that the schemas stay complete.
//!
//! Start reading at [`violations`].

use serde_json::Value;

/// Keywords that do not affect validation.
const REMARKS: [&str; 7] =
    ["$schema", "$defs", "title", "description", "default", "format", "examples"];

/// Returns every violation of `schema` in `value`, with its path and the reason.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut check = Check { root: schema, found: Vec::new() };
    check.value(schema, value, "");
    check.found
}

struct Check<'a> {
    root: &'a Value,
    found: Vec<String>,
}

impl Check<'_> {
    fn value(&mut self, schema: &Value, value: &Value, path: &str) {
        let Some(keywords) = schema.as_object() else { return };
        for (keyword, rule) in keywords {
            match keyword.as_str() {
                "$ref" => self.reference(rule, value, path),
                "type" => self.expect(is_type(rule, value), path, &format!("is no {rule}")),
                "properties" | "additionalProperties" => {}
                "required" => self.required(rule, value, path),
                "items" => self.items(rule, value, path),
                "prefixItems" => self.tuple(rule, value, path),
                "minItems" | "maxItems" => {
                    let count = value.as_array().map(|list| list.len() as u64).zip(rule.as_u64());
                    let is_least = keyword == "minItems";
                    let good =
                        count.is_none_or(
                            |(length, rule)| if is_least { length >= rule } else { length <= rule },
                        );
                    self.expect(good, path, &format!("breaks {keyword} {rule}"));
                }
                "enum" => self.expect(holds(rule, value), path, &format!("is none of {rule}")),
                "const" => self.expect(rule == value, path, &format!("is not {rule}")),
                "anyOf" | "oneOf" => self.any(rule, value, path),
                "minimum" => {
                    let least = rule.as_f64().zip(value.as_f64());
                    let good = least.is_none_or(|(least, number)| number >= least);
                    self.expect(good, path, &format!("is below {rule}"));
                }
                "maximum" => {
                    let most = rule.as_f64().zip(value.as_f64());
                    let good = most.is_none_or(|(most, number)| number <= most);
                    self.expect(good, path, &format!("is above {rule}"));
                }
                known if REMARKS.contains(&known) => {}
                other => {
                    self.expect(false, path, &format!("has a rule \"{other}\" not known here"));
                }
            }
        }
        self.keys(schema, value, path);
    }

    fn expect(&mut self, good: bool, path: &str, reason: &str) {
        if !good {
            self.found.push(format!("{path} {reason}"));
        }
    }

    fn reference(&mut self, rule: &Value, value: &Value, path: &str) {
        let pointer = rule.as_str().and_then(|rule| rule.strip_prefix('#')).unwrap_or_default();
        let root = self.root;
        match root.pointer(pointer) {
            Some(schema) => self.value(schema, value, path),
            None => self.expect(false, path, &format!("refers to {rule}, which is not there")),
        }
    }

    fn required(&mut self, rule: &Value, value: &Value, path: &str) {
        for key in rule.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.expect(value.get(key).is_some(), path, &format!("lacks {key}"));
        }
    }

    fn items(&mut self, rule: &Value, value: &Value, path: &str) {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.value(rule, item, &format!("{path}/{index}"));
        }
    }

    fn tuple(&mut self, rule: &Value, value: &Value, path: &str) {
        let pairs =
            rule.as_array().into_iter().flatten().zip(value.as_array().into_iter().flatten());
        for (index, (rule, item)) in pairs.enumerate() {
            self.value(rule, item, &format!("{path}/{index}"));
        }
    }

    fn any(&mut self, rule: &Value, value: &Value, path: &str) {
        let mut schemas = rule.as_array().into_iter().flatten();
        let good = schemas.any(|schema| {
            let mut attempt = Check { root: self.root, found: Vec::new() };
            attempt.value(schema, value, path);
            attempt.found.is_empty()
        });
        self.expect(good, path, "is none of several forms");
    }

    /// Checks the values of an object's keys, and that the schema allows each key.
    fn keys(&mut self, schema: &Value, value: &Value, path: &str) {
        let (properties, others) = (&schema["properties"], &schema["additionalProperties"]);
        let Some(object) = value.as_object() else { return };
        if properties.is_null() && others.is_null() {
            return;
        }
        for (key, value) in object {
            let path = format!("{path}/{key}");
            match (&properties[key], others) {
                (Value::Null, Value::Object(_) | Value::Bool(true)) => {
                    self.value(others, value, &path);
                }
                (Value::Null, _) => self.expect(false, &path, "is not in the schema"),
                (schema, _) => self.value(schema, value, &path),
            }
        }
    }
}

fn holds(list: &Value, value: &Value) -> bool {
    list.as_array().is_some_and(|list| list.contains(value))
}

fn is_type(rule: &Value, value: &Value) -> bool {
    match rule {
        Value::Array(types) => types.iter().any(|one| is_type(one, value)),
        one => match one.as_str() {
            Some("null") => value.is_null(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("string") => value.is_string(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::violations;
    use serde_json::json;

    #[test]
    fn each_kind_of_violation_is_found() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": ["integer", "null"], "minimum": 0 },
                "b": { "type": "array", "items": { "$ref": "#/$defs/word" } },
                "c": { "anyOf": [{ "$ref": "#/$defs/word" }, { "type": "null" }] },
                "d": { "type": "object", "additionalProperties": { "type": "string" } },
                "f": { "prefixItems": [{ "type": "string" }], "minItems": 1, "maxItems": 1 },
                "g": { "type": "object", "additionalProperties": true },
            },
            "required": ["a"],
            "$defs": { "word": { "type": "string", "enum": ["x", "y"] } },
        });
        let table = [
            (json!({ "a": 1, "b": ["x"], "c": null, "d": { "k": "v" } }), ""),
            (json!({ "a": null, "c": "y" }), ""),
            (json!({}), " lacks a"),
            (json!({ "a": -1 }), "/a is below 0"),
            (json!({ "a": 1.5 }), "/a is no [\"integer\",\"null\"]"),
            (json!({ "a": 1, "b": ["x", "z"] }), "/b/1 is none of [\"x\",\"y\"]"),
            (json!({ "a": 1, "c": 3 }), "/c is none of several forms"),
            (json!({ "a": 1, "d": { "k": 1 } }), "/d/k is no \"string\""),
            (json!({ "a": 1, "g": { "k": [1, "x"] } }), ""),
            (json!({ "a": 1, "e": 1 }), "/e is not in the schema"),
            (json!({ "a": 1, "f": ["x"] }), ""),
            (json!({ "a": 1, "f": [] }), "/f breaks minItems 1"),
            (json!({ "a": 1, "f": [1, 2] }), "/f/0 is no \"string\"; /f breaks maxItems 1"),
        ];
        for (value, expected) in table {
            assert_eq!(violations(&schema, &value).join("; "), expected, "{value}");
        }
    }
}
