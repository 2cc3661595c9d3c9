//! This program: its drivers, and the libraries that some of them find at run time.

use tacho_analysis::Finding;
use tacho_core::{Error, ErrorKind};

use crate::Job;

/// A line for each driver, and one for the pack of the target. A library that is missing is a problem only for a target that needs it.
pub(super) fn client(job: Option<&Job>) -> Vec<Finding> {
    let drivers = tacho_registry::drivers();
    let line = |driver: &std::sync::Arc<dyn tacho_driver::Driver>| {
        let manifest = driver.manifest();
        let wanted = job.filter(|job| job.driver.manifest().id == manifest.id);
        match driver.library(wanted.map(|job| &job.target)) {
            Ok(None) => Finding::good(manifest.id, format!("built in, {}", manifest.title)),
            Ok(Some(found)) => Finding::good(manifest.id, format!("{}, {found}", manifest.title)),
            Err(error) if wanted.is_some() => Finding::failed(manifest.id, &error),
            Err(error) => Finding::warned(manifest.id, &error),
        }
    };
    let mut lines: Vec<Finding> = drivers.iter().map(line).collect();
    if !tacho_core::loads_libraries() {
        lines.push(Finding::warned("libraries", &static_program()));
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

fn static_program() -> Error {
    let text = "this program is static and loads no libraries: no Tcl for HammerDB scripts, and no driver that \
                needs a client library";
    Error::new(ErrorKind::Unsupported, text)
        .hint("on a system with glibc 2.17 or newer, install the program that is built for gnu")
}
