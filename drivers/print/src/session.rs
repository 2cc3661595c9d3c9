//! A session that prints its statements and returns invented results.

use std::sync::Arc;
use std::task::{Context, Poll};

use tacho_core::{Result, Table};
use tacho_driver::{
    BoxFuture, Canned, Catalog, Environment, Inspector, Reply, RowSource, Session, Step, Steps,
    TextRows, Uninspected, ValueKind, Values, next_rows, no_answers, text, without_text_rows,
};

use crate::block::Block;
use crate::dialect;

struct Print {
    block: Block,
    catalog: Arc<Catalog>,
    canned: Canned,
    inspector: Uninspected,
}

/// Opens a session that has no statements.
pub fn open(environment: Environment) -> Box<dyn Session> {
    let block = Block::new(environment.output, environment.session);
    let inspector = Uninspected { version: "print" };
    Box::new(Print { block, catalog: Arc::default(), canned: Canned::default(), inspector })
}

impl Print {
    fn exchange(&mut self, steps: Steps<'_>, reply: &mut Reply) -> Result<()> {
        for step in steps.steps {
            match step {
                Step::Begin(_) => self.block.begin()?,
                Step::Execute { statement, params } => {
                    let text = self.catalog.get(*statement);
                    let mut written = Ok(());
                    self.block.statement(|out| {
                        written = text.write(&dialect::Print, params, steps.values, out);
                    })?;
                    written?;
                    self.canned.answer(*statement, reply);
                }
                Step::Commit => self.block.end("COMMIT")?,
                Step::Rollback => self.block.end("ROLLBACK")?,
            }
        }
        Ok(())
    }

    fn insert_all(&mut self, table: &Table, rows: &mut dyn RowSource) -> Result<u64> {
        let mut batch = Values::default();
        let mut loaded = 0;
        loop {
            match next_rows(rows, &mut batch, table)? {
                0 => return Ok(loaded),
                count => loaded += count as u64,
            }
            let mut written = Ok(());
            self.block.statement(|out| written = insert(table, &batch, out))?;
            written?;
        }
    }
}

fn insert(table: &Table, batch: &Values, out: &mut Vec<u8>) -> Result<()> {
    let head = format!("INSERT INTO {} ({}) VALUES", table.name, table.column_names());
    out.extend_from_slice(head.as_bytes());
    let width = table.columns.len();
    for index in 0..batch.len() {
        let column = index % width;
        out.extend_from_slice(match (index, column) {
            (0, _) => b"\n(",
            (_, 0) => b"),\n(",
            _ => b", ",
        });
        text::literal(batch.get(index), ValueKind::of(table.columns[column].ty), out)?;
    }
    out.push(b')');
    Ok(())
}

impl Session for Print {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.canned = Canned::new(&catalog);
        self.catalog = catalog;
        done(Ok(()))
    }

    /// Prepares the statements in the usual way, because the driver prints their text in every form.
    fn simple(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        self.prepare(catalog)
    }

    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        _: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        Poll::Ready(self.exchange(steps, reply))
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        let sql = sql.trim_end().trim_end_matches(';').as_bytes();
        done(self.block.statement(|out| out.extend_from_slice(sql)))
    }

    fn text_rows<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        without_text_rows()
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        done(self.insert_all(table, rows))
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        &mut self.inspector
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, Result<()>> {
        done(self.block.finish())
    }

    no_answers!(slow_load, drop_set);
}

fn done<'a, T: Send + 'a>(outcome: Result<T>) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { outcome })
}
