//! Opens connections. Start reading at [`open`].

use std::sync::Arc;

use tacho_calls::{Calls, Connection, Speech, TextType};
use tacho_core::Result;
use tacho_driver::{Environment, Session, Target};

use crate::catalogue::Catalogue;
use crate::config;
use crate::dialect::TimesTen;
use crate::library;

/// Number of rows in each INSERT statement. One is enough, because the driver binds an array of rows to the statement.
const ROWS_OF_AN_INSERT: usize = 1;

/// Opens a session on a new connection.
pub fn open(target: &Target, environment: &Environment) -> Result<Box<dyn Session>> {
    let login = config::login(target)?;
    let library = library::find(login.library.as_deref())?;
    let dialect = Arc::new(TimesTen);
    let (keywords, limit) = (login.connection_string(), login.login_timeout);
    let mut connection = Connection::open(library, &keywords, limit, dialect.clone())
        .map_err(|error| error.during("connect to TimesTen"))?;
    // The keywords request UTF-8.
    connection.read_bytes();
    connection.limit_statements(login.query_timeout)?;
    connection.add_to(&environment.cancels);
    let speech = Speech {
        dialect,
        text: TextType::Bytes,
        rows_each: ROWS_OF_AN_INSERT,
        numbers_as_text: false,
        arrays: true,
    };
    Ok(Box::new(Calls::new(connection, speech, Catalogue)?))
}

/// Returns a description of the library, including its path. The description also states that the driver has not been
/// tested against a live server.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named = target.map(config::login).transpose()?.and_then(|login| login.library);
    library::find(named.as_deref())?;
    let place = named.map_or(String::new(), |path| format!(", {}", path.display()));
    Ok(format!("TimesTen ODBC driver{place}; not tested against a live server"))
}
