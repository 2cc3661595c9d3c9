//! What `-h` leaves out, and the commands as a list.

use std::fmt::Write;

use clap::Command;
use tacho_config::setting;

/// What `-h` points to.
const MORE: &str = "--help prints all options, with examples";

/// The command without rare options and without what stands below them.
pub(super) fn shortened(command: Command) -> Command {
    let has_more = command.get_after_help().is_some();
    let command = command.mut_subcommands(shortened).mut_args(|arg| {
        let id = arg.get_id().as_str();
        let rare = id == "allow" || setting(id).is_some_and(|setting| setting.rare);
        arg.hide(rare)
    });
    if has_more { command.after_help(MORE) } else { command }
}

/// The commands below a heading, one a line.
pub(super) fn list(heading: &str, commands: &[Command]) -> String {
    let mut out = format!("{heading}:\n");
    for command in commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        // What follows the first sentence is for the page of the command itself.
        let about = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
        // A string takes whatever is written.
        let _ = writeln!(out, "  {:<12} {about}", command.get_name());
    }
    out.push('\n');
    out
}
