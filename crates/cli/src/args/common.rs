//! Arguments shared by several commands. The flags for settings are generated from a table in `tacho_config`.

use clap::builder::{PossibleValuesParser, StyledStr, ValueHint};
use clap::{Arg, ArgAction};
use tacho_config::{Command, Setting};
use tacho_core::ParameterKind;

/// Creates a positional argument.
pub(super) fn position(
    id: &'static str,
    value_name: &'static str,
    help: impl Into<StyledStr>,
) -> Arg {
    Arg::new(id).value_name(value_name).help(help.into())
}

/// Creates an option that takes no value.
pub(super) fn switch(id: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(id.replace('_', "-")).action(ArgAction::SetTrue).help(help)
}

/// Creates an option that takes a value.
pub(super) fn value(id: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    position(id, value_name, help).long(id.replace('_', "-"))
}

/// Creates an option that takes a file name.
pub(super) fn file(id: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    value(id, value_name, help).value_hint(ValueHint::FilePath)
}

/// Creates an option that takes a folder name.
pub(super) fn folder(id: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    value(id, value_name, help).value_hint(ValueHint::DirPath)
}

pub(super) fn workload(help: &'static str) -> Arg {
    Arg::new("workload_name").value_name("WORKLOAD").help(help)
}

pub(super) fn target() -> Arg {
    Arg::new("target_name")
        .value_name("TARGET")
        .help("Database: driver:place, or a name defined in tacho.toml or by tacho up")
}

pub(super) fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json", "quiet"]))
        .default_value("text")
        .help("Format of standard output")
}

pub(super) fn progress() -> Arg {
    Arg::new("progress")
        .long("progress")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["auto", "plain", "json", "none"]))
        .default_value("auto")
        .help("Progress output format on standard error")
}

/// Creates the progress option for a command that measures. Such a command also has a live view.
pub(super) fn live_progress() -> Arg {
    progress()
        .value_parser(PossibleValuesParser::new(["auto", "plain", "tui", "json", "none"]))
        .help(
            "Progress output format on standard error; auto selects tui, a live view, on a terminal \
             of at least 80 × 24, and plain lines elsewhere",
        )
}

pub(super) fn export() -> Arg {
    Arg::new("export")
        .long("export")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_hint(ValueHint::FilePath)
        .help("Also write the result to a file (created before the run); its extension selects the format: .json .txt .html .md .csv .xml")
}

/// Returns a flag for each of a command's settings.
pub(super) fn flags(command: Command) -> impl Iterator<Item = Arg> {
    command.settings().map(flag)
}

/// Returns the flags for those options of a command that are not settings. HTTP requests may contain these options
/// too.
pub(super) fn options(command: Command) -> impl Iterator<Item = Arg> {
    command.options().map(option)
}

fn option(setting: &Setting) -> Arg {
    let parameter = setting.parameter;
    let arg = plain(setting).hide_short_help(setting.rare);
    match parameter.kind {
        ParameterKind::Switch => arg.action(ArgAction::SetTrue),
        ParameterKind::Count { min, max } => {
            let max = u32::try_from(max).unwrap_or(u32::MAX);
            arg.value_parser(clap::value_parser!(u32).range(min as i64..=max.into()))
        }
        ParameterKind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        _ => arg,
    }
    .help(format!("{}{}", parameter.help, default(setting)))
}

pub(super) fn flag(setting: &Setting) -> Arg {
    let parameter = setting.parameter;
    let allowed = match parameter.kind {
        ParameterKind::Choice(words) => format!(" [{}]", words.join(", ")),
        _ => String::new(),
    };
    plain(setting).help_heading(setting.group).allow_hyphen_values(true).help(format!(
        "{}{allowed}{}",
        parameter.help,
        default(setting)
    ))
}

fn default(setting: &Setting) -> String {
    match setting.parameter.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    }
}

/// Creates a flag without help.
fn plain(setting: &Setting) -> Arg {
    let action = if setting.repeated { ArgAction::Append } else { ArgAction::Set };
    let arg = Arg::new(setting.parameter.key)
        .long(setting.flag())
        .value_name(setting.value_name)
        .action(action);
    match setting.short {
        Some(letter) => arg.short(letter),
        None => arg,
    }
}
