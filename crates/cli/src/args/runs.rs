//! The commands that list, label, remove, export and import saved runs.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::common::output;
use super::understand::RUN_HELP;

pub(super) fn runs() -> Command {
    let run = || Arg::new("run").value_name("RUN").required(true).help(RUN_HELP);
    Command::new("runs")
        .about("List, label and remove saved runs")
        .subcommand(
            Command::new("list")
                .about("List saved runs or sweeps, newest first, with verdicts and warnings")
                .args([sweeps(), output()])
                .after_help("Examples:\n  tacho runs list\n  tacho runs list --sweeps"),
        )
        .subcommand(
            Command::new("tag")
                .about("Add labels to a run, or remove them")
                .arg(run())
                .arg(Arg::new("tags").value_name("TAG").num_args(1..).required(true))
                .arg(
                    Arg::new("remove")
                        .long("remove")
                        .action(ArgAction::SetTrue)
                        .help("Remove the labels instead"),
                )
                .after_help(
                    "Examples:\n  tacho runs tag latest baseline\n  \
                     tacho runs tag baseline baseline --remove",
                ),
        )
        .subcommand(
            Command::new("note")
                .about("Set the note of a run; an empty text removes it")
                .arg(run())
                .arg(Arg::new("text").value_name("TEXT").required(true))
                .after_help("Examples:\n  tacho runs note latest 'after the upgrade'"),
        )
        .subcommand(
            Command::new("repair")
                .about("Rebuild a damaged record from the run's intervals and histograms")
                .arg(run())
                .after_help(
                    "Examples:\n  tacho runs repair 7q3f\n\n\
                     The rebuilt record is marked and always INVALID, because errors, checks and warnings are lost.\n\
                     The damaged file is kept as run.json.damaged.",
                ),
        )
        .subcommand(prune())
        .subcommand(
            Command::new("export")
                .about("Write runs and sweeps as one file, for another machine")
                .arg(Arg::new("file").value_name("FILE").required(true).value_hint(ValueHint::FilePath).help("The file, such as runs.tar.zst"))
                .arg(
                    Arg::new("runs")
                        .value_name("RUN|SWEEP")
                        .num_args(1..)
                        .help("What to export, named as for tacho report; a sweep brings its runs [default: all that have ended]"),
                )
                .after_help("Examples:\n  tacho runs export runs.tar.zst\n  tacho runs export base.tar.zst tag:baseline sweep:latest"),
        )
        .subcommand(
            Command::new("import")
                .about("Take over the runs and sweeps of an exported file, or a share saved by an agent")
                .arg(Arg::new("file").value_name("FILE").required(true).value_hint(ValueHint::FilePath).help("The file"))
                .after_help("Examples:\n  tacho runs import runs.tar.zst\n  tacho runs import tacho-data/shares/RUN-1.jsonl"),
        )
        .args([sweeps(), output()])
        .after_help(
            "Examples:\n  tacho runs list\n  tacho runs --sweeps\n  tacho runs tag latest baseline",
        )
}

fn sweeps() -> Arg {
    Arg::new("sweeps").long("sweeps").action(ArgAction::SetTrue).help("List sweeps instead of runs")
}

fn prune() -> Command {
    Command::new("prune")
        .about("Remove old runs; tagged runs are kept, and a sweep is kept or removed with all \
                of its runs")
        .arg(
            Arg::new("keep")
                .long("keep")
                .value_name("N")
                .value_parser(clap::value_parser!(u64))
                .help("Keep this many untagged runs, the newest, and the sweeps that they are part of"),
        )
        .arg(
            Arg::new("older_than")
                .long("older-than")
                .value_name("SPAN")
                .help("Remove untagged runs older than this, such as 30d"),
        )
        .arg(
            Arg::new("max_size")
                .long("max-size")
                .value_name("MiB")
                .value_parser(clap::value_parser!(u64))
                .help("Remove the oldest untagged runs until the rest fit in this many MiB"),
        )
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("List what would be removed; remove nothing"),
        )
        .after_help(
            "Examples:\n  tacho runs prune --keep 20\n  \
             tacho runs prune --older-than 30d --dry-run",
        )
}
