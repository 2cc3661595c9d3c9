//! Opens a connection to a target's database and schema, and creates these if necessary.

use tacho_core::Result;
use tacho_driver::Target;
use tacho_net::variable;

use crate::admin::run;
use crate::config::Config;
use crate::connect::{Opened, connect};
use crate::roles;
use crate::wire::Wire;

/// Opens a connection for a table set. Creates a missing database and schema first if `create` is true.
pub async fn open(target: &Target, create: bool, set: u32) -> Result<Opened> {
    let mut opened = open_database(target, create).await?;
    if set > 0 {
        let entered = enter(&mut opened.wire, create, set).await;
        entered.map_err(|error| error.during(format!("switch to the schema set_{set}")))?;
    }
    Ok(opened)
}

/// Table sets are schemas in one database, so one connection and the server's counters cover all of them.
async fn enter(wire: &mut Wire, create: bool, set: u32) -> Result<()> {
    if create {
        run(wire, &format!("CREATE SCHEMA IF NOT EXISTS set_{set}")).await?;
    }
    run(wire, &format!("SET search_path TO set_{set}")).await
}

async fn open_database(target: &Target, create: bool) -> Result<Opened> {
    let config = &Config::read(target, &variable)?;
    match connect(config).await {
        Err(error) if create && roles::may_help(config, &error) => {
            let made = roles::create(config).await;
            // Return the error of the first connection attempt, with a hint that says why the database could not be
            // created.
            if let Err(why) = made {
                return Err(error
                    .hint(format!("Tacho {why}"))
                    .hint("or create the database yourself: createdb NAME"));
            }
            connect(config).await
        }
        outcome => outcome,
    }
}
