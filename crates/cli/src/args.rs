//! The command tree: all commands, and their headings in the help.

mod about;
mod agent;
mod attribute;
mod brief;
mod common;
mod doctor;
mod elsewhere;
mod files;
mod measure;
mod misspelt;
mod parameters;
mod pipeline;
mod runs;
mod scripts;
mod servers;
mod understand;
mod web;

use std::ffi::OsString;

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use about::{config, describe, list};
use measure::{check, clean, prepare, restore, run, sweep};
use pipeline::pipeline;
use runs::runs;
use understand::{compare, report, show, timing, trend};

pub(crate) use about::LISTS;
pub(crate) use elsewhere::ours_for;
pub(crate) use misspelt::suggest;
pub(crate) use parameters::as_settings;

const AFTER: &str = "Examples:
  tacho run                                     10 seconds, embedded database, no server
  tacho prepare tprocc sqlite:bench.db -s 10
  tacho run tprocc sqlite:bench.db -c 4 -d 1m --ramp-up 10s
  tacho run tprocc sqlite:bench.db -r 500 --threshold 'new_order.p95<50ms'
  tacho show latest
  tacho doctor sqlite:bench.db                  check the machine and the database
  tacho report latest -o report.html            one HTML file with charts
  tacho up postgres                             a private server; tacho down removes it

Exit codes:
  0 done, run valid   1 internal error        2 usage     3 target not reachable or not prepared
  4 run INVALID       5 check failed          6 threshold crossed or without data
  7 compare or trend --fail-on found a regression   9 compare --fail-on 'p95>5%' cannot tell
  8 run UNSTABLE or TOO SHORT, with --require steady
  130 stopped by Ctrl-C   143 by SIGTERM   129 by SIGHUP   131 by SIGQUIT; what exists is saved
  When several apply, the first of 1, 129, 131, 143, 130, 2, 3, 5, 4, 8, 6, 7, 9";

/// Returns the complete tree, as shown by `--help`.
pub(crate) fn command() -> Command {
    tree(|command| command)
}

/// Returns the tree for these arguments. If they contain `-h`, the tree has only the common options and no examples.
pub(crate) fn tree_for(arguments: &[OsString]) -> Command {
    let asked = arguments.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    if asked { tree(brief::shortened) } else { command() }
}

/// Returns the tree after applying `change` to each command.
fn tree(change: fn(Command) -> Command) -> Command {
    let mut commands = Vec::new();
    let mut listed = String::new();
    for (heading, members) in GROUPS {
        let members: Vec<Command> = members.iter().map(|make| change(make())).collect();
        listed.push_str(&brief::list(heading, &members));
        commands.extend(members);
    }
    let root = Command::new("tacho")
        .about("Benchmark databases with TPC-C- and TPC-H-derived workloads")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_flag(true)
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
        ))
        .after_help(AFTER)
        .args([
            Arg::new("help")
                .short('h')
                .long("help")
                .global(true)
                .help_heading(GENERAL)
                .action(ArgAction::HelpShort)
                .help("Print help: -h for common options, --help for all options with examples"),
            Arg::new("dir")
                .long("dir")
                .global(true)
                .help_heading(GENERAL)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder for records and embedded databases [env: TACHO_DIR] [default: tacho-data]"),
            Arg::new("config")
                .long("config")
                .global(true)
                .help_heading(GENERAL)
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Settings file, or - for standard input [env: TACHO_CONFIG] [default: the nearest tacho.toml]"),
            Arg::new("allow")
                .long("allow")
                .global(true)
                .help_heading(GENERAL)
                .value_name("KEY")
                .action(ArgAction::Append)
                .value_parser(allowed)
                .help("Allow programs and code named by a settings file, a record or, with serve, \
                       a request: fault_command, pack, workload (folders and scripts) or library \
                       (of a target); repeatable"),
        ]);
    change(root).subcommands(commands)
}

/// Parses a key for `--allow`, which may be written like a flag.
fn allowed(word: &str) -> Result<String, String> {
    let key = word.replace('-', "_");
    if tacho_app::allowable().any(|allowed| allowed == key) {
        return Ok(key);
    }
    let all: Vec<&str> = tacho_app::allowable().collect();
    Err(format!("allowed keys: {}", all.join(", ")))
}

/// Heading for the options that all commands have. They are listed after the command's own options.
const GENERAL: &str = "General options";

/// A heading on the help page and the commands under it.
type Group = (&'static str, &'static [fn() -> Command]);

const GROUPS: [Group; 4] = [
    ("Start", &[doctor::doctor, servers::up, servers::down, describe, list]),
    (
        "Measure",
        &[
            prepare,
            run,
            sweep,
            attribute::attribute,
            pipeline,
            restore,
            check,
            clean,
            files::generate,
            scripts::hammerdb,
        ],
    ),
    (
        "Understand",
        &[show, timing, runs, compare, report, trend, web::serve, web::watch, agent::agent],
    ),
    (
        "Other",
        &[
            scripts::init,
            scripts::import,
            config,
            about::schema,
            about::completions,
            about::man,
            about::version,
        ],
    ),
];

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use tacho_core::ParameterKind;

    #[test]
    fn command_tree_is_consistent() {
        super::command().debug_assert();
    }

    /// HTTP requests may contain the same settings and options as the command line. Both are checked against the same
    /// tables.
    #[test]
    fn accepts_each_setting_and_option_of_a_command() {
        let words = ["run", "sweep", "prepare", "check", "clean", "doctor", "generate"];
        for command in words.into_iter().filter_map(tacho_config::Command::from_word) {
            for setting in command.settings().chain(command.options()) {
                let flag = setting.flag();
                let word = match setting.parameter.kind {
                    ParameterKind::Switch => format!("--{flag}"),
                    ParameterKind::Choice(words) => format!("--{flag}={}", words[0]),
                    _ => format!("--{flag}=2"),
                };
                let parsed =
                    super::command().try_get_matches_from(["tacho", command.word(), &word]);
                // The command `generate` also needs the name of a folder. The missing name is not what this test
                // checks.
                let error = parsed.err();
                let error =
                    error.filter(|error| error.kind() != ErrorKind::MissingRequiredArgument);
                assert!(error.is_none(), "{word}: {error:?}");
            }
        }
    }
}
