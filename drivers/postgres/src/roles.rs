//! A database that is missing, and the role that shall own it: made for a preparation alone.
//!
//! What is there is never changed: no password, no owner, no right. Start reading at [`create`].

use tacho_core::{Error, Result};
use tacho_net::Secret;

use crate::admin::{rows, run, terminate};
use crate::config::Config;
use crate::connect::connect;
use crate::wire::Wire;

/// The database that every cluster has, to make another one from.
const MAINTENANCE: &str = "postgres";
/// No such database.
const NO_DATABASE: &str = "3D000";
/// What a login of a role is answered with that does not exist: a server does not tell whether it
/// was the role or the password.
const REFUSED: [&str; 2] = ["28000", "28P01"];

/// Whether something that may be missing explains why a connection was refused.
pub fn may_help(config: &Config, error: &Error) -> bool {
    let code = error.native_code().unwrap_or_default();
    code == NO_DATABASE || (config.admin.is_some() && REFUSED.contains(&code))
}

/// Makes the database if it is missing. With an administrator also the role, who then owns it.
pub async fn create(config: &Config) -> Result<()> {
    let mut as_whom = Config { database: MAINTENANCE.into(), ..config.clone() };
    if let Some(admin) = &config.admin {
        as_whom.user.clone_from(&admin.user);
        as_whom.password.clone_from(&admin.password);
    }
    let mut wire = connect(&as_whom).await?.wire;
    let made = create_as(&mut wire, config).await;
    terminate(&mut wire).await;
    made
}

async fn create_as(wire: &mut Wire, config: &Config) -> Result<()> {
    let mut owner = String::new();
    if config.admin.is_some() {
        create_role(wire, config).await.map_err(|error| error.during("create the role"))?;
        owner = format!(" OWNER {}", name(&config.user));
    }
    let known = format!("SELECT 1 FROM pg_database WHERE datname = {}", text(&config.database));
    if !rows(wire, &known).await?.is_empty() {
        return Ok(());
    }
    let made = run(wire, &format!("CREATE DATABASE {}{owner}", name(&config.database))).await;
    settled(made).map_err(|error| error.during("create the database"))
}

async fn create_role(wire: &mut Wire, config: &Config) -> Result<()> {
    let known = format!("SELECT 1 FROM pg_roles WHERE rolname = {}", text(&config.user));
    if !rows(wire, &known).await?.is_empty() {
        return Ok(());
    }
    let password = match &config.password {
        Some(Secret(password)) => format!(" PASSWORD {}", text(password)),
        None => String::new(),
    };
    let made = run(wire, &format!("CREATE ROLE {} LOGIN{password}", name(&config.user))).await;
    settled(made)
}

/// Of several sessions that make the same thing at once one succeeds, and that is enough: duplicate
/// databases, roles, and keys of their lists.
fn settled(made: Result<()>) -> Result<()> {
    match made {
        Err(error) if matches!(error.native_code(), Some("42P04" | "42710" | "23505")) => Ok(()),
        made => made,
    }
}

fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A literal, whatever the server takes backslashes for.
pub fn text(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_cannot_end_early() {
        assert_eq!(name("a\"b"), "\"a\"\"b\"");
        assert_eq!(text("it's \\ it"), "E'it''s \\\\ it'");
    }
}
