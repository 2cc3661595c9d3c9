//! The `init` command, which creates a user's workload, and the `hammerdb` and `import` commands for other tools'
//! scripts.

use clap::Command;
use clap::builder::{PossibleValuesParser, ValueHint};

use super::common::position;

pub(super) fn hammerdb() -> Command {
    Command::new("hammerdb")
        .about(
            "Run an unchanged HammerDB script in Tcl or Python; without a script, open the console",
        )
        .arg(
            position(
                "words",
                "[tcl|python|py] [auto] [SCRIPT [ARGUMENT...]]",
                "Language, script, and the arguments that the script reads from argv",
            )
            .num_args(0..)
            .value_hint(ValueHint::FilePath),
        )
        .after_help(
            "Examples:\n  tacho hammerdb auto pg_tprocc_run.tcl\n  tacho hammerdb profile.tcl\n  \
             tacho hammerdb py auto run.py\n  tacho hammerdb              a console\n\n\
             A link to this program named hammerdbcli does the same.",
        )
}

pub(super) fn init() -> Command {
    Command::new("init")
        .about("Write tacho.toml after asking five questions, or create the folder for a new workload")
        .arg(
            position("what", "WHAT", "What to create [default: tacho.toml]").requires("name").value_parser(PossibleValuesParser::new(["workload"])),
        )
        .arg(
            position("name", "NAME", "Name of the workload and of its folder, which must not exist yet"),
        )
        .after_help("Examples:\n  tacho init\n  tacho init workload shop\n  tacho run ./shop sqlite:shop.db")
}

pub(super) fn import() -> Command {
    Command::new("import")
        .about("Convert a HammerDB script to tacho.toml, or another tool's command to a Tacho command")
        .arg(
            position("words", "hammerdb SCRIPT | benchbase FILE | 'COMMAND LINE'",
                "Script or configuration file to read, or command line, as one or more words. \
                 Nothing is executed or written").required(true).num_args(1..).trailing_var_arg(true).allow_hyphen_values(true).value_hint(ValueHint::FilePath),
        )
        .after_help(
            "Paste the command line as it is, including sudo, time, variables, redirections and pipes, between single \
             quotation marks. Options without an equivalent are reported; passwords are not printed.\n\n\
             Tools:\n  sysbench    the scripts oltp_*.lua and select_random_*.lua, and tpcc.lua of sysbench-tpcc\n  \
             pgbench     all options, also with --initialize\n  \
             go-tpc      tpcc, tpch and ch, also as tiup bench\n  \
             benchbase   a configuration file in XML, or its command line\n\n\
             Examples:\n  tacho import hammerdb run.tcl > tacho.toml\n  \
             tacho import 'sysbench oltp_read_write --tables=8 --threads=16 --pgsql-host=db run'\n  \
             tacho import 'sudo -u postgres pgbench -c 8 -T 60 bench | tee run.log'\n  \
             tacho import benchbase sample_tpcc_config.xml\n  \
             tacho import sysbench oltp_read_write --tables=8 --mysql-host=db prepare",
        )
}
