//! What the tests need from the machine. One line per need; installed where we may.

use std::path::Path;

use crate::process;

/// Something that tests need and cargo does not bring.
struct Need {
    /// What it is and what for.
    what: &'static str,
    /// Any one of these shows that it is there: a program in `PATH`, or an absolute path, in which
    /// a component `*` stands for any name.
    probes: &'static [&'static str],
    /// The Debian packages that bring it.
    packages: &'static [&'static str],
}

// Rust itself links by `cc`, so this line only ever fails where another linker is configured.
const NEEDS: &[Need] = &[
    Need {
        what: "a C compiler, for the embedded SQLite",
        probes: &["cc"],
        packages: &["gcc", "libc6-dev"],
    },
    Need {
        what: "a PostgreSQL server, for tests of its driver",
        probes: &["/usr/lib/postgresql/*/bin/postgres", "postgres"],
        packages: &["postgresql"],
    },
    Need {
        what: "a MariaDB server, for tests of its driver",
        probes: &["/usr/sbin/mariadbd", "mariadbd"],
        packages: &["mariadb-server"],
    },
    Need {
        what: "a NATS server, for runs over many hosts",
        probes: &["/usr/sbin/nats-server", "nats-server"],
        packages: &["nats-server"],
    },
    Need {
        what: "the ODBC driver of PostgreSQL",
        probes: &["/usr/lib/*/odbc/psqlodbcw.so", "/usr/lib64/odbc/psqlodbcw.so"],
        packages: &["unixodbc", "odbc-postgresql"],
    },
    Need {
        what: "the ODBC driver of MariaDB",
        probes: &["/usr/lib/*/odbc/libmaodbc.so", "/usr/lib64/odbc/libmaodbc.so"],
        packages: &["unixodbc", "odbc-mariadb"],
    },
    Need {
        what: "the ODBC driver of SQLite",
        probes: &["/usr/lib/*/odbc/libsqlite3odbc.so", "/usr/lib64/odbc/libsqlite3odbc.so"],
        packages: &["unixodbc", "libsqliteodbc"],
    },
    Need {
        what: "FreeTDS, which asks the scripted TDS server",
        probes: &["tsql"],
        packages: &["freetds-bin"],
    },
    Need {
        what: "the library of Tcl, for HammerDB scripts",
        probes: &[
            "/usr/lib/*/libtcl8.6.so",
            "/usr/lib/*/libtcl8.6.so.0",
            "/usr/lib64/libtcl8.6.so",
            "/usr/lib/*/libtcl9.0.so",
            "/usr/lib64/libtcl9.0.so",
        ],
        packages: &["tcl8.6"],
    },
    Need { what: "Python, for HammerDB scripts", probes: &["python3"], packages: &["python3"] },
    Need {
        what: "the library of faketime, for clocks that are set during a run",
        probes: &[
            "/usr/lib/*/faketime/libfaketimeMT.so.1",
            "/usr/lib64/faketime/libfaketimeMT.so.1",
        ],
        packages: &["faketime"],
    },
    Need {
        what: "a browser, to look at the pages of reports",
        probes: &["chromium"],
        packages: &["chromium"],
    },
];

/// Makes sure that everything is there; installs what is missing if this is Debian and we are root.
pub fn ensure() -> Result<(), String> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = packages(&missing);
    if !is_there("apt-get") || !is_root() {
        return Err(advice(&missing, is_there("apt-get")));
    }
    println!("installing {}", packages.join(" "));
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages);
    let installed = apt(&["update"])? && apt(&words)?;
    if installed && self::missing().is_empty() {
        return Ok(());
    }
    Err(advice(&missing, true))
}

/// Installs packages of Debian if we may; whether they are there now.
pub fn install(packages: &[&str]) -> bool {
    if !is_there("apt-get") || !is_root() {
        return false;
    }
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages);
    apt(&["update"]).is_ok_and(|done| done) && apt(&words).is_ok_and(|done| done)
}

/// Fetches what no package of the system brings, if it is not there.
pub fn fetch() {
    let named = std::env::var_os("TACHO_TEST_DUCKDB").is_some();
    if !named && !crate::servers::small() {
        println!(
            "NOT TESTED: what could not be fetched, see above; TACHO_TEST_DUCKDB names a library of DuckDB"
        );
    }
}

/// Says aloud what is not tested here, since not every machine can have it.
pub fn announce_untested() {
    let named = std::env::var_os("TACHO_TEST_MYSQL").is_some()
        || process::root().join("target/servers/mysql").is_dir();
    // MariaDB's packages bring a program of that name too.
    let there = process::output("mysqld", &["--version"])
        .is_ok_and(|version| !String::from_utf8_lossy(&version).contains("MariaDB"));
    if !named && !there {
        println!(
            "NOT TESTED: MySQL, which is not here; cargo xtask servers fetches it, and \
             TACHO_TEST_MYSQL names another folder that has it"
        );
    }
    if !process::root().join("target/servers/tcl-9.0").is_dir() {
        println!("NOT TESTED: Tcl 9.0, which is not here; cargo xtask servers fetches it");
    }
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !need.probes.iter().any(|probe| is_there(probe))).collect()
}

fn packages(needs: &[&Need]) -> Vec<&'static str> {
    needs.iter().flat_map(|need| need.packages.iter().copied()).collect()
}

/// Says what is missing and how to get it.
fn advice(missing: &[&Need], debian: bool) -> String {
    let whats: Vec<&str> = missing.iter().map(|need| need.what).collect();
    let names = packages(missing).join(" ");
    let hint = if debian {
        format!("sudo apt-get update && sudo apt-get install {names}")
    } else {
        format!("install what the Debian packages {names} hold")
    };
    format!("the tests need {}\n\n  hint: {hint}", whats.join("; "))
}

fn apt(words: &[&str]) -> Result<bool, String> {
    let mut command = process::program("apt-get", words);
    let status = command.env("DEBIAN_FRONTEND", "noninteractive").status();
    Ok(status.map_err(|error| format!("cannot start apt-get: {error}"))?.success())
}

fn is_root() -> bool {
    process::output("id", &["-u"]).is_ok_and(|id| id.trim_ascii() == b"0")
}

pub fn is_there(probe: &str) -> bool {
    if let Some(path) = probe.strip_prefix('/') {
        let parts: Vec<&str> = path.split('/').collect();
        return exists(Path::new("/"), &parts);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(probe).is_file())
}

fn exists(folder: &Path, parts: &[&str]) -> bool {
    match parts {
        [] => folder.exists(),
        ["*", rest @ ..] => folder.read_dir().is_ok_and(|entries| {
            entries.filter_map(Result::ok).any(|entry| exists(&entry.path(), rest))
        }),
        [name, rest @ ..] => exists(&folder.join(name), rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_find_programs_and_paths() {
        let here = env!("CARGO_MANIFEST_DIR");
        let table = [
            ("cargo".to_owned(), true),
            ("no-such-program".to_owned(), false),
            (format!("{here}/src/main.rs"), true),
            (format!("{here}/*/main.rs"), true),
            (format!("{here}/*/absent.rs"), false),
        ];
        for (probe, there) in table {
            assert_eq!(is_there(&probe), there, "{probe}");
        }
    }

    #[test]
    fn advice_names_what_is_missing_and_the_packages() {
        let need = Need { what: "a server", probes: &[], packages: &["one", "two"] };
        let text = advice(&[&need], true);
        assert!(text.contains("a server") && text.contains("apt-get install one two"), "{text}");
        assert!(!advice(&[&need], false).contains("apt-get"));
    }
}
