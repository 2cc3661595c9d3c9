//! The commands that prepare a database, measure it and restore it.

use clap::{Arg, Command};
use tacho_config::Command as Subject;

use super::common::{
    export, flags, folder, live_progress, options, output, progress, switch, target, value,
    workload,
};
use super::{agent, web};

pub(super) fn run() -> Command {
    Command::new("run")
        .about("Run a workload against a database and print the result. Without arguments: tprocc on embedded SQLite for 10 seconds")
        .arg(workload("Workload, or a run defined in tacho.toml"))
        .arg(target())
        .args(flags(Subject::Run))
        .args([live_progress(), output(), export()])
        .args(web::flags())
        .args(agent::flags())
        .arg(adopt().hide_short_help(true))
        .args(options(Subject::Run))
        .arg(
            switch("dry_run", "Print the resolved plan without connecting to anything"),
        )
        .after_help(
            "Examples:\n  tacho run\n  tacho run tprocc sqlite:bench.db -c 8 -d 1m --ramp-up 10s\n  \
             tacho run tprocc sqlite:bench.db -r 200 --threshold 'p99<100ms'\n  \
             tacho run tprocc noop -d 5s            measure only Tacho itself\n  \
             tacho run replay:postgresql.csv pg     replay the statements in a server log\n  \
             tacho run pgbench:a.sql pg --log a.log --statement-times yes\n  \
             tacho run nightly                      [run.nightly] in tacho.toml\n  \
             tacho run --from latest -c 16          repeat the last run with 16 sessions",
        )
}

pub(super) fn sweep() -> Command {
    Command::new("sweep")
        .about("Run once for each value in a list, or find the highest rate that meets a threshold")
        .arg(workload("Workload, or a run defined in tacho.toml"))
        .arg(target())
        .args(options(Subject::Sweep))
        .mut_arg("detect", |arg| arg.conflicts_with_all(["find_max", "resume", "show"]))
        .mut_arg("resume", |arg| arg.conflicts_with_all(["vary", "find_max", "repeat"]))
        .arg(
            value("show", "SWEEP", "Print the table of a saved sweep").conflicts_with_all(["vary", "find_max", "repeat", "resume"]),
        )
        .args(flags(Subject::Sweep))
        .args(agent::hosts())
        .args([live_progress(), output()])
        .args(web::flags())
        .arg(
            switch("dry_run", "Check and print all points without connecting to anything"),
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
        .about("Undo changes that an interrupted command left on servers")
        .arg(switch("list", "List the remaining changes without undoing them"))
        .arg(output())
        .after_help(
            "Examples:\n  tacho restore\n  tacho restore --list\n\n\
             Exit codes:\n  0 everything restored   2, 3 a setting or server could not be restored",
        )
}

pub(super) fn prepare() -> Command {
    Command::new("prepare")
        .about("Create the schema and load the data, or resume an interrupted build")
        .arg(workload("Workload, unless specified with --workload"))
        .arg(target())
        .args(flags(Subject::Prepare))
        .args(agent::hosts())
        .args([progress(), output()])
        .arg(switch(
            "dry_run",
            "Print what would be created, and its size, without connecting to anything",
        ))
        .arg(
            folder(
                "files",
                "FOLDER",
                "Load the files that tacho generate wrote; the server reads them directly",
            )
            .conflicts_with("hosts"),
        )
        .after_help(
            "Examples:\n  tacho prepare tprocc sqlite:bench.db --scale 10\n  \
             tacho prepare tprocc sqlite:bench.db --profile hammerdb --check after\n  \
             tacho prepare tprocc print > build.sql\n  \
             tacho prepare tprocc pg16 --scale 1000 --hosts 3 -c 24 --nats nats://broker:4222",
        )
}

fn data_command(subject: Subject, about: &'static str) -> Command {
    Command::new(subject.word())
        .about(about)
        .arg(workload("Workload, unless specified with --workload"))
        .arg(target())
        .args(flags(subject))
        .args([progress(), output()])
}

pub(super) fn check() -> Command {
    data_command(
        Subject::Check,
        "Check the data's consistency conditions and print one line for each",
    )
    .arg(adopt())
    .args(agent::hosts())
    .arg(value(
        "commits",
        "RUN",
        "Look up each commit acknowledged in this run with --verify \
                                      commits, even if the run was killed",
    ))
    .after_help(
        "Examples:\n  tacho check tprocc sqlite:bench.db\n  \
             tacho check tprocc pg16 --commits latest\n  \
             tacho check tprocc pg16 --hosts 3 --nats nats://broker:4222",
    )
}

pub(super) fn clean() -> Command {
    data_command(Subject::Clean, "Remove what tacho prepare created, and nothing else")
        .args(options(Subject::Clean))
        .after_help(
            "Examples:\n  tacho clean tprocc sqlite:bench.db\n  tacho clean tprocc bench --yes",
        )
}

fn adopt() -> Arg {
    value(
        "adopt",
        "PROFILE",
        "Use tables that another tool created, with the profile for that tool",
    )
}
