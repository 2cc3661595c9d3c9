//! Options as `--name=value`, each of which is taken once: what is left is unknown.
//!
//! Start reading at [`Options`].

use std::collections::BTreeMap;

use tacho_core::{Error, Result};

/// Options by name, with `_` where `-` was written. One that is repeated has its last value.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    values: BTreeMap<String, String>,
}

impl Options {
    /// Divides words into options and others. An option without a value is on.
    pub(super) fn read(words: &[String]) -> (Self, Vec<&str>) {
        let (mut own, mut others) = (Self::default(), Vec::new());
        for word in words {
            match word.strip_prefix("--") {
                Some(option) => {
                    let (name, value) = option.split_once('=').unwrap_or((option, "on"));
                    own.values.insert(name.replace('-', "_"), value.to_owned());
                }
                None => others.push(word.as_str()),
            }
        }
        (own, others)
    }

    /// Whether an option begins so.
    pub(super) fn has_any(&self, prefix: &str) -> bool {
        self.values.keys().any(|name| name.starts_with(prefix))
    }

    /// A value; an empty one is none.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.values.remove(name).filter(|value| !value.is_empty())
    }

    /// The value under the first of these names that is there. All of them are taken.
    pub(super) fn take_any(&mut self, names: &[&str]) -> Option<String> {
        names.iter().fold(None, |found, name| {
            let own = self.take(name);
            found.or(own)
        })
    }

    /// A whole number.
    pub(super) fn number(&mut self, names: &[&str]) -> Result<Option<u64>> {
        let Some(value) = self.take_any(names) else { return Ok(None) };
        let number = value.parse().map_err(|_| {
            Error::usage(format!("--{} {value}: not a whole number", shown(names[0])))
                .hint("write it as --threads=16")
        })?;
        Ok(Some(number))
    }

    /// A switch.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("on") => Ok(Some(true)),
            Some("off") => Ok(Some(false)),
            Some(value) => {
                Err(Error::usage(format!("--{} {value}: neither on nor off", shown(name)))
                    .hint("write it as --skip-trx=on"))
            }
        }
    }

    /// The options that were not used.
    pub(super) fn left(&self) -> Vec<String> {
        self.values.keys().map(|name| format!("--{}", shown(name))).collect()
    }
}

/// A name as it is usually written.
pub(super) fn shown(name: &str) -> String {
    name.replace('_', "-")
}
