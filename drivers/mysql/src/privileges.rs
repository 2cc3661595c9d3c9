//! Checks that the session has the privileges for a build, and reads the server's current time.
//!
//! Only the server can evaluate grants, because they contain patterns and roles. To test a privilege, Tacho therefore
//! sends a statement that needs it. Each statement contains a deliberate mistake, so that nothing is created or
//! dropped.
//!
//! Start reading at [`privileges`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Advice, Privileges};
use tacho_net::{number, unexpected};

use crate::admin::{rows, run};
use crate::link::Link;

const SERVER_TIME: &str = include_str!("../sql/server_time.sql");
/// Query that must return nothing: no table may have the name used in the statements below.
const IN_USE: &str = "SHOW TABLES LIKE 'tacho_doctor_41c7e09b52d8'";
/// A CREATE TABLE that always fails because two columns have the same name, and the number of that error.
const CREATE: (&str, &str) = ("CREATE TABLE tacho_doctor_41c7e09b52d8 (a INT, a INT)", "1060");
/// A DROP TABLE that always fails because the table does not exist, and the number of that error.
const DROP: (&str, &str) = ("DROP TABLE tacho_doctor_41c7e09b52d8", "1051");

/// Returns the session's privileges in its database.
pub async fn privileges(link: &mut Link) -> Result<Privileges> {
    let mut privileges = Privileges::default();
    note(&mut privileges, "create tables", refusal(link, CREATE).await?);
    if !is_in_use(link).await? {
        note(&mut privileges, "drop tables", refusal(link, DROP).await?);
    }
    Ok(privileges)
}

/// Returns the error that the user would get when dropping tables, or `None` if the user may drop them.
pub async fn no_drop(link: &mut Link) -> Result<Option<Error>> {
    if is_in_use(link).await? { Ok(None) } else { refusal(link, DROP).await }
}

/// Returns true if there is already a table, view or sequence with the name that the DROP statement uses. The statement
/// must then not be sent.
async fn is_in_use(link: &mut Link) -> Result<bool> {
    Ok(!rows(link, IN_USE).await?.is_empty())
}

fn note(privileges: &mut Privileges, what: &str, refusal: Option<Error>) {
    match refusal {
        None => privileges.granted.push(what.into()),
        Some(error) => privileges
            .missing
            .push(Advice { text: error.to_string(), hint: error.hints().join("; or ") }),
    }
}

/// Returns the error if the user lacks the privilege, or `None` if the server only complained about the deliberate
/// mistake.
async fn refusal(link: &mut Link, (sql, mistake): (&str, &str)) -> Result<Option<Error>> {
    match run(link, sql).await {
        Err(error) if error.native_code() == Some(mistake) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::Auth | ErrorKind::Missing) => {
            Ok(Some(error))
        }
        Err(error) => Err(error),
        Ok(_) => Err(unexpected("the server accepted an invalid statement")),
    }
}

/// Returns the server's date and time when the statement runs.
pub async fn server_time(link: &mut Link) -> Result<Duration> {
    let found = rows(link, SERVER_TIME).await?;
    let row = found.first().ok_or_else(|| unexpected("there is no row"))?;
    Ok(Duration::from_micros(number(row, 0)?))
}
