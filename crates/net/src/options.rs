//! Reads a network database's options from a target. Start reading at [`Given`].

use std::time::Duration;

use tacho_core::units::parse_duration;
use tacho_core::{Error, Parameter, ParameterKind, Result};
use tacho_driver::Target;

use crate::environment::{Lookup, login_name};
use crate::place::{Parts, decoded};

/// An option of a target, and the environment variable that is used if the target does not specify the option. Both are
/// described on the driver's page.
#[derive(Clone, Copy, Debug)]
pub struct TargetOption {
    /// The option's key, allowed values and default. The help text stays empty.
    pub parameter: Parameter,
    /// Name of the environment variable. Empty if there is none.
    pub variable: &'static str,
}

/// Returns an option for which there is no environment variable.
pub const fn option(key: &'static str, kind: ParameterKind, default: &'static str) -> TargetOption {
    TargetOption { parameter: Parameter { key, kind, default, help: "" }, variable: "" }
}

impl TargetOption {
    /// Returns this option with an environment variable, which provides the value if the target does not specify the
    /// option.
    pub const fn or(self, variable: &'static str) -> Self {
        Self { variable, ..self }
    }
}

/// The options of a driver.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// All options.
    pub all: &'static [TargetOption],
    /// The option that can be written after the slash in the location, as in `//host/database`.
    pub database: &'static str,
    /// A complete target, for hints.
    pub example: &'a str,
}

impl Options<'_> {
    /// Returns the option with this key.
    pub fn find(&self, key: &str) -> Option<&'static TargetOption> {
        self.all.iter().find(|known| known.parameter.key == key)
    }
}

/// Option values taken from a target and from environment variables.
pub struct Given<'a> {
    /// The driver's options.
    pub options: Options<'a>,
    target: &'a Target,
    parts: Parts,
    variables: Lookup<'a>,
}

impl<'a> Given<'a> {
    /// Parses a target.
    ///
    /// # Errors
    /// Returns a usage error if an option is unknown or the location is invalid.
    pub fn read(target: &'a Target, options: Options<'a>, variables: Lookup<'a>) -> Result<Self> {
        let keys: Vec<&str> = options.all.iter().map(|known| known.parameter.key).collect();
        target.check_options(&keys)?;
        let parts = Parts::read(&target.place, options.example)?;
        Ok(Self { options, target, parts, variables })
    }

    /// Returns true if the option is specified in the target, rather than by an environment variable or a default.
    pub fn has(&self, key: &str) -> bool {
        self.target.option(key).is_some() || self.part(key).is_some()
    }

    /// Returns the value from the target. An explicit option takes precedence over the location.
    pub fn of_target(&self, key: &str) -> Result<Option<String>> {
        let given = self.target.option(key).map_or(Ok(None), decoded)?;
        Ok(given.or_else(|| self.part(key).cloned()))
    }

    /// Returns the value of the environment variable that belongs to the option.
    pub fn of_variable(&self, key: &str) -> Option<String> {
        let variable = self.options.find(key)?.variable;
        (self.variables)(variable)
    }

    /// Validates the given value and returns it. If no value is given, returns the default.
    pub fn checked(&self, key: &str, given: Option<String>) -> Result<String> {
        let Some(TargetOption { parameter, .. }) = self.options.find(key) else {
            return Ok(String::new());
        };
        let value = given.unwrap_or_else(|| parameter.default.into());
        parameter.check(&value).map(|()| value)
    }

    /// Returns the value of the option. It comes from the target, from the environment variable or, if neither contains
    /// it, from the default.
    pub fn value(&self, key: &str) -> Result<String> {
        let given = self.of_target(key)?.or_else(|| self.of_variable(key));
        self.checked(key, given)
    }

    /// Returns the option's value, or `None` if it is empty.
    pub fn some(&self, key: &str) -> Result<Option<String>> {
        Ok(Some(self.value(key)?).filter(|value| !value.is_empty()))
    }

    /// Returns the name of the database user. The default is the name of the operating system's user.
    pub fn user(&self) -> Result<Option<String>> {
        Ok(self.some("user")?.or_else(|| login_name(self.variables)))
    }

    fn part(&self, key: &str) -> Option<&String> {
        match key {
            "host" => self.parts.host.as_ref(),
            "port" => self.parts.port.as_ref(),
            "user" => self.parts.user.as_ref(),
            "password" => self.parts.password.as_ref(),
            key if key == self.options.database => self.parts.database.as_ref(),
            _ => None,
        }
    }
}

/// Parses a duration. As in the databases' own clients, a number without a unit means seconds.
pub fn seconds(text: &str) -> Result<Duration> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => parse_duration(text),
    }
}

/// Parses an isolation level, ignoring case and separators. `levels` contains the allowed levels, written as in SQL.
/// Returns `None` if the text is empty.
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
