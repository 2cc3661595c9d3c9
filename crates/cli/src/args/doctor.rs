//! The arguments of `tacho doctor`.

use clap::Command;
use tacho_config::Command as Subject;

use super::common::{flags, output, target};

pub(super) fn doctor() -> Command {
    Command::new("doctor")
        .about("Check that the machine, client and database are ready, without changing anything")
        .arg(target())
        .args(flags(Subject::Doctor))
        .mut_arg("sessions", |arg| {
            arg.help("Number of sessions that must be available [default: 64, but fewer cause only a warning]")
        })
        .arg(output())
        .after_help(
            "Examples:\n  tacho doctor                                machine and client\n  \
             tacho doctor sqlite:bench.db\n  tacho doctor postgres://bench@db1/bench --sessions 500\n  \
             tacho doctor pg -o json\n\n\
             Exit codes:\n  0 no problem, perhaps warnings   3 a problem, such as a target that is not reachable",
        )
}
