//! Options that databases behind a network have in common.

use std::time::Duration;

use tacho_core::units::parse_duration;
use tacho_core::{Error, Parameter, ParameterKind, Result};

use crate::place::decoded;

/// An option of a target, which its driver's page explains.
pub const fn option(key: &'static str, kind: ParameterKind, default: &'static str) -> Parameter {
    Parameter { key, kind, default, help: "" }
}

/// The value of one of the `known` options as it is `given`, else the same part of the place, else the default;
/// checked.
pub fn value(
    known: &[Parameter],
    key: &str,
    given: Option<&str>,
    part: Option<&String>,
) -> Result<String> {
    let given = given.map_or(Ok(None), decoded)?.or_else(|| part.cloned());
    let Some(known) = known.iter().find(|known| known.key == key) else {
        return Ok(String::new());
    };
    let value = given.unwrap_or_else(|| known.default.into());
    if !value.is_empty() {
        known.check(&value)?;
    }
    Ok(value)
}

/// A span, or a bare number of seconds as in the databases' own clients.
pub fn seconds(text: &str) -> Result<Duration> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => parse_duration(text),
    }
}

/// One of the `levels`, which are written as in SQL, in any usual spelling; none if the text is empty.
pub fn isolation(text: &str, levels: &[&'static str]) -> Result<Option<&'static str>> {
    let words = text.replace(['-', '_', '+'], " ").to_uppercase();
    let known = levels.iter().find(|level| **level == words).copied();
    if known.is_some() || words.is_empty() {
        return Ok(known);
    }
    let allowed = levels.join(", ").replace(' ', "-").replace(",-", ", ").to_lowercase();
    Err(Error::usage(format!("invalid value for isolation: \"{text}\""))
        .hint(format!("allowed: {allowed}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_be_a_span_or_a_number() -> Result<()> {
        assert_eq!(
            (seconds("5")?, seconds("2m")?),
            (Duration::from_secs(5), Duration::from_mins(2))
        );
        assert!(seconds("soon").is_err());
        Ok(())
    }

    #[test]
    fn levels_are_found_in_any_spelling() -> Result<()> {
        let levels = ["READ COMMITTED", "SERIALIZABLE"];
        for text in ["read-committed", "READ_COMMITTED", "read+committed", "Read Committed"] {
            assert_eq!(isolation(text, &levels)?, Some(levels[0]), "{text}");
        }
        assert_eq!(isolation("", &levels)?, None);
        let error = isolation("chaos", &levels).expect_err("no level");
        assert_eq!(error.hints(), ["allowed: read-committed, serializable"]);
        Ok(())
    }
}
