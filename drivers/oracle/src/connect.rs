//! From a target to an open connection. Start reading at [`open`].

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use oracledb::Connection;
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::{too_late, unexpected};

use crate::config::Config;
use crate::errors::of_client;

/// The name by which the server knows our sessions.
const PROGRAM: &str = "tacho";
/// Statements that the client keeps open on the server: more than a workload has.
const STATEMENTS: usize = 200;
/// What numbers and times are as text, and what the server's clock says: the same for everybody.
const SESSION: &str = "ALTER SESSION SET NLS_NUMERIC_CHARACTERS = '. ' \
    NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF6' \
    TIME_ZONE = '+00:00'";

/// The client does not tell a failure of TLS from one of the socket.
const TLS: &str =
    "check that the port is one for TLS; wallet=FOLDER names the authority of its certificate";

/// A connection that is ready for statements.
pub fn open(config: &Config) -> Result<Connection> {
    let opened = connect(config).and_then(|connection| {
        set_up(&connection, config).map_err(|error| error.during("set the session up"))?;
        Ok(connection)
    });
    opened.map_err(|error| error.during(format!("connect to {}", config.address)))
}

fn set_up(connection: &Connection, config: &Config) -> Result<()> {
    let run = |sql: &str| connection.execute(sql, &[]).map_err(|error| of_client(&error));
    if !config.call_timeout.is_zero() {
        let limit = Some(config.call_timeout);
        connection.set_call_timeout(limit).map_err(|error| of_client(&error))?;
    }
    run(SESSION)?;
    if let Some(level) = config.isolation {
        run(&format!("ALTER SESSION SET ISOLATION_LEVEL = {level}"))?;
    }
    Ok(())
}

/// Connects on a thread of its own, because the client waits without end for a server that accepts a connection
/// and says nothing, and panics at an answer that is not of its protocol.
fn connect(config: &Config) -> Result<Connection> {
    let options = options(config)?;
    let limit = config.connect_timeout;
    let (sender, receiver) = channel();
    let work = move || {
        // The receiver is gone if the time is over.
        let _ = sender.send(oracledb::connect(options));
    };
    let builder = thread::Builder::new().name("oracle login".into());
    builder.spawn(work).map_err(|error| Error::usage("no thread can be started").source(error))?;
    let limit = if limit.is_zero() { Duration::MAX } else { limit };
    match receiver.recv_timeout(limit) {
        Ok(outcome) => outcome.map_err(|error| {
            let error = of_client(&error);
            if config.tls && error.kind() == ErrorKind::Connect { error.hint(TLS) } else { error }
        }),
        Err(RecvTimeoutError::Timeout) => Err(too_late(limit, "connect_timeout")),
        Err(RecvTimeoutError::Disconnected) => Err(unexpected("not that of an Oracle listener")
            .hint("check that host and port are those of a listener")),
    }
}

/// The configuration of the client.
fn options(config: &Config) -> Result<oracledb::Config> {
    let mut options = oracledb::Config::default()
        .set_credentials(&config.user, &config.password.0)
        .set_stmtcachesize(STATEMENTS)
        .set_transport_connect_timeout(
            Some(config.connect_timeout).filter(|limit| !limit.is_zero()),
        );
    if config.tls {
        // The client takes the provider of the process, which has two.
        tacho_net::provide_tls();
        if let Some(folder) = &config.wallet {
            options = options.set_wallet_location(folder);
        }
        if let Some(password) = &config.wallet_password {
            options = options.set_wallet_password(&password.0);
        }
    }
    let options = options
        .set_program(PROGRAM)
        .and_then(|options| options.set_connect_string(&config.descriptor));
    options.map_err(|error| of_client(&error))
}
