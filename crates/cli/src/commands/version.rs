//! The `tacho version` command.

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::Result;
use tacho_report::{Block, Table};

use super::output;
use crate::printer::Printer;

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    let version = env!("CARGO_PKG_VERSION");
    let (system, loads_libraries) = (system(), tacho_core::loads_libraries());
    let drivers = tacho_registry::drivers();
    let drivers: Vec<&str> = drivers.iter().map(|driver| driver.manifest().id).collect();
    let workloads = tacho_registry::workloads();
    let workloads: Vec<&str> = workloads.iter().map(|workload| workload.manifest().id).collect();
    if output(matches) == "json" || matches.get_flag("json") {
        let value = json!({
            "version": version,
            "system": system,
            "loads_libraries": loads_libraries,
            "drivers": drivers,
            "workloads": workloads,
        });
        printer.answer(&super::json(&value))?;
    } else {
        let statically = if loads_libraries { "" } else { ", which loads no libraries" };
        let (system, drivers) = (format!("{system}{statically}"), drivers.join(", "));
        let rows =
            [["system", &system], ["drivers", &drivers], ["workloads", &workloads.join(", ")]];
        let table = Table::words([10, 0], &rows).flush();
        printer.page([Block::table(format!("tacho {version}"), table)])?;
    }
    Ok(Exit::Success)
}

/// Returns the platform for which the program was built, such as `x86_64-linux-gnu`.
fn system() -> String {
    let parts = [std::env::consts::ARCH, std::env::consts::OS, tacho_core::c_library()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
