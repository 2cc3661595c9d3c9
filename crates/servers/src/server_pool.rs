//! Servers that outlive the command that started them: by name, in one folder.
//!
//! Start reading at [`ServerPool::up`].

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result, nearest};

use crate::gate::{self, Note};
use crate::product::is_version;
use crate::server::end;
use crate::state::{ServerState, is_plain};
use crate::{
    Identity, Options, Process, Product, Products, Server, ServerPlace, Stop, product, system, text,
};

/// Who hears of steps that take time, and is asked whether to continue.
pub(crate) type Listener<'a> = (&'a dyn Fn(&str), &'a dyn Fn() -> bool);

/// The servers of a folder.
pub struct ServerPool {
    folder: PathBuf,
    products: Products,
}

/// A server that [`ServerPool::up`] has brought up.
#[derive(Clone, Debug)]
pub struct Up {
    /// As written down.
    pub state: ServerState,
    /// What had to be done.
    pub how: How,
    /// Where its data is.
    pub folder: PathBuf,
}

/// What had to be done to bring a server up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing.
    Ran,
    /// It was started on the data it had.
    Restarted,
    /// It was made.
    Made,
}

/// A server that [`ServerPool::down`] has brought down.
#[derive(Clone, Debug)]
pub struct Down {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub stop: Stop,
    /// The folder that was removed or, if it was to be kept, is still there.
    pub folder: PathBuf,
    /// Whether its data is still there.
    pub kept: bool,
}

impl ServerPool {
    /// The servers of these products in this folder, which need not exist.
    pub fn open(folder: PathBuf, products: Products) -> Self {
        Self { folder, products }
    }

    /// The product of this name.
    pub fn product(&self, id: &str) -> Result<&'static dyn Product> {
        product(&self.products, id)
    }

    /// All servers, by name.
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

    /// Starts a server, made again if there is none of the name. `word` is a product or the name
    /// of a server; `tell` hears of steps that take time; `go_on` is asked while it waits.
    /// An error leaves nothing behind that was not there before.
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
            .map_err(|error| Error::from(error).during("make the folder for servers"))?;
        let lock = self.lock()?;
        let state = ServerState::read(&self.file(&name))?;
        let result = match state {
            Some(state) if state.made => self.again(state, &options, tell, go_on),
            half_made => {
                if let Some(state) = half_made {
                    tell(&format!("removing {name}, which an interrupted command left half-made"));
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

    /// The target of a server as [`ServerPool::up`] would make it, or of the one that it would start again;
    /// nothing is touched. The port of one that is yet to be made is not known, and stands as 1.
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

    /// Stops a server, or all of them, and removes what is on disk unless that is to be kept.
    pub fn down(&self, name: Option<&str>, keep: bool) -> Result<Vec<Down>> {
        if !self.folder.exists() {
            return name.map_or(Ok(Vec::new()), |name| Err(unknown(name, &[])));
        }
        let lock = self.lock()?;
        let states = match name {
            // A damaged file of another server does not matter here.
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

    /// Starts a server again, or for the first time, with these settings over those it was made
    /// with, in place of earlier ones of this kind; they stay until the next call. If it does not
    /// start it is down, and the settings are written down.
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

    /// The folder of a server.
    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// The name and the product that are meant.
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
                let text = format!("{word} is an existing server and cannot be named {other}");
                return Err(Error::usage(text).hint(format!(
                    "tacho up {} --name {other} makes a server of that name",
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
                .hint("a name has letters, digits and -_. and begins with a letter or digit"));
        }
        if let Some(state) = ServerState::read(&self.file(&name))? {
            require_product(&state, product, self.product(&state.product)?)?;
        }
        Ok((name, product))
    }

    /// Makes a server where there is none; a replica if there is a primary.
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
        let making = format!("make {shown}");
        let mut state = ServerState::new(name, product.id());
        state.write(&self.file(name))?;
        let made = system::private_folder(&folder);
        made.map_err(|error| Error::from(error).during(making))?;
        tell(&format!("making a data directory for {title} {version} in {shown}"));
        state.binaries.clone_from(&options.binaries);
        state.settings.clone_from(&options.settings);
        state.password = password()?;
        state.server_version = version;
        let folder = folder.canonicalize()?;
        // On disk before the process begins, so that the next command can end what a killed one has left.
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

    /// Starts a server on the data it has, unless it runs.
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
        tell(&format!("starting {} on the data of {name}", product.title()));
        server.start_noted(&self.noting(&state), go_on)?;
        self.note(&mut state, &server)?;
        Ok(Up { state, how: How::Restarted, folder })
    }

    /// Returns the function that writes down the process of a server before it begins.
    fn noting(&self, state: &ServerState) -> impl Fn(&Identity) -> Result<()> {
        let (state, file) = (state.clone(), self.file(&state.name));
        move |identity| {
            ServerState { process: Some(identity.clone()), ..state.clone() }.write(&file)
        }
    }

    /// Writes down that a server runs.
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
                return Err(
                    Error::new(ErrorKind::Auth, text).hint("the user who started it can remove it")
                );
            }
        }
        Ok(Down { name, stop, folder, kept })
    }

    /// Removes a server's files. What remains is found in the folder itself.
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

    /// Fails, and says nothing, if there are other servers.
    fn remove_if_empty(&self) {
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Keeps other commands away until it is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        #[expect(clippy::disallowed_methods, reason = "a folder, to be locked")]
        let folder = File::open(&self.folder)?;
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::LockTimeout, "another tacho up or down is at work here")
                    .hint("wait until it is done"))
            }
            // A file system without locks makes two commands at once possible, a lesser harm.
            _ => Ok(folder),
        }
    }
}

/// Fails if the server of a name is of another product than the one asked for.
fn require_product(state: &ServerState, wanted: &dyn Product, found: &dyn Product) -> Result<()> {
    if wanted.id() == found.id() {
        return Ok(());
    }
    let (name, wanted, found) = (&state.name, wanted.title(), found.title());
    Err(other_server(name, format!("{name} is a {found} server, not {wanted}")))
}

/// An error about an existing server that is not the one asked for.
fn other_server(name: &str, what: String) -> Error {
    Error::usage(what)
        .hint("--name with another name makes another server")
        .hint(format!("tacho down {name} removes this one"))
}

/// Fails if a server is not what is asked for.
fn agrees(state: &ServerState, options: &Options) -> Result<()> {
    let ServerState { name, server_version, .. } = state;
    let other = |what: String| other_server(name, what);
    if let Some(wanted) = &options.version
        && !is_version(server_version, wanted)
    {
        return Err(other(format!("{name} has version {server_version}, not {wanted}")));
    }
    if !options.settings.is_empty() && options.settings != state.settings {
        return Err(other(format!("{name} was made with other settings")));
    }
    if options.port.is_some_and(|port| port != state.port) {
        return Err(other(format!("{name} has port {}", state.port)));
    }
    Ok(())
}

pub(crate) fn unknown(name: &str, all: &[ServerState]) -> Error {
    let error = Error::usage(format!("unknown server \"{name}\""));
    let close = nearest(name, all.iter().map(|state| state.name.as_str())).join(", ");
    match close.as_str() {
        "" => error.hint("tacho list servers names them; --dir or TACHO_DIR names their folder"),
        close => error.hint(format!("did you mean {close}?")),
    }
}

/// The process of a server whose command was killed before it could write it down: the one that
/// the server's own file names, if it was started for this very folder.
pub(crate) fn orphan(product: &dyn Product, folder: &Path) -> Option<Process> {
    let file = text::read(&folder.join(product.pid_file()));
    let identity = Identity::of(file.lines().next()?.trim().parse().ok()?)?;
    let pid = identity.pid.to_string();
    let output = Command::new("ps").args(["-ww", "-o", "args=", "-p", &pid]).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let own = format!("{}/", folder.display());
    if line.contains(&own) { Process::find(&identity) } else { None }
}

/// 128 random bits in hexadecimal digits.
fn password() -> Result<String> {
    let mut bytes = [0; 16];
    #[expect(clippy::disallowed_methods, reason = "the system's source of chance")]
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
