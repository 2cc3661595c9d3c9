//! Replicas of MariaDB: asynchronous or semi-synchronous replication by global transaction ids.
//!
//! A replica is made with its primary, which has no data yet, so it needs no copy: it executes the primary's binary
//! log from the beginning. Start reading at [`settings`].

use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};
use tacho_servers::ServerPlace;
use tacho_servers::binaries::{in_path, next_to};

const CLIENTS: [&str; 2] = ["mariadb", "mysql"];
/// Where the server keeps which primary it follows.
const FOLLOWS: &str = "master.info";
const PROMOTE: &str = include_str!("../../sql/promote.sh");
const FOLLOW: &str = include_str!("../../sql/follow.sql");

/// Settings of the primary, and of the replica, which may become one.
pub(super) fn settings(synchronous: bool) -> Vec<(String, String)> {
    let waits = if synchronous { "ON" } else { "OFF" };
    let settings = [
        ("log-bin", "binlog"),
        ("binlog-format", "ROW"),
        ("log-slave-updates", "ON"),
        ("slave-parallel-threads", "4"),
        ("rpl-semi-sync-slave-enabled", "ON"),
        ("rpl-semi-sync-master-enabled", waits),
        // A commit waits before other sessions see it, and never gives up.
        ("rpl-semi-sync-master-wait-point", "AFTER_SYNC"),
        ("rpl-semi-sync-master-timeout", "4000000000"),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// The command that lets a replica follow its primary. The password is in a file, which only the server's user can
/// read, and not among the words of the command.
pub(super) fn following(place: &ServerPlace, primary: &ServerPlace) -> Result<Command> {
    let file = place.folder.join("follow.sql");
    let text = FOLLOW.replace("PORT_OF_PRIMARY", &primary.port.to_string());
    place.write(&file, &text.replace("PASSWORD_OF_TACHO", &primary.password))?;
    let mut command = client(place)?;
    let input = tacho_core::file::open(&file)?;
    command.stdin(input);
    Ok(command)
}

/// The command that executes all that the replica has received and then lets it take writes.
pub(super) fn promotion(place: &ServerPlace) -> Option<Command> {
    if !place.data().join(FOLLOWS).exists() {
        return None;
    }
    let client = client(place).ok()?;
    let mut command = Command::new("sh");
    command.args(["-c", PROMOTE]).arg("promote").arg(client.get_program()).args(client.get_args());
    Some(command)
}

fn client(place: &ServerPlace) -> Result<Command> {
    let program = program(&place.installation.server)?;
    let mut command = place.installation.program(&program);
    command.args(["--no-defaults", "--user=root", "--skip-column-names"]);
    command.arg(format!("--socket={}", super::socket(place).display()));
    Ok(command)
}

fn program(server: &Path) -> Result<PathBuf> {
    let found = next_to(server, &CLIENTS).or_else(|| CLIENTS.iter().find_map(|name| in_path(name)));
    found.ok_or_else(|| {
        let server = server.display();
        Error::new(ErrorKind::Missing, format!("there is no {} for {server}", CLIENTS[0]))
            .hint("on Debian it is in the package mariadb-client-core")
    })
}
