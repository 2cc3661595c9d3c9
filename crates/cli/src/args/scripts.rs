//! `hammerdb` and `import`: scripts of another tool.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, Command};

pub(super) fn hammerdb() -> Command {
    Command::new("hammerdb")
        .about("Run a HammerDB script, in Tcl or Python, as it is; without one, a console")
        .long_about(
            "Run a HammerDB script, in Tcl or Python, as it is. Without a script, a console with \
             HammerDB's commands. A link named hammerdbcli to this program does the same.",
        )
        .arg(
            Arg::new("words")
                .value_name("[tcl|python|py] [auto] [SCRIPT [ARGUMENT...]]")
                .num_args(0..)
                .value_hint(ValueHint::FilePath)
                .help("Language, the script to run, and what it finds in argv"),
        )
        .after_help(
            "Examples:\n  tacho hammerdb auto pg_tprocc_run.tcl\n  tacho hammerdb profile.tcl\n  \
             tacho hammerdb py auto run.py\n  tacho hammerdb              a console",
        )
}

pub(super) fn import() -> Command {
    Command::new("import")
        .about("Print what a script of another tool asks for, as tacho.toml and commands")
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .value_parser(PossibleValuesParser::new(["hammerdb"]))
                .help("The tool that the script is for"),
        )
        .arg(
            Arg::new("script")
                .value_name("SCRIPT")
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("The script; it is evaluated, but nothing is run or written"),
        )
        .after_help("Examples:\n  tacho import hammerdb run.tcl > tacho.toml")
}
