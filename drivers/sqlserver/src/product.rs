//! Distinguishes SQL Server from Babelfish, which also identifies itself as SQL Server at login.
//!
//! Start reading at [`Product::ask`].

use tacho_core::Result;

use crate::admin;
use crate::link::Link;

const PRODUCT: &str = include_str!("../sql/product.sql");

/// The server's product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Product {
    SqlServer,
    /// Babelfish, with its own version and that of PostgreSQL, as in `Babelfish 4.3.0 (PostgreSQL 16.4)`.
    Babelfish(Box<str>),
}

impl Product {
    /// Runs the session's `setup` statements and queries which product the server is.
    pub async fn ask(link: &mut Link, setup: &str) -> Result<Self> {
        let rows = admin::rows(link, &format!("{setup}{PRODUCT}")).await?;
        Ok(match rows.first().map(Vec::as_slice) {
            Some([Some(property), text]) if property != "0" => {
                Self::Babelfish(babelfish(text.as_deref().unwrap_or_default()).into())
            }
            _ => Self::SqlServer,
        })
    }

    /// Returns the product and its version. Babelfish pretends to be SQL Server in its login response, so its own name
    /// is put in front.
    pub fn version(&self, login: &str) -> Box<str> {
        match self {
            Self::SqlServer => login.into(),
            Self::Babelfish(name) => format!("{name}, reported as {login}").into(),
        }
    }
}

/// Parses the versions in `@@VERSION`. For Babelfish, its last line contains the version of PostgreSQL, followed by
/// that of Babelfish.
///
/// A server setting can replace the text.
fn babelfish(text: &str) -> String {
    let last = text.lines().last().unwrap_or_default();
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let name = match last.split_once("(Babelfish ") {
        Some((_, version)) => format!("Babelfish {}", version.trim_end_matches(')')),
        None => "Babelfish".into(),
    };
    let mut words = last.split_whitespace();
    match (words.next(), words.next().filter(is_version)) {
        (Some(below), Some(version)) => format!("{name} ({below} {version})"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_found() {
        let text = "Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8\nOct 1 2024\n\
                    Copyright (c)\nPostgreSQL 16.4 on x86_64-pc-linux-gnu (Babelfish 4.3.0)";
        assert_eq!(babelfish(text), "Babelfish 4.3.0 (PostgreSQL 16.4)");
        assert_eq!(babelfish("PostgreSQL 14.6 on aarch64"), "Babelfish (PostgreSQL 14.6)");
        assert_eq!(babelfish("a text of the owner"), "Babelfish");
    }

    #[test]
    fn a_version_names_the_product() {
        let login = "Microsoft SQL Server 12.0.2000";
        assert_eq!(&*Product::SqlServer.version(login), login);
        let other = Product::Babelfish("Babelfish 4.3.0 (PostgreSQL 16.4)".into());
        let expected =
            "Babelfish 4.3.0 (PostgreSQL 16.4), reported as Microsoft SQL Server 12.0.2000";
        assert_eq!(&*other.version(login), expected);
    }
}
