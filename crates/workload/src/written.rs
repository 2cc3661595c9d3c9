//! Tables as somebody else writes them: CREATE TABLE and CREATE INDEX of a file, fitted to the rows
//! that a workload makes.
//!
//! It knows exactly as much SQL as such files need, one column a line, and says what it cannot read.
//! Start reading at [`written`].

use tacho_core::{Column, Error, ErrorKind, Index, Result, Schema, Table, Type};

/// The tables of `logical` with its columns in its order, all else as `sql` has it.
///
/// # Errors
/// If the file cannot be read, or lacks a table or a column.
pub fn written(logical: &Schema, sql: &'static str) -> Result<Schema> {
    merged(logical, &parse(sql)?)
}

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
    let stored = stored.collect::<Result<_>>()?;
    Ok(Table { stored, columns, searched: logical.searched.clone(), ..own.clone() })
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
    Error::new(ErrorKind::Syntax, format!("{name} is not on both lists of tables"))
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
    // Times without a fraction of a second or a zone, and numbers without a limit: ours have them.
    let declared = matches!(ty, "DATETIME" | "TIMESTAMP" | "NUMERIC").then_some(ty);
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
        "DATE" => Type::Date,
        "TIMESTAMP" | "TIMESTAMPTZ" | "DATETIME" => Type::Timestamp,
        // What values of ours travel as: no amount has more than two digits after the point.
        "NUMERIC" if numbers.is_empty() => Type::Decimal { precision: 18, scale: 2 },
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
    fn what_is_not_understood_is_an_error() {
        for text in ["CREATE TABLE t (\n a FLOAT", "a INTEGER", "CREATE VIEW v", "CREATE TABLE t"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(written(&logical(["a", "b"]), "").is_err());
        assert!(written(&logical(["a", "c"]), FILE).is_err());
    }
}
