//! The `agent` command, and the flags of a run that uses agents.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::common::{file, output, switch, value};
use super::web::{listen, listening};

/// The default address of an agent.
const ADDRESS: &str = "127.0.0.1:4101";

/// Returns the flags of a run.
pub(super) fn flags() -> impl Iterator<Item = Arg> {
    hosts().into_iter().chain(observed())
}

/// Returns the flags that distribute a load over agents.
pub(super) fn hosts() -> [Arg; 5] {
    let [nats, token, ca] = broker();
    let duration = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("SPAN").default_value(default).help(help)
    };
    [
        nats.hide_short_help(true),
        token.hide_short_help(true),
        ca.hide_short_help(true),
        duration("hosts-within", "60s", "Maximum time to wait for agents").hide_short_help(true),
        duration(
            "lease",
            "10s",
            "Maximum time that agents and this process continue without messages from each other",
        )
        .hide_short_help(true),
    ]
}

/// Returns the flags that select the machines to observe during a run.
fn observed() -> [Arg; 2] {
    [
        value(
            "observe",
            "HOST:PORT",
            "Record CPU, disk, network, memory and pressure data from this \
                                       agent's machine (see tacho agent), using the token in \
                                       TACHO_AGENT_TOKEN; repeatable",
        )
        .action(ArgAction::Append)
        .hide_short_help(true),
        file("observe-ca", "FILE", "Trusted certificates for https agents, in PEM format")
            .hide_short_help(true),
    ]
}

/// Returns the flags for the NATS server.
fn broker() -> [Arg; 3] {
    [
        value(
            "nats",
            "URL|NAME",
            "NATS server used by agents and runs: nats://host:4222, \
                                   tls://host:4222, or a name from tacho up nats [env: \
                                   TACHO_NATS]",
        )
        .value_hint(ValueHint::Url),
        file(
            "nats-token-file",
            "FILE",
            "File that contains the NATS server's token [env: TACHO_NATS_TOKEN, which contains the token itself]",
        ),
        file(
            "nats-ca",
            "FILE",
            "Trusted certificates for the NATS server, in PEM format; enables TLS",
        ),
    ]
}

pub(super) fn agent() -> Command {
    Command::new("agent")
        .about("Run part of a distributed load, or report this machine's activity")
        .arg(
            switch("observe", "Serve this machine's counters without starting or changing anything").conflicts_with_all(["nats", "name", "target"]),
        )
        .args(broker())
        .arg(
            value("name", "NAME", "Name of the agent, which must be unique [default: the \
                                   machine's name]"),
        )
        .arg(
            value("target", "NAME|URL", "Database address as seen from this machine [default: the \
                                         run's target]").short('t'),
        )
        .arg(listen(ADDRESS))
        .args(listening().into_iter().filter(|arg| arg.get_id() != "read-only"))
        .arg(output())
        .after_help(
            "Examples:\n  tacho agent --nats nats://broker:4222\n  \
             tacho agent --nats tls://broker:4222 --nats-ca ca.pem --name load1 -t pg\n  \
             tacho agent --observe\n  \
             tacho agent --observe --listen 0.0.0.0:4101 --allow-host db1 --tls-cert db1.pem --tls-key db1.key\n  \
             TACHO_AGENT_TOKEN=TOKEN tacho run tprocc pg --observe https://db1:4101 --observe-ca db1.pem\n\n\
             With --nats, the agent waits for runs with --hosts and executes them one after another. Database\n\
             passwords are never sent; they come from this machine's variables and password files. With\n\
             --observe, the agent prints its address and a token; TACHO_AGENT_TOKEN sets the token. Ctrl-C\n\
             ends the agent.",
        )
}
