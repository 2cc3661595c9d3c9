//! The `tacho doctor` command.

use clap::ArgMatches;
use tacho_app::{DoctorRequest, Exit};
use tacho_core::Result;
use tacho_report::Text;

use super::{print_result, request};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let asked = request::look(matches, world)?;
    let resolved = &asked.resolved;
    let sessions = resolved.is_given("sessions").then_some(resolved.plan.load.sessions);
    let request = DoctorRequest { sessions, target: asked.target };
    let (diagnosis, exit) = tacho_app::doctor(request, &asked.context)?;
    print_result(&diagnosis, matches, printer, Text::text)?;
    Ok(exit)
}
