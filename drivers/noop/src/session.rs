//! A session whose responses are prepared in advance.
//!
//! [`Session::poll_exchange`] must never allocate after its first round.

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Result, Table};
use tacho_driver::{
    BoxFuture, Canned, Catalog, Inspector, Reply, RowSource, Session, Step, Steps, TextRows,
    Uninspected, Values, no_answers, without_simple_form, without_text_rows,
};

struct Noop {
    canned: Canned,
    rows: Values,
    inspector: Uninspected,
}

/// Opens a session that has no statements.
pub fn open() -> Box<dyn Session> {
    let inspector = Uninspected { version: "noop" };
    Box::new(Noop { canned: Canned::default(), rows: Values::default(), inspector })
}

impl Session for Noop {
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
        _: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        for step in steps.steps {
            if let Step::Execute { statement, .. } = step {
                self.canned.answer(*statement, reply);
            }
        }
        Poll::Ready(Ok(()))
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
        let mut loaded = 0;
        loop {
            self.rows.clear();
            match rows.next_batch(&mut self.rows) {
                0 => return done(loaded),
                count => loaded += count as u64,
            }
        }
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        &mut self.inspector
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        done(())
    }

    no_answers!(slow_load, drop_set);
}

fn done<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { Ok(value) })
}
