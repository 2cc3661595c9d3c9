//! `cargo xtask test --servers`: the tests of live servers on each server that `cargo xtask servers`
//! fetched, in turn, and a closing table.
//!
//! The tests choose their server by a variable of the environment; what is fetched is not decided here.
//! MySQL needs no turn: tests find the fetched one by themselves.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::test::{Program, Summary, run_these};
use crate::{Outcome, needs, process};

/// A product with the tests that start its servers.
struct Product {
    /// What the names of its folders begin with.
    name: &'static str,
    /// Names the folder of the binaries to test with.
    variable: &'static str,
    /// The package of which all is tested.
    driver: &'static str,
    /// Modules of the tests of workloads and of whole runs; those of other products may be in them.
    modules: &'static [&'static str],
}

const PRODUCTS: [Product; 2] = [
    Product {
        name: "postgres",
        variable: "TACHO_TEST_POSTGRES",
        driver: "drivers/postgres",
        modules: &["postgres", "postgres_faults", "layout", "hammerdb", "cloud", "engines"],
    },
    Product {
        name: "mariadb",
        variable: "TACHO_TEST_MARIADB",
        driver: "drivers/mysql",
        modules: &["mysql", "mysql_faults", "layout", "hammerdb", "cloud", "engines"],
    },
];
/// Modules with tests of servers of all products.
const SHARED: [&str; 2] = ["server_settings", "settling"];
/// The programs that the modules are in, named like the folders of their packages.
const PROGRAMS: [&str; 6] = ["tests", "chbench", "oltp", "tpcb", "tprocc", "tproch"];

/// Tests each fetched server, or only those of these names, such as `postgres-17`; true if all is well.
pub fn run(names: &[&str]) -> Outcome {
    needs::ensure()?;
    let folders = fetched(&process::root().join("target/servers"));
    if let Some(absent) = names.iter().find(|name| !folders.iter().any(|(own, ..)| own == *name)) {
        return Err(format!(
            "{absent} is not there\n\n  hint: cargo xtask servers fetches servers"
        ));
    }
    let chosen = folders.iter().filter(|(name, ..)| names.is_empty() || names.contains(&&**name));
    let mut rows = Vec::new();
    for (name, folder, product) in chosen {
        println!("== {name}");
        rows.push(timed(name, || on(product, folder))?);
    }
    for (name, summary, took) in &rows {
        let verdict = if summary.good() { "ok" } else { "FAILED" };
        println!("{name:<14}{verdict:<8}{:>7.1} s  {summary}", took.as_secs_f64());
    }
    needs::announce_untested();
    Ok(!rows.is_empty() && rows.iter().all(|(_, summary, _)| summary.good()))
}

#[expect(clippy::disallowed_methods, reason = "the time of a server is for people to read")]
fn timed(
    name: &str,
    work: impl FnOnce() -> Result<Summary, String>,
) -> Result<(&str, Summary, Duration), String> {
    let start = Instant::now();
    Ok((name, work()?, start.elapsed()))
}

/// The tests of a product on the server in a folder.
fn on(product: &Product, folder: &Path) -> Result<Summary, String> {
    let variable = Some((product.variable, folder));
    let driver = run_these(&|program| program.package == product.driver, &[], variable)?;
    let modules = product.modules.iter().chain(&SHARED).map(|name| format!("{name}::"));
    let modules: Vec<String> = modules.collect();
    let chosen = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    Ok(driver.and(run_these(&chosen, &modules, variable)?))
}

/// The fetched servers of the products, by name.
fn fetched(servers: &Path) -> Vec<(String, PathBuf, &'static Product)> {
    let entries = servers.read_dir().into_iter().flatten().flatten();
    let mut all: Vec<_> = entries.filter_map(|entry| server(&entry.path())).collect();
    all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    all
}

/// A folder such as `postgres-17`; a fetch that was stopped leaves one that ends in `.part`.
fn server(folder: &Path) -> Option<(String, PathBuf, &'static Product)> {
    let name = folder.file_name()?.to_str()?;
    let (product, version) = name.split_once('-')?;
    let product = PRODUCTS.iter().find(|own| own.name == product)?;
    let whole = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (whole && folder.is_dir()).then(|| (name.to_owned(), folder.to_owned(), product))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_servers_of_the_products_are_tested() -> std::io::Result<()> {
        let servers = process::root().join(format!("target/matrix-{}", std::process::id()));
        let folders =
            ["postgres-17", "postgres-16", "postgres-18.part", "mariadb-11.4", "mysql", "tcl-9.0"];
        for folder in folders {
            std::fs::create_dir_all(servers.join(folder))?;
        }
        let names: Vec<_> = fetched(&servers).into_iter().map(|(name, ..)| name).collect();
        std::fs::remove_dir_all(&servers)?;
        assert_eq!(names, ["mariadb-11.4", "postgres-16", "postgres-17"]);
        Ok(())
    }

    #[test]
    fn each_module_of_the_matrix_is_there() {
        let root = process::root();
        let folder = |program: &str| match program {
            "tests" => root.join("tests/tests"),
            workload => root.join("workloads").join(workload).join("tests"),
        };
        assert!(PROGRAMS.iter().all(|name| folder(name).join("main.rs").is_file()));
        let there = |name: &&&str| {
            PROGRAMS.iter().any(|own| folder(own).join(format!("{name}.rs")).is_file())
        };
        for product in &PRODUCTS {
            assert!(root.join(product.driver).is_dir());
            let modules = product.modules.iter().chain(&SHARED);
            let absent: Vec<_> = modules.filter(|name| !there(name)).collect();
            assert_eq!(absent, Vec::<&&str>::new());
        }
    }
}
