//! The six databases by the names under which scripts and parsers know them.

/// One database of HammerDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Database {
    /// What `dbset db` takes, and what most keys begin with.
    pub prefix: &'static str,
    /// Its name in messages, in the counter's lines and as `rdbms`.
    pub name: &'static str,
    /// Its name in `TEST RESULT`.
    pub result_name: &'static str,
    /// Its name where a build asks whether it may begin.
    pub build_name: &'static str,
    /// The client library that HammerDB loads for it.
    pub library: &'static str,
    /// The scheme of our targets; empty as long as no driver speaks to it.
    pub scheme: &'static str,
}

/// All of them; the first is the one of a new session.
pub const DATABASES: [Database; 6] = [
    database("ora", "Oracle", "Oratcl"),
    Database {
        result_name: "SQL Server",
        build_name: "MS SQL Server",
        ..database("mssqls", "MSSQLServer", "tdbc::odbc 1.1.1")
    },
    database("db2", "Db2", "db2tcl"),
    Database { scheme: "mysql", ..database("mysql", "MySQL", "mysqltcl") },
    Database { scheme: "mariadb", ..database("maria", "MariaDB", "mariatcl") },
    Database { scheme: "postgres", ..database("pg", "PostgreSQL", "Pgtcl") },
];

const fn database(prefix: &'static str, name: &'static str, library: &'static str) -> Database {
    Database { prefix, name, result_name: name, build_name: name, library, scheme: "" }
}

impl Database {
    /// What `dbset db` takes for the database of this scheme; empty if HammerDB has none.
    pub fn prefix_of(scheme: &str) -> &'static str {
        let known = DATABASES.iter().find(|known| known.scheme == scheme && !scheme.is_empty());
        known.map_or("", |known| known.prefix)
    }

    /// The name of a key that all databases have, such as `rampup`, as this one spells it.
    pub fn key(&self, common: &str) -> String {
        match (self.prefix, common) {
            ("ora", "driver" | "timeprofile") => format!("ora_{common}"),
            ("ora", _) => common.to_owned(),
            (prefix, _) => format!("{prefix}_{common}"),
        }
    }
}
