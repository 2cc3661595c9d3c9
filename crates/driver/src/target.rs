//! The database to measure, as specified by the user.

use tacho_core::{Error, MASK, Result, is_secret, masked_target};

/// A parsed target: `driver:place?option=value&option=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The driver's ID or one of its other schemes.
    pub scheme: String,
    /// The text between the scheme and the question mark. It is a path or has the form `//user@host:port/database`.
    pub place: String,
    /// The options, in the given order.
    pub options: Vec<(String, String)>,
}

impl Target {
    /// Parses a target. A single word is taken as the name of a driver. The password `***` is ignored, because Tacho
    /// prints it in place of real passwords.
    pub fn parse(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if scheme.is_empty() || !scheme.chars().all(plain) {
            return Err(Error::usage(format!("invalid target \"{}\"", masked_target(text)))
                .hint("use the form driver:place, for example driver:bench.db"));
        }
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        require_escaped_password(place, query)?;
        let mut options = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                Error::usage(format!("target option \"{}\" has no value", masked_target(pair)))
                    .hint("use the form option=value")
            })?;
            if value != MASK || !is_secret(key) {
                options.push((key.to_owned(), value.to_owned()));
            }
        }
        let place = place.replacen(&format!(":{MASK}@"), "@", 1);
        Ok(Self { scheme: scheme.to_owned(), place, options })
    }

    /// Returns the target without passwords.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let place = match self.login() {
            Some((user, Some(_), host)) => format!("//{user}@{host}"),
            _ => self.place.clone(),
        };
        let options = self.options.iter().filter(|(key, _)| !is_secret(key)).cloned().collect();
        Self { scheme: self.scheme.clone(), place, options }
    }

    /// Splits a location into user, password and the rest. The last `@` ends the password, because a password may
    /// contain this character too.
    fn login(&self) -> Option<(&str, Option<&str>, &str)> {
        let (login, host) = self.place.strip_prefix("//")?.rsplit_once('@')?;
        Some(match login.split_once(':') {
            Some((user, password)) => (user, Some(password), host),
            None => (login, None, host),
        })
    }

    /// Returns an option's value. If it is given several times, the last value applies.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns the first of the target's options whose key is in the list, as `option=value`. Used by
    /// [`crate::Driver::code`].
    pub fn given_of(&self, keys: &[&str]) -> Option<String> {
        let (key, value) = self.options.iter().find(|(key, _)| keys.contains(&key.as_str()))?;
        Some(format!("{key}={value}"))
    }

    /// Returns an error if an option is not one of the driver's options.
    pub fn check_options(&self, known: &[&str]) -> Result<()> {
        for (key, _) in &self.options {
            if !known.contains(&key.as_str()) {
                let error = Error::usage(format!("unknown target option \"{key}\""));
                return Err(if known.is_empty() {
                    error.hint("this driver has no options")
                } else {
                    error.did_you_mean(key, known.iter().copied())
                });
            }
        }
        Ok(())
    }

    /// Returns the target as text, with any password replaced by `***`.
    pub fn redacted(&self) -> String {
        let place = match self.login() {
            Some((user, Some(_), host)) => format!("//{user}:{MASK}@{host}"),
            _ => masked_place(&self.place),
        };
        let shown = |(key, value): &(String, String)| {
            format!("{key}={}", if is_secret(key) { MASK } else { value })
        };
        let options: Vec<String> = self.options.iter().map(shown).collect();
        let mark = if options.is_empty() { "" } else { "?" };
        format!("{}:{place}{mark}{}", self.scheme, options.join("&"))
    }
}

/// Masks the login, such as `user:password`, in a location. The location does not include the leading `//`.
fn masked_place(place: &str) -> String {
    match place.rsplit_once('@') {
        Some((login, host)) if login.contains(':') => format!("{MASK}@{host}"),
        _ => place.to_owned(),
    }
}

/// Returns an error if the password seems to be cut off by an unescaped special character. The error does not show the
/// password.
fn require_escaped_password(place: &str, query: &str) -> Result<()> {
    let Some(rest) = place.strip_prefix("//") else { return Ok(()) };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_open = authority.contains(':') && !authority.contains('@');
    // An IPv6 address also contains colons.
    let cut = is_open && !authority.starts_with('[') && (path.contains('@') || query.contains('@'));
    if !cut {
        return Ok(());
    }
    Err(Error::usage("the target's password contains an unescaped / or ?")
        .hint("write / as %2F, ? as %3F, # as %23, @ as %40 and % as %25")
        .hint(
            "or omit the password from the target and use the driver's environment variable or \
            password file",
        ))
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

    #[test]
    fn a_masked_password_is_none() -> Result<()> {
        let saved = Target::parse("postgres://u:***@h/d?a=b&admin_password=***")?;
        assert_eq!(saved, Target::parse("postgres://u@h/d?a=b")?);
        let given = Target::parse("postgres://u:p@ss@h/d?password=x&a=b")?;
        assert_eq!(given.without_secrets(), Target::parse("postgres://u@h/d?a=b")?);
        Ok(())
    }

    #[test]
    fn errors_show_no_password() {
        let bad = [
            "postgres//u:s3cret@h/d",
            "u ser:s3cret@h",
            "postgres://u:s3cret/x@h/d",
            "postgres://u:s3cret?x@h/d",
            "postgres://u@h/d?s3cret@x",
        ];
        for text in bad {
            let error = Target::parse(text).expect_err(text);
            let all = format!("{error} {:?}", error.hints());
            assert!(!all.contains("s3cret"), "{all}");
        }
        let odd = Target::parse("postgres:u:s3cret@h").expect("a driver may say more of it");
        assert!(!odd.redacted().contains("s3cret"));
    }
}
