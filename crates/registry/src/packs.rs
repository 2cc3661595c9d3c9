//! Packs, which are drivers described by folders and based on built-in drivers.
//!
//! Start reading at [`read`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Driver, Section, StatementId, Target, parse_sections};
use tacho_pack::{FILE, Pack};
use tacho_workload::Workload;

use crate::{driver, drivers, workload, workloads};

/// Reads the packs in these folders. Checks that the drivers and workloads they name exist.
pub(crate) fn read(folders: &[String]) -> Result<Vec<Arc<Pack>>> {
    let mut known: Vec<Arc<Pack>> = Vec::new();
    for folder in folders {
        let pack = Arc::new(Pack::read(Path::new(folder))?);
        let id = pack.manifest.id;
        let file = pack.folder.join(FILE);
        if let Some(other) = known.iter().find(|other| other.manifest.id == id) {
            if other.folder == pack.folder {
                continue;
            }
            let text =
                format!("{} and {} have the same name", other.folder.display(), file.display());
            return Err(Error::usage(text).hint("give one of them another name"));
        }
        if driver(id).is_ok() {
            let text = format!("{}: {id} is the name of a driver", file.display());
            return Err(Error::usage(text).hint("give the pack another name"));
        }
        let driver = pack.over(base(&pack)?);
        for (name, path, text) in &pack.overlays {
            check(name, text, driver.as_ref(), path)?;
        }
        known.push(pack);
    }
    Ok(known)
}

/// Returns the base driver of a pack.
pub(crate) fn base(pack: &Pack) -> Result<Arc<dyn Driver>> {
    driver(pack.base).map_err(|_| {
        let drivers = drivers();
        let ids = drivers.iter().map(|driver| driver.manifest().id);
        let file = pack.folder.join(FILE);
        Error::usage(format!("{}: the base \"{}\" is not a driver", file.display(), pack.base))
            .did_you_mean(pack.base, ids)
            .hint("to list all drivers, use tacho list drivers")
    })
}

/// Returns an error if a pack's file belongs to an unknown workload, or contains a section that the
/// workload does not have.
fn check(name: &str, text: &str, driver: &dyn Driver, path: &Path) -> Result<()> {
    let Ok(workload) = workload(name) else {
        let known = workloads();
        let text = format!("{}: \"{name}\" is not a workload", path.display());
        return Err(
            Error::usage(text).did_you_mean(name, known.iter().map(|known| known.manifest().id))
        );
    };
    let wrong =
        |error: Error| Error::usage(error.message()).during(format!("use {}", path.display()));
    let sections = parse_sections(text).map_err(|error| {
        wrong(error).hint("write a header as -- name: NAME(a int) -> (b text, c decimal(2))")
    })?;
    let names = names(workload.as_ref(), driver).map_err(|error| {
        wrong(error).hint(format!(
            "to print the base's statements, use tacho describe {name} --sql {}",
            driver.manifest().id
        ))
    })?;
    let unknown = |section: &&Section| !names.contains(&section.name);
    if let Some(section) = sections.iter().find(unknown) {
        let line = text.lines().position(|line| line.contains(&format!(" {}(", section.name)));
        let line = line.map_or(1, |line| line + 1);
        let text = format!("{}:{line}: {name} has no statement {}", path.display(), section.name);
        return Err(
            Error::usage(text).did_you_mean(&section.name, names.iter().map(String::as_str))
        );
    }
    if sections.is_empty() {
        let error = Error::new(ErrorKind::Usage, format!("{}: no statement", path.display()));
        return Err(error
            .hint("each statement must follow a line such as -- name: NAME(a int) -> (b text)"));
    }
    Ok(())
}

/// Returns the names of the statements that a workload has on every database.
fn names(workload: &dyn Workload, driver: &dyn Driver) -> Result<Vec<String>> {
    let catalog = workload.catalog(driver.dialect())?;
    let named = (0..catalog.statements().len()).map(|number| StatementId(number as u16));
    let named = named.filter(|id| !catalog.follows(*id));
    Ok(named.map(|id| catalog.get(id).name.clone()).collect())
}

/// The description of a pack, for use in listings.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The pack's folder.
    pub folder: PathBuf,
    /// The pack's base driver.
    pub base: &'static str,
    /// The pack's changes, as lines of text.
    pub changes: Vec<String>,
}

impl Listed {
    pub(crate) fn of(pack: &Pack) -> Self {
        Self { folder: pack.folder.clone(), base: pack.base, changes: pack.changes() }
    }
}

/// Returns an error if none of the specified packs applies to the target.
pub fn require_use(target: &Target, folders: &[String]) -> Result<()> {
    let packs = read(folders)?;
    let Ok(driver) = driver(&target.scheme) else { return Ok(()) };
    let id = driver.manifest().id;
    let is_over = |pack: &&Arc<Pack>| base(pack).is_ok_and(|base| base.manifest().id == id);
    let over = packs.iter().find(is_over);
    let Some(pack) = over else { return Ok(()) };
    let (id, scheme) = (pack.manifest.id, &target.scheme);
    Err(Error::usage(format!("pack {id} is not used because the target starts with {scheme}:"))
        .hint(format!("write the target as {id}:..., or omit --pack")))
}
