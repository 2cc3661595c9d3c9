//! `init`: a workload of the user; `hammerdb` and `import`: scripts of another tool.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, Command};

pub(super) fn hammerdb() -> Command {
    Command::new("hammerdb")
        .about(
            "Run a HammerDB script in Tcl or Python, unchanged; without a script, open its console",
        )
        .arg(
            Arg::new("words")
                .value_name("[tcl|python|py] [auto] [SCRIPT [ARGUMENT...]]")
                .num_args(0..)
                .value_hint(ValueHint::FilePath)
                .help("Language, script, and the arguments that it reads from argv"),
        )
        .after_help(
            "Examples:\n  tacho hammerdb auto pg_tprocc_run.tcl\n  tacho hammerdb profile.tcl\n  \
             tacho hammerdb py auto run.py\n  tacho hammerdb              a console\n\n\
             A link to this program named hammerdbcli does the same.",
        )
}

pub(super) fn init() -> Command {
    Command::new("init")
        .about("Write tacho.toml by five questions, or the folder of a new workload")
        .arg(
            Arg::new("what")
                .value_name("WHAT")
                .requires("name")
                .value_parser(PossibleValuesParser::new(["workload"]))
                .help("What is written; tacho.toml without a word"),
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .help("Name of the workload and of its folder, which must not exist"),
        )
        .after_help("Examples:\n  tacho init\n  tacho init workload shop\n  tacho run ./shop sqlite:shop.db")
}

pub(super) fn import() -> Command {
    Command::new("import")
        .about("Convert a script of another tool to tacho.toml and commands")
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .value_parser(PossibleValuesParser::new(["hammerdb"]))
                .help("Tool that the script is written for"),
        )
        .arg(
            Arg::new("script")
                .value_name("SCRIPT")
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("Script; it is evaluated, but nothing is run or written"),
        )
        .after_help("Examples:\n  tacho import hammerdb run.tcl > tacho.toml")
}
