//! What a database holds, seen from outside.

use tacho_core::Result;
use tacho_workload::MarkerState;

use crate::Request;
use crate::access::{Access, Data};

/// What a database holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holding {
    /// No tables.
    Nothing,
    /// Tables that we did not make, by name.
    Foreign(Vec<String>),
    /// Data of ours whose build was stopped.
    HalfBuilt,
    /// Data of ours, complete.
    Ready,
}

/// Looks at a database that must be there, and changes nothing.
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
