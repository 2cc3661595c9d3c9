//! Creates a missing database and the role that owns it. Drops both once they are empty.
//!
//! Existing objects are never changed, and keep their passwords, owners and privileges.
//!
//! Start reading at [`create`] and [`remove`].

use postgres_protocol::password::scram_sha_256;
use tacho_core::{Error, Result};
use tacho_driver::{Removed, Target};
use tacho_net::{Secret, variable};

use crate::admin::{number, rows, run, terminate};
use crate::config::Config;
use crate::connect::connect;
use crate::wire::Wire;

/// A database that every new cluster contains.
const OWN: &str = "postgres";
/// Error code for a database that does not exist.
const NO_DATABASE: &str = "3D000";
/// Error codes for a rejected login. The role may be missing or the password wrong, because the server does not say
/// which.
const REFUSED: [&str; 2] = ["28000", "28P01"];

/// Query that lists the objects that are left in a database.
const LEFT: &str = include_str!("../sql/left.sql");
/// Error code for a database that another client is using.
const IN_USE: &str = "55006";
/// Error code for a role that still owns objects or has privileges on objects.
const DEPENDED_ON: &str = "2BP01";

/// Returns true if the connection may have been rejected because the database or role is missing.
pub fn may_help(config: &Config, error: &Error) -> bool {
    let code = error.native_code().unwrap_or_default();
    code == NO_DATABASE || (config.admin.is_some() && REFUSED.contains(&code))
}

/// Creates the database if it is missing. If an administrator is specified, also creates the role and makes it the
/// database's owner.
pub async fn create(config: &Config) -> Result<()> {
    let mut wire = connect(&as_administrator(config, &config.maintenance)).await?.wire;
    let made = create_as(&mut wire, config).await;
    terminate(&mut wire).await;
    made
}

/// Returns the settings for connecting to another database, as the administrator if there is one.
fn as_administrator(config: &Config, database: &str) -> Config {
    let mut as_whom = Config { database: database.into(), ..config.clone() };
    if let Some(admin) = &config.admin {
        as_whom.user.clone_from(&admin.user);
        as_whom.password.clone_from(&admin.password);
    }
    as_whom
}

/// Drops the database if it is empty. If an administrator is specified, also drops the database's role, unless it owns
/// anything else.
pub async fn remove(target: &Target) -> Result<Removed> {
    let config = &Config::read(target, &variable)?;
    let database = &config.database;
    let mut wire = connect(&as_administrator(config, database)).await?.wire;
    let left = rows(&mut wire, LEFT).await;
    terminate(&mut wire).await;
    let left = left?.into_iter().next().unwrap_or_default();
    if number(&left, 0)? > 0 {
        return Ok(Removed::if_empty(database, false));
    }
    if *database == config.maintenance || database == OWN {
        return Ok(stays(format!(
            "database {database} was not dropped: it is the server's maintenance database"
        )));
    }
    let mut wire = connect(&as_administrator(config, &config.maintenance)).await?.wire;
    let removed = remove_as(&mut wire, config).await;
    terminate(&mut wire).await;
    removed
}

fn stays(why: String) -> Removed {
    Removed { kept: vec![why], ..Removed::default() }
}

async fn remove_as(wire: &mut Wire, config: &Config) -> Result<Removed> {
    let database = &config.database;
    match run(wire, &format!("DROP DATABASE {}", name(database))).await {
        Err(error) if error.native_code() == Some(IN_USE) => {
            return Ok(stays(format!(
                "database {database} is empty but was not dropped: other sessions are using it"
            )));
        }
        outcome => outcome.map_err(|error| error.during("remove the database"))?,
    }
    let mut removed = Removed { database: true, ..Removed::default() };
    let user = &config.user;
    if config.admin.as_ref().is_none_or(|admin| admin.user == *user) {
        return Ok(removed);
    }
    let plain = format!("SELECT rolsuper FROM pg_roles WHERE rolname = {}", text(user));
    match rows(wire, &plain).await?.into_iter().flatten().flatten().next().as_deref() {
        Some("f") => {}
        Some(_) => {
            removed.kept.push(format!("role {user} was not dropped: it is a superuser"));
            return Ok(removed);
        }
        None => return Ok(removed),
    }
    match run(wire, &format!("DROP ROLE {}", name(user))).await {
        Err(error) if error.native_code() == Some(DEPENDED_ON) => {
            removed.kept.push(format!("role {user} was not dropped: it owns other objects"));
        }
        outcome => {
            outcome.map_err(|error| error.during("remove the role"))?;
            removed.role = Some(user.clone());
        }
    }
    Ok(removed)
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
        // Compute the password verifier in the client, so that the server's log and statistics never contain the
        // password.
        Some(Secret(password)) => {
            format!(" PASSWORD {}", text(&scram_sha_256(password.as_bytes())))
        }
        None => String::new(),
    };
    let made = run(wire, &format!("CREATE ROLE {} LOGIN{password}", name(&config.user))).await;
    settled(made)
}

/// Returns success if another session has created the same object at the same time.
///
/// These error codes mean that a database, a role or a catalog key already exists.
fn settled(made: Result<()>) -> Result<()> {
    match made {
        Err(error) if matches!(error.native_code(), Some("42P04" | "42710" | "23505")) => Ok(()),
        made => made,
    }
}

fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a string literal that has the same meaning whether or not the server treats backslashes as escapes.
pub fn text(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_quoted() {
        assert_eq!(name("a\"b"), "\"a\"\"b\"");
        assert_eq!(text("it's \\ it"), "E'it''s \\\\ it'");
    }
}
