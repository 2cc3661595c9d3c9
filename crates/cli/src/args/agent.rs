//! `agent`, and the flags of a run that uses one.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::output;
use super::web::listening;

/// Where an agent listens if nothing is said.
const ADDRESS: &str = "127.0.0.1:4101";

/// The flags of a run.
pub(super) fn flags() -> [Arg; 2] {
    [
        Arg::new("observe")
            .long("observe")
            .value_name("HOST:PORT")
            .action(ArgAction::Append)
            .hide_short_help(true)
            .help("Record CPU, disks, network, memory and pressure of the machine of this agent (see tacho agent); its token is in TACHO_AGENT_TOKEN; repeatable"),
        Arg::new("observe-ca")
            .long("observe-ca")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .hide_short_help(true)
            .help("Certificates to trust for agents with https, PEM"),
    ]
}

pub(super) fn agent() -> Command {
    Command::new("agent")
        .about("Report what this machine does to a run on another machine")
        .arg(
            Arg::new("observe")
                .long("observe")
                .action(ArgAction::SetTrue)
                .required(true)
                .help("Answer with the counters of this machine; start and change nothing"),
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value(ADDRESS)
                .help("Where to listen; port 0 is any that is free"),
        )
        .args(listening().into_iter().filter(|arg| arg.get_id() != "read-only"))
        .arg(output())
        .after_help(
            "Examples:\n  tacho agent --observe\n  \
             tacho agent --observe --listen 0.0.0.0:4101 --allow-host db1 --tls-cert db1.pem --tls-key db1.key\n  \
             TACHO_AGENT_TOKEN=TOKEN tacho run tprocc pg --observe https://db1:4101 --observe-ca db1.pem\n\n\
             It prints its address and a token; TACHO_AGENT_TOKEN sets the token. Ctrl-C ends it.",
        )
}
