//! Options in the form `--name=value`. Each option is removed when it is read, so unknown options remain at the end.
//!
//! Start reading at [`Options`].

use std::collections::BTreeMap;

use tacho_core::{Error, Result};

/// The options by name, with `_` in place of `-`. The last value of a repeated option takes precedence.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    values: BTreeMap<String, String>,
}

impl Options {
    /// Separates options from other arguments. An option without a value means `on`.
    pub(super) fn read(words: &[String]) -> (Self, Vec<&str>) {
        let (mut options, mut others) = (Self::default(), Vec::new());
        for word in words {
            match word.strip_prefix("--") {
                Some(option) => {
                    let (name, value) = option.split_once('=').unwrap_or((option, "on"));
                    options.values.insert(name.replace('-', "_"), value.to_owned());
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
        let number = value.parse().map_err(|_| {
            Error::usage(format!(
                "invalid value for --{}: {value}: expected an integer",
                shown(names[0])
            ))
            .hint("use the form --threads=16")
        })?;
        Ok(Some(number))
    }

    /// Removes a boolean option and returns its value.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("on") => Ok(Some(true)),
            Some("off") => Ok(Some(false)),
            Some(value) => Err(Error::usage(format!(
                "invalid value for --{}: {value}: expected on or off",
                shown(name)
            ))
            .hint("use the form --skip-trx=on")),
        }
    }

    /// Returns the options that have not been read yet.
    pub(super) fn left(&self) -> Vec<String> {
        self.values.keys().map(|name| format!("--{}", shown(name))).collect()
    }
}

/// Returns an option's name in its usual spelling.
pub(super) fn shown(name: &str) -> String {
    name.replace('_', "-")
}
