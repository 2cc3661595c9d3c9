//! The `serve` and `watch` commands, and the web view of commands that measure.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

use super::common::{file, output, position, switch, value};

/// The default address of the web view.
pub(crate) const ADDRESS: &str = "127.0.0.1:4100";

/// Creates the option for the address on which a server listens.
pub(super) fn listen(default: &'static str) -> Arg {
    value("listen", "ADDRESS:PORT", "Address to listen on; port 0 selects any free port")
        .default_value(default)
}

pub(super) fn listening() -> [Arg; 5] {
    [
        value("tls-cert", "FILE", "Certificate of the web view, with its chain, in PEM format")
            .value_hint(ValueHint::FilePath)
            .requires("tls-key"),
        value("tls-key", "FILE", "Private key of the certificate, in PEM format")
            .value_hint(ValueHint::FilePath)
            .requires("tls-cert"),
        value(
            "allow-host",
            "NAME",
            "Additional host name under which browsers can open the web view; repeatable",
        )
        .action(ArgAction::Append),
        switch(
            "plain-http",
            "Serve the web view without TLS on an address that other machines can reach",
        ),
        switch("read-only", "Do not allow the web view to start, stop or change anything"),
    ]
}

/// Returns the web view's flags for a command that measures.
pub(super) fn flags() -> Vec<Arg> {
    let web = Arg::new("web")
        .long("web")
        .value_name("ADDRESS:PORT")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value(ADDRESS)
        .help(format!("Also serve a web view while the command is running [default: {ADDRESS}]"));
    let hidden = listening().into_iter().chain([otlp()]).map(|arg| arg.hide_short_help(true));
    std::iter::once(web).chain(hidden).collect()
}

fn otlp() -> Arg {
    value("otlp", "URL", "Also send metrics to this OpenTelemetry collector, such as http://127.0.0.1:4318; headers: OTEL_EXPORTER_OTLP_HEADERS").value_hint(ValueHint::Url)
}

pub(super) fn serve() -> Command {
    Command::new("serve")
        .about("Serve web pages that show, start, watch and compare runs")
        .arg(listen(ADDRESS))
        .args(listening())
        .arg(otlp())
        .arg(output())
        .after_help(
            "Examples:\n  tacho serve\n  tacho serve --listen 127.0.0.1:0 -o json\n  \
             tacho serve --listen 0.0.0.0:4100 --allow-host bench.example --tls-cert bench.pem --tls-key bench.key\n\n\
             The command prints two addresses: one with full control, and one to share, which is read-only. The\n\
             token in an address grants access; TACHO_WEB_TOKEN sets the first token, so that it survives a\n\
             restart. One measurement runs at a time. Ctrl-C ends the server and any running measurement.",
        )
}

pub(super) fn watch() -> Command {
    Command::new("watch")
        .about("Show a measurement in the terminal while it is running on this or another machine")
        .arg(
            position("url", "URL|RUN", "Address that tacho serve or run --web printed, or a run \
                                        in the data folder [default: the running one]"),
        )
        .arg(
            file("ca", "FILE", "Trusted certificates, in PEM format; required for https"),
        )
        .arg(super::common::live_progress())
        .after_help(
            "Examples:\n  tacho watch\n  tacho watch latest\n  tacho watch http://127.0.0.1:4100/?token=TOKEN\n  \
             TACHO_WEB_TOKEN=TOKEN tacho watch https://bench.example:4100 --ca bench.pem\n\n\
             A run that was started without --web is followed through the intervals in its folder, which do\n\
             not contain percentiles of the whole phase.\n\
             Ctrl-C ends the view but not the measurement. If the measurement ends first, the command ends\n\
             with the same exit code.",
        )
}
