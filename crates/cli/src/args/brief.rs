//! The short help printed by `-h`, and the list of commands.

use std::fmt::Write;

use clap::Command;
use tacho_config::setting;

/// The sentence in the short help that refers to the full help.
const MORE: &str = "--help prints all options, with examples";

/// Shortens the help of a command: hides rarely used options and replaces the text after the options.
pub(super) fn shortened(command: Command) -> Command {
    let has_more = command.get_after_help().is_some();
    let command = command.mut_subcommands(shortened).mut_args(|arg| {
        let id = arg.get_id().as_str();
        let rare = id == "allow" || setting(id).is_some_and(|setting| setting.rare);
        arg.hide(rare)
    });
    if has_more { command.after_help(MORE) } else { command }
}

/// Returns a list of commands under a heading, one per line.
pub(super) fn list(heading: &str, commands: &[Command]) -> String {
    let mut out = format!("{heading}:\n");
    for command in commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        // The list of commands shows only the first sentence of each description. The other sentences appear in the
        // help of the command.
        let about = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {:<12} {about}", command.get_name());
    }
    out.push('\n');
    out
}
