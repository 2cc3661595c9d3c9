//! MariaDB replicas, with asynchronous or semi-synchronous replication by global transaction IDs.
//!
//! A replica is created together with its primary, which is still empty. It therefore needs no copy of the data, and
//! executes the primary's binary log from the beginning.
//!
//! Start reading at [`settings`].

use std::path::{Path, PathBuf};
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};
use tacho_servers::ServerPlace;
use tacho_servers::binaries::{in_path, next_to};

const CLIENTS: [&str; 2] = ["mariadb", "mysql"];
/// File in which the replica stores the address of its primary.
const FOLLOWS: &str = "master.info";
const PROMOTE: &str = include_str!("../../sql/promote.sh");
const FOLLOW: &str = include_str!("../../sql/follow.sql");

/// Returns the settings of a primary. A replica has them too, because it may become a primary.
pub(super) fn settings(synchronous: bool) -> Vec<(String, String)> {
    let waits = if synchronous { "ON" } else { "OFF" };
    let settings = [
        ("log-bin", "binlog"),
        ("binlog-format", "ROW"),
        ("log-slave-updates", "ON"),
        ("slave-parallel-threads", "4"),
        ("rpl-semi-sync-slave-enabled", "ON"),
        ("rpl-semi-sync-master-enabled", waits),
        // The primary makes a commit visible only after the replica has received it. The timeout for this wait is so
        // long that it never occurs in practice.
        ("rpl-semi-sync-master-wait-point", "AFTER_SYNC"),
        ("rpl-semi-sync-master-timeout", "4000000000"),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Returns the command that makes a replica follow its primary. The password is in a file that only the server's
/// operating system user can read.
pub(super) fn following(place: &ServerPlace, primary: &ServerPlace) -> Result<Command> {
    let file = place.folder.join("follow.sql");
    let text = FOLLOW.replace("PORT_OF_PRIMARY", &primary.port.to_string());
    place.write(&file, &text.replace("PASSWORD_OF_TACHO", &primary.password))?;
    let mut command = client(place)?;
    let input = tacho_core::file::open(&file)?;
    command.stdin(input);
    Ok(command)
}

/// Returns the command that makes a replica apply all changes it has received and then accept writes.
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
            .hint("on Debian, install the mariadb-client-core package")
    })
}
