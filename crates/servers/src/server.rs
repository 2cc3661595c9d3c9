//! A private server and its life cycle: create, start, stop and kill.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};

use crate::gate::{self, Note};
use crate::owner::Owner;
use crate::place::with_cause;
use crate::process::{Process, all_below, tick, ticks};
use crate::system::send;
use crate::{
    Identity, Installation, Options, Product, ServerPlace, Signal, binaries, misspelt, ports,
    system, text,
};

/// Time limit for starting a server, which is long enough even for a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);
/// Time limit for a clean shutdown. It is long, because the server may have to write much data.
const STOP_PATIENCE: Duration = Duration::from_mins(1);
const ATTEMPTS: usize = 5;
/// Maximum length of the path of a Unix socket's folder that works on every system.
const SOCKET_FOLDER_MAX: usize = 103 - 20;

/// The outcome of stopping a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The server was not running.
    WasDown,
    /// The server shut down cleanly.
    Orderly,
    /// The server was killed, because it did not shut down when it was asked to.
    Killed,
    /// The server's creation had been interrupted. Any remaining processes of the server were
    /// killed.
    Unfinished,
}

/// A private server. Dropping this value does not stop the server.
pub struct Server {
    product: &'static dyn Product,
    place: ServerPlace,
    options: Options,
    process: Option<Process>,
}

impl Server {
    /// Creates a data directory in an empty `folder` without starting the server. If `primary` is
    /// given, the directory is that of its replica.
    pub fn create(
        product: &'static dyn Product,
        folder: &Path,
        options: Options,
        password: String,
        primary: Option<&ServerPlace>,
    ) -> Result<Self> {
        Self::set_up(product, folder, options, password, primary, (&|_| Ok(()), &|| true))
    }

    /// Creates a server like [`Server::create`], but records each process before it starts. Stops if `go_on` returns
    /// false.
    pub(crate) fn set_up(
        product: &'static dyn Product,
        folder: &Path,
        options: Options,
        password: String,
        primary: Option<&ServerPlace>,
        (note, go_on): (Note<'_>, &dyn Fn() -> bool),
    ) -> Result<Self> {
        system::supported()?;
        let installation = product.find(&options)?;
        let owner = Owner::choose(product.owners())?;
        let place = place(folder, installation, owner, password)?;
        let mut server = Self { product, place, options, process: None };
        server.choose_port()?;
        server.configure()?;
        let commands = match primary {
            Some(primary) => product.replica_creation(&server.place, primary),
            None => product.creation(&server.place),
        };
        for command in commands {
            let operation = format!("create a data directory for {}", product.title());
            let made = server.place.set_up(&command, operation, note, go_on);
            made.map_err(|error| server.with_suggestions(error))?;
        }
        Ok(server)
    }

    /// Returns a server that an earlier command created and started as `process`.
    pub fn open(
        product: &'static dyn Product,
        folder: &Path,
        options: Options,
        password: String,
        port: u16,
        process: Option<&Identity>,
    ) -> Result<Self> {
        let installation = product.find(&options)?;
        let owner = Owner::choose(product.owners())?;
        let mut place = place(folder, installation, owner, password)?;
        place.port = port;
        let process = process.and_then(Process::find);
        Ok(Self { product, place, options, process })
    }

    /// Writes the server's settings to its files. They apply at the next start.
    pub fn configure(&self) -> Result<()> {
        self.product.configure(&self.place, &self.options)
    }

    /// Starts the server and waits until it is ready. `go_on` is called regularly; if it returns
    /// false, the server is stopped.
    pub fn start(&mut self, go_on: &dyn Fn() -> bool) -> Result<()> {
        self.start_noted(&|_| Ok(()), go_on)
    }

    /// Starts a server like [`Server::start`], but records its process first.
    pub(crate) fn start_noted(&mut self, note: Note<'_>, go_on: &dyn Fn() -> bool) -> Result<()> {
        // Try several times, because another program may take the port between the check and the
        // server's start.
        if !go_on() {
            return Err(stopped());
        }
        self.product.clear(&self.place);
        let mut started = Ok(());
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.choose_port()?;
                self.configure()?;
            }
            started = self.launch(note).and_then(|()| self.await_answer(go_on));
            let lost_port = |error: &Error| {
                self.options.port.is_none() && error.message().contains("already in use")
            };
            if !started.as_ref().is_err_and(lost_port) {
                break;
            }
        }
        started
    }

    /// Returns true if the server is running.
    pub fn runs(&mut self) -> bool {
        self.process.as_mut().is_some_and(Process::lives)
    }

    /// Returns the identity of the server's process.
    pub fn identity(&self) -> Option<&Identity> {
        self.process.as_ref().map(Process::identity)
    }

    /// Returns the product.
    pub fn product(&self) -> &'static dyn Product {
        self.product
    }

    /// Returns the server's location.
    pub fn place(&self) -> &ServerPlace {
        &self.place
    }

    /// Stops the server and ends its sessions. If this takes too long, kills the server.
    pub fn stop(&mut self) -> Stop {
        let Some(mut process) = self.process.take() else { return Stop::WasDown };
        end(&mut process, self.product)
    }

    /// Kills the server and all its processes at once, like a power failure.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Sends a signal to the server, for example to suspend it.
    pub fn signal(&mut self, signal: Signal) {
        if let Some(process) = &mut self.process {
            process.signal(signal);
        }
    }

    fn choose_port(&mut self) -> Result<()> {
        self.place.port = match self.options.port {
            Some(port) if !ports::is_free(port) => return Err(taken(port)),
            Some(port) => port,
            None => ports::free()?,
        };
        Ok(())
    }

    fn launch(&mut self, note: Note<'_>) -> Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the server's own log")]
        let log = std::fs::File::create(self.place.log())?;
        let mut command = detached(&self.product.command(&self.place));
        self.place.adopt(&mut command);
        command.stdout(log.try_clone()?).stderr(log);
        let child =
            gate::spawn(&mut command, note).map_err(|error| self.failed(error.to_string()))?;
        self.process = Some(Process::of(child));
        Ok(())
    }

    fn await_answer(&mut self, go_on: &dyn Fn() -> bool) -> Result<()> {
        for _ in 0..ticks(PATIENCE) {
            let Some(process) = &mut self.process else { break };
            if !process.lives() {
                self.process = None;
                return Err(self.failed(text::log_tail(&self.place.log())));
            }
            if self.product.is_ready(&self.place, process.identity().pid) {
                return Ok(());
            }
            if !go_on() {
                self.stop();
                return Err(stopped());
            }
            tick();
        }
        self.kill();
        let log = text::log_tail(&self.place.log());
        let text =
            format!("timed out after {} s; the server was stopped\n{log}", PATIENCE.as_secs());
        Err(self.failed(text))
    }

    fn failed(&self, text: String) -> Error {
        let operation = format!("start {}", self.product.title());
        self.with_suggestions(with_cause(Error::new(ErrorKind::Other, text).during(operation)))
    }

    fn with_suggestions(&self, error: Error) -> Error {
        misspelt::suggest(error, self.product, &self.place, &self.options)
    }
}

/// Shuts a server down cleanly, or kills it if that takes too long.
pub(crate) fn end(process: &mut Process, product: &dyn Product) -> Stop {
    if !process.lives() {
        return Stop::WasDown;
    }
    process.signal(product.stop_signal());
    // A suspended process cannot exit, so resume it.
    for pid in all_below(process.identity().pid) {
        send(pid, Signal::CONT);
    }
    process.signal(Signal::CONT);
    if process.wait_for_end(STOP_PATIENCE) {
        return Stop::Orderly;
    }
    process.kill();
    Stop::Killed
}

fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "stopped on request")
        .hint("to start again, run the same command")
}

fn taken(port: u16) -> Error {
    Error::new(ErrorKind::Resource, format!("port {port} is in use"))
        .hint("omit --port to use a free one")
}

/// Returns a command that runs in a new session. Without the program `setsid`, it runs in a new
/// process group instead. The command continues when the user presses Ctrl-C or closes the
/// terminal.
fn detached(command: &Command) -> Command {
    let Some(setsid) = binaries::in_path("setsid") else {
        let mut gated = gate::gated(command);
        system::with_own_group(&mut gated);
        return gated;
    };
    let mut detached = Command::new(setsid);
    detached.arg(command.get_program()).args(command.get_args());
    gate::gated(&detached)
}

fn place(
    folder: &Path,
    installation: Installation,
    owner: Option<Owner>,
    password: String,
) -> Result<ServerPlace> {
    if let Some(owner) = owner {
        owner.check_way_to(folder)?;
        owner.take(folder)?;
    }
    let sockets = socket_folder(folder, owner)?;
    let folder = folder.to_owned();
    Ok(ServerPlace { folder, sockets, port: 0, password, installation, owner })
}

/// Returns a folder with a short path. It is used for the server's sockets if the path of their
/// usual folder is too long.
pub(crate) fn short_folder(folder: &Path) -> Result<PathBuf> {
    let inode = system::about(&folder.metadata()?).number;
    Ok(std::env::temp_dir().join(format!("tacho-sockets-{inode:x}")))
}

/// Returns the folder for the server's sockets. This is `folder`, unless its path is too long for a
/// socket.
fn socket_folder(folder: &Path, owner: Option<Owner>) -> Result<PathBuf> {
    if folder.as_os_str().len() <= SOCKET_FOLDER_MAX {
        return Ok(folder.to_owned());
    }
    let short = short_folder(folder)?;
    if let Err(error) = system::private_folder(&short)
        && error.kind() != std::io::ErrorKind::AlreadyExists
    {
        return Err(Error::from(error).during(format!("make {}", short.display())));
    }
    // Reject a folder of another user, who could intercept the connections.
    let holder = short.symlink_metadata()?;
    let owners = [system::user(), owner.map_or(0, Owner::user)];
    if !holder.is_dir() || !owners.contains(&system::about(&holder).user) {
        return Err(Error::new(
            ErrorKind::Auth,
            format!("{} belongs to another user", short.display()),
        )
        .hint("choose a shorter --dir, so that no separate socket folder is needed"));
    }
    if let Some(owner) = owner {
        owner.take(&short)?;
    }
    Ok(short)
}
