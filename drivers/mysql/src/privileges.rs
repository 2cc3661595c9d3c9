//! What this session may do of what a build needs, and what the server takes for the present time.
//!
//! Lists of grants have patterns and roles in them, so the server itself is asked to judge: by statements
//! that it must refuse, for a missing privilege first, and else for what is wrong in them. So nothing is ever
//! made or removed, whenever it ends. Start reading at [`privileges`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Advice, Privileges};
use tacho_net::{number, unexpected};

use crate::admin::{rows, run};
use crate::link::Link;

const SERVER_TIME: &str = include_str!("../sql/server_time.sql");
/// Finds the name that the statements use, which nothing has.
const IN_USE: &str = "SHOW TABLES LIKE 'tacho_doctor_41c7e09b52d8'";
/// Two columns of one name, and the number of that mistake.
const CREATE: (&str, &str) = ("CREATE TABLE tacho_doctor_41c7e09b52d8 (a INT, a INT)", "1060");
/// A table that is not there, and the number of that.
const DROP: (&str, &str) = ("DROP TABLE tacho_doctor_41c7e09b52d8", "1051");

/// What the server lets us do in the session's database.
pub async fn privileges(link: &mut Link) -> Result<Privileges> {
    let mut privileges = Privileges::default();
    note(&mut privileges, "create tables", refusal(link, CREATE).await?);
    if !is_in_use(link).await? {
        note(&mut privileges, "drop tables", refusal(link, DROP).await?);
    }
    Ok(privileges)
}

/// Why the server would not let us remove tables; `None` if it would.
pub async fn no_drop(link: &mut Link) -> Result<Option<Error>> {
    if is_in_use(link).await? { Ok(None) } else { refusal(link, DROP).await }
}

/// Returns true if a table, view or sequence has the name: the statement that removes a table may not be tried.
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

/// Why we may not do it; `None` if the statement was only refused for its mistake.
async fn refusal(link: &mut Link, (sql, mistake): (&str, &str)) -> Result<Option<Error>> {
    match run(link, sql).await {
        Err(error) if error.native_code() == Some(mistake) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::Auth | ErrorKind::Missing) => {
            Ok(Some(error))
        }
        Err(error) => Err(error),
        Ok(_) => Err(unexpected("a statement was run that makes no sense")),
    }
}

/// The date of the server, at the moment of the statement.
pub async fn server_time(link: &mut Link) -> Result<Duration> {
    let found = rows(link, SERVER_TIME).await?;
    let row = found.first().ok_or_else(|| unexpected("there is no row"))?;
    Ok(Duration::from_micros(number(row, 0)?))
}
