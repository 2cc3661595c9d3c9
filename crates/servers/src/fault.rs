//! Faults that simulate outages: a private server is killed, suspended, restarted or promoted.
//!
//! Faults can affect only servers that Tacho has started and recorded. Start reading at
//! [`ServerPool::kill`].

use tacho_core::{Error, ErrorKind, Result};

use crate::process::all_below;
use crate::replica::replica_name;
use crate::server_pool::{ServerPool, orphan, unknown};
use crate::state::ServerState;
use crate::system::{Signal, link, send};
use crate::{Options, Process, Server};

impl ServerPool {
    /// Kills a server and all its processes at once. This resembles a power failure, but data that
    /// the operating system has already received is not lost.
    ///
    /// # Errors
    /// Returns a usage error if the name is unknown, or a connection error if the server is not running.
    pub fn kill(&self, name: &str) -> Result<()> {
        let (_, mut process) = self.running(name)?;
        process.kill();
        Ok(())
    }

    /// Suspends a server and all its processes.
    ///
    /// # Errors
    /// Fails like [`ServerPool::kill`].
    pub fn pause(&self, name: &str) -> Result<()> {
        self.signal_all(name, Signal::STOP)
    }

    /// Resumes a suspended server.
    ///
    /// # Errors
    /// Fails like [`ServerPool::kill`].
    pub fn resume(&self, name: &str) -> Result<()> {
        self.signal_all(name, Signal::CONT)
    }

    /// Kills a server that was left suspended, because an earlier command was interrupted while killing it. If the
    /// server were resumed instead, it would start a recovery and reject connections.
    ///
    /// # Errors
    /// Fails like [`ServerPool::kill`].
    pub fn complete_kill(&self, name: &str) -> Result<()> {
        let (_, mut process) = self.running(name)?;
        if process.is_suspended() {
            process.kill();
        }
        Ok(())
    }

    /// Starts a server that was killed or stopped, keeping its existing data.
    ///
    /// # Errors
    /// Fails like [`ServerPool::up`].
    pub fn start(&self, name: &str, go_on: &dyn Fn() -> bool) -> Result<()> {
        self.state_of(name)?;
        self.up(name, None, Options::default(), &|_| {}, go_on).map(drop)
    }

    /// Promotes a replica, which then accepts writes.
    ///
    /// # Errors
    /// Fails like [`ServerPool::kill`], or returns [`ErrorKind::Unsupported`] if the server is not
    /// a replica.
    pub fn promote(&self, name: &str) -> Result<()> {
        let state = self.state_of(name)?;
        let product = self.product(&state.product)?;
        let server = self.opened(&state)?;
        let Some(command) = product.promotion(server.place()) else {
            let text = format!("{name} is not a replica that can be promoted");
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("use tacho up SERVER --replica async to create a server with a replica"));
        };
        server.place().run(command, format!("promote {name}"))
    }

    /// Kills a server, promotes its replica, and replaces the server's Unix socket by a link to the
    /// replica's. Clients can then reconnect to the same target.
    ///
    /// # Errors
    /// Fails like [`ServerPool::kill`] or [`ServerPool::promote`].
    pub fn fail_over(&self, name: &str) -> Result<()> {
        let replica = self.state_of(&replica_name(name))?;
        let primary = self.opened(&self.state_of(name)?)?;
        let replica_server = self.opened(&replica)?;
        self.kill(name)?;
        self.promote(&replica.name)?;
        self.replace(&primary, &replica_server)
    }

    /// Completes a failover that was interrupted because its command was killed. If the replica has already been
    /// promoted, it replaces the original server; otherwise, the original server is started again.
    ///
    /// # Errors
    /// Fails like [`ServerPool::start`].
    pub fn settle_fail_over(&self, name: &str, go_on: &dyn Fn() -> bool) -> Result<()> {
        let primary = self.opened(&self.state_of(name)?)?;
        let replica = self.opened(&self.state_of(&replica_name(name))?)?;
        match replica.product().promotion(replica.place()) {
            Some(_) => self.start(name, go_on),
            None => self.replace(&primary, &replica),
        }
    }

    /// Replaces the Unix socket of a server with a link to the socket of its replica.
    fn replace(&self, primary: &Server, replica_server: &Server) -> Result<()> {
        let from = primary.product().socket(primary.place());
        let to = replica_server.product().socket(replica_server.place());
        let linked = || -> std::io::Result<()> {
            if from.symlink_metadata().is_ok() {
                std::fs::remove_file(&from)?;
            }
            link(&to, &from)
        };
        linked()
            .map_err(|error| Error::from(error).during(format!("replace {}", from.display())))?;
        // From now on, clients that connect to the server's socket reach the replica's process.
        let _lock = self.lock()?;
        let name = primary.place().folder.file_name().unwrap_or_default().to_string_lossy();
        let mut state = self.state_of(&name)?;
        state.process = self.state_of(&replica_name(&name))?.process;
        state.write(&self.file(&name))
    }

    fn signal_all(&self, name: &str, signal: Signal) -> Result<()> {
        let (_, mut process) = self.running(name)?;
        let pid = process.identity().pid;
        process.signal(signal);
        // Signal the parent before its children. Once the parent is suspended, it cannot start
        // further children.
        for child in all_below(pid) {
            send(child, signal);
        }
        Ok(())
    }

    /// Returns the recorded state of an existing server.
    pub(crate) fn state_of(&self, name: &str) -> Result<ServerState> {
        let all = self.list()?;
        match all.iter().find(|state| state.name == name && state.made) {
            Some(state) => Ok(state.clone()),
            None => Err(unknown(name, &all)),
        }
    }

    pub(crate) fn running(&self, name: &str) -> Result<(ServerState, Process)> {
        let state = self.state_of(name)?;
        let product = self.product(&state.product)?;
        let known = state.process.as_ref().and_then(Process::find);
        let folder = self.folder_of(name).canonicalize()?;
        let process = known.or_else(|| orphan(product, &folder)).ok_or_else(|| {
            Error::new(ErrorKind::Connect, format!("the private server {name} is not running"))
        })?;
        Ok((state, process))
    }

    pub(crate) fn opened(&self, state: &ServerState) -> Result<Server> {
        state.require_own(&self.file(&state.name))?;
        let product = self.product(&state.product)?;
        let folder = self.folder_of(&state.name).canonicalize()?;
        let (options, password) = (state.options(), state.password.clone());
        Server::open(product, &folder, options, password, state.port, None)
    }
}
