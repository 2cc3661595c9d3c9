//! If a server does not start because of a misspelled setting, suggests a correction from the
//! server's own list of settings.

use std::process::{Command, Stdio};

use tacho_core::{Error, similar};

use crate::{Options, Product, ServerPlace};

/// Adds a hint for each unknown setting that resembles one in the server's list.
pub(crate) fn suggest(
    error: Error,
    product: &dyn Product,
    place: &ServerPlace,
    options: &Options,
) -> Error {
    if options.settings.is_empty() {
        return error;
    }
    let Some(command) = product.settings_list(&place.installation) else { return error };
    let known = names(place, command);
    let unknown = options.settings.iter().map(|(name, _)| spelt(name));
    unknown.filter(|name| !known.contains(name)).fold(error, |error, name| {
        match similar(&name, known.iter().map(String::as_str)).as_slice() {
            [] => error,
            close => error.hint(format!("{name}: did you mean {}?", close.join(", "))),
        }
    })
}

fn names(place: &ServerPlace, mut command: Command) -> Vec<String> {
    place.adopt(&mut command);
    // If the server cannot list its settings, there are no suggestions.
    let listed = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let mut names: Vec<String> =
        listed.lines().filter_map(|line| line.split_whitespace().next()).map(spelt).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Normalizes a name, because servers ignore case and treat dashes as underscores.
fn spelt(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
