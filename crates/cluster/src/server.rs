//! The private NATS server of `tacho up nats`, which listens only on loopback and requires a token.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use tacho_core::{Error, Result};
use tacho_servers::binaries::Search;
use tacho_servers::{Installation, Options, Product, ServerPlace, Signal, text};

/// The NATS product.
pub static NATS: PrivateServer = PrivateServer;

/// NATS, as a product that `tacho up` can run as a private server.
#[derive(Clone, Copy, Debug)]
pub struct PrivateServer;

/// Folders in which Debian, Homebrew (on Intel and ARM Macs) and Python packages install the server.
const FOLDERS: [&str; 5] = [
    "/usr/sbin",
    "/usr/local/sbin",
    "/opt/homebrew/opt/nats-server/bin",
    "/usr/local/opt/nats-server/bin",
    "/usr/local/lib/python3*/*-packages/nats_server*/bin",
];
const PID_FILE: &str = "pid";
const FILE: &str = "nats.conf";

impl Product for PrivateServer {
    fn id(&self) -> &'static str {
        "nats"
    }

    fn short(&self) -> &'static str {
        "nats"
    }

    fn title(&self) -> &'static str {
        "NATS"
    }

    fn usual(&self) -> (u16, &'static str) {
        (4222, "nats://127.0.0.1:4222")
    }

    fn is_database(&self) -> bool {
        false
    }

    fn owners(&self) -> &'static [&'static str] {
        &["nats", "nobody"]
    }

    fn pid_file(&self) -> &'static str {
        PID_FILE
    }

    fn stop_signal(&self) -> Signal {
        Signal::TERM
    }

    fn find(&self, options: &Options) -> Result<Installation> {
        let search = Search {
            title: self.title(),
            programs: &["nats-server"],
            folders: &FOLDERS,
            is_ours: |line| line.contains("nats-server"),
            hint: "on Debian, install the nats-server package: apt-get install nats-server".into(),
        };
        let found = search.find(options)?;
        let setup = found.server.clone();
        Ok(Installation {
            server: found.server,
            setup,
            root: None,
            loader: found.loader,
            version: found.version,
        })
    }

    /// Returns no commands, because this NATS server does not store anything on disk.
    fn creation(&self, _: &ServerPlace) -> Vec<Command> {
        Vec::new()
    }

    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()> {
        let mut settings = format!(
            "listen: \"127.0.0.1:{}\"\npid_file: \"{}\"\nmax_payload: 1MB\n",
            place.port,
            place.folder.join(PID_FILE).display()
        );
        if !place.password.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = writeln!(settings, "authorization {{ token: \"{}\" }}", place.password);
        }
        for (name, value) in &options.settings {
            if value.contains(['\n', '"']) {
                return Err(Error::usage(format!(
                    "the value of {name} contains a quotation mark or a line break"
                ))
                .hint("remove the quotation mark or line break"));
            }
            let _ = writeln!(settings, "{name}: {value}");
        }
        place.write(&place.folder.join(FILE), &settings)
    }

    fn command(&self, place: &ServerPlace) -> Command {
        let mut command = place.installation.program(&place.installation.server);
        command.arg("-c").arg(place.folder.join(FILE));
        command
    }

    /// Returns true if the log says that the server with this process ID is ready.
    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool {
        let begin = format!("[{pid}] ");
        let log = text::read(&place.log());
        log.lines().any(|line| line.starts_with(&begin) && line.contains("Server is ready"))
    }

    /// Returns a path that is never used, because NATS does not create a socket.
    fn socket(&self, place: &ServerPlace) -> PathBuf {
        place.folder.join("socket")
    }

    fn target(&self, place: &ServerPlace) -> String {
        self.tcp_target(place)
    }

    /// Returns the server's address without the token.
    fn tcp_target(&self, place: &ServerPlace) -> String {
        format!("nats://127.0.0.1:{}", place.port)
    }
}
