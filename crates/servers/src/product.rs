//! What differs from product to product.

use std::path::PathBuf;
use std::process::Command;

use tacho_core::{Error, Result, nearest};

use crate::{Installation, ServerPlace, Signal};

/// What is wanted of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Settings of the product's own, over ours; the last of two with one name counts.
    pub settings: Vec<(String, String)>,
    /// Lines of `pg_hba.conf` in place of ours, where a product has such a file.
    pub access: Vec<String>,
    /// The version wanted: all or the first numbers of it.
    pub version: Option<String>,
    /// The only folder to look for binaries in: its own, or its parent.
    pub binaries: Option<PathBuf>,
    /// The only port to take; a free one otherwise.
    pub port: Option<u16>,
}

/// A database product that can be run privately. Everything below `place.folder` is its own.
pub trait Product: Sync {
    /// The name on the command line.
    fn id(&self) -> &'static str;
    /// The usual name of a server of this product, and no driver's.
    fn short(&self) -> &'static str;
    /// The name in sentences.
    fn title(&self) -> &'static str;
    /// The port of servers that others have started, and a target for one on this machine.
    fn usual(&self) -> (u16, &'static str);
    /// Whether it is a database, so that its target can be measured.
    fn is_database(&self) -> bool {
        true
    }
    /// Unprivileged users to run as when we are root, best first.
    fn owners(&self) -> &'static [&'static str];
    /// Where the server writes its process id, below the folder.
    fn pid_file(&self) -> &'static str;
    /// The signal that ends the server in good order without waiting for its clients.
    fn stop_signal(&self) -> Signal;
    /// Finds the binaries; [`tacho_core::ErrorKind::Missing`] says where it has looked.
    fn find(&self, options: &Options) -> Result<Installation>;
    /// The commands that make the data directory, one after the other.
    fn creation(&self, place: &ServerPlace) -> Vec<Command>;
    /// Writes the server's settings.
    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()>;
    /// The command that is the server.
    fn command(&self, place: &ServerPlace) -> Command;
    /// The command that lists the server's settings: each is the first word of a line. `None` of a product without
    /// such a list.
    fn settings_list(&self, _installation: &Installation) -> Option<Command> {
        None
    }
    /// Settings with values under which a load of transactions is steady, where it slows down under the defaults. A
    /// server is made with the defaults nevertheless.
    fn steady_settings(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// The settings of a server that has replicas; `synchronous` if a commit waits for one. `None` of a
    /// product whose replicas cannot be made.
    fn primary_settings(&self, _synchronous: bool) -> Option<Vec<(String, String)>> {
        None
    }
    /// The commands that make the data directory of a replica of the server at `primary`, which runs.
    fn replica_creation(&self, _place: &ServerPlace, _primary: &ServerPlace) -> Vec<Command> {
        Vec::new()
    }
    /// The command that lets a new replica, which runs, follow the server at `primary`; `None` if its data
    /// directory does so by itself.
    fn following(&self, _place: &ServerPlace, _primary: &ServerPlace) -> Result<Option<Command>> {
        Ok(None)
    }
    /// The command that makes a replica take writes; `None` if the server is no replica.
    fn promotion(&self, _place: &ServerPlace) -> Option<Command> {
        None
    }
    /// Clears away what a killed server has left and what would keep a new one from starting.
    fn clear(&self, _place: &ServerPlace) {}
    /// Whether this process answers.
    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool;
    /// The file of the Unix socket, by which sockets with too long a path are found early.
    fn socket(&self, place: &ServerPlace) -> PathBuf;
    /// The target of the administrator's over the Unix socket; holds no password.
    fn target(&self, place: &ServerPlace) -> String;
    /// The target over TCP, with the password if one is needed.
    fn tcp_target(&self, place: &ServerPlace) -> String;
}

/// The products that there are.
pub type Products = Vec<&'static dyn Product>;

/// The product of this name.
pub fn product(products: &[&'static dyn Product], id: &str) -> Result<&'static dyn Product> {
    products.iter().copied().find(|product| product.id() == id).ok_or_else(|| {
        let close = nearest(id, products.iter().map(|product| product.id())).join(", ");
        Error::usage(format!("unknown server \"{id}\"")).hint(format!("did you mean {close}?"))
    })
}

/// Whether `found` is the wanted version: the numbers that are given are the same.
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
