//! Reads counters from the database at the borders of the phases, on a session of its own for each set
//! of tables.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result};
use tacho_driver::{Counters, Exchange, StatementId};

/// What a reading found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) counter: Option<(u64, Instant)>,
    pub(crate) server: Option<(Counters, Instant)>,
}

/// Sessions for administration. After its first failure it reads no more; the failure is told.
pub(crate) struct Probe {
    /// At least one: the first also reads what the whole server counts.
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) statement: Option<StatementId>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) failed: Option<Error>,
}

impl Probe {
    /// Reads both counters; nothing if it failed once.
    pub(crate) async fn read(&mut self) -> Sample {
        let mut sample = Sample { counter: None, server: None };
        if self.failed.is_none() {
            let result = self.try_read(&mut sample).await;
            self.failed = result.err();
        }
        sample
    }

    /// Reads both counters, unless `given_up` comes first: then there is no reading, and none later.
    pub(crate) async fn read_until(
        &mut self,
        given_up: impl Future<Output = ()>,
    ) -> Option<Sample> {
        let sample = {
            let (mut read, mut given_up) = (pin!(self.read()), pin!(given_up));
            poll_fn(|context| match read.as_mut().poll(context) {
                Poll::Ready(sample) => Poll::Ready(Some(sample)),
                Poll::Pending => given_up.as_mut().poll(context).map(|()| None),
            })
            .await
        };
        if sample.is_none() {
            let text = "the run was aborted while a counter was read";
            self.failed = Some(Error::new(ErrorKind::Cancelled, text));
        }
        sample
    }

    async fn try_read(&mut self, sample: &mut Sample) -> Result<()> {
        if let Some(statement) = self.statement {
            let before = self.clock.now();
            let mut sum = 0;
            for exchange in &mut self.exchanges {
                exchange.execute(statement);
                sum += exchange.send().await?.one(0)?.number(0)?;
            }
            sample.counter = Some((sum as u64, self.middle(before)));
        }
        let Some(first) = self.exchanges.first_mut() else { return Ok(()) };
        let before = self.clock.now();
        let counters = first.session().counters().await?;
        sample.server = counters.map(|counters| (counters, self.middle(before)));
        Ok(())
    }

    fn middle(&self, before: Instant) -> Instant {
        before.plus(self.clock.now().since(before) / 2)
    }
}
