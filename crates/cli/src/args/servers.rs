//! The `up` and `down` commands for private servers.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::common::{output, position, switch, value};

pub(super) fn up() -> Command {
    let products = tacho_registry::servers();
    let ids: Vec<&str> = products.iter().map(|product| product.id()).collect();
    let names: Vec<&str> = products.iter().map(|product| product.short()).collect();
    let known = format!("{}, or the name of an existing server", ids.join(", "));
    let (last, rest) = names.split_last().map_or(("", &[][..]), |(last, rest)| (*last, rest));
    let usual = format!("{} or {last}", rest.join(", "));
    Command::new("up")
        .about("Start a private database server from the binaries on this machine")
        .arg(
            Arg::new("server")
                .value_name("PRODUCT|NAME")
                .required(true)
                .help(known),
        )
        .args([
            value("version", "V", "Version, such as 17 [default: the newest one on this machine]"),
            value("name", "NAME", "")
                .help(format!("Name of the server, which can be used as a target [default: {usual}]")),
            Arg::new("settings")
                .long("set")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("Server setting; repeatable"),
            value("replica", "HOW", "Also create a replica named NAME-replica; commits wait for it \
                                     (sync) or do not (async)").value_parser(["async", "sync"]),
            value("port", "N", "TCP port on the loopback interface [default: any free port]")
                .value_parser(clap::value_parser!(u16).range(1..)),
            value("binaries", "FOLDER", "Installation directory to use")
                .value_hint(ValueHint::DirPath),
            output(),
        ])
        .after_help(
            "Examples:\n  tacho up postgres\n  tacho prepare tprocc pg && tacho run tprocc pg\n  \
             tacho up postgres --version 17 --name new --set shared_buffers=1GB\n  \
             tacho up mariadb --binaries /opt/mariadb-11.4\n\n\
             The server listens on loopback and on a Unix socket in its own folder, with the product's default\n\
             settings. It keeps running until tacho down removes it. If the server is\n\
             killed, tacho up starts it again with its data.\n\n\
             Exit codes:\n  0 the server is ready   2 usage   3 no binaries, or failed start   130 stopped",
        )
}

pub(super) fn down() -> Command {
    Command::new("down")
        .about("Stop a private server and remove it with its data, without confirmation")
        .args([
            position("name", "NAME", "Name of the server [default: the only one]"),
            switch("all", "All servers in the folder").conflicts_with("name"),
            switch("keep-data", "Keep the data, so that tacho up can start the server again"),
            output(),
        ])
        .after_help(
            "Examples:\n  tacho down\n  tacho down pg --keep-data\n  tacho down --all\n\n\
             Exit codes:\n  0 done, or nothing to do   2 unknown name   3 could not be removed",
        )
}
