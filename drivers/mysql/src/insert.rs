//! Loads rows with a prepared multi-row `INSERT`, for servers that do not accept row files from clients.

use std::future::poll_fn;

use tacho_core::{Result, Table, Type};
use tacho_driver::{RowSource, Value, ValueKind, Values, insert_sql, next_rows};

use crate::admin;
use crate::answer::Answer;
use crate::batch::packet_limit;
use crate::link::Link;
use crate::prepare;
use crate::statements::{begin_execute, close, push_type};
use crate::values;
use crate::wire::{BODY_END, packet};

/// Maximum number of placeholders in a statement, which is the same on every server.
const PLACEHOLDERS_MAX: usize = 65_535;
/// Maximum number of rows per statement. With 500 rows, the round trip already costs less than 1 µs per row, so larger
/// statements would hardly be faster.
const ROWS_MAX: usize = 500;

/// Inserts all rows within the open transaction.
pub async fn insert(link: &mut Link, table: &Table, source: &mut dyn RowSource) -> Result<u64> {
    let kinds: Vec<ValueKind> =
        table.columns.iter().map(|column| ValueKind::of(column.ty)).collect();
    let most = rows_in_packet(table, packet_limit(link).await?);
    let full = prepare::one(link, &insert_sql(table, most)).await?.0.number;
    let mut group = Group::new(&kinds);
    let mut batch = Values::default();
    let mut taken = 0;
    loop {
        let count = next_rows(source, &mut batch, table)?;
        if count == 0 {
            break;
        }
        for row in 0..count {
            group.push(&batch, row)?;
            if group.rows == most {
                taken += group.send(link, full).await?;
            }
        }
    }
    if group.rows > 0 {
        let rest = prepare::one(link, &insert_sql(table, group.rows)).await?.0.number;
        taken += group.send(link, rest).await?;
        forget(link, rest).await?;
    }
    forget(link, full).await?;
    Ok(taken)
}

/// Asks the server to close a statement. The server sends no response.
async fn forget(link: &mut Link, number: u32) -> Result<()> {
    link.wire.begin()?;
    close(number, &mut link.wire.out)?;
    poll_fn(|context| link.wire.poll_send(context)).await;
    link.wire.done();
    Ok(())
}

/// Rows that are sent together.
struct Group<'a> {
    kinds: &'a [ValueKind],
    rows: usize,
    nulls: Vec<u8>,
    values: Vec<u8>,
}

impl<'a> Group<'a> {
    fn new(kinds: &'a [ValueKind]) -> Self {
        Self { kinds, rows: 0, nulls: Vec::new(), values: Vec::new() }
    }

    fn push(&mut self, batch: &Values, row: usize) -> Result<()> {
        let width = self.kinds.len();
        let first = self.rows * width;
        self.nulls.resize((first + width).div_ceil(8), 0);
        for (column, kind) in self.kinds.iter().enumerate() {
            match batch.get(row * width + column) {
                Value::Null => {
                    let at = first + column;
                    self.nulls[at / 8] |= 1 << (at % 8);
                }
                value => values::encode(value, *kind, &mut self.values)?,
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Sends the collected rows with `statement`, an INSERT of exactly that many rows. Returns the number of rows that
    /// the server inserted.
    async fn send(&mut self, link: &mut Link, statement: u32) -> Result<u64> {
        link.wire.begin()?;
        let begun = packet(0, &mut link.wire.out, |out| {
            begin_execute(statement, out);
            out.extend_from_slice(&self.nulls);
            out.push(1);
            for _ in 0..self.rows {
                self.kinds.iter().for_each(|kind| push_type(*kind, out));
            }
            out.extend_from_slice(&self.values);
            Ok(())
        });
        let mut answer: Answer = link.begun(begun)?;
        self.rows = 0;
        self.nulls.clear();
        self.values.clear();
        Ok(admin::finish(link, &mut answer, |_| Ok(())).await?.affected)
    }
}

/// Returns the number of rows that fit into a packet even if all strings have their maximum length, but at least 1.
fn rows_in_packet(table: &Table, limit: usize) -> usize {
    let columns = table.columns.len();
    let size = |ty: Type| match ty {
        Type::SmallInt | Type::Int | Type::BigInt => 8,
        Type::Decimal { .. } => 24,
        // A string takes up to four bytes per character, and its length precedes it.
        Type::Char(length) | Type::Varchar(length) => 4 * length as usize + 4,
        Type::Timestamp | Type::Date => 12,
    };
    // For each value, a statement also contains two bytes for the type and one bit for NULL.
    let row: usize = table.columns.iter().map(|column| size(column.ty) + 3).sum();
    let room = limit.min(BODY_END).saturating_sub(1024);
    (room / row.max(1)).min(PLACEHOLDERS_MAX / columns.max(1)).clamp(1, ROWS_MAX)
}
