//! Servers that continue to run after the command that started them has ended. One parent folder
//! contains a folder for each server, named after the server.
//!
//! Start reading at [`ServerPool::up`].

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};

use crate::gate::{self, Note};
use crate::product::is_version;
use crate::server::end;
use crate::state::{ServerState, is_plain};
use crate::{
    Identity, Options, Process, Product, Products, Server, ServerPlace, Stop, product, system, text,
};

/// Two functions: the first receives progress messages, and the second returns false to cancel the
/// operation.
pub(crate) type Listener<'a> = (&'a dyn Fn(&str), &'a dyn Fn() -> bool);

/// The servers in a folder.
pub struct ServerPool {
    folder: PathBuf,
    products: Products,
}

/// A server that was started by [`ServerPool::up`].
#[derive(Clone, Debug)]
pub struct Up {
    /// The recorded state.
    pub state: ServerState,
    /// The action that was taken.
    pub how: How,
    /// Folder that contains the server's data.
    pub folder: PathBuf,
}

/// The action taken to bring a server up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing was done, because the server was already running.
    Ran,
    /// The server was started with the data that it already had.
    Restarted,
    /// The server was created.
    Made,
}

/// A server that was stopped by [`ServerPool::down`].
#[derive(Clone, Debug)]
pub struct Down {
    /// The server's name.
    pub name: String,
    /// The outcome of stopping the server.
    pub stop: Stop,
    /// The server's folder. It no longer exists, unless the data was kept.
    pub folder: PathBuf,
    /// True if the data has been kept.
    pub kept: bool,
}

impl ServerPool {
    /// Opens a pool of servers of these products. The `folder` for the servers need not exist.
    pub fn open(folder: PathBuf, products: Products) -> Self {
        Self { folder, products }
    }

    /// Returns the product with this name.
    pub fn product(&self, id: &str) -> Result<&'static dyn Product> {
        product(&self.products, id)
    }

    /// Returns all servers, sorted by name.
    pub fn list(&self) -> Result<Vec<ServerState>> {
        let mut names: Vec<String> = self
            .folder
            .read_dir()
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()))
            .filter_map(|file| Some(file.strip_suffix(".json")?.to_owned()))
            .collect();
        names.sort();
        let states = names.iter().map(|name| ServerState::read(&self.file(name)));
        states.filter_map(Result::transpose).collect()
    }

    /// Starts a server. If it does not exist yet, creates it first. `word` is the name of a product
    /// or a server, and `tell` receives progress messages. While waiting, this function calls
    /// `go_on` repeatedly and stops if the result is false.
    ///
    /// # Errors
    /// Returns an error if the server cannot be created or started. In that case, all files created
    /// by this call are removed.
    pub fn up(
        &self,
        word: &str,
        name: Option<&str>,
        options: Options,
        tell: &dyn Fn(&str),
        go_on: &dyn Fn() -> bool,
    ) -> Result<Up> {
        system::supported()?;
        let (name, product) = self.named(word, name, &options)?;
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| Error::from(error).during("create the folder for servers"))?;
        let lock = self.lock()?;
        let state = ServerState::read(&self.file(&name))?;
        let result = match state {
            Some(state) if state.made => self.again(state, &options, tell, go_on),
            half_made => {
                if let Some(state) = half_made {
                    tell(&format!("removing {name}, which an interrupted command left incomplete"));
                    self.down_one(state, false)?;
                }
                let made = self.made(&name, product, options, None, (tell, go_on));
                made.inspect_err(|_| self.remove(&name))
            }
        };
        drop(lock);
        self.remove_if_empty();
        result
    }

    /// Returns the target that [`ServerPool::up`] would return, but changes nothing. If the server
    /// does not exist yet, its port is unknown, so the target contains port 1.
    pub fn planned(&self, product: &str, name: &str, options: &Options) -> Result<String> {
        let product = self.product(product)?;
        if let Some(state) = ServerState::read(&self.file(name))?.filter(|state| state.made) {
            require_product(&state, product, self.product(&state.product)?)?;
            agrees(&state, options)?;
            return Ok(state.target);
        }
        let (folder, installation) = (self.folder_of(name), product.find(options)?);
        let sockets = folder.clone();
        let place = ServerPlace {
            folder,
            sockets,
            port: 1,
            password: String::new(),
            installation,
            owner: None,
        };
        Ok(product.target(&place))
    }

    /// Stops one server or all servers, and removes their files unless `keep` is set.
    pub fn down(&self, name: Option<&str>, keep: bool) -> Result<Vec<Down>> {
        if !self.folder.exists() {
            return name.map_or(Ok(Vec::new()), |name| Err(unknown(name, &[])));
        }
        let lock = self.lock()?;
        let states = match name {
            // Read only this server's state file, because others may be damaged.
            Some(name) => match ServerState::read(&self.file(name))? {
                Some(state) if is_plain(name) => vec![state],
                _ => return Err(unknown(name, &self.list().unwrap_or_default())),
            },
            None => self.list()?,
        };
        let done = states.into_iter().map(|state| self.down_one(state, keep)).collect();
        drop(lock);
        self.remove_if_empty();
        done
    }

    /// Restarts a server with temporary settings, which apply until this function is called again.
    /// The settings are recorded even if the start fails.
    pub fn restart_with(
        &self,
        name: &str,
        for_a_while: &[(String, String)],
        go_on: &dyn Fn() -> bool,
    ) -> Result<()> {
        let _lock = self.lock()?;
        let state = ServerState::read(&self.file(name))?;
        let Some(mut state) = state.filter(|state| state.made) else {
            return Err(unknown(name, &self.list()?));
        };
        state.require_own(&self.file(name))?;
        let product = self.product(&state.product)?;
        let folder = self.folder_of(name).canonicalize()?;
        let known = state.process.as_ref().and_then(Process::find);
        if let Some(mut process) = known.or_else(|| orphan(product, &folder)) {
            end(&mut process, product);
        }
        state.process = None;
        state.for_a_while = for_a_while.to_vec();
        state.write(&self.file(name))?;
        let (options, password) = (state.options(), state.password.clone());
        let mut server = Server::open(product, &folder, options, password, state.port, None)?;
        server.configure()?;
        server.start_noted(&self.noting(&state), go_on)?;
        self.note(&mut state, &server)
    }

    /// Returns a server's folder.
    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Returns the name and the product of a server. `word` is either the ID of a product or the
    /// name of an existing server.
    pub(crate) fn named(
        &self,
        word: &str,
        name: Option<&str>,
        options: &Options,
    ) -> Result<(String, &'static dyn Product)> {
        let is_product = self.products.iter().any(|product| product.id() == word);
        if is_plain(word)
            && let Some(state) = ServerState::read(&self.file(word))?
            && !(is_product && name.is_some_and(|name| name != word))
        {
            let product = self.product(&state.product)?;
            if is_product {
                require_product(&state, self.product(word)?, product)?;
            }
            if let Some(other) = name.filter(|name| *name != word) {
                let text = format!("{word} is an existing server and cannot be renamed to {other}");
                return Err(Error::usage(text).hint(format!(
                    "use tacho up {} --name {other} to create a server with that name",
                    product.id()
                )));
            }
            return Ok((state.name, product));
        }
        let product = self.product(word)?;
        let version = options.version.as_deref().unwrap_or_default();
        let name = name.map_or_else(|| format!("{}{version}", product.short()), str::to_owned);
        if !is_plain(&name) {
            return Err(Error::usage(format!("invalid server name \"{name}\""))
                .hint("use letters, digits and -_., and start with a letter or digit"));
        }
        if let Some(state) = ServerState::read(&self.file(&name))? {
            require_product(&state, product, self.product(&state.product)?)?;
        }
        Ok((name, product))
    }

    /// Creates a new server. If a primary is given, creates a replica of it.
    pub(crate) fn made(
        &self,
        name: &str,
        product: &'static dyn Product,
        options: Options,
        primary: Option<&ServerPlace>,
        (tell, go_on): Listener<'_>,
    ) -> Result<Up> {
        let version = product.find(&options)?.version;
        let folder = self.folder_of(name);
        let shown = folder.display().to_string();
        let title = product.title();
        let making = format!("create {shown}");
        let mut state = ServerState::new(name, product.id());
        state.write(&self.file(name))?;
        let made = system::private_folder(&folder);
        made.map_err(|error| Error::from(error).during(making))?;
        tell(&format!("creating a data directory for {title} {version} in {shown}"));
        state.binaries.clone_from(&options.binaries);
        state.settings.clone_from(&options.settings);
        state.password = password()?;
        state.server_version = version;
        let folder = folder.canonicalize()?;
        // Write the state before the process starts, so that the next command can end the process
        // if this command is killed.
        let note_setup = |identity: &Identity| {
            let setup = Some(identity.clone());
            ServerState { setup, ..state.clone() }.write(&self.file(name))
        };
        let (secret, watch) = (state.password.clone(), (&note_setup as Note<'_>, go_on));
        let mut server = Server::set_up(product, &folder, options, secret, primary, watch)?;
        tell(&format!("starting {title}"));
        server.start_noted(&self.noting(&state), go_on)?;
        self.note(&mut state, &server).inspect_err(|_| {
            server.stop();
        })?;
        Ok(Up { state, how: How::Made, folder })
    }

    /// Starts a server with the data that it already has, unless it is running.
    fn again(
        &self,
        mut state: ServerState,
        options: &Options,
        tell: &dyn Fn(&str),
        go_on: &dyn Fn() -> bool,
    ) -> Result<Up> {
        let name = state.name.clone();
        agrees(&state, options)?;
        state.require_own(&self.file(&name))?;
        let folder = self.folder_of(&name).canonicalize()?;
        if state.runs() {
            return Ok(Up { state, how: How::Ran, folder });
        }
        let product = self.product(&state.product)?;
        if let Some(mut orphan) = orphan(product, &folder) {
            end(&mut orphan, product);
        }
        let (options, password) = (state.options(), state.password.clone());
        let mut server = Server::open(product, &folder, options, password, state.port, None)?;
        tell(&format!("starting {} with the data of {name}", product.title()));
        server.start_noted(&self.noting(&state), go_on)?;
        self.note(&mut state, &server)?;
        Ok(Up { state, how: How::Restarted, folder })
    }

    /// Returns the function that writes the server's process to the state file before the server
    /// program starts.
    fn noting(&self, state: &ServerState) -> impl Fn(&Identity) -> Result<()> {
        let (state, file) = (state.clone(), self.file(&state.name));
        move |identity| {
            ServerState { process: Some(identity.clone()), ..state.clone() }.write(&file)
        }
    }

    /// Records that a server is running.
    fn note(&self, state: &mut ServerState, server: &Server) -> Result<()> {
        let place = server.place();
        state.port = place.port;
        state.target = server.product().target(place);
        state.process = server.identity().cloned();
        (state.made, state.setup) = (true, None);
        state.write(&self.file(&state.name))
    }

    pub(crate) fn down_one(&self, mut state: ServerState, keep: bool) -> Result<Down> {
        let product = self.product(&state.product)?;
        let name = state.name.clone();
        let folder = self.folder_of(&name);
        if state.made && !keep {
            // If this command is killed, the next one must not mistake the half-removed server for
            // a usable one.
            let half_removed = ServerState { made: false, ..state.clone() };
            half_removed.write(&self.file(&name))?;
        }
        let known = state.process.as_ref().and_then(Process::find);
        let mut process = known.or_else(|| orphan(product, &folder.canonicalize().ok()?));
        let mut stop = process.as_mut().map_or(Stop::WasDown, |process| end(process, product));
        let left = state.setup.as_ref().is_some_and(gate::end_noted);
        if left || !state.made {
            stop = Stop::Unfinished;
        }
        let kept = keep && state.made;
        if kept {
            state.process = None;
            state.write(&self.file(&name))?;
        } else {
            self.remove(&name);
            if folder.exists() {
                let text = format!("{} could not be removed", folder.display());
                return Err(Error::new(ErrorKind::Auth, text)
                    .hint("only the user who started the server can remove it"));
            }
        }
        Ok(Down { name, stop, folder, kept })
    }

    /// Removes the files of a server. If a file cannot be removed, keeps the folder.
    pub(crate) fn remove(&self, name: &str) {
        let folder = self.folder_of(name);
        if !folder.is_symlink()
            && let Ok(whole) = folder.canonicalize()
            && let Ok(short) = crate::server::short_folder(&whole)
        {
            let _ = std::fs::remove_dir_all(short);
        }
        let _ = std::fs::remove_dir_all(&folder);
        if !folder.exists() {
            let _ = std::fs::remove_file(self.file(name));
        }
    }

    /// Removes the servers' folder, unless it contains other servers.
    fn remove_if_empty(&self) {
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Prevents other commands from changing the servers until the returned file is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        #[expect(clippy::disallowed_methods, reason = "a folder, to be locked")]
        let folder = File::open(&self.folder)?;
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::new(
                ErrorKind::LockTimeout,
                "another tacho up or tacho down is running for this folder",
            )
            .hint("wait until it has finished")),
            // The file system does not support locks. Continue without a lock, although two
            // commands may then run at the same time.
            _ => Ok(folder),
        }
    }
}

/// Returns an error if the existing server is not of the requested product.
fn require_product(state: &ServerState, wanted: &dyn Product, found: &dyn Product) -> Result<()> {
    if wanted.id() == found.id() {
        return Ok(());
    }
    let (name, wanted, found) = (&state.name, wanted.title(), found.title());
    Err(other_server(name, format!("{name} is a {found} server, not {wanted}")))
}

/// Returns the error for a server that already exists but differs from the requested one.
fn other_server(name: &str, what: String) -> Error {
    Error::usage(what)
        .hint("use --name to create a server with another name")
        .hint(format!("or remove this one: tacho down {name}"))
}

/// Returns an error if an existing server does not match the requested options.
fn agrees(state: &ServerState, options: &Options) -> Result<()> {
    let ServerState { name, server_version, .. } = state;
    let other = |what: String| other_server(name, what);
    if let Some(wanted) = &options.version
        && !is_version(server_version, wanted)
    {
        return Err(other(format!("{name} has version {server_version}, not {wanted}")));
    }
    if !options.settings.is_empty() && options.settings != state.settings {
        return Err(other(format!("{name} was created with other settings")));
    }
    if options.port.is_some_and(|port| port != state.port) {
        return Err(other(format!("{name} has port {}", state.port)));
    }
    Ok(())
}

pub(crate) fn unknown(name: &str, all: &[ServerState]) -> Error {
    Error::usage(format!("unknown server \"{name}\""))
        .did_you_mean(name, all.iter().map(|state| state.name.as_str()))
        .hint("to list the servers, use tacho list servers; to choose their folder, use --dir or TACHO_DIR")
}

/// Finds a server's process by its PID file. The process may not have been recorded, because the
/// command that started it was killed.
pub(crate) fn orphan(product: &dyn Product, folder: &Path) -> Option<Process> {
    let file = text::read(&folder.join(product.pid_file()));
    let identity = Identity::of(file.lines().next()?.trim().parse().ok()?)?;
    let pid = identity.pid.to_string();
    let output = Command::new("ps").args(["-ww", "-o", "args=", "-p", &pid]).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let prefix = format!("{}/", folder.display());
    if line.contains(&prefix) { Process::find(&identity) } else { None }
}

/// Returns 128 random bits as hexadecimal digits.
fn password() -> Result<String> {
    let mut bytes = [0; 16];
    #[expect(clippy::disallowed_methods, reason = "reads the system's random numbers")]
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
