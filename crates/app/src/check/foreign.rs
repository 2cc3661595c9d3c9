//! Checks tables that have the names of a workload's tables but were not created by Tacho.
//!
//! These tables have no marker, so queries have to find out what they contain. The tables are never changed.
//!
//! Start reading at [`check_foreign`].

use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Catalog, Exchange, Form, StatementId, parse_sections};
use tacho_store::Listener;
use tacho_store::record::CheckRecord;

use super::{CheckRun, ask_checks};
use crate::access::Access;
use crate::adopt::excuse_samples;
use crate::{Adopted, Request};

const ROWS: &str = include_str!("../../sql/rows.sql");

/// The number of rows in a table and the number expected at the job's scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRows {
    /// The table name.
    pub name: String,
    /// The number of rows found.
    pub found: u64,
    /// The number of rows that the workload would load.
    pub expected: u64,
}

/// Counts the rows in recognized tables.
pub fn count_foreign(request: Request<'_>, adopted: &Adopted) -> Result<Vec<TableRows>> {
    let Request { job, context } = request;
    let (tables, instance) =
        (&adopted.tables, job.workload.instance(&job.choices(Some(&adopted.marker))?)?);
    let access = Access::new(job)?;
    let mut session = access.connect(request)?;
    let mut counts = Vec::new();
    let all = instance.schema().tables.iter().enumerate();
    for (index, table) in all.filter(|(_, table)| tables.iter().any(|name| name == table.name)) {
        let sections = parse_sections(&ROWS.replace("@table@", table.name))?;
        let catalog = Catalog::build(job.driver.dialect(), &["rows"], &[sections])?;
        let (found, back) = access.unless_stopped(context, async {
            let mut exchange = Exchange::new(session, Arc::new(catalog), Form::Sql).await?;
            exchange.execute(StatementId(0));
            let found = exchange.send().await?.one(0)?.number(0)?;
            Ok::<_, tacho_core::Error>((found, exchange.into_session()))
        })?;
        session = back;
        counts.push(TableRows {
            name: table.name.to_owned(),
            found: u64::try_from(found).unwrap_or(0),
            expected: instance.expected_rows(index),
        });
    }
    access.unless_stopped(context, session.close())?;
    Ok(counts)
}

/// Runs the workload's checks that have the given IDs. Assumes that the other tool's data has the scale specified in
/// the job.
pub fn check_foreign(
    request: Request<'_>,
    adopted: &Adopted,
    ids: &[&str],
    listener: &mut dyn Listener,
) -> Result<Vec<CheckRecord>> {
    let Request { job, context } = request;
    let instance = job.workload.instance(&job.choices(Some(&adopted.marker))?)?;
    let mut checks = instance.checks();
    checks.retain(|check| ids.contains(&check.id));
    excuse_samples(&mut checks);
    // Use the simple protocol if possible. Some checks use tables that only Tacho creates, and preparing their
    // statements would fail.
    let form = if job.driver.capabilities().simple { Form::Simple } else { Form::Sql };
    let asked = CheckRun { checks, when: "now", form };
    ask_checks(Request { job, context }, instance.as_ref(), job.first_set(), asked, listener)
}
