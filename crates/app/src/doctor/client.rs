//! Findings about this program: its drivers, and the libraries that some of them load at run time.

use tacho_analysis::Finding;
use tacho_driver::Manifest;

use crate::Job;

/// Returns a finding for each driver, including a driver that the target loads from a driver pack. If a driver's
/// library is missing, this is a problem only if the target needs the driver.
pub(super) fn client(job: Option<&Job>) -> Vec<Finding> {
    let drivers = tacho_registry::drivers();
    let line = |driver: &std::sync::Arc<dyn tacho_driver::Driver>| {
        let manifest = driver.manifest();
        let wanted = job.filter(|job| job.driver.manifest().id == manifest.id);
        match driver.library(wanted.map(|job| &job.target)) {
            Ok(None) => Finding::good(manifest.id, format!("built in, {}", manifest.title)),
            Ok(Some(found)) => Finding::good(manifest.id, format!("{}, {found}", manifest.title)),
            Err(error) if wanted.is_some() => Finding::failed(manifest.id, &error),
            Err(_) => Finding::absent(manifest.id, unneeded(manifest)),
        }
    };
    let mut lines: Vec<Finding> = drivers.iter().map(line).collect();
    if !tacho_core::loads_libraries() {
        lines.push(Finding::absent("libraries", STATIC));
    }
    if let Some(job) = job.filter(|job| !job.packs().is_empty()) {
        let manifest = job.driver.manifest();
        let text = format!("pack in {}, {}", job.packs().join(", "), manifest.title);
        lines.push(match job.driver.library(Some(&job.target)) {
            Ok(None) => Finding::good(manifest.id, text),
            Ok(Some(found)) => Finding::good(manifest.id, format!("{text}, {found}")),
            Err(error) => Finding::failed(manifest.id, &error),
        });
    }
    lines
}

fn unneeded(manifest: &Manifest) -> String {
    let Manifest { id, title, .. } = manifest;
    format!(
        "{title}: library not found (needed only for targets that use this driver); see tacho describe {id}"
    )
}

/// The message for builds of Tacho that do not support loading libraries at run time.
const STATIC: &str = "this program is statically linked and cannot load libraries, so HammerDB \
    scripts in Tcl and drivers that need a client library are not available; with glibc 2.17 or \
    newer, use the gnu build";
