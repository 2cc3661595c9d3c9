//! Commands about the program itself: its schemas, its pages, its version.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};

use super::output;

pub(super) fn schema() -> Command {
    Command::new("schema")
        .about("Print the JSON schema of a file or answer")
        .arg(
            Arg::new("name").required(true).value_parser(PossibleValuesParser::new(
                tacho_store::SCHEMAS
                    .into_iter()
                    .chain(tacho_report::SCHEMAS)
                    .chain(["workload", "pipeline"]),
            )),
        )
        .after_help("Examples:\n  tacho schema run\n  tacho schema workload > workload.schema.json")
}

pub(super) fn version() -> Command {
    Command::new("version")
        .about("Print the version, the system it is built for and the built-in drivers")
        .args([
            output(),
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .conflicts_with("output")
                .help("The same as --output json"),
        ])
}

pub(super) fn man() -> Command {
    Command::new("man")
        .about("Print a manual page, or write all of them into a folder")
        .args([
            Arg::new("command")
                .value_name("COMMAND")
                .help("Command that the page describes; tacho itself without one"),
            Arg::new("all")
                .long("all")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .conflicts_with("command")
                .help("Write the pages of all commands into this folder"),
        ])
        .after_help(
            "Examples:\n  tacho man run | man -l -\n  tacho man --all /usr/local/share/man/man1",
        )
}

pub(super) fn completions() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(clap::value_parser!(clap_complete::Shell)),
        )
        .after_help("Examples:\n  tacho completions fish")
}
