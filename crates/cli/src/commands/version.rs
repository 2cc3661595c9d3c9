//! `tacho version`

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::Result;

use super::output;
use crate::printer::Printer;

pub(super) fn call(matches: &ArgMatches, printer: &Printer) -> Result<Exit> {
    let version = env!("CARGO_PKG_VERSION");
    let drivers = tacho_registry::drivers();
    let drivers: Vec<&str> = drivers.iter().map(|driver| driver.manifest().id).collect();
    let workloads = tacho_registry::workloads();
    let workloads: Vec<&str> = workloads.iter().map(|workload| workload.manifest().id).collect();
    if output(matches) == "json" {
        let value = json!({ "version": version, "drivers": drivers, "workloads": workloads });
        printer.answer(&super::json(&value))?;
    } else {
        printer.answer(&format!(
            "tacho {version}\ndrivers    {}\nworkloads  {}",
            drivers.join(", "),
            workloads.join(", ")
        ))?;
    }
    Ok(Exit::Success)
}
