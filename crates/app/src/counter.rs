//! The server's own count of ended transactions, whoever runs them.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Session;

use crate::access::Access;
use crate::{Context, Job};

/// A session that reads the server's counter.
pub struct TransactionCounter {
    access: Access,
    session: Box<dyn Session>,
}

impl TransactionCounter {
    /// Opens a session on the database of a job.
    pub fn open(job: &Job, context: &Context) -> Result<Self> {
        let access = Access::new(job)?;
        let session = access.connect(job, context)?;
        Ok(Self { access, session })
    }

    /// Commits and rollbacks since some fixed point, in all databases of the server.
    pub fn read(&mut self) -> Result<u64> {
        let counters = self.access.event_loop.block_on(self.session.counters())?;
        counters.map(|counters| counters.commits + counters.rollbacks).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "the server does not count its transactions")
                .hint("the summary of a run has the count of the client")
        })
    }
}
