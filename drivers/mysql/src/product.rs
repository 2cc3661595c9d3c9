//! The two products that speak the protocol.

/// Whose server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Oracle's MySQL, and what calls itself so.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Product {
    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        }
    }

    /// How its targets begin.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
        }
    }
}
