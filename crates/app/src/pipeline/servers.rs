//! The servers of a pipeline: private servers, which it starts and stops, and existing servers.
//!
//! This module must not stop a server that the pipeline did not create. Start reading at [`Servers::up`].

use std::collections::BTreeMap;
use std::path::Path;

use tacho_config::{PipelineFile, PipelineServer};
use tacho_core::{Error, Result};
use tacho_servers::Options;
use tacho_store::Listener;
use tacho_store::pipeline::PipelineRecord;

use crate::Context;

/// The servers of a pipeline.
pub(super) struct Servers {
    /// Targets of existing servers, by their names in the pipeline file.
    given: BTreeMap<String, String>,
    private: Vec<Private>,
    /// Private servers that an interrupted attempt left behind. This attempt uses others.
    left: Vec<String>,
    /// True if all private servers run at the same time.
    together: bool,
}

/// A private server.
struct Private {
    /// The server's name in the pipeline file.
    server: String,
    /// The server's name in `tacho list servers`.
    name: String,
    product: String,
    options: Options,
}

impl Servers {
    pub(super) fn new(
        file: &PipelineFile,
        folder: &Path,
        left: Vec<String>,
        context: &Context,
    ) -> Result<Self> {
        let (mut given, mut private) = (BTreeMap::new(), Vec::new());
        for (server, definition) in &file.servers {
            match (&definition.target, &definition.product) {
                (Some(target), _) => {
                    given.insert(server.clone(), target.clone());
                }
                (None, product) => private.push(Private {
                    server: server.clone(),
                    name: format!("{}-{server}", file.name),
                    product: product.clone().unwrap_or_default(),
                    options: options(definition, folder)?,
                }),
            }
        }
        for server in &private {
            context.server_pool().product(&server.product)?;
        }
        Ok(Self { given, private, left, together: file.together })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.private.iter().map(|server| server.name.clone()).collect()
    }

    /// Returns an error if a server that the pipeline did not create has a name that the pipeline needs.
    pub(super) fn require_free(&self, record: &PipelineRecord, context: &Context) -> Result<()> {
        let is_ours = |name: &String| record.servers.contains(name) || self.left.contains(name);
        for state in context.server_pool().list()? {
            if self.private.iter().any(|server| server.name == state.name) && !is_ours(&state.name)
            {
                let name = &state.name;
                return Err(Error::usage(format!("private server {name} already exists"))
                    .hint(format!("remove it with tacho down {name}"))
                    .hint("or choose a different pipeline name"));
            }
        }
        Ok(())
    }

    /// Returns the targets of all servers. If a private server has not been started yet, its target is determined in
    /// advance.
    pub(super) fn planned(
        &self,
        known: &BTreeMap<String, String>,
        context: &Context,
    ) -> Result<BTreeMap<String, String>> {
        self.targets(known, |server| {
            context.server_pool().planned(&server.product, &server.name, &server.options)
        })
    }

    /// Creates and starts the private servers, and returns the targets of all servers. If they must not run at the
    /// same time, each server is stopped right after its start, and started again when it is needed.
    pub(super) fn up(
        &self,
        known: &BTreeMap<String, String>,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<BTreeMap<String, String>> {
        let go_on = || !context.interrupted();
        // The listener is in a `RefCell` because the progress callback is not allowed to borrow it mutably.
        let listener = std::cell::RefCell::new(listener);
        self.targets(known, |server| {
            let tell = |step: &str| listener.borrow_mut().note(&format!("{}: {step}", server.name));
            let options = server.options.clone();
            let up = context.server_pool().up(
                &server.product,
                Some(&server.name),
                options,
                &tell,
                &go_on,
            )?;
            if !self.together && self.private.len() > 1 {
                context.server_pool().down(Some(&server.name), true)?;
            }
            Ok(up.state.target)
        })
    }

    /// Starts a server if it is not running. Stops the other private servers unless all servers run together.
    pub(super) fn ready(&self, server: &str, context: &Context) -> Result<()> {
        if self.together {
            return Ok(());
        }
        let pool = context.server_pool();
        let states = pool.list()?;
        let runs = |name: &str| states.iter().any(|state| state.name == name && state.runs());
        let (here, others): (Vec<&Private>, Vec<&Private>) =
            self.private.iter().partition(|private| private.server == server);
        for other in others.into_iter().filter(|other| runs(&other.name)) {
            pool.down(Some(&other.name), true)?;
        }
        // Start the server even after an interrupt, because its settings may have to be restored.
        here.into_iter()
            .filter(|here| !runs(&here.name))
            .try_for_each(|here| pool.start(&here.name, &|| true))
    }

    /// Returns the targets in `tacho.toml` along with the servers in the pipeline file. If both files use the same
    /// name, the pipeline file has priority.
    fn targets(
        &self,
        known: &BTreeMap<String, String>,
        of: impl Fn(&Private) -> Result<String>,
    ) -> Result<BTreeMap<String, String>> {
        let mut all = known.clone();
        for (server, target) in &self.given {
            all.insert(server.clone(), known.get(target).unwrap_or(target).clone());
        }
        for server in &self.private {
            let target =
                of(server).map_err(|error| error.during(format!("start {}", server.server)))?;
            all.insert(server.server.clone(), target);
        }
        Ok(all)
    }

    /// Removes the servers left by an earlier attempt.
    pub(super) fn remove_left(
        &mut self,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let left = std::mem::take(&mut self.left);
        down(&left, false, context, listener)
    }

    /// Stops the private servers, keeping their data if `keep` is true.
    pub(super) fn down(
        &self,
        keep: bool,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        down(&self.names(), keep, context, listener)
    }
}

/// Stops each named server that exists. A server that cannot be stopped does not affect the others.
fn down(
    names: &[String],
    keep: bool,
    context: &Context,
    listener: &mut dyn Listener,
) -> Result<()> {
    let pool = context.server_pool();
    let mut outcome = Ok(());
    for state in pool.list()?.into_iter().filter(|state| names.contains(&state.name)) {
        listener.note(&format!("{}: stopping the server", state.name));
        outcome = outcome.and(pool.down(Some(&state.name), keep).map(drop));
    }
    outcome
}

fn options(server: &PipelineServer, folder: &Path) -> Result<Options> {
    Ok(Options {
        settings: server.settings()?,
        access: Vec::new(),
        version: server.version.clone(),
        binaries: server.binaries.as_ref().map(|binaries| folder.join(binaries)),
        port: None,
    })
}
