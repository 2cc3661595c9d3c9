//! The list of all drivers and all workloads. No other crate refers to a driver or a workload by
//! name.
//!
//! To exclude a driver or workload from the binary, the help and the documentation, remove its line from this list.

mod packs;
mod protocols;

use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Result};
use tacho_driver::lexer::Syntax;
use tacho_driver::{Driver, Target};
use tacho_servers::Products;
use tacho_workload::Workload;

pub use packs::{Listed, require_use};
pub use protocols::other_protocol;
pub use tacho_workload_script::{
    FILE as WORKLOAD_FILE, PGBENCH, REPLAY, SCHEMA as WORKLOAD_SCHEMA,
    functions as workload_functions, pgbench, pgbench_family, replay, replay_family,
    template as workload_template,
};

/// An example of a target, used in hints.
pub const TARGET_EXAMPLE: &str = "sqlite:bench.db";

/// Returns all drivers.
pub fn drivers() -> Vec<Arc<dyn Driver>> {
    vec![
        tacho_driver_sqlite::driver().into(),
        tacho_driver_postgres::driver().into(),
        tacho_driver_mysql::driver().into(),
        tacho_driver_sqlserver::driver().into(),
        tacho_driver_duckdb::driver().into(),
        tacho_driver_odbc::driver().into(),
        tacho_driver_db2::driver().into(),
        tacho_driver_oracle::driver().into(),
        tacho_driver_timesten::driver().into(),
        tacho_driver_noop::driver().into(),
        tacho_driver_print::driver().into(),
        tacho_driver_sim::driver().into(),
    ]
}

/// Returns the products that `tacho up` can start, including NATS for runs on several hosts.
pub fn servers() -> Products {
    vec![
        &tacho_driver_postgres::PrivateServer,
        &tacho_driver_mysql::MARIADB,
        &tacho_driver_mysql::MYSQL,
        &tacho_cluster::NATS,
    ]
}

/// Returns all workloads. The first one is the default.
pub fn workloads() -> Vec<Arc<dyn Workload>> {
    vec![
        tacho_workload_tprocc::workload().into(),
        tacho_workload_tpcb::workload().into(),
        tacho_workload_tproch::workload().into(),
        tacho_workload_chbench::workload().into(),
        tacho_workload_oltp::workload().into(),
        tacho_workload_append::workload().into(),
    ]
}

/// Returns the default target, which needs no server. It is a database file in `folder`, named after the loaded data,
/// such as `tprocc-1-spec`.
pub fn embedded_target(folder: &Path, data: &str) -> Target {
    let file = folder.join(format!("{data}.db"));
    Target { scheme: "sqlite".into(), place: file.display().to_string(), options: Vec::new() }
}

/// Returns a target that responds immediately, so that a run measures only Tacho's own overhead.
pub fn idle_target() -> Target {
    Target { scheme: "noop".into(), place: String::new(), options: Vec::new() }
}

/// Returns a hint that shows how a target is written.
pub fn target_hint() -> String {
    format!(
        "write a target as driver:place, such as {TARGET_EXAMPLE}, or use a name from tacho.toml"
    )
}

/// Returns the driver for a scheme. For an unknown scheme, the usage error suggests the closest one.
pub fn driver(scheme: &str) -> Result<Arc<dyn Driver>> {
    let known = drivers();
    let answers = |driver: &&Arc<dyn Driver>| {
        let manifest = driver.manifest();
        manifest.id == scheme || manifest.schemes.contains(&scheme)
    };
    known.iter().find(answers).cloned().ok_or_else(|| {
        Error::usage(format!("unknown target or driver \"{scheme}\""))
            .did_you_mean(scheme, known.iter().map(|driver| driver.manifest().id))
            .hint(
                "write a target as driver:place, such as sqlite:bench.db, or use a name from tacho.toml",
            )
    })
}

/// Returns the drivers and the descriptions of the packs in these folders.
pub fn packs(folders: &[String]) -> Result<Vec<(Arc<dyn Driver>, Listed)>> {
    let packs = packs::read(folders)?;
    packs.iter().map(|pack| Ok((pack.over(packs::base(pack)?), Listed::of(pack)))).collect()
}

/// Returns the driver for a scheme, which may be a pack in one of these folders.
pub fn driver_in(scheme: &str, folders: &[String]) -> Result<Arc<dyn Driver>> {
    let packs = packs(folders)?;
    let drivers = packs.iter().map(|(driver, _)| driver);
    let found = drivers.clone().find(|driver| driver.manifest().id == scheme);
    found.cloned().map_or_else(
        || {
            driver(scheme).map_err(|error| {
                let names: Vec<&str> = drivers.map(|driver| driver.manifest().id).collect();
                match names.as_slice() {
                    [] => error,
                    names => error.hint(format!("known packs: {}", names.join(", "))),
                }
            })
        },
        Ok,
    )
}

/// Returns the driver for a target. It may be a pack in one of these folders. If the target is an ODBC data source, the
/// driver uses the SQL dialect of the database product that the data source connects to.
pub fn driver_of(target: &Target, folders: &[String]) -> Result<Arc<dyn Driver>> {
    let packs = packs::read(folders)?;
    if let Some(pack) = packs.iter().find(|pack| pack.manifest.id == target.scheme) {
        let inner = Target { scheme: pack.base.to_owned(), ..target.clone() };
        return Ok(pack.over(built_in(&inner)?));
    }
    if packs.is_empty() {
        built_in(target)
    } else {
        driver_in(&target.scheme, folders)?;
        built_in(target)
    }
}

fn built_in(target: &Target) -> Result<Arc<dyn Driver>> {
    if tacho_driver_odbc::serves(target) {
        return tacho_driver_odbc::over(target, &drivers());
    }
    driver(&target.scheme)
}

/// Returns the option of the target that loads code or starts a program, if there is one. To find it, packs are read
/// but no code is loaded.
pub fn code_in(target: &Target, folders: &[String]) -> Option<String> {
    if let Ok(known) = driver(&target.scheme) {
        return known.code(target);
    }
    let packs = packs(folders).ok()?;
    let pack = packs.iter().find(|(driver, _)| driver.manifest().id == target.scheme);
    pack.and_then(|(driver, _)| driver.code(target))
}

/// Returns true if a server setting with this name can load code or start a program on the server of any driver, or if
/// the name is not a plain one, such as the name of an extension's setting.
pub fn runs_code(setting: &str) -> bool {
    // Servers ignore case and the spaces around a name, and some accept `-` or a space in place of `_`.
    let name = setting.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_()".contains(c);
    !name.chars().all(is_plain) || drivers().iter().any(|driver| driver.runs_code(&name))
}

/// Returns the built-in workload with the name that is stored in a run record or in a database. The name is never used
/// as a path.
///
/// # Errors
/// Returns a usage error if there is no built-in workload with this name.
pub fn recorded_workload(id: &str) -> Result<Arc<dyn Workload>> {
    built_in_workload(id).ok_or_else(|| Error::usage(format!("unknown workload \"{id}\"")))
}

/// Returns the built-in workload with this name, without accessing the disk.
pub fn built_in_workload(id: &str) -> Option<Arc<dyn Workload>> {
    workloads().into_iter().find(|workload| workload.manifest().id == id)
}

/// Returns the words that redacted reports may show in settings. Each driver contributes its own words.
pub fn plain_words() -> Vec<&'static str> {
    drivers().iter().flat_map(|driver| driver.manifest().plain_words.split_whitespace()).collect()
}

/// Returns the workloads that need a file, such as `pgbench:FILE`. Without the file, Tacho can describe them, but
/// cannot run them.
pub fn families() -> [Arc<dyn Workload>; 2] {
    [pgbench_family(), replay_family()]
}

/// Returns the error for a workload, such as `pgbench`, that was specified without the file that it needs.
pub fn without_file(id: &str) -> Option<Error> {
    families().iter().find(|family| family.manifest().id == id)?;
    let error = Error::usage(format!("no file was specified for workload {id}"));
    Some(error.hint(format!("specify a file: {id}:FILE; see tacho describe {id}")))
}

/// Returns the workload with this name or in this folder. If the workload is unknown, the error suggests the closest
/// one.
pub fn workload(id: &str) -> Result<Arc<dyn Workload>> {
    let known = workloads();
    if let Some(found) = known.iter().find(|workload| workload.manifest().id == id) {
        return Ok(Arc::clone(found));
    }
    if id.starts_with(PGBENCH) {
        return pgbench(id);
    }
    if id.starts_with(REPLAY) {
        return replay(id);
    }
    if is_workload_folder(id) {
        return folder(Path::new(id), &known);
    }
    if let Some(error) = without_file(id) {
        return Err(error);
    }
    Err(Error::usage(format!("unknown workload \"{id}\""))
        .did_you_mean(id, known.iter().map(|workload| workload.manifest().id))
        .hint(format!("a folder that contains a {WORKLOAD_FILE} file is also a workload")))
}

/// Returns true if a word is an existing folder, a script, or clearly a path.
pub fn is_workload_folder(word: &str) -> bool {
    word.starts_with(PGBENCH)
        || word.starts_with(REPLAY)
        || word.starts_with('.')
        || word.contains(['/', '\\'])
        || Path::new(word).join(WORKLOAD_FILE).is_file()
}

/// Reads the workload in a folder.
fn folder(path: &Path, known: &[Arc<dyn Workload>]) -> Result<Arc<dyn Workload>> {
    let drivers = drivers();
    let rules = drivers.iter().map(|driver| (driver.dialect().id(), driver.dialect().syntax()));
    let mut dialects: Vec<(&str, Syntax)> = rules.collect();
    dialects.dedup();
    let workload = tacho_workload_script::read(path, &dialects)?;
    let id = workload.manifest().id;
    if known.iter().any(|known| known.manifest().id == id) {
        let file = path.join(WORKLOAD_FILE);
        return Err(Error::usage(format!(
            "{}: {id} is the name of a built-in workload",
            file.display()
        ))
        .hint("give the workload another name"));
    }
    Ok(workload)
}

#[cfg(test)]
mod tests {
    use tacho_servers::product;

    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let mut names: Vec<&str> = Vec::new();
        for driver in drivers() {
            names.push(driver.manifest().id);
            names.extend(driver.manifest().schemes);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| driver(name).is_ok()));
    }

    #[test]
    fn private_servers_are_found_by_name() {
        let products = servers();
        assert!(products.iter().all(|known| product(&products, known.id()).is_ok()));
        let Err(error) = product(&products, "mariadbd") else { panic!("there is no such product") };
        assert!(error.hints()[0].contains("mariadb"), "{:?}", error.hints());
    }

    #[test]
    fn unknown_names_are_reported_with_the_nearest() {
        let error = workload("tpcc").err().expect("unknown");
        assert!(error.hints()[0].contains("tprocc"), "{error:?}");
        let error = driver("sqlit").err().expect("unknown");
        assert!(error.hints()[0].contains("sqlite"), "{error:?}");
    }
}
