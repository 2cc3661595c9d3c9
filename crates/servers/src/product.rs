//! The interface to a database product, which hides the products' differences.

use std::path::PathBuf;
use std::process::Command;

use tacho_core::{Error, Result, similar};

use crate::{Installation, ServerPlace, Signal};

/// Requirements for a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Server settings that override those set by Tacho. If a name occurs twice, the last value
    /// applies.
    pub settings: Vec<(String, String)>,
    /// Lines that replace those written by Tacho in `pg_hba.conf`, for products that have this
    /// file.
    pub access: Vec<String>,
    /// The requested version. It may be incomplete, such as `17`, and then matches all versions
    /// that start with it.
    pub version: Option<String>,
    /// The folder that contains the programs, or its parent. If set, no other folder is searched.
    pub binaries: Option<PathBuf>,
    /// The port to use. If absent, the server gets any free port.
    pub port: Option<u16>,
}

/// A database product that can run as a private server in `place.folder`. All its files are in this folder.
pub trait Product: Sync {
    /// Returns the name used on the command line.
    fn id(&self) -> &'static str;
    /// Returns the default name for a server, which must differ from the names of drivers.
    fn short(&self) -> &'static str;
    /// Returns the product name for use in sentences.
    fn title(&self) -> &'static str;
    /// Returns the default port of this product's servers. Also returns a target that connects to a
    /// server on this machine with this port.
    fn usual(&self) -> (u16, &'static str);
    /// Returns true if the product is a database. Tacho can measure only databases.
    fn is_database(&self) -> bool {
        true
    }
    /// Returns the users that can run the server instead of root, in order of preference.
    fn owners(&self) -> &'static [&'static str];
    /// Returns the path of the server's PID file, relative to the server's folder.
    fn pid_file(&self) -> &'static str;
    /// Returns the signal for a clean shutdown that does not wait for clients.
    fn stop_signal(&self) -> Signal;
    /// Finds the installation.
    ///
    /// # Errors
    /// Returns [`tacho_core::ErrorKind::Missing`] with the searched folders if no installation was
    /// found.
    fn find(&self, options: &Options) -> Result<Installation>;
    /// Returns the commands that create the data directory, in order.
    fn creation(&self, place: &ServerPlace) -> Vec<Command>;
    /// Writes the server's settings.
    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()>;
    /// Returns the command that runs the server.
    fn command(&self, place: &ServerPlace) -> Command;
    /// Returns the command that prints the server's settings, one per line, or `None` if there is none.
    fn settings_list(&self, _installation: &Installation) -> Option<Command> {
        None
    }
    /// Returns settings that keep the throughput of a transaction load steady. They are used only if the user requests
    /// them.
    fn steady_settings(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// Returns the settings of a server that has replicas, or `None` if the product does not
    /// support replicas. If `synchronous` is true, commits wait for a replica.
    fn primary_settings(&self, _synchronous: bool) -> Option<Vec<(String, String)>> {
        None
    }
    /// Returns the commands that create the data directory of a replica. The `primary` must be
    /// running.
    fn replica_creation(&self, _place: &ServerPlace, _primary: &ServerPlace) -> Vec<Command> {
        Vec::new()
    }
    /// Returns the command that makes a new replica follow the `primary`. Returns `None` if no command is needed,
    /// because the replica's data directory already names its primary server.
    fn following(&self, _place: &ServerPlace, _primary: &ServerPlace) -> Result<Option<Command>> {
        Ok(None)
    }
    /// Returns the command that makes a replica accept writes, or `None` if the server is not a replica.
    fn promotion(&self, _place: &ServerPlace) -> Option<Command> {
        None
    }
    /// Removes files that a killed server leaves behind and that would prevent it from starting
    /// again.
    fn clear(&self, _place: &ServerPlace) {}
    /// Returns true if the server with this process ID is ready to accept connections.
    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool;
    /// Returns the path of the Unix socket, which may be longer than the system allows for sockets.
    fn socket(&self, place: &ServerPlace) -> PathBuf;
    /// Returns the target that the administrator uses to connect through the Unix socket, without a
    /// password.
    fn target(&self, place: &ServerPlace) -> String;
    /// Returns the target that clients use to connect over TCP. It includes a password if one is
    /// needed.
    fn tcp_target(&self, place: &ServerPlace) -> String;
}

/// The available products.
pub type Products = Vec<&'static dyn Product>;

/// Returns the product with this name.
pub fn product(products: &[&'static dyn Product], id: &str) -> Result<&'static dyn Product> {
    products.iter().copied().find(|product| product.id() == id).ok_or_else(|| {
        let ids: Vec<&str> = products.iter().map(|product| product.id()).collect();
        let error = Error::usage(format!("unknown server \"{id}\""));
        let error = match similar(id, ids.iter().copied()).as_slice() {
            [] => error,
            close => error.hint(format!("did you mean {}?", close.join(" or "))),
        };
        error
            .hint(format!("private servers can be started for these products: {}", ids.join(", ")))
            .hint("to use another product, specify a server's URL as the target; to list the products, use tacho list drivers")
    })
}

/// Returns true if `found` starts with all components of the requested version.
pub(crate) fn is_version(found: &str, wanted: &str) -> bool {
    let mut found = found.split('.');
    wanted.split('.').all(|number| found.next() == Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        let table = [
            ("17.2", "17", true),
            ("17.2", "17.2", true),
            ("17.2", "1", false),
            ("17", "17.2", false),
            ("10.11.19", "10.11", true),
        ];
        for (found, wanted, same) in table {
            assert_eq!(is_version(found, wanted), same, "{found} {wanted}");
        }
    }
}
