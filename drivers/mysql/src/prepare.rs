//! Prepares statements before they are used. This code is not on the hot path.

use tacho_core::{Error, Result};
use tacho_driver::{Catalog, Statement, StatementId};

use crate::admin::{finish, settle};
use crate::errors::server;
use crate::link::{Link, query};
use crate::product::Product;
use crate::statements::{self, Prepared, Statements};
use crate::values::WireType;

/// Prepares all statements of a catalog and closes the `old` statements, in one round trip.
///
/// A rejected statement does not affect the others.
pub async fn all(
    link: &mut Link,
    product: Product,
    catalog: &Catalog,
    old: &Statements,
) -> Result<Statements> {
    link.wire.begin()?;
    let begun = statements::prepare_all(catalog, old, &mut link.wire.out);
    link.begun(begun)?;
    let mut statements = Statements::default();
    let mut outcome = Ok(());
    for statement in catalog.statements() {
        match understood(link).await {
            Err(error) if error.native_code().is_none() => {
                link.wire.give_up();
                return Err(named(error, statement));
            }
            answer => {
                let added = answer
                    .and_then(|(prepared, types)| statements.add(statement, prepared, &types));
                outcome = outcome.and(added.map_err(|error| named(error, statement)));
            }
        }
    }
    match outcome {
        Ok(()) => link.wire.done(),
        Err(error) => {
            settle(link, &error);
            return Err(error);
        }
    }
    if let Some(id) = catalog.last() {
        last(link, product, (id, catalog.get(id)), &mut statements).await?;
    }
    statements.finish();
    Ok(statements)
}

/// Prepares the last statement and its COMMIT as one block. The server then has to parse and respond only once. If the
/// statement fails, the block ends before the COMMIT.
///
/// MySQL, MariaDB before 10.6, and some proxies cannot prepare blocks.
async fn last(
    link: &mut Link,
    product: Product,
    (id, statement): (StatementId, &Statement),
    statements: &mut Statements,
) -> Result<()> {
    if product == Product::MariaDb {
        match one(link, &format!("BEGIN NOT ATOMIC {}\n; COMMIT; END", statement.sql)).await {
            Ok((prepared, _)) => {
                statements.add_block(id, statement, prepared);
                return Ok(());
            }
            Err(error) if error.native_code().is_some() => {}
            Err(error) => return Err(named(error, statement)),
        }
    }
    statements.follow(id);
    Ok(())
}

/// Closes statements on the server. The server does not respond when a statement is closed, so a query that does
/// nothing is sent afterwards.
pub async fn forget(link: &mut Link, old: &Statements) -> Result<()> {
    if old.numbers().next().is_none() {
        return Ok(());
    }
    link.wire.begin()?;
    let out = &mut link.wire.out;
    let closed = old.numbers().try_for_each(|number| statements::close(number, out));
    let begun = closed.and_then(|()| query(b"DO 0", out));
    let mut answer = link.begun(begun)?;
    finish(link, &mut answer, |_| Ok(())).await.map(|_| ())
}

fn named(error: Error, statement: &Statement) -> Error {
    statement.not_prepared(error)
}

/// A prepared statement and its column types.
pub type Understood = (Prepared, Vec<WireType>);

/// Prepares one statement.
pub async fn one(link: &mut Link, sql: &str) -> Result<Understood> {
    link.wire.begin()?;
    let begun = statements::prepare(sql, &mut link.wire.out);
    link.begun(begun)?;
    let prepared = understood(link).await;
    match &prepared {
        Ok(_) => link.wire.done(),
        Err(error) => settle(link, error),
    }
    prepared
}

/// Reads the response to a prepare command: the statement's number, and one packet per parameter and column.
async fn understood(link: &mut Link) -> Result<Understood> {
    let message = link.wire.message().await?;
    let body = link.wire.body(&message);
    if body.first() == Some(&0xFF) {
        return Err(server(body));
    }
    let prepared = Prepared::read(body)?;
    let marks = link.abilities.has_marks();
    for _ in 0..u32::from(prepared.params) + u32::from(prepared.params > 0 && marks) {
        link.wire.message().await?;
    }
    let mut types = Vec::with_capacity(usize::from(prepared.columns));
    for _ in 0..prepared.columns {
        let message = link.wire.message().await?;
        types.push(statements::column_type(link.wire.body(&message))?);
    }
    if prepared.columns > 0 && marks {
        link.wire.message().await?;
    }
    Ok((prepared, types))
}
