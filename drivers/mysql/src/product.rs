//! The two products that speak the protocol.

/// The server's product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Oracle's MySQL, and any server that identifies itself as MySQL.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Product {
    /// Returns the product's name.
    pub fn title(self) -> &'static str {
        match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        }
    }

    /// Returns the scheme of the product's targets.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
        }
    }
}
