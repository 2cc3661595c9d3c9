//! The servers of a pipeline: private ones that it starts and stops, and those that run already.
//!
//! It must never stop a server that it has not made. Start reading at [`Servers::up`].

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
    /// Those that run already, by the names of the file: their targets.
    given: BTreeMap<String, String>,
    private: Vec<Private>,
    /// Private servers of an earlier try, which are of no use any more.
    left: Vec<String>,
}

/// A private server.
struct Private {
    /// As the file calls it.
    server: String,
    /// As `tacho list servers` has it.
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
        for (server, own) in &file.servers {
            match (&own.target, &own.product) {
                (Some(target), _) => {
                    given.insert(server.clone(), target.clone());
                }
                (None, product) => private.push(Private {
                    server: server.clone(),
                    name: format!("{}-{server}", file.name),
                    product: product.clone().unwrap_or_default(),
                    options: options(own, folder)?,
                }),
            }
        }
        for own in &private {
            context.server_pool().product(&own.product)?;
        }
        Ok(Self { given, private, left })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.private.iter().map(|own| own.name.clone()).collect()
    }

    /// Fails if a server of one of our names is not ours.
    pub(super) fn require_free(&self, record: &PipelineRecord, context: &Context) -> Result<()> {
        let is_ours = |name: &String| record.servers.contains(name) || self.left.contains(name);
        for state in context.server_pool().list()? {
            if self.private.iter().any(|own| own.name == state.name) && !is_ours(&state.name) {
                let name = &state.name;
                return Err(Error::usage(format!("there is a private server {name} already"))
                    .hint(format!("tacho down {name} removes it"))
                    .hint("or give the pipeline another name"));
            }
        }
        Ok(())
    }

    /// The targets of all servers, those of private ones as they will be, about.
    pub(super) fn planned(
        &self,
        known: &BTreeMap<String, String>,
        context: &Context,
    ) -> Result<BTreeMap<String, String>> {
        self.targets(known, |own| {
            context.server_pool().planned(&own.product, &own.name, &own.options)
        })
    }

    /// Starts what is ours; gives the targets of all servers.
    pub(super) fn up(
        &self,
        known: &BTreeMap<String, String>,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<BTreeMap<String, String>> {
        let go_on = || !context.interrupted();
        // Steps are reported by a function that several may hold, and ours has one listener.
        let listener = std::cell::RefCell::new(listener);
        self.targets(known, |own| {
            let tell = |step: &str| listener.borrow_mut().note(&format!("{}: {step}", own.name));
            let options = own.options.clone();
            let up =
                context.server_pool().up(&own.product, Some(&own.name), options, &tell, &go_on)?;
            Ok(up.state.target)
        })
    }

    /// The targets of `tacho.toml`, and over them those of our servers by the names of the file.
    fn targets(
        &self,
        known: &BTreeMap<String, String>,
        of: impl Fn(&Private) -> Result<String>,
    ) -> Result<BTreeMap<String, String>> {
        let mut all = known.clone();
        for (server, target) in &self.given {
            all.insert(server.clone(), known.get(target).unwrap_or(target).clone());
        }
        for own in &self.private {
            let target = of(own).map_err(|error| error.during(format!("start {}", own.server)))?;
            all.insert(own.server.clone(), target);
        }
        Ok(all)
    }

    /// Removes the servers of an earlier try.
    pub(super) fn remove_left(
        &mut self,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let left = std::mem::take(&mut self.left);
        down(&left, false, context, listener)
    }

    /// Stops what is ours; its data stays if it is to be kept.
    pub(super) fn down(
        &self,
        keep: bool,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        down(&self.names(), keep, context, listener)
    }
}

/// Stops those of these servers that exist. One that resists keeps none of the others up.
fn down(
    names: &[String],
    keep: bool,
    context: &Context,
    listener: &mut dyn Listener,
) -> Result<()> {
    let pool = context.server_pool();
    let mut outcome = Ok(());
    for state in pool.list()?.into_iter().filter(|own| names.contains(&own.name)) {
        listener.note(&format!("{}: stopping the server", state.name));
        outcome = outcome.and(pool.down(Some(&state.name), keep).map(drop));
    }
    outcome
}

fn options(own: &PipelineServer, folder: &Path) -> Result<Options> {
    Ok(Options {
        settings: own.settings()?,
        access: Vec::new(),
        version: own.version.clone(),
        binaries: own.binaries.as_ref().map(|own| folder.join(own)),
        port: None,
    })
}
