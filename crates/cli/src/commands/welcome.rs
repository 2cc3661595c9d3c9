//! The output of `tacho` without arguments in a terminal: ten lines about useful commands.

use tacho_app::Exit;
use tacho_core::Result;
use tacho_report::{Block, Table};
use tacho_servers::{Options, Product};

use super::found::{databases, running};
use crate::printer::Printer;
use crate::world::World;

/// Maximum number of lines about servers, so that the output fits on one screen.
const MOST: usize = 4;
/// Width of the command column.
const WIDTH: usize = 42;

pub(crate) fn call(world: &World, printer: &Printer) -> Result<Exit> {
    let row = |command: &str, meaning: &str| [command.to_owned(), meaning.to_owned()];
    let mut rows = vec![row("tacho run", "measure the embedded database for ten seconds")];
    rows.extend(servers(world).into_iter().take(MOST));
    rows.extend([
        row("tacho doctor", "check that this machine is ready to measure"),
        row("tacho init", "write tacho.toml after five questions"),
        row("tacho serve", "show runs, charts and comparisons in the browser"),
        row("tacho --help", "list all commands; tacho COMMAND --help describes one"),
    ]);
    let version = env!("CARGO_PKG_VERSION");
    let title = format!("Tacho {version} benchmarks databases. To get started on this machine:");
    printer.page([Block::table(title, Table::words([WIDTH, 0], &rows))])?;
    Ok(Exit::Success)
}

/// Returns the running servers, followed by those that can be started.
fn servers(world: &World) -> Vec<[String; 2]> {
    let running = running(world);
    let check = running.iter().map(|server| {
        [format!("tacho doctor {}", server.target), format!("check {}", server.what)]
    });
    let mut lines: Vec<[String; 2]> = check.collect();
    let installed = |product: &dyn Product| product.find(&Options::default()).ok();
    for product in databases().filter(|_| tacho_servers::are_supported()) {
        if let Some(found) = installed(product) {
            let meaning = format!("start a private {} {} server", product.title(), found.version);
            lines.push([format!("tacho up {}", product.id()), meaning]);
        }
    }
    lines
}
