//! Opens a connection for a target. Start reading at [`open`].

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use oracledb::Connection;
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::{too_late, unexpected};

use crate::config::Config;
use crate::errors::of_client;

/// The name under which Tacho's sessions appear on the server.
const PROGRAM: &str = "tacho";
/// Number of statements that the client keeps open on the server. No workload has this many statements.
const STATEMENTS: usize = 200;
/// Session settings that are the same for every user: the time zone, and the formats of numbers and times.
const SESSION: &str = "ALTER SESSION SET NLS_NUMERIC_CHARACTERS = '. ' \
    NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF6' \
    TIME_ZONE = '+00:00'";

/// Hint for socket errors of encrypted connections. The client library does not report whether TLS or the network
/// failed.
const TLS: &str = "check that the port accepts TLS; use wallet=FOLDER to specify the CA that signed the server's certificate";

/// Opens a connection that is ready for statements.
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

/// Connects on a separate thread, because the client may wait forever, or may panic after an invalid response.
fn connect(config: &Config) -> Result<Connection> {
    let options = options(config)?;
    let limit = config.connect_timeout;
    let (sender, receiver) = channel();
    let work = move || {
        // Ignore the error. After the time limit, nobody waits for the result any more.
        let _ = sender.send(oracledb::connect(options));
    };
    let builder = thread::Builder::new().name("oracle login".into());
    builder.spawn(work).map_err(|error| Error::usage("could not start a thread").source(error))?;
    let limit = if limit.is_zero() { Duration::MAX } else { limit };
    match receiver.recv_timeout(limit) {
        Ok(outcome) => outcome.map_err(|error| {
            let error = of_client(&error);
            if config.tls && error.kind() == ErrorKind::Connect { error.hint(TLS) } else { error }
        }),
        Err(RecvTimeoutError::Timeout) => Err(too_late(limit, "connect_timeout")),
        Err(RecvTimeoutError::Disconnected) => Err(unexpected("not from an Oracle listener")
            .hint("check that a listener is running on this host and port")),
    }
}

/// Returns the client's configuration.
fn options(config: &Config) -> Result<oracledb::Config> {
    let mut options = oracledb::Config::default()
        .set_credentials(&config.user, &config.password.0)
        .set_stmtcachesize(STATEMENTS)
        .set_transport_connect_timeout(
            Some(config.connect_timeout).filter(|limit| !limit.is_zero()),
        );
    if config.tls {
        // The client library uses the default cryptography provider of the process. This process contains two
        // providers, so the default must be set explicitly.
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
