//! The `pipeline` command, which measures the servers, settings and workloads in a file.

use clap::builder::ValueHint;
use clap::{ArgAction, Command};

use super::common::{file, live_progress, output, position, switch};
use super::web;

pub(super) fn pipeline() -> Command {
    Command::new("pipeline")
        .about(
            "Measure the servers, settings and workloads in a file, and compare with a baseline",
        )
        .arg(
            position(
                "file",
                "FILE",
                "TOML file, or - for standard input; its format is described by tacho schema pipeline",
            )
            .required(true)
            .value_hint(ValueHint::FilePath),
        )
        .args([
            switch("restart", "Start from the beginning instead of resuming an interrupted pipeline"),
            switch(
                "dry_run",
                "Check the file and print the planned runs and their duration, without connecting to anything",
            ),
            file(
                "export",
                "FILE",
                "Also write the result to a file; its extension selects the format: .html .xml (JUnit) .md .json .txt",
            )
            .action(ArgAction::Append),
            live_progress(),
            output(),
        ])
        .args(web::flags())
        .after_help(
            "Examples:\n  tacho pipeline nightly.toml --dry-run\n  \
             tacho pipeline nightly.toml --export page.html --export junit.xml\n\n\
             # nightly.toml\n\
             baseline = \"pg15\"\n\
             [servers.pg15]\n\
             product = \"postgres\"          # a private server, as started by tacho up\n\
             version = \"15\"\n\
             [servers.pg17]\n\
             product = \"postgres\"\n\
             version = \"17\"\n\
             [settings]\n\
             work_mem = [\"4MB\", \"64MB\"]\n\
             [workloads.tprocc.run]\n\
             duration = \"1m\"\n\n\
             If a pipeline is killed, run it again to continue where it stopped.\n\n\
             Exit codes:\n  0 done; nothing is worse than the baseline   7 worse, or inconclusive\n  \
             2 usage   3 a server failed   4, 5, 6 as for tacho run   130 stopped; run it again",
        )
}
