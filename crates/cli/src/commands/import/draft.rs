//! Builds a Tacho command from another tool's command.

use std::fmt::{self, Display};

use tacho_core::shell_word;

/// Tacho commands and notes for the user.
#[derive(Debug, Default)]
pub(super) struct Translation {
    pub(super) commands: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// The words of the command so far, and notes for the user.
#[derive(Debug, Default)]
pub(super) struct Draft {
    words: Vec<String>,
    notes: Vec<String>,
}

impl Draft {
    /// Starts the command.
    pub(super) fn begin(&mut self, command: &str, workload: &str) {
        self.words = ["tacho", command, workload].map(str::to_owned).into();
    }

    pub(super) fn word(&mut self, word: impl Into<String>) {
        self.words.push(word.into());
    }

    /// Adds an option.
    pub(super) fn say(&mut self, flag: &str, value: impl Display) {
        self.words.push(format!("--{flag}"));
        self.words.push(format!("{value}"));
    }

    /// Adds a workload parameter.
    pub(super) fn set(&mut self, key: &str, value: impl Display) {
        self.say("set", format!("{key}={value}"));
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a note about an option without an equivalent.
    pub(super) fn without(&mut self, option: &str) {
        self.note(format!("{option} has no equivalent, so the load differs in this respect"));
    }

    /// Adds a note about options that affect only the output.
    pub(super) fn printed(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.note(format!("omitted because they do not change the load: {}", names.join(", ")));
        }
    }

    /// Returns the command, quoted for a shell.
    pub(super) fn finished(self) -> Translation {
        let words: Vec<String> = self.words.iter().map(|word| shell_word(word)).collect();
        Translation { commands: vec![words.join(" ")], notes: self.notes }
    }
}

/// The parts of a database URL.
#[derive(Debug, Default)]
pub(super) struct Url {
    pub(super) scheme: &'static str,
    pub(super) user: Option<String>,
    pub(super) host: Option<String>,
    pub(super) port: Option<String>,
    pub(super) database: Option<String>,
    /// Options in the order in which they are printed.
    pub(super) options: Vec<(&'static str, String)>,
}

impl Url {
    pub(super) fn option(&mut self, key: &'static str, value: impl Into<String>) {
        self.options.push((key, value.into()));
    }
}

impl Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |value: &Option<String>| value.as_deref().map(in_url).unwrap_or_default();
        write!(f, "{}://", self.scheme)?;
        if self.user.is_some() {
            write!(f, "{}@", part(&self.user))?;
        }
        // A URL cannot contain a folder or an IPv6 address in front of the port, so specify it as an option.
        let is_option = self.host.as_ref().is_some_and(|host| host.contains(['/', ':']));
        if !is_option {
            write!(f, "{}", part(&self.host))?;
        }
        if self.port.is_some() {
            write!(f, ":{}", part(&self.port))?;
        }
        write!(f, "/{}", part(&self.database))?;
        let host = self.host.iter().filter(|_| is_option).map(|host| ("host", host));
        let options = self.options.iter().map(|(key, value)| (*key, value));
        for (at, (key, value)) in host.chain(options).enumerate() {
            write!(f, "{}{key}={}", if at == 0 { '?' } else { '&' }, in_url(value))?;
        }
        Ok(())
    }
}

/// Adds an option to a URL.
pub(super) fn with_option(url: &str, key: &str, value: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{key}={}", in_url(value))
}

/// Removes the password from a URL. Returns true if there was one.
pub(super) fn without_password(url: &str) -> (String, bool) {
    let Some((scheme, rest)) = url.split_once("://") else { return (url.to_owned(), false) };
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (login, place) = match authority.rsplit_once('@') {
        Some((login, place)) => (login.split(':').next().map(|user| format!("{user}@")), place),
        None => (None, authority),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let options: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("password="))
        .collect();
    let query = if options.is_empty() { String::new() } else { format!("?{}", options.join("&")) };
    let found = format!("{scheme}://{}{place}{path}{query}", login.unwrap_or_default());
    let has_password = found.len() != url.len();
    (found, has_password)
}

/// Percent-encodes the characters that have a special meaning in URLs.
fn in_url(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
