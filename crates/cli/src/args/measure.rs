//! The commands that prepare a database, measure it and leave it as it was.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};
use tacho_config::Scope;

use super::common::{export, flags, live_progress, output, progress, target, workload};
use super::{agent, web};

pub(super) fn run() -> Command {
    Command::new("run")
        .about("Run a workload against a database and print the result. Without arguments: tprocc on embedded SQLite, 10 seconds")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args([live_progress(), output(), export()])
        .args(web::flags())
        .args(agent::flags())
        .arg(adopt().hide_short_help(true))
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("RUN")
                .hide_short_help(true)
                .help("Repeat a saved run: its plan, changed by the other flags; tacho.toml and environment only name targets"),
        )
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print the resolved plan; connect to nothing"),
        )
        .after_help(
            "Examples:\n  tacho run\n  tacho run tprocc sqlite:bench.db -c 8 -d 1m --ramp-up 10s\n  \
             tacho run tprocc sqlite:bench.db -r 200 --threshold 'p99<100ms'\n  \
             tacho run tprocc noop -d 5s            the cost of Tacho alone\n  \
             tacho run replay:postgresql.csv pg     the statements of a server's log, again\n  \
             tacho run nightly                      [run.nightly] in tacho.toml\n  \
             tacho run --from latest -c 16          the last run again, with 16 sessions",
        )
}

pub(super) fn sweep() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name.replace('_', "-")).value_name(value).help(help)
    };
    Command::new("sweep")
        .about("Run once for each value of a list, or find the highest rate that meets a threshold")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args([
            option("vary", "KEY=A,B,C", "Values to run with, of a setting, a workload parameter, target.OPTION or server.SETTING; repeat it for a grid")
                .action(ArgAction::Append),
            option("repeat", "N", "Runs of each combination; from 2 on, confidence intervals are between runs")
                .value_parser(clap::value_parser!(u32).range(1..=1_000)),
            option("order", "WORD", "Order of repeated runs: turns (up and down), grouped (value by value), random [default: turns]")
                .value_parser(PossibleValuesParser::new(tacho_app::Order::NAMES)),
            option("calibrate", "", "First run the first combination against itself, to measure how much equal runs differ")
                .action(ArgAction::SetTrue),
            option("detect", "CHANGE", "Smallest change to detect, such as 3%; calibrates, and reports whether more runs are needed")
                .conflicts_with_all(["find_max", "resume", "show"]),
            option("stop_past_peak", "", "Skip the remaining values after two points below 95 % of the best")
                .action(ArgAction::SetTrue),
            option("on_failure", "WORD", "After a run that fails or is INVALID: continue with the next one (go-on) or stop [default: go-on]")
                .value_parser(PossibleValuesParser::new(["go-on", "stop"])),
            option("find_max", "LIMIT", "Find the highest rate at which this threshold holds, such as 'new_order.p99<50ms'"),
            option("resume", "SWEEP", "Resume an interrupted sweep: its id, or latest")
                .conflicts_with_all(["vary", "find_max", "repeat"]),
            option("show", "SWEEP", "Print the table of a saved sweep")
                .conflicts_with_all(["vary", "find_max", "repeat", "resume"]),
        ])
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args(agent::hosts())
        .args([live_progress(), output()])
        .args(web::flags())
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Check all points and print them; connect to nothing"),
        )
        .after_help(
            "Examples:\n  tacho sweep tprocc pg --vary sessions=1,2,4,8,16 -d 1m --ramp-up 20s\n  \
             tacho sweep tprocc pg --vary form=sql,pipelined --repeat 6 --detect 3%   A against B\n  \
             tacho sweep tprocc --vary target=pg15,pg17 --vary sessions=1,8,64\n  \
             tacho sweep tprocc pg --vary server.shared_buffers=128MB,1GB --repeat 3\n  \
             tacho sweep tprocc pg -c 64 --find-max 'new_order.p99<50ms'\n  \
             tacho sweep tprocc pg -c 64 --vary hosts=1,2,4 --nats nats://broker:4222\n  \
             tacho sweep --resume latest",
        )
}

pub(super) fn restore() -> Command {
    Command::new("restore")
        .about("Restore what an interrupted command left changed on servers")
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("List what is left changed; restore nothing"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho restore\n  tacho restore --list\n\n\
             Exit codes:\n  0 everything restored   2, 3 a setting or server could not be restored",
        )
}

pub(super) fn prepare() -> Command {
    Command::new("prepare")
        .about("Create the schema and load the data; resumes an interrupted build")
        .arg(workload("Workload, unless --workload names it"))
        .arg(target())
        .args(flags(&[Scope::Build, Scope::Check, Scope::Data]))
        .args(agent::hosts())
        .args([progress(), output()])
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print what would be created and its size; connect to nothing"),
        )
        .arg(
            Arg::new("files")
                .long("files")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .conflicts_with("hosts")
                .help("Have the server load the files that generate has written, which it reads itself"),
        )
        .after_help(
            "Examples:\n  tacho prepare tprocc sqlite:bench.db --scale 10\n  \
             tacho prepare tprocc sqlite:bench.db --profile hammerdb --check after\n  \
             tacho prepare tprocc print > build.sql\n  \
             tacho prepare tprocc pg16 --scale 1000 --hosts 3 -c 24 --nats nats://broker:4222",
        )
}

fn data_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(workload("Workload, unless --workload names it"))
        .arg(target())
        .args(flags(&[Scope::Data]))
        .args([progress(), output()])
}

pub(super) fn check() -> Command {
    data_command("check", "Check the consistency conditions of the data, one line each")
        .args(flags(&[Scope::Check]))
        .arg(adopt())
        .args(agent::hosts())
        .arg(Arg::new("commits").long("commits").value_name("RUN").help(
            "Look for each commit that this run of --verify commits acknowledged, also if it was killed",
        ))
        .after_help(
            "Examples:\n  tacho check tprocc sqlite:bench.db\n  \
             tacho check tprocc pg16 --commits latest\n  \
             tacho check tprocc pg16 --hosts 3 --nats nats://broker:4222",
        )
}

pub(super) fn clean() -> Command {
    data_command("clean", "Remove what prepare created, and nothing else")
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Do not ask"))
        .after_help(
            "Examples:\n  tacho clean tprocc sqlite:bench.db\n  tacho clean tprocc bench --yes",
        )
}

fn adopt() -> Arg {
    Arg::new("adopt")
        .long("adopt")
        .value_name("PROFILE")
        .help("Use tables that Tacho did not create: those of the tool of this profile")
}
