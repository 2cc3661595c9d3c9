//! Arguments that several commands have. Flags of settings come from the one table in `tacho_config`.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction};
use tacho_config::{SETTINGS, Scope, Setting};
use tacho_core::ParameterKind;

pub(super) fn workload(help: &'static str) -> Arg {
    Arg::new("workload_name").value_name("WORKLOAD").help(help)
}

pub(super) fn target() -> Arg {
    Arg::new("target_name")
        .value_name("TARGET")
        .help("Database, as driver:place or a name from tacho.toml or of tacho up")
}

pub(super) fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json", "quiet"]))
        .default_value("text")
        .help("Format of the answer on standard output")
}

pub(super) fn progress() -> Arg {
    Arg::new("progress")
        .long("progress")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["auto", "plain", "json", "none"]))
        .default_value("auto")
        .help("Format of the progress on standard error")
}

/// Of commands that measure: they have a live view too.
pub(super) fn live_progress() -> Arg {
    progress()
        .value_parser(PossibleValuesParser::new(["auto", "plain", "tui", "json", "none"]))
        .help(
            "Form of the progress on standard error; auto is tui, a live view, on a terminal of 80 × 24 or \
             more, and plain lines elsewhere",
        )
}

pub(super) fn export() -> Arg {
    Arg::new("export")
        .long("export")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_hint(ValueHint::FilePath)
        .help("Also write the result to a file, by extension: .json .txt .html .md .csv .xml; created before the run")
}

/// One flag for each setting of these scopes.
pub(super) fn flags(scopes: &[Scope]) -> Vec<Arg> {
    SETTINGS.iter().filter(|setting| scopes.contains(&setting.scope)).map(flag).collect()
}

pub(super) fn flag(setting: &Setting) -> Arg {
    let parameter = setting.parameter;
    let default = match parameter.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let allowed = match parameter.kind {
        ParameterKind::Choice(words) => format!(" [{}]", words.join(", ")),
        _ => String::new(),
    };
    let action = if setting.repeated { ArgAction::Append } else { ArgAction::Set };
    let arg = Arg::new(parameter.key)
        .long(setting.flag())
        .value_name(setting.value_name)
        .help_heading(setting.group)
        .allow_hyphen_values(true)
        .action(action)
        .help(format!("{}{allowed}{default}", parameter.help));
    match setting.short {
        Some(letter) => arg.short(letter),
        None => arg,
    }
}
