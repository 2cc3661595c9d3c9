//! Progress on standard error: bars for a terminal, lines for a log, JSON for a program.

mod build;
mod json;
mod plain;

use tacho_app::{Progress, Silent};

use crate::world::World;

/// The progress of this form; `auto` is plain on a terminal and in logs, none for nobody.
pub(crate) fn progress(form: &str, headline: Option<&str>, world: &World) -> Box<dyn Progress> {
    match form {
        "none" => Box::new(Silent),
        "json" => Box::new(json::Json),
        _ => Box::new(plain::Plain::new(headline, world)),
    }
}
