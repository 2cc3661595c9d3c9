//! `tacho up`

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::{Error, Result};
use tacho_servers::Replication::{Asynchronous, Synchronous};
use tacho_servers::{How, Options, Product, ServerPool, ServerState, Up};

use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let pool = context.server_pool();
    let form = output(matches);
    let tell = |step: &str| {
        if form != "quiet" {
            printer.tell(&format!("{step} …"));
        }
    };
    let go_on = || !context.interrupted();
    let wanted = text(matches, "server").unwrap_or_default();
    let (name, options) = (text(matches, "name"), options(matches, world)?);
    let given: Vec<String> =
        options.settings.iter().map(|(key, _)| key.replace('-', "_")).collect();
    let (up, replica) = match text(matches, "replica") {
        None => (pool.up(wanted, name, options, &tell, &go_on)?, None),
        Some(how) => {
            let how = if how == "sync" { Synchronous } else { Asynchronous };
            let [up, replica] = pool.up_with_replica(wanted, name, how, &options, &tell, &go_on)?;
            (up, Some(replica))
        }
    };
    match form {
        "json" => {
            let mut described_up = described(&up);
            if let Some(replica) = &replica {
                described_up["replica"] = described(replica);
            }
            printer.answer(&super::json(&described_up))?;
        }
        "quiet" => printer.answer(&up.state.target)?,
        _ => {
            let product = pool.product(&up.state.product)?;
            printer.answer(&summary(&up, product.title(), product.is_database()))?;
            if let Some(note) = unsteady(&up, product, &given) {
                printer.answer(&note)?;
            }
            if let Some(replica) = &replica {
                let ServerState { name, port, target, .. } = &replica.state;
                printer.answer(&format!(
                    "\nreplica {name}, port {port}, follows until it is promoted: {target}"
                ))?;
            }
        }
    }
    Ok(Exit::Success)
}

/// The private servers below the data folder.
pub(super) fn server_pool(matches: &ArgMatches, world: &World) -> ServerPool {
    world.context(text(matches, "dir")).server_pool()
}

fn options(matches: &ArgMatches, world: &World) -> Result<Options> {
    let pairs = matches.get_many::<String>("settings").into_iter().flatten();
    let settings = pairs.map(|pair| {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            Error::usage(format!("--set {pair}")).hint("write it as --set key=value")
        })?;
        Ok((key.trim().to_owned(), value.trim().to_owned()))
    });
    Ok(Options {
        settings: settings.collect::<Result<_>>()?,
        access: Vec::new(),
        version: text(matches, "version").map(str::to_owned),
        binaries: text(matches, "binaries").map(|folder| world.folder.join(folder)),
        port: matches.get_one::<u16>("port").copied(),
    })
}

fn described(up: &Up) -> serde_json::Value {
    let state = &up.state;
    json!({
        "name": state.name,
        "product": state.product,
        "version": state.server_version,
        "was": match up.how {
            How::Ran => "running",
            How::Restarted => "restarted",
            How::Made => "made",
        },
        "target": state.target,
        "port": state.port,
        "pid": state.process.as_ref().map(|process| process.pid),
        "folder": up.folder,
    })
}

/// That a load slows down under the defaults of the new server, and the command for one under which it does not.
fn unsteady(up: &Up, product: &dyn Product, given: &[String]) -> Option<String> {
    let steady = product.steady_settings();
    let is_given = |(key, _): &(&str, &str)| given.iter().any(|name| name == key);
    if !matches!(up.how, How::Made) || steady.is_empty() || steady.iter().any(is_given) {
        return None;
    }
    let (title, name) = (product.title(), &up.state.name);
    let named = if name == product.short() { String::new() } else { format!(" --name {name}") };
    let set: Vec<String> =
        steady.iter().map(|(key, value)| format!("--set {key}={value}")).collect();
    Some(format!(
        "\nnote    with the defaults of {title} a load of transactions slows down during its first minutes; \
         for a steady one:\n        tacho down {name}\n        tacho up {}{named} {}",
        product.id(),
        set.join(" ")
    ))
}

fn summary(up: &Up, title: &str, is_database: bool) -> String {
    let state = &up.state;
    let name = &state.name;
    let what = match up.how {
        How::Ran => "runs already",
        How::Restarted => "runs again, on the data it had",
        How::Made => "runs",
    };
    let workloads = tacho_registry::workloads();
    let workload = workloads[0].manifest().id;
    let pid = state.process.as_ref().map_or(0, |process| process.pid);
    let head = format!(
        "✓ {title} {} {what}: {name}, process {pid}, port {}, in {}",
        state.server_version,
        state.port,
        up.folder.display(),
    );
    if !is_database {
        return format!(
            "{head}\n\naddress {}\n        or {name}, wherever --nats is given on this machine, with its \
             token\n\nnext    tacho agent --nats {name}\n        tacho run {workload} TARGET --hosts 2 \
             --nats {name}\n        tacho down {name}",
            state.target
        );
    }
    format!(
        "{head}\n\ntarget  {}\n        or {name}, wherever a target is named\n\n\
         next    tacho prepare {workload} {name}\n        tacho run {workload} {name}\n        \
         tacho down {name}",
        state.target,
    )
}
