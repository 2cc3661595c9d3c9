//! The tables of a folder as data: they are the same at every scale.
//!
//! Start reading at [`schema`].

use tacho_core::{Column, Index, Schema, Table};

use crate::definition::{ColumnDef, Definition, TableDef};
use crate::keep;

/// The tables, in the order of the file.
pub fn schema(definition: &Definition) -> Schema {
    Schema { tables: definition.tables.iter().map(table).collect() }
}

fn table(def: &TableDef) -> Table {
    let column = |own: &ColumnDef| Column {
        name: keep(own.name.clone()),
        ty: own.ty,
        nullable: own.nullable,
        declared: own.declared.clone().map(keep),
    };
    let columns: Vec<Column> = def.columns.iter().map(column).collect();
    let named = |name: &String| {
        columns.iter().find(|column| column.name == name).map_or("", |column| column.name)
    };
    let index = |(columns, unique): &(Vec<String>, bool)| Index {
        name: keep(format!("{}_{}", def.name, columns.join("_"))),
        columns: columns.iter().map(named).collect(),
        unique: *unique,
    };
    Table {
        name: keep(def.name.clone()),
        key: def.key.iter().map(named).collect(),
        indexes: def.indexes.iter().map(index).collect(),
        columns,
        ..Table::default()
    }
}
