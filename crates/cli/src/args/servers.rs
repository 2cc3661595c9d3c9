//! `up` and `down`: private servers.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::output;

pub(super) fn up() -> Command {
    let value = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value_name).help(help)
    };
    Command::new("up")
        .about("Start a private database server of binaries on this machine")
        .long_about(
            "Start a private database server of binaries on this machine. It listens on loopback \
             and on a Unix socket in its own folder, has the product's own default settings, and \
             runs on after the command, until tacho down removes it. One that was killed, or \
             fell with the machine, starts again on its data.",
        )
        .arg(
            Arg::new("server")
                .value_name("PRODUCT|NAME")
                .required(true)
                .help("postgres, mariadb, mysql, or the name of a server that is there"),
        )
        .args([
            value("version", "V", "Version, such as 17 [default: the newest on the machine]"),
            value("name", "NAME", "Name of the server, a target too [default: pg, maria or my]"),
            Arg::new("settings")
                .long("set")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("Setting of the server's own; may be given again"),
            value("port", "N", "TCP port on loopback [default: a free one]")
                .value_parser(clap::value_parser!(u16).range(1..)),
            value("binaries", "FOLDER", "Where to look for the server, and nowhere else")
                .value_hint(ValueHint::DirPath),
            output(),
        ])
        .after_help(
            "Examples:\n  tacho up postgres\n  tacho prepare tprocc pg && tacho run tprocc pg\n  \
             tacho up postgres --version 17 --name new --set shared_buffers=1GB\n  \
             tacho up mariadb --binaries /opt/mariadb-11.4\n\n\
             Exit codes:\n  0 it answers   2 usage   3 no binaries, no start   130 stopped",
        )
}

pub(super) fn down() -> Command {
    Command::new("down")
        .about("Stop a private server and remove it with its data, without asking")
        .args([
            Arg::new("name")
                .value_name("NAME")
                .help("Name of the server [default: the only one there is]"),
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .conflicts_with("name")
                .help("All servers in the folder"),
            Arg::new("keep-data")
                .long("keep-data")
                .action(ArgAction::SetTrue)
                .help("Only stop it; tacho up starts it again"),
            output(),
        ])
        .after_help(
            "Examples:\n  tacho down\n  tacho down pg --keep-data\n  tacho down --all\n\n\
             Exit codes:\n  0 done, or nothing to do   2 unknown name   3 could not be removed",
        )
}
