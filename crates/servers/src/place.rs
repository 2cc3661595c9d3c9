//! A server's location on disk and its address on the loopback interface.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tacho_core::{Error, ErrorKind, Result};

use crate::gate::{self, Note};
use crate::owner::Owner;
use crate::{system, text};

/// Programs found on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The server program.
    pub server: PathBuf,
    /// The program that creates a data directory. In some products, the server program itself does
    /// this.
    pub setup: PathBuf,
    /// The root of the installation, for products that need its path to start.
    pub root: Option<PathBuf>,
    /// The dynamic loader and its arguments, which are put before the program. Empty unless the
    /// installation has its own libraries.
    pub loader: Vec<String>,
    /// The numeric version, such as `17.2`.
    pub version: String,
}

impl Installation {
    /// Returns a command that runs one of the installation's programs.
    pub fn program(&self, program: &Path) -> Command {
        let Some((loader, words)) = self.loader.split_first() else {
            return Command::new(program);
        };
        let mut command = Command::new(loader);
        command.args(words).arg(program);
        command
    }
}

/// Everything that a product needs to create and start a server.
#[derive(Clone, Debug)]
pub struct ServerPlace {
    /// Folder that contains the data directory, the settings and the log.
    pub folder: PathBuf,
    /// Folder of the Unix socket: the server's folder or, if its path is too long, a short one.
    pub sockets: PathBuf,
    /// TCP port on the loopback interface. For some products, it is also part of the socket's name.
    pub port: u16,
    /// The user's password for TCP. Empty if none is needed.
    pub password: String,
    /// The installation.
    pub installation: Installation,
    /// The user account under which the server runs, unless it is the current user's.
    pub(crate) owner: Option<Owner>,
}

impl ServerPlace {
    /// Returns the data directory.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Returns the path of the server's log.
    pub fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Writes a file that only the server's user can read.
    pub fn write(&self, path: &Path, content: &str) -> Result<()> {
        text::write_private(path, content)?;
        system::set_private(path)?;
        self.owner.map_or(Ok(()), |owner| owner.take(path))
    }

    /// Returns the path of a subfolder, creating it if it does not exist.
    pub fn subfolder(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::create_dir_all(&path)?;
        self.owner.map_or(Ok(()), |owner| owner.take(&path))?;
        Ok(path)
    }

    /// Makes a command run as the server's user. Its working directory is one that every user can
    /// read.
    pub(crate) fn adopt(&self, command: &mut Command) {
        command.current_dir("/");
        if let Some(owner) = self.owner {
            owner.run(command);
        }
    }

    /// Runs a program to its end.
    pub(crate) fn run(&self, mut command: Command, operation: String) -> Result<()> {
        self.adopt(&mut command);
        let output =
            command.output().map_err(|error| Error::from(error).during(operation.clone()))?;
        self.succeeded(output, operation)
    }

    /// Runs a setup program until it exits or `go_on` returns false. Its process is recorded before
    /// the program starts.
    pub(crate) fn set_up(
        &self,
        command: &Command,
        operation: String,
        note: Note<'_>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<()> {
        let mut gated = gate::gated(command);
        self.adopt(&mut gated);
        let output =
            gate::run(&mut gated, note, go_on).map_err(|error| error.during(operation.clone()))?;
        self.succeeded(output, operation)
    }

    fn succeeded(&self, output: Output, operation: String) -> Result<()> {
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        // Prefer the program's log if it writes one, because the log has more details than the
        // output.
        let log = text::read(&self.log());
        let tail = text::tail(if log.trim().is_empty() { &said } else { &log });
        Err(with_cause(Error::new(ErrorKind::Other, tail).during(operation)))
    }
}

/// Adds a hint if the server's last lines of output indicate a known cause.
pub(crate) fn with_cause(error: Error) -> Error {
    let said = error.message().to_lowercase();
    let hint = if said.contains("no space left") || said.contains("disk full") {
        "the disk is full: choose a folder on another disk with --dir"
    } else if said.contains("already in use") {
        "another program uses the port: choose another one with --port, or omit --port to use a \
         free one"
    } else if said.contains("unrecognized configuration parameter")
        || said.contains("unknown variable")
        || said.contains("unknown option")
        || said.contains("invalid value for parameter")
    {
        "correct or omit the --set option with this name"
    } else if said.contains("permission denied") || said.contains("errcode: 13") {
        "choose a folder that every user can access, such as --dir /var/tmp/tacho"
    } else {
        "these are the last lines of the server's log; if they do not help, reinstall the server"
    };
    error.hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_log_messages_have_a_hint() {
        let table = [
            ("FATAL: could not write: No space left on device", "--dir"),
            ("could not bind: Address already in use", "--port"),
            ("unrecognized configuration parameter \"x\"", "--set"),
            ("mariadbd: unknown variable 'x=1'", "--set"),
            ("could not open: Permission denied", "/var/tmp"),
        ];
        for (said, remedy) in table {
            let error = with_cause(Error::new(ErrorKind::Other, said));
            assert!(error.hints()[0].contains(remedy), "{said}: {:?}", error.hints());
        }
    }
}
