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
    /// The word for the schema that was deleted.
    pub schema: &'static str,
    /// Where its clients take a password from.
    pub passwords: &'static str,
}

/// All of them; the first is the one of a new session.
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

/// What the keys of Oracle are for where a benchmark's `tt_compat` is on.
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
    /// The database of this scheme, if HammerDB has it.
    pub fn of_scheme(scheme: &str) -> Option<&'static Self> {
        let all = DATABASES.iter().chain([&TIMESTEN]);
        all.into_iter().find(|known| known.scheme == scheme && !scheme.is_empty())
    }

    /// The database of this prefix.
    pub fn of_prefix(prefix: &str) -> Option<&'static Self> {
        DATABASES.iter().find(|known| known.prefix == prefix)
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
