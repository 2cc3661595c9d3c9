//! Bringing a database to rest between two loads.

use tacho_core::Result;

use crate::access::Access;
use crate::{Context, Job};

/// Lets the database of a job write what has changed and clear away what is dead. Returns whether it
/// has words for that. The user of the job's target must be allowed to.
pub fn settle(job: &Job, context: &Context) -> Result<bool> {
    let statements = job.driver.dialect().settle();
    if statements.is_empty() {
        return Ok(false);
    }
    let access = Access::new(job)?;
    let mut session = access.connect(job, context)?;
    access.event_loop.block_on(async {
        for statement in statements {
            session.script(statement).await.map_err(|error| error.during(*statement))?;
        }
        session.close().await
    })?;
    Ok(true)
}
