//! A session on a simulated server.
//!
//! The first poll of an exchange decides when the response arrives and which step fails. Further polls wait for that
//! time.
//!
//! A statement that succeeds must never allocate.
//!
//! Start reading at [`Session::poll_exchange`].

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Rng, Table, Timer};
use tacho_driver::{
    BoxFuture, Canned, Catalog, Environment, Inspector, Reply, RowSource, Session, Step, Steps,
    TextRows, Values, no_answers, without_simple_form, without_text_rows,
};

use crate::config::{Config, Spread};
use crate::server::Server;

/// Thresholds that decide whether a statement fails. A fault occurs if a random number is below its threshold.
#[derive(Clone, Copy)]
struct Faults {
    deadlocks: u64,
    all: u64,
}

/// The outcome of the current exchange, which is chosen at random.
#[derive(Clone, Copy)]
struct Fate {
    due: Instant,
    fault: Option<(usize, ErrorKind)>,
}

/// A session.
pub struct Sim {
    pub config: Config,
    faults: Faults,
    pub server: Arc<Server>,
    clock: Arc<dyn Clock>,
    timer: Box<dyn Timer>,
    rng: Rng,
    canned: Canned,
    under_way: Option<Fate>,
    open: bool,
}

/// Opens a session on `server`, without any statements.
pub fn open(config: &Config, server: Arc<Server>, environment: &Environment) -> Box<dyn Session> {
    let threshold = |share: f64| (share * 2.0_f64.powi(64)) as u64;
    let (deadlocks, all) = (config.deadlocks, config.deadlocks + config.errors);
    let seed = config.seed.unwrap_or(environment.seed);
    Box::new(Sim {
        config: config.clone(),
        faults: Faults { deadlocks: threshold(deadlocks), all: threshold(all) },
        server,
        clock: environment.clock.clone(),
        timer: environment.clock.timer(),
        rng: seed.child("sim").rng(u64::from(environment.session)),
        canned: Canned::default(),
        under_way: None,
        open: false,
    })
}

impl Sim {
    /// Returns the duration of a round trip that contains this number of statements.
    #[inline]
    fn cost(&mut self, statements: usize) -> Duration {
        let latency = match self.config.spread {
            Spread::Fixed => self.config.latency,
            Spread::Exponential => {
                let mean = self.config.latency.as_nanos() as f64;
                Duration::from_nanos(self.rng.exponential(mean) as u64)
            }
        };
        latency + self.config.statement * statements as u32
    }

    #[inline]
    fn draw(&mut self, steps: &[Step]) -> Fate {
        let cost = self.cost(steps.len());
        let due = self.server.done_at(self.clock.now(), cost);
        let fault = if self.faults.all == 0 { None } else { self.draw_fault(steps) };
        Fate { due, fault }
    }

    fn draw_fault(&mut self, steps: &[Step]) -> Option<(usize, ErrorKind)> {
        let Faults { deadlocks, all } = self.faults;
        let executes =
            steps.iter().enumerate().filter(|(_, step)| matches!(step, Step::Execute { .. }));
        for (index, _) in executes {
            match self.rng.bits() {
                drawn if drawn < deadlocks => return Some((index, ErrorKind::Deadlock)),
                drawn if drawn < all => return Some((index, ErrorKind::Other)),
                _ => {}
            }
        }
        None
    }

    /// Performs the steps. If there is a fault, stops at the step that it affects.
    #[inline]
    fn answer(&mut self, steps: &[Step], fate: Fate, reply: &mut Reply) -> Result<()> {
        for (index, step) in steps.iter().enumerate() {
            if let Some((at, kind)) = fate.fault
                && at == index
            {
                return Err(self.fail(kind));
            }
            match step {
                Step::Begin(_) => self.open = true,
                Step::Execute { statement, .. } => {
                    self.canned.answer(*statement, reply);
                    if !self.open {
                        self.server.counts.commit();
                    }
                }
                Step::Commit => self.end(|server| server.counts.commit()),
                Step::Rollback => self.end(|server| server.counts.rollback()),
            }
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self, count: impl FnOnce(&Server)) {
        if std::mem::take(&mut self.open) {
            count(&self.server);
        }
    }

    /// Returns the error for a simulated fault. Of all faults, only a deadlock rolls back the transaction.
    #[cold]
    fn fail(&mut self, kind: ErrorKind) -> Error {
        if kind == ErrorKind::Deadlock {
            self.end(|server| server.counts.rollback());
            return Error::new(kind, "simulated deadlock").code("SIM_DEADLOCK");
        }
        Error::new(kind, "simulated error").code("SIM_ERROR")
    }

    /// Ends an exchange because the run is stopping. A rollback succeeds, because it needs no response from the server.
    /// All other steps fail.
    #[cold]
    fn stop(&mut self, steps: &[Step]) -> Result<()> {
        if steps == [Step::Rollback] {
            self.end(|server| server.counts.rollback());
            return Ok(());
        }
        Err(Error::new(ErrorKind::Cancelled, "the run was stopped before the response arrived"))
    }
}

impl Session for Sim {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.canned = Canned::new(&catalog);
        done(())
    }

    fn simple(&mut self, _: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        without_simple_form()
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let steps = steps.steps;
        let fate = self.under_way.unwrap_or_else(|| self.draw(steps));
        self.under_way = Some(fate);
        ready!(self.timer.poll(fate.due, context));
        self.under_way = None;
        Poll::Ready(if self.clock.now() < fate.due {
            self.stop(steps)
        } else if self.config.down(fate.due) {
            Err(down())
        } else {
            self.answer(steps, fate, reply)
        })
    }

    fn script<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<()>> {
        done(())
    }

    fn text_rows<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        without_text_rows()
    }

    fn load<'a>(
        &'a mut self,
        _: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        let mut batch = Values::default();
        let mut loaded = 0;
        loop {
            batch.clear();
            match rows.next_batch(&mut batch) {
                0 => return done(loaded),
                count => loaded += count as u64,
            }
        }
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        done(())
    }

    no_answers!(slow_load, drop_set);
}

/// Returns the error that clients get during the outage.
#[cold]
pub fn down() -> Error {
    Error::new(ErrorKind::Connect, "simulated outage").code("SIM_DOWN")
}

/// Returns a future that is ready immediately.
pub fn done<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { Ok(value) })
}
