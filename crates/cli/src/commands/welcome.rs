//! `tacho` without a word, in a terminal: what it can do here, in ten lines.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use tacho_app::Exit;
use tacho_core::Result;
use tacho_servers::{Options, Product};

use crate::printer::Printer;
use crate::world::World;

/// How long a server of this machine has to take a connection.
const PATIENCE: Duration = Duration::from_millis(200);
/// Lines about servers, so that all stay on one screen.
const MOST: usize = 4;
/// Columns of the commands.
const WIDTH: usize = 42;

pub(crate) fn call(world: &World, printer: &Printer) -> Result<Exit> {
    let mut lines = vec![(
        "tacho run".to_owned(),
        "ten seconds on the embedded database: a first figure".to_owned(),
    )];
    lines.extend(servers(world).into_iter().take(MOST));
    for (command, meaning) in [
        ("tacho doctor", "is this machine ready to be measured on?"),
        ("tacho init", "five questions, then a file with the answers"),
        ("tacho serve", "runs, charts and comparisons in the browser"),
        ("tacho --help", "all commands; tacho COMMAND --help explains one"),
    ] {
        lines.push((command.to_owned(), meaning.to_owned()));
    }
    let lines: Vec<String> =
        lines.iter().map(|(command, meaning)| format!("  {command:<WIDTH$} {meaning}")).collect();
    let version = env!("CARGO_PKG_VERSION");
    printer.answer(&format!(
        "Tacho {version} measures databases. Here it can begin with:\n{}",
        lines.join("\n")
    ))?;
    Ok(Exit::Success)
}

/// Servers of this folder, then those that answer on this machine, then those that could be started.
fn servers(world: &World) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let pool = world.context(None).server_pool();
    let is_database = |id: &str| pool.product(id).is_ok_and(Product::is_database);
    let known = pool.list().unwrap_or_default();
    for state in known.iter().filter(|state| state.runs() && is_database(&state.product)) {
        let meaning = format!("the private server {}, which runs", state.name);
        lines.push((format!("tacho doctor {}", state.name), meaning));
    }
    let mut ports = Vec::new();
    let databases = || tacho_registry::servers().into_iter().filter(|own| own.is_database());
    for product in databases() {
        let (port, target) = product.usual();
        if !ports.contains(&port) && answers(port) {
            ports.push(port);
            let meaning = format!("a server answers on port {port}, as of {}", product.title());
            lines.push((format!("tacho doctor {target}"), meaning));
        }
    }
    let installed = |product: &&'static dyn Product| product.find(&Options::default()).ok();
    for product in databases().filter(|_| tacho_servers::are_supported()) {
        if let Some(found) = installed(&product) {
            let meaning = format!("a private server of {} {}", product.title(), found.version);
            lines.push((format!("tacho up {}", product.id()), meaning));
        }
    }
    lines
}

fn answers(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PATIENCE).is_ok()
}
