//! The six databases that HammerDB supports, with the names that scripts and parsers use for them.

/// A database that HammerDB supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Database {
    /// Argument of `dbset db`. It is also the prefix of most of the database's keys.
    pub prefix: &'static str,
    /// Name of the database in messages, and in the variable `rdbms`.
    pub name: &'static str,
    /// Name in `TEST RESULT`.
    pub result_name: &'static str,
    /// Name of the database in the question that HammerDB asks before a build.
    pub build_name: &'static str,
    /// Client library that HammerDB loads for this database.
    pub library: &'static str,
    /// Scheme of Tacho's targets for this database. Empty if Tacho has no driver for it.
    pub scheme: &'static str,
    /// The word that HammerDB uses for a schema of this database. It occurs in the message about deleting the schema.
    pub schema: &'static str,
    /// Files or environment variables that can provide the password for this database.
    pub passwords: &'static str,
}

/// All databases. A new session uses the first one.
pub const DATABASES: [Database; 6] = [
    Database {
        scheme: "oracle",
        passwords: "ORACLE_PASSWORD",
        ..database("ora", "Oracle", "Oratcl")
    },
    Database {
        scheme: "sqlserver",
        passwords: "SQLCMDPASSWORD",
        result_name: "SQL Server",
        build_name: "MS SQL Server",
        ..database("mssqls", "MSSQLServer", "tdbc::odbc 1.1.1")
    },
    Database { scheme: "db2", passwords: "DB2_PASSWORD", ..database("db2", "Db2", "db2tcl") },
    Database {
        scheme: "mysql",
        schema: "Schema",
        passwords: "~/.my.cnf or MYSQL_PWD",
        ..database("mysql", "MySQL", "mysqltcl")
    },
    Database {
        scheme: "mariadb",
        schema: "Schema",
        passwords: "~/.my.cnf or MYSQL_PWD",
        ..database("maria", "MariaDB", "mariatcl")
    },
    Database {
        scheme: "postgres",
        passwords: "~/.pgpass or PGPASSWORD",
        ..database("pg", "PostgreSQL", "Pgtcl")
    },
];

/// TimesTen. The Oracle keys apply to TimesTen instead of Oracle if the benchmark's key `tt_compat` is on.
pub const TIMESTEN: Database = Database {
    scheme: "timesten",
    passwords: "TIMESTEN_PASSWORD",
    result_name: "TimesTen",
    ..DATABASES[0]
};

const fn database(prefix: &'static str, name: &'static str, library: &'static str) -> Database {
    Database {
        prefix,
        name,
        result_name: name,
        build_name: name,
        library,
        scheme: "",
        schema: "schema",
        passwords: "",
    }
}

impl Database {
    /// Returns the database with this scheme, if HammerDB supports it.
    pub fn of_scheme(scheme: &str) -> Option<&'static Self> {
        let all = DATABASES.iter().chain([&TIMESTEN]);
        all.into_iter().find(|known| known.scheme == scheme && !scheme.is_empty())
    }

    /// Returns the database with this prefix.
    pub fn of_prefix(prefix: &str) -> Option<&'static Self> {
        DATABASES.iter().find(|known| known.prefix == prefix)
    }

    /// Returns the key that this database uses for a common name such as `rampup`.
    pub fn key(&self, common: &str) -> String {
        match (self.prefix, common) {
            ("ora", "driver" | "timeprofile") => format!("ora_{common}"),
            ("ora", _) => common.to_owned(),
            (prefix, _) => format!("{prefix}_{common}"),
        }
    }
}
