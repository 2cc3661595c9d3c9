//! `tacho doctor`

use clap::ArgMatches;
use tacho_app::{DoctorRequest, Exit};
use tacho_core::Result;
use tacho_core::units::parse_count;

use super::{output, request, text_options};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let asked = request::look(matches, world)?;
    let sessions = asked.resolved.is_given("sessions").then(|| asked.resolved.get("sessions"));
    let sessions = sessions.flatten().map(parse_count).transpose()?;
    let sessions = sessions.map(|sessions| sessions as u32);
    let request = DoctorRequest { sessions, target: asked.target };
    let (diagnosis, exit) = tacho_app::doctor(request, &asked.context)?;
    match output(matches) {
        "json" => printer.answer(&diagnosis.json()?)?,
        "quiet" => {}
        _ => printer.painted(&diagnosis.text(&text_options(world)))?,
    }
    Ok(exit)
}
