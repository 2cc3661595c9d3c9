//! Suggests commands for a misspelt command. For `rnu`, the argument parser itself would suggest `runs` but not `run`.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use tacho_core::similar;

use super::command;

/// Replaces the parser's suggestions for an unknown command with the most similar commands.
pub(crate) fn suggest(error: &mut Error) {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let (Some(ContextValue::String(word)), suggested) =
        (error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::SuggestedSubcommand))
    else {
        return;
    };
    let tree = command();
    let names: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
    // If the parser suggested something other than a top-level command, the misspelt word is a sub-command.
    let is_first_level = match suggested {
        Some(ContextValue::Strings(all)) => all.iter().all(|name| names.contains(&name.as_str())),
        Some(ContextValue::String(name)) => names.contains(&name.as_str()),
        _ => false,
    };
    let found = similar(word, names.iter().copied());
    if is_first_level && !found.is_empty() {
        let found = found.into_iter().map(str::to_owned).collect();
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(line: &str) -> String {
        let parsed = command().try_get_matches_from(line.split(' '));
        let mut error = parsed.expect_err("unknown");
        suggest(&mut error);
        error.get(ContextKind::SuggestedSubcommand).map_or_else(String::new, ToString::to_string)
    }

    #[test]
    fn misspelt_commands_get_the_nearest_as_a_hint() {
        let table = [
            ("tacho rnu", "run"),
            ("tacho rusn", "run, runs"),
            ("tacho prepair", "prepare"),
            ("tacho claen", "clean"),
            ("tacho config shwo", "show"),
            ("tacho frobnicate", ""),
        ];
        for (line, expected) in table {
            assert_eq!(suggested(line), expected, "{line}");
        }
    }
}
