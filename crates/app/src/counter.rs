//! Reads the number of transactions or queries that a server has completed for all clients.

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Collector, Reading, Session};

use crate::access::{Access, answer_limit, environment};
use crate::{Context, Request};

/// A session that reads the server's counter.
pub struct TransactionCounter {
    access: Access,
    context: Context,
    limit: Duration,
    session: Box<dyn Session>,
    /// The connection that reads the number of queries from the server, or `None` to count transactions.
    queries: Option<Box<dyn Collector>>,
}

impl TransactionCounter {
    /// Opens a session on a job's database.
    pub fn open(request: Request<'_>) -> Result<Self> {
        let Request { job, context } = request;
        let access = Access::new(job)?;
        let session = access.connect(request)?;
        let limit = answer_limit(job);
        Ok(Self { access, context: context.clone(), limit, session, queries: None })
    }

    /// Opens a query counter. If the server does not count queries, each transaction counts as one query.
    pub fn open_queries(request: Request<'_>) -> Result<Self> {
        let Request { job, context } = request;
        let mut counter = Self::open(request)?;
        let environment = environment(context, false, counter.access.set);
        counter.queries = counter.access.answer(request, async {
            let Some(mut collector) = job.driver.collector(&job.target, environment).await? else {
                return Ok::<_, Error>(None);
            };
            let counts = selects(&collector.read().await?).is_some();
            Ok(counts.then_some(collector))
        })?;
        Ok(counter)
    }

    /// Returns the total number of transactions (commits and rollbacks) or queries of all clients. Only differences
    /// between two of these numbers are meaningful.
    pub fn read(&mut self) -> Result<u64> {
        if let Some(queries) = &mut self.queries {
            let reading = self.access.within(self.limit, &self.context, queries.read())?;
            return selects(&reading).ok_or_else(uncounted);
        }
        let counters = self.session.inspector().counters();
        let counters = self.access.within(self.limit, &self.context, counters)?;
        counters.map(|counters| counters.commits + counters.rollbacks).ok_or_else(uncounted)
    }
}

fn selects(reading: &Reading) -> Option<u64> {
    reading.counters.iter().find(|(name, _)| *name == "selects").map(|(_, value)| *value)
}

fn uncounted() -> Error {
    Error::new(ErrorKind::Unsupported, "the server does not count transactions")
        .hint("use the client-side count in the run summary")
}
