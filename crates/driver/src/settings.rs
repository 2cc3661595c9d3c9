//! Changes server settings, such as the buffer size, and restores them.
//!
//! A driver changes a setting only on request, and only if [`ServerSettings::put_back`] can restore it.
//!
//! Start reading at [`ServerSettings`].

use tacho_core::{Error, Result};

use crate::BoxFuture;

/// The time at which a change takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The setting takes effect immediately, but only for sessions that are opened afterwards.
    AtOnce,
    /// The setting takes effect only after a server restart, because no statement can change it.
    AfterRestart,
}

/// The current state of a server setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingState {
    /// The name, as spelled by the server.
    pub name: String,
    /// The value in effect, as printed by the server.
    pub value: String,
    /// The stored value that [`ServerSettings::set`] would replace. If it is `None`, no value is stored, and Tacho
    /// restores the setting by removing the value that it has set.
    pub stored: Option<String>,
    /// The time at which a change takes effect.
    pub holds: Holds,
}

/// The result type of [`crate::Driver::settings`].
pub type SettingsFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn ServerSettings>>>>;

/// Access to a server's settings, which uses a separate connection.
pub trait ServerSettings: Send {
    /// Returns the names of all settings.
    fn names(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// Returns the current state of a setting, or `None` if there is no such setting. Returns an error if Tacho would
    /// not be able to restore the setting after a change.
    fn read<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Result<Option<SettingState>>>;

    /// Returns the value in the form in which it must be passed to a server at startup, or an error if the server would
    /// reject it. For this check, the running server may store the value for a short time.
    fn check<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<String>>;

    /// Sets a value that takes effect immediately. Waits until new sessions use it.
    fn set<'a>(&'a mut self, name: &'a str, value: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Restores the original value. Waits until new sessions use it.
    fn put_back<'a>(&'a mut self, state: &'a SettingState) -> BoxFuture<'a, Result<()>>;

    /// Returns true if two texts represent the same value, such as `1024MB` and `1GB`, or `1` and `on`.
    fn is_same<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<bool>>;

    /// Closes the connection gracefully.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

impl dyn ServerSettings {
    /// Returns the setting with this name. If there is none, returns an error that suggests the three most similar
    /// names.
    pub async fn find(&mut self, name: &str) -> Result<SettingState> {
        if let Some(state) = self.read(name).await? {
            return Ok(state);
        }
        let names = self.names().await?;
        Err(Error::usage(format!("the server has no setting \"{name}\""))
            .did_you_mean(name, names.iter().map(String::as_str))
            .hint("see the server's manual for a list of its settings"))
    }
}

/// Returns true if a name matches one of the patterns, in which `*` stands for any text, as in `*_command`.
pub fn is_named(name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == *pattern,
    })
}

/// Parses a size such as `128M` or `1GB` into bytes. Units are powers of 1024, as in database servers.
pub fn bytes_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" => 1,
        "m" | "mb" => 2,
        "g" | "gb" => 3,
        "t" | "tb" => 4,
        _ => return None,
    };
    Some(number.trim().parse::<f64>().ok()? * 1024_f64.powi(power))
}

/// Returns true if two numbers are equal. Small differences are ignored, because a number can lose precision when it is
/// printed.
pub fn same_number(asked: f64, found: f64) -> bool {
    (asked - found).abs() <= found.abs() * 1e-6
}

/// Returns true if both words mean on, if both mean off, or if they differ only in case.
pub fn same_word(asked: &str, found: &str) -> bool {
    let switch = switch_of(asked);
    (switch.is_some() && switch == switch_of(found)) || asked.eq_ignore_ascii_case(found)
}

/// Returns true for a word that means on and false for a word that means off. Returns `None` for any other word.
pub fn switch_of(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_units() {
        let table = [
            ("128M", Some(134_217_728.0)),
            ("1GB", Some(1_073_741_824.0)),
            ("1.5k", Some(1_536.0)),
            ("7", Some(7.0)),
            ("7 kB", Some(7_168.0)),
            ("10ms", None),
            ("x", None),
            ("", None),
        ];
        for (text, bytes) in table {
            assert_eq!(bytes_of(text), bytes, "{text}");
        }
        assert_eq!(
            (switch_of("ON"), switch_of("0"), switch_of("2")),
            (Some(true), Some(false), None)
        );
        assert!(same_number(1_000_000.0, 1_000_000.5) && !same_number(1.0, 1.1));
        assert!(same_word("yes", "ON") && same_word("Replica", "replica"));
        assert!(!same_word("on", "off") && !same_word("2", "on"));
    }
}
