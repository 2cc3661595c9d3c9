//! THE list of drivers and workloads: one line each, and the only crate that names them.
//!
//! Taking a line out here takes the database or the workload out of the binary, the help and the
//! docs.

mod packs;
mod protocols;

use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Result, nearest};
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

/// A target as an example, for hints.
pub const TARGET_EXAMPLE: &str = "sqlite:bench.db";

/// All drivers.
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

/// All databases of which `tacho up` starts private servers, and the NATS server of runs over many hosts.
pub fn servers() -> Products {
    vec![
        &tacho_driver_postgres::PrivateServer,
        &tacho_driver_mysql::MARIADB,
        &tacho_driver_mysql::MYSQL,
        &tacho_cluster::NATS,
    ]
}

/// All workloads; the first is the default.
pub fn workloads() -> Vec<Arc<dyn Workload>> {
    vec![
        tacho_workload_tprocc::workload().into(),
        tacho_workload_tpcb::workload().into(),
        tacho_workload_tproch::workload().into(),
        tacho_workload_chbench::workload().into(),
        tacho_workload_oltp::workload().into(),
    ]
}

/// The target when none is given: a file of its own in `folder` for this workload and this data,
/// such as `tprocc-1-spec`. It needs no server, so `run` prepares it by itself.
pub fn embedded_target(folder: &Path, data: &str) -> Target {
    let file = folder.join(format!("{data}.db"));
    Target { scheme: "sqlite".into(), place: file.display().to_string(), options: Vec::new() }
}

/// The target that answers at once: what is left of a run on it is our own cost.
pub fn idle_target() -> Target {
    Target { scheme: "noop".into(), place: String::new(), options: Vec::new() }
}

/// How a target is written, as a hint.
pub fn target_hint() -> String {
    format!("a target is written driver:place, such as {TARGET_EXAMPLE}, or named in tacho.toml")
}

/// The driver of a target's scheme; an unknown one is a usage error that names the nearest.
pub fn driver(scheme: &str) -> Result<Arc<dyn Driver>> {
    let known = drivers();
    let answers = |driver: &&Arc<dyn Driver>| {
        let manifest = driver.manifest();
        manifest.id == scheme || manifest.schemes.contains(&scheme)
    };
    known.iter().find(answers).cloned().ok_or_else(|| {
        let close = nearest(scheme, known.iter().map(|driver| driver.manifest().id)).join(", ");
        Error::usage(format!("unknown target or driver \"{scheme}\""))
            .hint(format!("did you mean {close}?"))
            .hint(
                "a target is written driver:place, such as sqlite:bench.db, or named in tacho.toml",
            )
    })
}

/// The packs in these folders: their drivers, and what they are.
pub fn packs(folders: &[String]) -> Result<Vec<(Arc<dyn Driver>, Listed)>> {
    let packs = packs::read(folders)?;
    packs.iter().map(|pack| Ok((pack.over(packs::base(pack)?), Listed::of(pack)))).collect()
}

/// The driver of a scheme, which may be the name of a pack in one of these folders.
pub fn driver_in(scheme: &str, folders: &[String]) -> Result<Arc<dyn Driver>> {
    let packs = packs(folders)?;
    let own = packs.iter().map(|(driver, _)| driver);
    let found = own.clone().find(|driver| driver.manifest().id == scheme);
    found.cloned().map_or_else(
        || {
            driver(scheme).map_err(|error| {
                let names: Vec<&str> = own.map(|driver| driver.manifest().id).collect();
                match names.as_slice() {
                    [] => error,
                    names => error.hint(format!("known packs: {}", names.join(", "))),
                }
            })
        },
        Ok,
    )
}

/// The driver of a target. A data source is asked what it is, if the target does not say so, for its dialect
/// is that of another driver. The target may be of a pack in one of these folders.
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

/// The part of a target that loads code or starts a program; `None` if there is none. The target may be of a pack in
/// one of these folders, which is read. Nothing is loaded or connected.
pub fn code_in(target: &Target, folders: &[String]) -> Option<String> {
    if let Ok(own) = driver(&target.scheme) {
        return own.code(target);
    }
    let packs = packs(folders).ok()?;
    let pack = packs.iter().find(|(own, _)| own.manifest().id == target.scheme);
    pack.and_then(|(own, _)| own.code(target))
}

/// The workload that a record, or the marker of loaded data, names. A name from there is never a path, so only built-in
/// workloads are found.
///
/// # Errors
/// Returns a usage error if there is no such workload.
pub fn recorded_workload(id: &str) -> Result<Arc<dyn Workload>> {
    built_in_workload(id).ok_or_else(|| Error::usage(format!("unknown workload \"{id}\"")))
}

/// The built-in workload of this name; nothing on the disk is looked at.
pub fn built_in_workload(id: &str) -> Option<Arc<dyn Workload>> {
    workloads().into_iter().find(|workload| workload.manifest().id == id)
}

/// Words in values of settings that hide nothing, of all drivers.
pub fn plain_words() -> Vec<&'static str> {
    drivers().iter().flat_map(|driver| driver.manifest().plain_words.split_whitespace()).collect()
}

/// The workloads that are named with a file, such as `pgbench:FILE`, by the names before the colon. They can be described
/// and not be run.
pub fn families() -> [Arc<dyn Workload>; 2] {
    [pgbench_family(), replay_family()]
}

/// The error for the name of a family without a file; `None` if no family has this name.
pub fn without_file(id: &str) -> Option<Error> {
    families().iter().find(|family| family.manifest().id == id)?;
    let error = Error::usage(format!("no file is given for the workload {id}"));
    Some(error.hint(format!("name a file: {id}:FILE; tacho describe {id} explains it")))
}

/// The workload of this name or folder; an unknown one is a usage error that names the nearest.
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
    let close = nearest(id, known.iter().map(|workload| workload.manifest().id)).join(", ");
    Err(Error::usage(format!("unknown workload \"{id}\""))
        .hint(format!("did you mean {close}?"))
        .hint(format!("a folder with a file {WORKLOAD_FILE} is a workload too")))
}

/// Whether a word names files of a workload: a folder that exists, what can only be meant as a path, or scripts.
pub fn is_workload_folder(word: &str) -> bool {
    word.starts_with(PGBENCH)
        || word.starts_with(REPLAY)
        || word.starts_with('.')
        || word.contains(['/', '\\'])
        || Path::new(word).join(WORKLOAD_FILE).is_file()
}

/// The workload of a folder.
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
    fn unknown_names_are_told_with_the_nearest() {
        let error = workload("tpcc").err().expect("unknown");
        assert!(error.hints()[0].contains("tprocc"), "{error:?}");
        let error = driver("sqlit").err().expect("unknown");
        assert!(error.hints()[0].contains("sqlite"), "{error:?}");
    }
}
