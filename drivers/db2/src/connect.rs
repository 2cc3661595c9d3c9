//! Opens connections. Start reading at [`open`].

use std::sync::Arc;

use tacho_calls::{Calls, Connection, Speech, TextType};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Environment, Session, Target};

use crate::config::Config;
use crate::dialect::Db2;
use crate::library;
use crate::questions::Catalogue;

/// Number of rows in each INSERT statement. One is enough, because the driver sends a whole array of rows with each
/// execution.
const ROWS_OF_AN_INSERT: usize = 1;

/// Opens a connection that uses a table set's schema. Creates a missing schema if `create` is true.
pub fn connect(target: &Target, create: bool, set: u32) -> Result<Connection<i32>> {
    let config = Config::from_target(target)?;
    let login = &config.login;
    let library = library::find(login.library.as_deref())?;
    let mut connection =
        Connection::open(library, &login.connection_string(), login.login_timeout, Arc::new(Db2))
            .map_err(|error| error.during("connect to Db2"))?;
    connection.limit_statements(login.query_timeout)?;
    let schema = config.schema_of(set);
    if !schema.is_empty() {
        enter(&connection, &schema, create && set > 0)?;
    }
    Ok(connection)
}

/// Makes a schema the session's default schema for tables and, if the server supports it, for procedures.
fn enter(connection: &Connection<i32>, schema: &str, create: bool) -> Result<()> {
    if !schema.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Error::usage(format!("invalid schema name: \"{schema}\""))
            .hint("use letters, digits and underscores"));
    }
    let run = |sql: String| connection.run(&sql).map_err(|error| error.during(sql));
    if create {
        match run(format!("CREATE SCHEMA {schema}")) {
            Err(error) if error.kind() == ErrorKind::Auth => {
                return Err(
                    error.hint("GRANT IMPLICIT_SCHEMA, CREATEIN …, or ask a DBA to create it")
                );
            }
            Err(error) if error.kind() != ErrorKind::Exists => return Err(error),
            _ => {}
        }
    }
    run(format!("SET CURRENT SCHEMA {schema}"))?;
    if is_derby(connection) {
        Ok(())
    } else {
        run(format!("SET CURRENT PATH SYSTEM PATH, {schema}"))
    }
}

fn is_derby(connection: &Connection<i32>) -> bool {
    !connection.product().starts_with("DB2")
}

/// Opens a session on a new connection.
pub fn open(target: &Target, environment: &Environment) -> Result<Box<dyn Session>> {
    let set = environment.set;
    let connection = connect(target, environment.create, set)?;
    connection.add_to(&environment.cancels);
    let schema = Config::from_target(target)?.schema_of(set);
    let (derby, set) = (is_derby(&connection), Some(schema).filter(|_| set > 0));
    let speech = Speech {
        dialect: Arc::new(Db2),
        text: TextType::Utf16AsVarchar,
        rows_each: ROWS_OF_AN_INSERT,
        numbers_as_text: false,
        arrays: true,
    };
    Ok(Box::new(Calls::new(connection, speech, Catalogue { derby, set })?))
}

/// Returns the path of the client library.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named =
        target.map(Config::from_target).transpose()?.and_then(|config| config.login.library);
    library::find(named.as_deref())?;
    match named {
        Some(path) if !path.exists() => Err(Error::new(
            ErrorKind::Missing,
            format!("library {} does not exist", path.display()),
        )),
        Some(path) => Ok(format!("IBM Db2 client, {}", path.display())),
        None => Ok("IBM Db2 client".into()),
    }
}
