//! The location in a target, `//user:password@host:port/database`. All parts are optional.

use tacho_core::{Error, Result};

/// The given parts, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// User name.
    pub user: Option<String>,
    /// Password.
    pub password: Option<String>,
    /// Host name, address, or Unix socket directory.
    pub host: Option<String>,
    /// Port.
    pub port: Option<String>,
    /// Database.
    pub database: Option<String>,
}

impl Parts {
    /// Parses a location. If it is invalid, the error's hint shows `example`, which must be a complete target.
    pub fn read(place: &str, example: &str) -> Result<Self> {
        if place.is_empty() {
            return Ok(Self::default());
        }
        let rest = place.strip_prefix("//").ok_or_else(|| {
            Error::usage("the target has no // after its scheme")
                .hint(format!("write it as {example}"))
        })?;
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (who, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        let (host, port) = host_and_port(address);
        Ok(Self {
            user: decoded(user)?,
            password: decoded(password)?,
            host: decoded(host)?,
            port: decoded(port)?,
            database: decoded(database)?,
        })
    }
}

/// Splits `host:port`. An IPv6 address is enclosed in brackets.
fn host_and_port(address: &str) -> (&str, &str) {
    if let Some((host, rest)) = address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (host, rest.strip_prefix(':').unwrap_or(rest));
    }
    address.rsplit_once(':').unwrap_or((address, ""))
}

/// Decodes percent escapes such as `%41`. Returns `None` if the text is empty.
pub fn decoded(text: &str) -> Result<Option<String>> {
    let bad = || {
        Error::usage("a % in the target is not followed by two hexadecimal digits")
            .hint("write % itself as %25")
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let digits = escaped.get(..2).filter(|digits| !digits.starts_with('+')).ok_or_else(bad)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
        rest = &escaped[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    let text = String::from_utf8(bytes).map_err(|_| bad())?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_addresses_into_parts() {
        let table = [
            ("", [None; 5]),
            ("//", [None; 5]),
            ("//h", [None, None, Some("h"), None, None]),
            ("//u@h:1/d", [Some("u"), None, Some("h"), Some("1"), Some("d")]),
            ("//u:p@ss@h", [Some("u"), Some("p@ss"), Some("h"), None, None]),
            ("//u:p%2F%40:@[::1]:5/", [Some("u"), Some("p/@:"), Some("::1"), Some("5"), None]),
            ("//%2Frun%2Fpg:5/d", [None, None, Some("/run/pg"), Some("5"), Some("d")]),
            ("///d", [None, None, None, None, Some("d")]),
        ];
        for (place, expected) in table {
            let parts = Parts::read(place, "").expect(place);
            let Parts { user, password, host, port, database } = parts;
            let found = [user, password, host, port, database];
            assert_eq!(found, expected.map(|part| part.map(String::from)), "{place}");
        }
        for bad in ["h/d", "//%4", "//%zz", "//%+1", "//%ff"] {
            assert!(Parts::read(bad, "").is_err(), "{bad}");
        }
    }
}
