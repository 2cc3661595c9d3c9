//! The `tacho up` command.

use clap::ArgMatches;
use serde_json::json;
use tacho_app::Exit;
use tacho_core::Result;
use tacho_report::{Block, Table};
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
    for repaired in tacho_app::repair(&context, true) {
        tell(&repaired);
    }
    let go_on = || !context.interrupted();
    let wanted = text(matches, "server").unwrap_or_default();
    let (name, options) = (text(matches, "name"), options(matches, world)?);
    let given: Vec<String> =
        options.settings.iter().map(|(key, _)| key.replace('-', "_")).collect();
    let (up, replica) = match text(matches, "replica") {
        None => (pool.up(wanted, name, options, &tell, &go_on)?, None),
        Some(how) => {
            let how = if how == "sync" { Synchronous } else { Asynchronous };
            let [up, replica] =
                pool.up_with_replica(wanted, name, how, &options, (&tell, &go_on))?;
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
            let note = unsteady(&up, product, &given);
            let replica = replica.map(|replica| {
                let ServerState { name, port, target, .. } = replica.state;
                Block::text(format!(
                    "replica {name} on port {port} follows the primary until it is promoted: {target}"
                ))
            });
            printer.page(summary(&up, product).into_iter().chain(note).chain(replica))?;
        }
    }
    Ok(Exit::Success)
}

pub(super) fn server_pool(matches: &ArgMatches, world: &World) -> ServerPool {
    world.context(text(matches, "dir")).server_pool()
}

fn options(matches: &ArgMatches, world: &World) -> Result<Options> {
    let pairs = matches.get_many::<String>("settings").into_iter().flatten();
    Ok(Options {
        settings: pairs.map(|text| tacho_config::pair(text)).collect::<Result<_>>()?,
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

/// Returns a warning that throughput will fall during the first minutes. It includes the command that creates a
/// server with steady throughput.
fn unsteady(up: &Up, product: &dyn Product, given: &[String]) -> Option<Block> {
    let steady = product.steady_settings();
    let is_given = |(key, _): &(&str, &str)| given.iter().any(|name| name == key);
    if !matches!(up.how, How::Made) || steady.is_empty() || steady.iter().any(is_given) {
        return None;
    }
    let (title, name) = (product.title(), &up.state.name);
    let named = if name == product.short() { String::new() } else { format!(" --name {name}") };
    let set: Vec<String> =
        steady.iter().map(|(key, value)| format!("--set {key}={value}")).collect();
    let note = format!(
        "with {title}'s default settings, a transaction load slows down during the first minutes; for a steady load, use:"
    );
    let up = format!("tacho up {}{named} {}", product.id(), set.join(" "));
    Some(labelled("note", [note, format!("tacho down {name}"), up]))
}

fn summary(up: &Up, product: &dyn Product) -> [Block; 3] {
    let ServerState { name, server_version, port, target, process, .. } = &up.state;
    let (title, folder) = (product.title(), up.folder.display());
    let what = match up.how {
        How::Ran => "is already running",
        How::Restarted => "is running again with its previous data",
        How::Made => "runs",
    };
    let workload = tacho_registry::workloads()[0].manifest().id;
    let pid = process.as_ref().map_or(0, |process| process.pid);
    let head = format!(
        "✓ {title} {server_version} {what}: {name}, process {pid}, port {port}, in {folder}"
    );
    let (label, place, next) = if product.is_database() {
        let next = ["prepare", "run"].map(|command| format!("tacho {command} {workload} {name}"));
        ("target", "wherever a target is expected", next)
    } else {
        let run = format!("tacho run {workload} TARGET --hosts 2 --nats {name}");
        let place = "as the value of --nats on this machine; the name also provides the token";
        ("address", place, [format!("tacho agent --nats {name}"), run])
    };
    let next = next.into_iter().chain([format!("tacho down {name}")]);
    [
        Block::text(head),
        labelled(label, [target.clone(), format!("or {name}, {place}")]),
        labelled("next", next),
    ]
}

/// Returns a table with the given lines, and with a label to the left of the first line.
fn labelled(label: &str, lines: impl IntoIterator<Item = String>) -> Block {
    Block::Table(Table::labelled(label, 7, lines))
}

#[cfg(test)]
mod tests {
    use tacho_report::{TextOptions, page};

    use super::*;

    /// Returns the output printed for a new server.
    fn shown(product: &str, given: &[&str]) -> String {
        let state = json!({
            "format": "tacho-server", "version": 1, "name": "own", "product": product, "server_version": "1.2",
            "port": 4, "settings": [], "password": "", "target": "a://b", "made": true,
        });
        let state = serde_json::from_value(state).expect("a state");
        let up = Up { state, how: How::Made, folder: "f".into() };
        let servers = tacho_registry::servers();
        let product = servers.into_iter().find(|server| server.id() == product).expect("a product");
        let given: Vec<String> = given.iter().map(|key| (*key).to_owned()).collect();
        let blocks = summary(&up, product).into_iter().chain(unsteady(&up, product, &given));
        page(blocks, &TextOptions { width: usize::MAX, color: false })
    }

    #[test]
    fn a_database_has_its_next_commands_and_settings_for_a_steady_load() {
        let text = "\
✓ MySQL 1.2 runs: own, process 0, port 4, in f

target  a://b
        or own, wherever a target is expected

next    tacho prepare tprocc own
        tacho run tprocc own
        tacho down own
";
        let note = "
note    with MySQL's default settings, a transaction load slows down during the first minutes; for a steady load, use:
        tacho down own
        tacho up mysql --name own --set innodb_buffer_pool_size=1G --set innodb_redo_log_capacity=2G
";
        assert_eq!(shown("mysql", &[]), format!("{text}{note}"));
        assert_eq!(shown("mysql", &["innodb_buffer_pool_size"]), text);
    }

    #[test]
    fn a_nats_server_shows_agent_commands() {
        let text = "\
✓ NATS 1.2 runs: own, process 0, port 4, in f

address a://b
        or own, as the value of --nats on this machine; the name also provides the token

next    tacho agent --nats own
        tacho run tprocc TARGET --hosts 2 --nats own
        tacho down own
";
        assert_eq!(shown("nats", &[]), text);
    }
}
