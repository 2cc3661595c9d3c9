//! Inspects the contents of a database without changing it.

use tacho_core::Result;
use tacho_workload::MarkerState;

use crate::Request;
use crate::access::{Access, Data};

/// The contents of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holding {
    /// No tables.
    Nothing,
    /// The names of tables that Tacho did not create.
    Foreign(Vec<String>),
    /// Data from a build by Tacho that was interrupted.
    HalfBuilt,
    /// Complete data that Tacho created.
    Ready,
}

/// Inspects the contents of an existing database without changing anything.
pub fn look(request: Request<'_>) -> Result<Holding> {
    let Request { job, context } = request;
    let access = Access::new(job)?;
    let session = access.connect(request)?;
    let (session, holding) = match access.look(request, session)? {
        Data::Empty(session) => (session, Holding::Nothing),
        Data::Foreign(tables) => return Ok(Holding::Foreign(tables)),
        Data::Ours(store, marker) => match marker.state {
            MarkerState::Building => (store.into_session(), Holding::HalfBuilt),
            MarkerState::Ready => (store.into_session(), Holding::Ready),
        },
    };
    access.unless_stopped(context, session.close())?;
    Ok(holding)
}
