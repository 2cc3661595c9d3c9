//! The commands that list, tag, remove, export and import saved runs.

use clap::builder::ValueHint;
use clap::{Arg, Command};

use super::common::{output, position, switch, value};
use super::understand::RUN_HELP;

pub(super) fn runs() -> Command {
    let run = || Arg::new("run").value_name("RUN").required(true).help(RUN_HELP);
    Command::new("runs")
        .about("List, tag and remove saved runs")
        .subcommand(
            Command::new("list")
                .about("List saved runs or sweeps, newest first, with verdicts and warnings")
                .args([sweeps(), output()])
                .after_help("Examples:\n  tacho runs list\n  tacho runs list --sweeps"),
        )
        .subcommand(
            Command::new("tag")
                .about("Add tags to a run, or remove them")
                .arg(run())
                .arg(Arg::new("tags").value_name("TAG").num_args(1..).required(true))
                .args([switch("remove", "Remove the tags instead"), output()])
                .after_help(
                    "Examples:\n  tacho runs tag latest baseline\n  \
                     tacho runs tag baseline baseline --remove",
                ),
        )
        .subcommand(
            Command::new("note")
                .about("Set a run's note; an empty note removes it")
                .arg(run())
                .arg(Arg::new("text").value_name("TEXT").required(true))
                .arg(output())
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
                .about("Write runs and sweeps to a single file, for transfer to another machine")
                .arg(position("file", "FILE", "File to write, such as runs.tar.zst").required(true).value_hint(ValueHint::FilePath))
                .arg(
                    position("runs", "RUN|SWEEP",
                        "Runs and sweeps to export, named as for tacho report; a sweep includes \
                         its runs [default: all that have ended]").num_args(1..),
                )
                .arg(switch("history", "Write the transactions of one run that checked isolation, in the input format of \
                         Elle"))
                .after_help("Examples:\n  tacho runs export runs.tar.zst\n  tacho runs export base.tar.zst tag:baseline sweep:latest\n  \
                     tacho runs export history.edn latest --history"),
        )
        .subcommand(
            Command::new("import")
                .about("Import the runs and sweeps in an exported file, or a share saved by an \
                        agent")
                .arg(position("file", "FILE", "File to import").required(true).value_hint(ValueHint::FilePath))
                .after_help("Examples:\n  tacho runs import runs.tar.zst\n  tacho runs import tacho-data/shares/RUN-1.jsonl"),
        )
        .args([sweeps(), output()])
        .after_help(
            "Examples:\n  tacho runs list\n  tacho runs --sweeps\n  tacho runs tag latest baseline",
        )
}

fn sweeps() -> Arg {
    switch("sweeps", "List sweeps instead of runs")
}

fn prune() -> Command {
    Command::new("prune")
        .about(
            "Remove old runs; tagged runs are kept, and a sweep is kept or removed with all \
                of its runs",
        )
        .arg(
            value(
                "keep",
                "N",
                "Keep this many of the newest untagged runs, and the sweeps that contain them",
            )
            .value_parser(clap::value_parser!(u64)),
        )
        .arg(value("older_than", "SPAN", "Remove untagged runs older than this, such as 30d"))
        .arg(
            value(
                "max_size",
                "MiB",
                "Remove the oldest untagged runs until the rest fit in this many MiB",
            )
            .value_parser(clap::value_parser!(u64)),
        )
        .arg(switch("dry_run", "List what would be removed, without removing anything"))
        .after_help(
            "Examples:\n  tacho runs prune --keep 20\n  \
             tacho runs prune --older-than 30d --dry-run",
        )
}
