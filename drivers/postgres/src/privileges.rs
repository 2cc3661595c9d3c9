//! Checks that the session has the privileges for a build, and reads the server's current time.
//!
//! This module must never create anything. Start reading at [`privileges`].

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Advice, Privileges};
use tacho_net::{TextRow, number, unexpected};

use crate::admin::rows;
use crate::wire::Wire;

const PRIVILEGES: &str = include_str!("../sql/privileges.sql");
const SERVER_TIME: &str = include_str!("../sql/server_time.sql");

/// Returns the session's privileges, as recorded in the server's catalog.
pub async fn privileges(wire: &mut Wire) -> Result<Privileges> {
    let row = one(wire, PRIVILEGES).await?;
    let text = |column: usize| row.get(column).cloned().flatten().unwrap_or_default();
    let (user, schema) = (text(0), text(1));
    let (creates, read_only) = (number(&row, 2)? == 1, number(&row, 3)? == 1);
    let has_language = number(&row, 4)? == 1;
    let mut privileges = Privileges::default();
    let mut missing = |text: String, hint: String| privileges.missing.push(Advice { text, hint });
    if read_only {
        let text = "the server is read-only and may be a standby";
        missing(
            text.into(),
            "connect to the primary, or set default_transaction_read_only=off".into(),
        );
    }
    if schema.is_empty() {
        let text = format!("the search path contains no existing schema that {user} can access");
        missing(text, format!("CREATE SCHEMA {user} AUTHORIZATION {user}"));
    } else if !creates {
        let text = format!("{user} is not allowed to create tables in schema {schema}");
        missing(text, format!("GRANT CREATE ON SCHEMA {schema} TO {user}"));
    }
    if !has_language {
        let text = format!("{user} is not allowed to create functions in plpgsql");
        missing(text, format!("GRANT USAGE ON LANGUAGE plpgsql TO {user}"));
    }
    if privileges.missing.is_empty() {
        privileges.granted.push(format!("create tables and functions in schema {schema}"));
    }
    Ok(privileges)
}

/// Returns the server's date and time when the statement runs.
pub async fn server_time(wire: &mut Wire) -> Result<Duration> {
    Ok(Duration::from_micros(number(&one(wire, SERVER_TIME).await?, 0)?))
}

async fn one(wire: &mut Wire, sql: &str) -> Result<TextRow> {
    let found = rows(wire, sql).await?;
    found.into_iter().next().ok_or_else(|| unexpected("there is no row"))
}
