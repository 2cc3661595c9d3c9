//! `pipeline`: servers × settings × workloads from a file.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::common::{live_progress, output};
use super::web;

pub(super) fn pipeline() -> Command {
    Command::new("pipeline")
        .about("Measure servers, settings and workloads named in a file, and compare with a baseline")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("The file, TOML, or - for standard input; tacho schema pipeline describes it"),
        )
        .args([
            Arg::new("restart")
                .long("restart")
                .action(ArgAction::SetTrue)
                .help("Begin again, where an interrupted pipeline would be continued"),
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Check the file; print what would be run and how long; connect to nothing"),
            Arg::new("export")
                .long("export")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_hint(ValueHint::FilePath)
                .help("Also write the result to a file, by extension: .html .xml (JUnit) .md .json .txt"),
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
             product = \"postgres\"          # a private server, as tacho up starts it\n\
             version = \"15\"\n\
             [servers.pg17]\n\
             product = \"postgres\"\n\
             version = \"17\"\n\
             [settings]\n\
             work_mem = [\"4MB\", \"64MB\"]\n\
             [workloads.tprocc.run]\n\
             duration = \"1m\"\n\n\
             A pipeline that was killed continues where it stopped when it is called again.\n\n\
             Exit codes:\n  0 done; nothing is worse than the baseline   7 worse, or undecided\n  \
             2 usage   3 a server failed   4, 5, 6 as tacho run   130 stopped; call it again",
        )
}
