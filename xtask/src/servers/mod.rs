//! Servers next to the machine's own, into `target/servers/NAME`, by the package managers that are
//! there and their own settings. They are optional: nothing else needs them.

mod debian;
mod maven;
mod npm;
mod pypi;

use std::path::Path;

use crate::{Outcome, process};

/// A server that can be fetched.
struct Server {
    /// In sentences.
    title: &'static str,
    /// The folder below `target/servers`.
    folder: &'static str,
    /// A program that is there once it was fetched as a whole.
    program: &'static str,
    fetch: fn(&Path) -> Outcome,
}

const fn server(
    title: &'static str,
    folder: &'static str,
    program: &'static str,
    fetch: fn(&Path) -> Outcome,
) -> Server {
    Server { title, folder, program, fetch }
}

const SERVERS: [Server; 14] = [
    server("PostgreSQL 13", "postgres-13", "bin/postgres", |to| {
        npm::postgres("13.23.0-beta.16", to)
    }),
    server("PostgreSQL 14", "postgres-14", "bin/postgres", |to| {
        npm::postgres("14.23.0-beta.17", to)
    }),
    server("PostgreSQL 16", "postgres-16", "bin/postgres", |to| maven::postgres("16.15.0", to)),
    server("PostgreSQL 17", "postgres-17", "bin/postgres", |to| maven::postgres("17.11.0", to)),
    server("PostgreSQL 18", "postgres-18", "bin/postgres", |to| maven::postgres("18.6.0", to)),
    server("MariaDB 11.4", "mariadb-11.4", "bin/mariadbd", |to| maven::mariadb("11.4.5", to)),
    server("MariaDB 11.8", "mariadb-11.8", "usr/sbin/mariadbd", |to| {
        Ok(debian::tree("trixie", &["mariadb-server-core", "mariadb-client-core"], to)?
            && debian::with_own_loader(to, &MARIADB_PROGRAMS)?)
    }),
    // Tests look into this folder by themselves: there is no package of it to install.
    server("the newest MySQL", "mysql", "usr/sbin/mysqld", |to| {
        debian::tree("sid", &["mysql-server-core"], to)
    }),
    server("the library of Tcl 9.0", "tcl-9.0", "usr/lib/tcl9.0/init.tcl", |to| {
        debian::tree("trixie", &["tcl9.0"], to)
    }),
    server("Derby, and IBM's client for Db2", "derby", "jars/derbynet-10.7.1.1.jar", |to| {
        Ok(pypi::ibm_client(to)? && maven::derby("10.7.1.1", to)?)
    }),
    server("HSQLDB and H2, which run SQL", "java-sql", "h2-2.4.240.jar", maven::java_sql),
    server("sqlfluff, which parses SQL", "sqlfluff", "bin/sqlfluff", pypi::sqlfluff),
    server("axe-core, which checks web pages", "axe", "axe.min.js", npm::axe),
    server("the library of DuckDB", "duckdb", "libduckdb.so", npm::duckdb),
];
/// What the script calls that makes MariaDB's data directory.
const MARIADB_PROGRAMS: [&str; 3] =
    ["usr/sbin/mariadbd", "usr/bin/my_print_defaults", "usr/bin/resolveip"];

/// Fetches what is not there yet, and says how to test with it. One that cannot be had keeps none of
/// the others away.
pub fn run() -> bool {
    let all = SERVERS.iter().filter(|server| !fetched(server)).count() == 0;
    println!("to test with one: TACHO_TEST_POSTGRES=FOLDER cargo test -p tacho-driver-postgres");
    println!("to use one: tacho up postgres --binaries FOLDER");
    all
}

/// Fetches what is small and what tests need each time: the library of DuckDB, a parser of SQL, and a checker of
/// web pages.
pub fn small() -> bool {
    let is_small = |server: &&Server| ["axe", "duckdb", "sqlfluff"].contains(&server.folder);
    SERVERS.iter().filter(is_small).filter(|server| !fetched(server)).count() == 0
}

fn fetched(Server { title, folder, program, fetch }: &Server) -> bool {
    let to = process::root().join("target/servers").join(folder);
    let there = to.join(program).is_file() || {
        println!("fetching {title}");
        fetch_whole(&to, *fetch).unwrap_or_else(|message| {
            println!("error: {message}");
            false
        })
    };
    println!("{}{title}: {}", if there { "" } else { "NOT FETCHED: " }, to.display());
    there
}

/// Fetches into a temporary folder, so that an interrupted download is not taken for a complete one.
fn fetch_whole(to: &Path, fetch: fn(&Path) -> Outcome) -> Outcome {
    let part = to.with_added_extension("part");
    let cannot = |error| format!("cannot make {}: {error}", to.display());
    if part.exists() {
        std::fs::remove_dir_all(&part).map_err(cannot)?;
    }
    std::fs::create_dir_all(&part).map_err(cannot)?;
    if !fetch(&part)? {
        return Ok(false);
    }
    std::fs::rename(&part, to).map_err(cannot)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_its_folder() {
        let folders: std::collections::BTreeSet<_> = SERVERS.iter().map(|s| s.folder).collect();
        assert_eq!(folders.len(), SERVERS.len());
    }

    #[test]
    fn what_could_not_be_fetched_as_a_whole_is_not_there() -> Result<(), String> {
        let to = process::root().join(format!("target/servers/test-{}", std::process::id()));
        let half = |part: &Path| {
            let made = std::fs::create_dir(part.join("half"));
            made.map(|()| false).map_err(|error| error.to_string())
        };
        assert!(!fetch_whole(&to, half)?);
        assert!(!to.exists());
        assert!(fetch_whole(&to, |_| Ok(true))?, "a second attempt begins anew");
        assert!(to.is_dir() && !to.join("half").exists());
        std::fs::remove_dir(&to).map_err(|error| error.to_string())
    }
}
