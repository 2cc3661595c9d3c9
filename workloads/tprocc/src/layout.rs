//! The tables as a database gets them: HammerDB's own where they are known, and how each is kept.
//!
//! What differs between databases stands in `sql/<dialect>/hammerdb/tables.sql`, as the statements
//! that HammerDB's manual users would recognise; this file must never hold such a difference itself.
//! Start reading at [`layout`].

use tacho_core::{Column, Error, ErrorKind, Index, Result, Schema, Table, Type};
use tacho_driver::Dialect;

use crate::physical::Physical;

/// HammerDB's tables, by dialect.
const TABLES: [(&str, &str); 2] = [
    ("mysql", include_str!("../sql/mysql/hammerdb/tables.sql")),
    ("postgres", include_str!("../sql/postgres/hammerdb/tables.sql")),
];

/// The tables for a dialect: those of `logical`, changed as the parameters ask.
pub fn layout(logical: &Schema, physical: &Physical, dialect: &dyn Dialect) -> Result<Schema> {
    let known = TABLES.iter().find(|(id, _)| *id == dialect.id()).map(|(_, text)| *text);
    let mut schema = match known.filter(|_| physical.hammerdb_tables) {
        Some(text) => merged(logical, &parse(text)?)?,
        None => logical.clone(),
    };
    for table in &mut schema.tables {
        table.storage = physical.storage(table.name);
    }
    Ok(schema)
}

/// The tables of `logical` with their columns in its order, all else as in `own`.
fn merged(logical: &Schema, own: &[Table]) -> Result<Schema> {
    let tables = logical.tables.iter().map(|table| {
        let found = own.iter().find(|known| known.name == table.name);
        merged_table(table, found.ok_or_else(|| missing(table.name))?)
    });
    Ok(Schema { tables: tables.collect::<Result<_>>()? })
}

fn merged_table(logical: &Table, own: &Table) -> Result<Table> {
    let place = |name: &str| own.columns.iter().position(|column| column.name == name);
    let columns = logical.columns.iter().map(|column| {
        let own = place(column.name).map(|at| own.columns[at].clone());
        own.map(|own| fitted(own, column)).ok_or_else(|| missing(column.name))
    });
    let columns: Vec<Column> = columns.collect::<Result<_>>()?;
    let stored = own.columns.iter().map(|column| {
        let at = columns.iter().position(|known| known.name == column.name);
        at.ok_or_else(|| missing(column.name))
    });
    Ok(Table { stored: stored.collect::<Result<_>>()?, columns, ..own.clone() })
}

/// The column that takes the generated values. Counts that grow need more than the 16 bits that
/// suffice while they are frozen; amounts may be kept as whole numbers, which the server makes.
fn fitted(own: Column, logical: &Column) -> Column {
    match (own.ty, logical.ty) {
        (Type::SmallInt, Type::Int) => Column { ty: Type::Int, ..own },
        (Type::Int, Type::Decimal { .. }) => {
            Column { ty: logical.ty, declared: Some("INT"), ..own }
        }
        _ => own,
    }
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("{name} is not on both lists of HammerDB's tables"))
}

/// Reads CREATE TABLE with one column a line, and CREATE INDEX.
fn parse(text: &'static str) -> Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines().map(str::trim) {
        let read = match line.split_once(' ') {
            None | Some(("--", _)) => Some(()),
            Some(("CREATE", rest)) => match rest.strip_prefix("TABLE ") {
                Some(rest) => rest.strip_suffix(" (").map(|name| {
                    tables.push(Table { name, ..Table::default() });
                }),
                None => tables.last_mut().and_then(|table| index(rest, table)),
            },
            Some(("CONSTRAINT", rest)) => tables.last_mut().and_then(|table| {
                let (name, rest) = rest.split_once(" PRIMARY KEY ")?;
                (table.key_name, table.key) = (name, list(rest)?);
                Some(())
            }),
            Some(("PRIMARY", rest)) => tables.last_mut().and_then(|table| {
                table.key = list(rest.strip_prefix("KEY ")?)?;
                Some(())
            }),
            Some((name, rest)) => tables.last_mut().and_then(|table| {
                table.columns.push(column(name, rest.strip_suffix(',').unwrap_or(rest))?);
                Some(())
            }),
        };
        read.ok_or_else(|| Error::new(ErrorKind::Syntax, format!("cannot read: {line}")))?;
    }
    Ok(tables)
}

/// `UNIQUE INDEX name ON table (a, b);`
fn index(text: &'static str, table: &mut Table) -> Option<()> {
    let (unique, rest) = match text.strip_prefix("UNIQUE ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, rest) = rest.strip_prefix("INDEX ")?.split_once(" ON ")?;
    let columns = list(rest.strip_prefix(table.name)?.trim_start().strip_suffix(';')?)?;
    table.indexes.push(Index { name, columns, unique });
    Some(())
}

/// `(a, b)`
fn list(text: &'static str) -> Option<Vec<&'static str>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.split(',').map(str::trim).collect())
}

fn column(name: &'static str, text: &'static str) -> Option<Column> {
    let (ty, nullable) = match text.strip_suffix(" NOT NULL") {
        Some(ty) => (ty, false),
        None => (text, true),
    };
    // How texts are compared is the dialect's affair, and the same in all of its tables.
    let ty = ty.strip_suffix(" BINARY").unwrap_or(ty);
    // Without a fraction of a second, which ours has.
    let declared = (ty == "DATETIME").then_some(ty);
    let (word, numbers) = match ty.split_once('(') {
        Some((word, rest)) => (word, rest.strip_suffix(')')?),
        None => (ty, ""),
    };
    let ty = match word {
        "SMALLINT" => Type::SmallInt,
        "INTEGER" | "INT" => Type::Int,
        "BIGINT" => Type::BigInt,
        "CHAR" => Type::Char(numbers.parse().ok()?),
        "VARCHAR" => Type::Varchar(numbers.parse().ok()?),
        "TIMESTAMPTZ" | "DATETIME" => Type::Timestamp,
        "NUMERIC" | "DECIMAL" => {
            let (precision, scale) = numbers.split_once(',')?;
            Type::Decimal { precision: precision.parse().ok()?, scale: scale.parse().ok()? }
        }
        _ => return None,
    };
    Some(Column { name, ty, nullable, declared })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_complete() -> Result<()> {
        for (id, text) in TABLES {
            let tables = parse(text)?;
            assert_eq!(tables.len(), crate::schema::TABLES, "{id}");
            let keyless: Vec<&str> =
                tables.iter().filter(|table| table.key.is_empty()).map(|t| t.name).collect();
            assert_eq!(keyless, ["history"], "{id}");
        }
        Ok(())
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in ["CREATE TABLE t (\n a FLOAT", "a INTEGER", "CREATE VIEW v", "CREATE TABLE t"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let table = Table { name: "t", ..Table::default() };
        let logical = Schema { tables: vec![table] };
        assert!(merged(&logical, &[]).is_err());
    }
}
