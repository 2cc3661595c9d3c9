//! Changing settings of a server, such as its buffer size, and putting them back.
//!
//! A driver must never change more than the caller asks for, and nothing that [`ServerSettings::put_back`]
//! could not put back. Start reading at [`ServerSettings`].

use tacho_core::{Error, Result, nearest};

use crate::BoxFuture;

/// When a change holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// For every session that is opened from then on.
    AtOnce,
    /// Once the server has been started again. The start must pass it, not a statement.
    AfterRestart,
}

/// A setting of a server as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingState {
    /// Its name, as the server writes it.
    pub name: String,
    /// The value in force, as the server prints it.
    pub value: String,
    /// The value that stands where [`ServerSettings::set`] writes it; `None` if none does, so that
    /// putting back means to remove ours.
    pub stored: Option<String>,
    /// When a change holds.
    pub holds: Holds,
}

/// What [`crate::Driver::settings`] answers.
pub type SettingsFuture<'a> = BoxFuture<'a, Result<Option<Box<dyn ServerSettings>>>>;

/// Access to the settings of a server, on a connection of its own.
pub trait ServerSettings: Send {
    /// The names of all settings.
    fn names(&mut self) -> BoxFuture<'_, Result<Vec<String>>>;

    /// The present state of a setting; `None` if the server has none of this name. An error if it cannot
    /// be changed, or if we could not put it back.
    fn read<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Result<Option<SettingState>>>;

    /// Fails if the server would not take this value from us; returns it as a start of the server
    /// takes it. It may be written for a moment without effect, so what is needed to put it
    /// back must be kept safe before.
    fn check<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<String>>;

    /// Sets a value that holds at once, and waits until new sessions have it.
    fn set<'a>(&'a mut self, name: &'a str, value: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Sets a value back as it stood, and waits until new sessions have it.
    fn put_back<'a>(&'a mut self, state: &'a SettingState) -> BoxFuture<'a, Result<()>>;

    /// Whether a value that was asked for and one that the server prints are the same: `1024MB` is
    /// `1GB`, `1` is `on`.
    fn is_same<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<bool>>;

    /// Ends the connection in good order.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

impl dyn ServerSettings {
    /// A setting that must be there; an error names the nearest three.
    pub async fn find(&mut self, name: &str) -> Result<SettingState> {
        if let Some(state) = self.read(name).await? {
            return Ok(state);
        }
        let names = self.names().await?;
        let close = nearest(name, names.iter().map(String::as_str)).join(", ");
        let error = Error::usage(format!("the server has no setting \"{name}\""));
        Err(if close.is_empty() {
            error.hint("the server's manual names its settings")
        } else {
            error.hint(format!("did you mean {close}?"))
        })
    }
}

/// A number with the letter of a unit, such as `128M` or `1GB`, in units of 1; none if it is no such.
/// Units are powers of 1024, as the servers themselves have them.
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

/// Whether two numbers are the same but for what is lost when one of them is printed.
pub fn same_number(asked: f64, found: f64) -> bool {
    (asked - found).abs() <= found.abs() * 1e-6
}

/// Whether two words mean the same: both a switch in the same place, or the same word in any letters.
pub fn same_word(asked: &str, found: &str) -> bool {
    let switch = switch_of(asked);
    (switch.is_some() && switch == switch_of(found)) || asked.eq_ignore_ascii_case(found)
}

/// What a word for a switch means; none if it is no such word.
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
