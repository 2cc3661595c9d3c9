//! Reads table definitions from another tool's file of SQL statements, and adapts them to the rows that the workload
//! generates.
//!
//! The parser supports only the SQL that occurs in these files. Anything else is an error.
//!
//! Start reading at [`written`].

use tacho_core::{Column, Error, ErrorKind, Index, Reference, Result, Schema, Table, Type};

/// Returns the workload's tables (`logical`) as another tool declares them in `sql`. The order of the columns does not
/// change.
///
/// # Errors
/// Returns an error if the file cannot be parsed or if a table or column is missing.
pub fn written(logical: &Schema, sql: &'static str) -> Result<Schema> {
    merged(logical, &parse(sql)?, fitted)
}

/// Like [`written`], but count columns keep the file's narrow type, so their values may overflow.
///
/// # Errors
/// Returns the same errors as [`written`].
pub fn written_as_is(logical: &Schema, sql: &'static str) -> Result<Schema> {
    merged(logical, &parse(sql)?, |declared, logical| match (declared.column.ty, logical.ty) {
        (Type::SmallInt, Type::Int) => declared.column,
        _ => fitted(declared, logical),
    })
}

type Fit = fn(Own, &Column) -> Column;

/// A column as declared in a file, together with the type name that the file uses.
#[derive(Clone)]
struct Own {
    column: Column,
    written: &'static str,
}

/// A table as declared in a file, and its columns.
type OwnTable = (Table, Vec<Own>);

fn merged(logical: &Schema, declared: &[OwnTable], fit: Fit) -> Result<Schema> {
    let tables = logical.tables.iter().map(|table| {
        let found = declared.iter().find(|(known, _)| known.name == table.name);
        merged_table(table, found.ok_or_else(|| missing(table.name))?, fit)
    });
    Ok(Schema { tables: tables.collect::<Result<_>>()? })
}

fn merged_table(logical: &Table, (declared, written): &OwnTable, fit: Fit) -> Result<Table> {
    let place = |name: &str| written.iter().position(|column| column.column.name == name);
    let columns = logical.columns.iter().map(|column| {
        let declared = place(column.name).map(|at| written[at].clone());
        declared.map(|declared| fit(declared, column)).ok_or_else(|| missing(column.name))
    });
    let columns: Vec<Column> = columns.collect::<Result<_>>()?;
    let stored = written.iter().map(|column| {
        let at = columns.iter().position(|known| known.name == column.column.name);
        at.ok_or_else(|| missing(column.column.name))
    });
    let stored = stored.collect::<Result<_>>()?;
    Ok(Table { stored, columns, searched: logical.searched.clone(), ..declared.clone() })
}

/// Changes a declared column where the generated values require it. For example, a growing count needs more than 16
/// bits.
fn fitted(declared: Own, logical: &Column) -> Column {
    let Own { column, written } = declared;
    match (column.ty, logical.ty) {
        (Type::SmallInt, Type::Int) => Column { ty: Type::Int, ..column },
        (Type::Int, Type::Decimal { .. }) => {
            Column { ty: logical.ty, declared: Some("INT"), ..column }
        }
        (Type::Decimal { scale, .. }, Type::Decimal { scale: wanted, .. })
            if scale == wanted || column.declared.is_some() =>
        {
            column
        }
        (Type::BigInt | Type::Decimal { .. }, Type::Decimal { .. })
        | (Type::Decimal { .. }, Type::SmallInt | Type::Int) => {
            Column { ty: logical.ty, declared: Some(written), ..column }
        }
        _ => column,
    }
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("{name} must be in both lists of tables"))
}

/// Parses CREATE TABLE with one column per line, CREATE INDEX, and foreign keys on separate lines.
fn parse(text: &'static str) -> Result<Vec<OwnTable>> {
    let mut tables: Vec<OwnTable> = Vec::new();
    for line in text.lines().map(str::trim) {
        let read = match line.split_once(' ') {
            None | Some(("--", _)) => Some(()),
            Some(("CREATE", rest)) => match rest.strip_prefix("TABLE ") {
                Some(rest) => rest.strip_suffix(" (").map(|name| {
                    tables.push((Table { name, ..Table::default() }, Vec::new()));
                }),
                None => tables.last_mut().and_then(|(table, _)| index(rest, table)),
            },
            Some(("CONSTRAINT", rest)) => tables.last_mut().and_then(|(table, _)| {
                let (name, rest) = rest.split_once(' ')?;
                match rest.strip_prefix("PRIMARY KEY ") {
                    Some(rest) => (table.key_name, table.key) = (name, list(rest)?),
                    None => table.references.push(reference(name, rest)?),
                }
                Some(())
            }),
            Some(("PRIMARY", rest)) => tables.last_mut().and_then(|(table, _)| {
                table.key = list(rest.strip_prefix("KEY ")?)?;
                Some(())
            }),
            Some((name, rest)) => tables.last_mut().and_then(|(_, columns)| {
                columns.push(column(name, rest.strip_suffix(',').unwrap_or(rest))?);
                Some(())
            }),
        };
        read.ok_or_else(|| Error::new(ErrorKind::Syntax, format!("cannot read: {line}")))?;
    }
    Ok(tables)
}

/// Parses `UNIQUE INDEX name ON table (a, b);`.
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

/// Parses `FOREIGN KEY (a, b) REFERENCES other (c, d),`.
fn reference(name: &'static str, text: &'static str) -> Option<Reference> {
    let (columns, other) = text.strip_prefix("FOREIGN KEY ")?.split_once(" REFERENCES ")?;
    let (table, key) = other.strip_suffix(',').unwrap_or(other).split_once(' ')?;
    Some(Reference { name, columns: list(columns)?, table, key: list(key)? })
}

/// Parses `(a, b)`, with or without a trailing comma.
fn list(text: &'static str) -> Option<Vec<&'static str>> {
    let inner = text.strip_suffix(',').unwrap_or(text).strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.split(',').map(str::trim).collect())
}

fn column(name: &'static str, text: &'static str) -> Option<Own> {
    let (ty, nullable) = match text.strip_suffix(" NOT NULL") {
        Some(ty) => (ty, false),
        None => (text, true),
    };
    // Remove the collation, because the dialect uses the same collation for all tables.
    let ty = ty.strip_suffix(" BINARY").unwrap_or(ty);
    let written = ty;
    // Keep these type names as written. Otherwise, the dialect would choose a different type, such as one with a time
    // zone.
    let kept = ["DATETIME", "TIMESTAMP", "NUMERIC", "TINYINT", "TEXT"];
    let declared = kept.contains(&ty).then_some(ty);
    let (word, numbers) = match ty.split_once('(') {
        Some((word, rest)) => (word, rest.strip_suffix(')')?),
        None => (ty, ""),
    };
    let ty = match word {
        "SMALLINT" | "TINYINT" => Type::SmallInt,
        "INTEGER" | "INT" => Type::Int,
        "BIGINT" => Type::BigInt,
        "CHAR" => Type::Char(numbers.parse().ok()?),
        "VARCHAR" => Type::Varchar(numbers.parse().ok()?),
        // 500 is the length of the longest generated text.
        "TEXT" => Type::Varchar(500),
        "DATE" => Type::Date,
        "TIMESTAMP" | "TIMESTAMPTZ" | "DATETIME" => Type::Timestamp,
        // Tacho sends amounts as decimals, which never have more than two decimal places.
        "NUMERIC" if numbers.is_empty() => Type::Decimal { precision: 18, scale: 2 },
        "NUMERIC" | "DECIMAL" => {
            let (precision, scale) = numbers.split_once(',')?;
            Type::Decimal { precision: precision.parse().ok()?, scale: scale.parse().ok()? }
        }
        _ => return None,
    };
    Some(Own { column: Column { name, ty, nullable, declared }, written })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "-- Ours\n\nCREATE TABLE t (\n  b NUMERIC,\n  a INT NOT NULL,\n  PRIMARY KEY (a)\n);\n\
                        CREATE INDEX i ON t (b);\n";

    fn logical(names: [&'static str; 2]) -> Schema {
        let ty = Type::Decimal { precision: 9, scale: 2 };
        let column = |name| Column { name, ty, nullable: false, declared: None };
        let (columns, searched) = (names.map(column).into(), vec!["b"]);
        Schema { tables: vec![Table { name: "t", columns, searched, ..Table::default() }] }
    }

    #[test]
    fn columns_keep_the_order_of_the_rows() -> Result<()> {
        let table = &written(&logical(["a", "b"]), FILE)?.tables[0];
        assert_eq!(
            (&*table.stored, &*table.key, &*table.searched),
            (&[1, 0][..], &["a"][..], &["b"][..])
        );
        let declared =
            table.columns.iter().map(|column| (column.name, column.declared, column.nullable));
        let expected = [("a", Some("INT"), false), ("b", Some("NUMERIC"), true)];
        assert_eq!(declared.collect::<Vec<_>>(), expected);
        assert_eq!(table.indexes.len(), 1);
        Ok(())
    }

    #[test]
    fn rejects_invalid_files() {
        for text in ["CREATE TABLE t (\n a FLOAT", "a INTEGER", "CREATE VIEW v", "CREATE TABLE t"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(written(&logical(["a", "b"]), "").is_err());
        assert!(written(&logical(["a", "c"]), FILE).is_err());
    }
}
