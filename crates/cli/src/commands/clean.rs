//! The `tacho clean` command.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::ArgMatches;
use tacho_app::{Exit, Request};
use tacho_core::{Error, Result};
use tacho_engine::Interrupt;

use super::{output, request, text};
use crate::printer::Printer;
use crate::progress::progress;
use crate::world::World;

/// Interval between checks for a signal while waiting for the user's answer.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let (job, context) = request::job_with(&["workload", "target"], matches, world)?;
    let plans = tacho_app::plan_clean(Request::new(&job, &context))?;
    let Some((plan, marker)) = plans.first().and_then(|plan| Some((plan, plan.marker.as_ref()?)))
    else {
        printer.answer(&format!("{} contains no Tacho data; nothing to do", job.target_text))?;
        return Ok(Exit::Success);
    };
    plans.iter().try_for_each(|plan| plan.require_possible(&job.target_text))?;
    if let Some(why) = plan.weak {
        printer
            .tell(&format!("note: {why}, so the tables can be recognized only by their columns"));
    }
    match &plan.kept_routines[..] {
        [] => {}
        [name] => printer
            .tell(&format!("note: routine {name} is kept, because Tacho may not have created it")),
        names => printer.tell(&format!(
            "note: routines {} are kept, because Tacho may not have created them",
            names.join(", ")
        )),
    }
    let sets = match plans.len() {
        1 => String::new(),
        sets => format!(", in {sets} sets"),
    };
    if !matches.get_flag("yes") {
        printer.tell(&format!(
            "{} contains {} at scale {}. This removes: {}{}",
            job.target_text,
            marker.workload,
            tacho_app::scale_text(marker),
            plan.all(),
            sets
        ));
        if !confirmed(world, printer)? {
            printer.answer("nothing was removed")?;
            return Ok(Exit::Success);
        }
    }
    let mut progress = progress(text(matches, "progress").unwrap_or("auto"), None, world);
    for plan in &plans {
        tacho_app::clean(Request::new(&job, &context), plan, progress.as_mut())?;
    }
    if output(matches) != "quiet" {
        printer.answer(&format!("✓ Removed {}{sets} from {}", plan.all(), job.target_text))?;
    }
    Ok(Exit::Success)
}

fn confirmed(world: &World, printer: &Printer) -> Result<bool> {
    if !world.terminal_in {
        return Err(Error::usage("cannot ask for confirmation: standard input is not a terminal")
            .hint("use --yes to skip the confirmation"));
    }
    printer.tell("Type yes to continue:");
    let answer = answer(world)?;
    Ok(answer.trim() == "yes")
}

/// Returns the line that the user typed, or an error if the user interrupted the command.
pub(super) fn answer(world: &World) -> Result<String> {
    let (say, said) = channel();
    std::thread::spawn(move || {
        let read = tacho_core::file::typed_line(tacho_core::file::SMALL_MAX);
        // Sending fails only if the user has interrupted the command. In this case, the answer is no longer needed.
        let _ = say.send(read.map(Option::unwrap_or_default));
    });
    loop {
        match said.recv_timeout(LOOK) {
            Ok(answer) => return Ok(String::from_utf8_lossy(&answer?).into_owned()),
            Err(RecvTimeoutError::Timeout) if world.interrupt.interrupt_count() == 0 => {}
            Err(_) => return Err(Interrupt::error()),
        }
    }
}
