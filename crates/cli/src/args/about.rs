//! Commands about the program itself: its workloads, drivers, settings, schemas, pages and version.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};
use tacho_config::{SETTINGS, Scope};

use super::common::{flag, flags, output};

pub(super) fn describe() -> Command {
    Command::new("describe")
        .about("Describe a workload (parameters, profiles, deviations), a driver or a pack")
        .arg(Arg::new("name").value_name("WORKLOAD|DRIVER|PACK").required(true))
        .arg(pack())
        .arg(
            Arg::new("sql")
                .long("sql")
                .value_name("DRIVER")
                .help("Print the SQL statements for this driver"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho describe tprocc\n  tacho describe tprocc --sql sqlite\n  \
             tacho describe sqlite\n  tacho describe tidb --pack packs/tidb",
        )
}

/// The setting `pack` of a command that has no other.
fn pack() -> Arg {
    let setting = SETTINGS.iter().find(|setting| setting.parameter.key == "pack");
    setting.map_or_else(|| Arg::new("pack"), flag)
}

/// What `list` lists, in the order in which it lists all.
pub(crate) const LISTS: [&str; 4] = ["drivers", "workloads", "targets", "servers"];

pub(super) fn list() -> Command {
    Command::new("list")
        .about("List drivers, workloads, targets or private servers")
        .arg(
            Arg::new("what")
                .value_name("LIST")
                .value_parser(PossibleValuesParser::new(LISTS))
                .help("What to list; all of these if it is omitted"),
        )
        .arg(pack())
        .arg(output())
        .after_help(
            "Examples:\n  tacho list\n  tacho list drivers\n  tacho list targets --output json",
        )
}

pub(super) fn config() -> Command {
    Command::new("config")
        .about("Print settings and where they come from")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("Print all settings with their values")
                .arg(Arg::new("run").value_name("RUN").help("A run named in tacho.toml"))
                .arg(
                    Arg::new("origin")
                        .long("origin")
                        .action(ArgAction::SetTrue)
                        .help("Print where each value comes from"),
                )
                .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
                .arg(output())
                .after_help("Examples:\n  tacho config show --origin\n  tacho config show nightly"),
        )
        .subcommand(Command::new("path").about("Print the path of the settings file"))
        .subcommand(Command::new("check").about("Check the settings file"))
        .subcommand(
            Command::new("trust")
                .about("Trust a settings file, as it is now, to start programs and load code")
                .arg(
                    Arg::new("file")
                        .value_name("FILE")
                        .value_hint(ValueHint::FilePath)
                        .help("The file [default: the nearest tacho.toml]"),
                )
                .after_help(
                    "Examples:\n  tacho config trust\n  tacho config trust bench/tacho.toml\n\n\
                     A file that --config names needs no trust. A changed or moved file must be trusted again.",
                ),
        )
}

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
