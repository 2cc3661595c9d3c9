//! Commands about the program: its workloads, drivers, settings, schemas, manual pages and version.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, Command};
use tacho_config::{Command as Subject, setting};

use super::common::{flag, flags, folder, output, position, switch, value};

pub(super) fn describe() -> Command {
    Command::new("describe")
        .about("Describe a workload (parameters, profiles, deviations), a driver or a pack")
        .arg(Arg::new("name").value_name("WORKLOAD|DRIVER|PACK").required(true))
        .arg(pack())
        .arg(value("sql", "DRIVER", "Print the SQL statements for this driver"))
        .arg(output())
        .after_help(
            "Examples:\n  tacho describe tprocc\n  tacho describe tprocc --sql sqlite\n  \
             tacho describe sqlite\n  tacho describe tidb --pack packs/tidb",
        )
}

/// Returns the `--pack` flag, for commands that have no other settings.
fn pack() -> Arg {
    setting("pack").map_or_else(|| Arg::new("pack"), flag)
}

/// The lists that the command `list` can print. By default, it prints all of them in this order.
pub(crate) const LISTS: [&str; 4] = ["drivers", "workloads", "targets", "servers"];

pub(super) fn list() -> Command {
    Command::new("list")
        .about("List drivers, workloads, targets or private servers")
        .arg(
            position("what", "LIST", "What to list [default: everything]")
                .value_parser(PossibleValuesParser::new(LISTS)),
        )
        .arg(pack())
        .arg(output())
        .after_help(
            "Examples:\n  tacho list\n  tacho list drivers\n  tacho list targets --output json",
        )
}

pub(super) fn config() -> Command {
    Command::new("config")
        .about("Print settings and their origins")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("Print all settings with their values")
                .arg(position("run", "RUN", "Run defined in tacho.toml"))
                .arg(
                    switch("origin", "Print the origin of each value"),
                )
                .args(flags(Subject::Run))
                .arg(output())
                .after_help("Examples:\n  tacho config show --origin\n  tacho config show nightly"),
        )
        .subcommand(Command::new("path").about("Print the path of the settings file"))
        .subcommand(Command::new("check").about("Check the settings file"))
        .subcommand(
            Command::new("trust")
                .about("Allow a settings file to start programs and load code until its content changes")
                .arg(
                    position("file", "FILE", "Settings file [default: the nearest tacho.toml]").value_hint(ValueHint::FilePath),
                )
                .after_help(
                    "Examples:\n  tacho config trust\n  tacho config trust bench/tacho.toml\n\n\
                     A file specified with --config does not have to be trusted. A changed or moved file must be trusted again.",
                ),
        )
}

pub(super) fn schema() -> Command {
    Command::new("schema")
        .about("Print the JSON schema of a file format or command output")
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
        .about("Print the version, the platform and the built-in drivers")
        .args([output(), switch("json", "The same as --output json").conflicts_with("output")])
}

pub(super) fn man() -> Command {
    Command::new("man")
        .about("Print a manual page, or write all manual pages to a folder")
        .args([
            position("command", "COMMAND", "Command described by the page [default: tacho itself]"),
            folder("all", "FOLDER", "Write the manual pages of all commands to this folder")
                .conflicts_with("command"),
        ])
        .after_help(
            "Examples:\n  tacho man run | man -l -\n  tacho man --all /usr/local/share/man/man1",
        )
}

pub(super) fn completions() -> Command {
    Command::new("completions")
        .about("Print shell completions")
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(clap::value_parser!(clap_complete::Shell)),
        )
        .after_help("Examples:\n  tacho completions fish")
}
