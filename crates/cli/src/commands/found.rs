//! Finds database servers on this machine: running private servers, and servers on the default ports.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use tacho_servers::Product;

use crate::world::World;

/// Time limit for connecting to a server on this machine.
const PATIENCE: Duration = Duration::from_millis(200);

/// A running server.
pub(super) struct FoundServer {
    /// The server's name or URL, as accepted by commands.
    pub(super) target: String,
    /// Description of the server that completes the phrase "check …".
    pub(super) what: String,
    /// True if the target is the name of a private server.
    pub(super) is_private: bool,
}

/// Returns the running private servers in this data folder, then the servers on the default ports.
pub(super) fn running(world: &World) -> Vec<FoundServer> {
    let pool = world.context(None).server_pool();
    let is_database = |id: &str| pool.product(id).is_ok_and(Product::is_database);
    let known = pool.list().unwrap_or_default();
    let private = known.into_iter().filter(|state| state.runs() && is_database(&state.product));
    let mut found: Vec<FoundServer> = private
        .map(|state| FoundServer {
            what: format!("the private server {}", state.name),
            target: state.name,
            is_private: true,
        })
        .collect();
    let mut ports = Vec::new();
    for product in databases() {
        let (port, target) = product.usual();
        if !ports.contains(&port) && answers(port) {
            ports.push(port);
            found.push(FoundServer {
                target: target.to_owned(),
                what: format!("the server on port {port}, the default for {}", product.title()),
                is_private: false,
            });
        }
    }
    found
}

/// Returns the database products for which private servers can be created.
pub(super) fn databases() -> impl Iterator<Item = &'static dyn Product> {
    tacho_registry::servers().into_iter().filter(|server| server.is_database())
}

fn answers(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, PATIENCE).is_ok()
}
