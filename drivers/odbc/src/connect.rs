//! Opens connections to a data source. Start reading at [`open`].

use std::sync::Arc;

use tacho_calls::{Calls, Connection, Speech, TextType};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Cancels, Dialect, Session, Target, foreign_library};

use crate::config::Config;
use crate::dialect::SourceDialect;
use crate::inspector::Data;
use crate::library;

/// Number of rows in each INSERT. With 24 columns, these rows need fewer than 999 parameters, which is the limit of
/// older SQLite versions.
const ROWS_OF_AN_INSERT: usize = 32;

/// Opens a separate connection.
pub fn connect(config: &Config, dialect: Arc<dyn Dialect>) -> Result<Connection<isize>> {
    let library = library::find(config.library.as_deref())?;
    let mut connection =
        Connection::open(library, &config.connection_string(), config.login_timeout, dialect)
            .map_err(|error| foreign(config, error).during("connect to the data source"))?;
    if config.text == TextType::Bytes {
        connection.read_bytes();
    }
    connection.limit_statements(config.query_timeout)?;
    Ok(connection)
}

/// Explains the error for a missing ODBC driver. The driver manager reports the same error for a driver built for
/// another architecture.
fn foreign(config: &Config, error: Error) -> Error {
    if error.kind() != ErrorKind::Missing {
        return error;
    }
    let library = config.driver_library();
    library.and_then(|path| foreign_library(&path)).unwrap_or(error)
}

/// Opens a session on a new connection.
pub fn open(
    target: &Target,
    dialect: SourceDialect,
    cancels: &Cancels,
) -> Result<Box<dyn Session>> {
    let config = Config::from_target(target)?;
    let connection = connect(&config, Arc::new(dialect.clone()))?;
    connection.add_to(cancels);
    let speech = Speech {
        dialect: Arc::new(dialect.clone()),
        text: config.text,
        numbers_as_text: config.numbers_as_text,
        arrays: config.arrays,
        // If the database is unknown, send only one row per INSERT. Some databases, such as Oracle before version 23,
        // do not accept several rows.
        rows_each: if dialect.base.is_some() { ROWS_OF_AN_INSERT } else { 1 },
    };
    let data = Data { dialect, schema: config.schema };
    Ok(Box::new(Calls::new(connection, speech, data)?))
}

/// Returns the driver manager's path.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named = target.map(Config::from_target).transpose()?.and_then(|config| config.library);
    library::find(named.as_deref())?;
    let place =
        named.map_or("in a system library folder".into(), |path| path.display().to_string());
    Ok(format!("the ODBC driver manager, {place}"))
}
