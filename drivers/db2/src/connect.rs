//! Connections. Start reading at [`open`].

use std::sync::Arc;

use tacho_calls::{Calls, Connection, Speech, TextType};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Cancels, Session, Target};

use crate::config::Config;
use crate::dialect::Db2;
use crate::library;
use crate::questions::Catalogue;

/// Rows of one INSERT of a load, each statement of which is sent with an array of rows.
const ROWS_OF_AN_INSERT: usize = 1;

/// A connection of its own, in the schema that the target names.
pub fn connect(target: &Target) -> Result<Connection<i32>> {
    let config = Config::from_target(target)?;
    let library = library::find(config.library.as_deref())?;
    let mut connection =
        Connection::open(library, &config.connection_string(), config.login_timeout, Arc::new(Db2))
            .map_err(|error| error.during("connect to Db2"))?;
    connection.limit_statements(config.query_timeout)?;
    let schema = &config.schema;
    if !schema.is_empty() {
        if !schema.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::usage(format!("the name of the schema is not plain: \"{schema}\""))
                .hint("use letters, digits and underscores"));
        }
        let sql = format!("SET CURRENT SCHEMA {schema}");
        connection.run(&sql).map_err(|error| error.during(sql))?;
    }
    Ok(connection)
}

/// A session on a new connection.
pub fn open(target: &Target, cancels: &Cancels) -> Result<Box<dyn Session>> {
    let connection = connect(target)?;
    connection.add_to(cancels);
    let derby = !connection.product().starts_with("DB2");
    let speech = Speech {
        dialect: Arc::new(Db2),
        text: TextType::Utf16AsVarchar,
        rows_each: ROWS_OF_AN_INSERT,
        numbers_as_text: false,
        arrays: true,
    };
    Ok(Box::new(Calls::new(connection, speech, Catalogue { derby })?))
}

/// Where the library was found.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named = target.map(Config::from_target).transpose()?.and_then(|config| config.library);
    library::find(named.as_deref())?;
    match named {
        Some(path) if !path.exists() => {
            Err(Error::new(ErrorKind::Missing, format!("there is no library {}", path.display())))
        }
        Some(path) => Ok(format!("IBM's client for Db2, {}", path.display())),
        None => Ok("IBM's client for Db2".into()),
    }
}
