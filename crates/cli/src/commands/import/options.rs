//! Options in the form `--name=value`. Reading an option removes it, so unknown options remain at the end.
//!
//! Start reading at [`Options`].

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::units::parse_duration;
use tacho_core::{Error, Result};

/// The options by name, with `_` instead of `-`. If an option is repeated, the last value applies.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    values: BTreeMap<String, String>,
}

impl Options {
    /// Separates options from other arguments. An option that is given without a value gets the value `on`.
    pub(super) fn read(words: &[String]) -> (Self, Vec<&str>) {
        let (mut options, mut others) = (Self::default(), Vec::new());
        for word in words {
            match word.strip_prefix("--") {
                Some(option) => {
                    let (name, value) = option.split_once('=').unwrap_or((option, "on"));
                    options.insert(name, value);
                }
                None => others.push(word.as_str()),
            }
        }
        (options, others)
    }

    /// Returns true if the name of any option starts with this prefix.
    pub(super) fn has_any(&self, prefix: &str) -> bool {
        self.values.keys().any(|name| name.starts_with(prefix))
    }

    /// Removes an option and returns its value. An empty value is treated as absent.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.values.remove(name).filter(|value| !value.is_empty())
    }

    /// Removes the options with these names and returns the value of the first one that was given.
    pub(super) fn take_any(&mut self, names: &[&str]) -> Option<String> {
        names.iter().fold(None, |found, name| {
            let value = self.take(name);
            found.or(value)
        })
    }

    /// Removes the options with these names and returns the first one's value as an integer.
    pub(super) fn number(&mut self, names: &[&str]) -> Result<Option<u64>> {
        let Some(value) = self.take_any(names) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| invalid(names[0], &value, "an integer"))
    }

    /// Removes the options with these names and returns the first one's value as a time. A number without a unit is in
    /// seconds.
    pub(super) fn time(&mut self, names: &[&str]) -> Result<Option<Duration>> {
        let Some(value) = self.take_any(names) else { return Ok(None) };
        let seconds = value.parse().ok().map(Duration::from_secs);
        let time = seconds.or_else(|| parse_duration(&value).ok());
        time.map(Some).ok_or_else(|| invalid(names[0], &value, "a number of seconds"))
    }

    /// Removes a boolean option and returns its value.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("on" | "true" | "yes" | "1") => Ok(Some(true)),
            Some("off" | "false" | "no" | "0") => Ok(Some(false)),
            Some(value) => Err(invalid(name, value, "on or off")),
        }
    }

    /// Removes a prefix from the names of all options.
    pub(super) fn strip(&mut self, prefix: &str) {
        let names: Vec<String> = self.values.keys().cloned().collect();
        for name in names {
            if let Some(rest) = name.strip_prefix(prefix) {
                self.rename(&name, rest);
            }
        }
    }

    /// Renames an option. If an option with the new name already exists, removes the old one.
    pub(super) fn rename(&mut self, name: &str, new: &str) {
        if let Some(value) = self.values.remove(name) {
            self.values.entry(new.to_owned()).or_insert(value);
        }
    }

    /// Adds an option. It replaces an earlier one of the same name.
    pub(super) fn insert(&mut self, name: &str, value: &str) {
        self.values.insert(name.replace('-', "_"), value.to_owned());
    }

    /// Returns the options that have not been read yet.
    pub(super) fn left(&self) -> Vec<String> {
        self.values.keys().map(|name| format!("--{}", shown(name))).collect()
    }
}

/// Returns the error for an invalid option value.
pub(super) fn invalid(name: &str, value: &str, expected: &str) -> Error {
    let name = shown(name);
    Error::usage(format!("invalid value for --{name}: {value}: expected {expected}"))
}

/// Returns an option's name in its usual spelling.
pub(super) fn shown(name: &str) -> String {
    name.replace('_', "-")
}
