//! A database to be measured, as the user names it.

use tacho_core::{Error, Result};

/// A parsed target: `driver:place?option=value&option=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The driver's id or one of its other schemes.
    pub scheme: String,
    /// What follows the scheme up to the question mark: a path, or `//user@host:port/database`.
    pub place: String,
    /// The options, in the order given.
    pub options: Vec<(String, String)>,
}

impl Target {
    /// Reads a target. A bare word is a driver without a place.
    pub fn parse(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if scheme.is_empty() || !scheme.chars().all(plain) {
            return Err(Error::usage(format!("\"{text}\" is no target"))
                .hint("write it as driver:place, such as driver:bench.db"));
        }
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let options = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once('=').ok_or_else(|| {
                    Error::usage(format!("target option \"{pair}\" has no value"))
                        .hint("write it as option=value")
                })?;
                Ok((key.to_owned(), value.to_owned()))
            })
            .collect::<Result<_>>()?;
        Ok(Self { scheme: scheme.to_owned(), place: place.to_owned(), options })
    }

    /// The value of an option; the last one given counts.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Fails if an option is not among those that the driver knows.
    pub fn check_options(&self, known: &[&str]) -> Result<()> {
        for (key, _) in &self.options {
            if !known.contains(&key.as_str()) {
                let close = tacho_core::nearest(key, known.iter().copied()).join(", ");
                let hint = if close.is_empty() {
                    "this driver has no options".into()
                } else {
                    format!("did you mean {close}?")
                };
                return Err(Error::usage(format!("unknown target option \"{key}\"")).hint(hint));
            }
        }
        Ok(())
    }

    /// The target as text, with a password in it replaced by `***`.
    pub fn redacted(&self) -> String {
        // The last one: a password may hold an @ itself.
        let place = match self.place.rsplit_once('@') {
            Some((user, host)) => match user.strip_prefix("//").and_then(|u| u.split_once(':')) {
                Some((name, _)) => format!("//{name}:***@{host}"),
                None => self.place.clone(),
            },
            None => self.place.clone(),
        };
        let options: Vec<String> = self
            .options
            .iter()
            .map(|(key, value)| {
                let secret = key.contains("pass") || key.contains("secret");
                format!("{key}={}", if secret { "***" } else { value })
            })
            .collect();
        let mark = if options.is_empty() { "" } else { "?" };
        format!("{}:{place}{mark}{}", self.scheme, options.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_and_redacted() -> Result<()> {
        let table = [
            ("noop", "noop:"),
            ("sqlite:a/b.db", "sqlite:a/b.db"),
            ("sqlite:a.db?synchronous=off", "sqlite:a.db?synchronous=off"),
            ("postgres://u:p@h:1/d", "postgres://u:***@h:1/d"),
            ("postgres://u:p@ss:w@h/d", "postgres://u:***@h/d"),
            ("postgres://u@h/d?password=x", "postgres://u@h/d?password=***"),
        ];
        for (text, printed) in table {
            assert_eq!(Target::parse(text)?.redacted(), printed);
        }
        for bad in ["", ":x", "a b:c", "sqlite:x?y"] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
        Ok(())
    }
}
