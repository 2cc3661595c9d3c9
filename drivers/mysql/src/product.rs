//! The two products that use the protocol.

/// The server's product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Oracle's MySQL, or another server that identifies itself as MySQL.
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

    /// Returns the URL scheme of targets for this product.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
        }
    }
}
